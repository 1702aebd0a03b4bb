// The parser of the svmlight format against a slow twin: whole texts, texts cut anywhere, and texts with random damage.
#include "sapwood/read/svmlight.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/read/svmlight_text.hpp"

namespace {

using sapwood::FeatureId;
using sapwood::LineError;
using sapwood::SvmlightParser;
using sapwood::TextBatch;

struct Place {
    std::int64_t line;
    std::int64_t column;
    bool operator==(const Place&) const = default;
};

struct Point {
    double label;
    std::vector<FeatureId> features;
    bool operator==(const Point&) const = default;
};

/// All that a text says: its points, and where it is wrong.
struct Reading {
    std::vector<Point> points;
    std::vector<Place> errors;
    std::int64_t n_lines = 0;
    bool operator==(const Reading&) const = default;
};

// The twin. It looks at one line at a time, cuts it into words, and reads numbers with strtod.

bool is_blank(char c) { return std::string_view(" \t\r\f\v").find(c) != std::string_view::npos; }

/// The length of the number at the start of a word; 0 if there is none.
std::size_t number_length(const std::string& word) {
    const auto digits = [&](std::size_t at) {
        std::size_t n = 0;
        while (at + n < word.size() && word[at + n] >= '0' && word[at + n] <= '9') ++n;
        return n;
    };
    std::size_t at = !word.empty() && (word[0] == '+' || word[0] == '-') ? 1 : 0;
    const std::size_t whole = digits(at);
    at += whole;
    std::size_t part = 0;
    if (at < word.size() && word[at] == '.') {
        part = digits(at + 1);
        if (whole + part > 0) at += 1 + part;
    }
    if (whole + part == 0) return 0;
    if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
        const std::size_t sign = at + 1 < word.size() && (word[at + 1] == '+' || word[at + 1] == '-') ? 1 : 0;
        if (const std::size_t n = digits(at + 1 + sign); n > 0) at += 1 + sign + n;
    }
    return at;
}

std::optional<double> number_of(const std::string& word, std::size_t& length) {
    length = number_length(word);
    if (length == 0) return std::nullopt;
    const double value = std::strtod(word.substr(0, length).c_str(), nullptr);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Reads a line into `point`. Returns the column of an error, or 0.
std::size_t slow_line(std::string line, std::optional<double> threshold, FeatureId n_columns,
                      std::optional<Point>& point) {
    line = line.substr(0, line.find('#'));
    std::vector<std::pair<std::size_t, std::string>> words;
    for (std::size_t at = 0; at < line.size();) {
        if (is_blank(line[at])) {
            ++at;
            continue;
        }
        std::size_t stop = at;
        while (stop < line.size() && !is_blank(line[stop])) ++stop;
        words.emplace_back(at + 1, line.substr(at, stop - at));
        at = stop;
    }
    if (words.empty()) return 0;
    Point read;
    std::size_t length = 0;
    const std::optional<double> label = number_of(words[0].second, length);
    if (!label || length < words[0].second.size()) return words[0].first;
    read.label = *label;
    FeatureId last = -1;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const auto& [column, word] = words[i];
        if (i == 1 && word[0] == 'q') {
            if (word.substr(0, 4) != "qid:" || !number_of(word.substr(4), length)) return column;
            if (4 + length < word.size()) return column + 4 + length;
            continue;
        }
        const std::size_t colon = word.find_first_not_of("0123456789");
        if (colon == 0) return column;
        const std::string digits = word.substr(0, colon);
        if (digits.size() > 10 || std::stoll(digits) >= n_columns) return column;
        if (colon == std::string::npos || word[colon] != ':') return column;
        const auto index = static_cast<FeatureId>(std::stoll(digits));
        if (index <= last) return column;
        last = index;
        const std::optional<double> value = number_of(word.substr(colon + 1), length);
        if (!value || (!threshold && *value != 0 && *value != 1)) return column + colon + 1;
        if (colon + 1 + length < word.size()) return column + colon + 1 + length;
        if (threshold ? *value > *threshold : *value == 1) read.features.push_back(index);
    }
    point = std::move(read);
    return 0;
}

Reading slow_read(const std::string& text, std::optional<double> threshold, FeatureId n_columns) {
    Reading reading;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        ++reading.n_lines;
        std::optional<Point> point;
        const std::size_t column = slow_line(text.substr(at, end - at), threshold, n_columns, point);
        if (column > 0) reading.errors.push_back({reading.n_lines, static_cast<std::int64_t>(column)});
        if (point) reading.points.push_back(*std::move(point));
        at = end + 1;
    }
    return reading;
}

void add_points(const TextBatch& batch, Reading& reading) {
    CHECK(batch.indptr.size() == batch.size() + 1 && batch.indptr.front() == 0);
    CHECK(batch.indptr.back() == static_cast<std::int64_t>(batch.indices.size()));
    CHECK((batch.first_line > 0) == (batch.size() > 0));
    for (std::size_t i = 0; i < batch.size(); ++i) {
        reading.points.push_back(
            {batch.labels[i], {batch.indices.begin() + batch.indptr[i], batch.indices.begin() + batch.indptr[i + 1]}});
    }
}

/// Reads a text that arrives in pieces of the lengths that `draw` gives, in batches of at most `most` points.
template <class Draw>
Reading fast_read(const std::string& text, std::optional<double> threshold, FeatureId n_columns, std::size_t most,
                  Draw draw) {
    Reading reading;
    SvmlightParser parser(threshold, n_columns);
    TextBatch batch;
    std::string buffer;
    std::size_t arrived = 0;
    for (bool is_last = false; !is_last || !buffer.empty();) {
        const std::size_t piece = std::min<std::size_t>(draw(), text.size() - arrived);
        buffer.append(text, arrived, piece);
        arrived += piece;
        is_last = arrived == text.size();
        for (;;) {
            std::size_t consumed = 0;
            // A copy without a byte behind it, so that the sanitizer sees any read beyond the end.
            const std::vector<char> exact(buffer.begin(), buffer.end());
            const std::optional<LineError> error =
                parser.parse(std::string_view(exact.data(), exact.size()), is_last, most, batch, consumed);
            buffer.erase(0, consumed);
            if (error) {
                reading.errors.push_back({error->line, error->column});
                CHECK(!error->found.empty() && !error->expected.empty() && error->found.size() <= 42);
                CHECK(error->line == parser.n_lines());
            }
            if (batch.size() == most) {
                add_points(batch, reading);
                batch = TextBatch();
            } else if (!error) {
                break;
            }
        }
    }
    add_points(batch, reading);
    reading.n_lines = parser.n_lines();
    return reading;
}

bool agree(const std::string& text, std::optional<double> threshold, FeatureId n_columns, std::mt19937& random) {
    const Reading expected = slow_read(text, threshold, n_columns);
    const Reading whole = fast_read(text, threshold, n_columns, 1000, [&] { return text.size() + 1; });
    const Reading pieces = fast_read(text, threshold, n_columns, 1 + random() % 4, [&] { return random() % 9; });
    const bool right = CHECK(whole == expected) && CHECK(pieces == expected);
    if (!right) std::fprintf(stderr, "the text was\n%s\n", text.c_str());
    return right;
}

std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> labels{"1", "-1", "+1", "0", "2.5", "1e3", "-.5", "7."};
    static const std::vector<std::string> values{"1", "1", "1", "0", "0.5", "1.0", "-2", "+1", "1e-400", "1E2", ".25"};
    static const std::vector<std::string> blanks{" ", " ", " ", "  ", "\t"};
    const auto one_of = [&](const std::vector<std::string>& items) { return items[random() % items.size()]; };
    std::string text;
    const auto lines = random() % 6;
    for (unsigned i = 0; i < lines; ++i) {
        if (random() % 8 == 0) {
            text += one_of({"", "# a comment", "   ", "\t# 1 2:3"});
        } else {
            if (random() % 8 == 0) text += " ";
            text += one_of(labels);
            if (random() % 5 == 0) text += " qid:" + std::to_string(random() % 10);
            auto index = random() % 3;
            for (auto features = random() % 5; features > 0; --features) {
                text += one_of(blanks) + std::to_string(index) + ":" + one_of(values);
                index += 1 + random() % (random() % 4 == 0 ? 400000000 : 20);
            }
            if (random() % 8 == 0) text += one_of({" # b", "#c", " "});
        }
        if (i + 1 < lines || random() % 3 > 0) text += random() % 5 == 0 ? "\r\n" : "\n";
    }
    return text;
}

void damage(std::string& text, std::mt19937& random) {
    using std::string_view_literals::operator""sv;
    constexpr std::string_view signs = "0123456789:::.+-eEqid# \t\r\n\nainf\0\xff\x7f,"sv;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        const std::size_t at = random() % (text.size() + 1);
        const char sign = signs[random() % signs.size()];
        switch (random() % 3) {
            case 0:
                text.insert(at, 1, sign);
                break;
            case 1:
                text.erase(at, 1 + random() % 3);
                break;
            default:
                if (at < text.size()) text[at] = sign;
        }
    }
}

void random_texts_agree() {
    std::mt19937 random(7);
    std::size_t wrong_texts = 0;
    std::size_t points = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text = random_text(random);
        if (i % 4 != 0) damage(text, random);
        const std::optional<double> threshold = i % 5 == 0 ? std::nullopt
                                                           : std::optional(i % 5 == 1   ? 0.5
                                                                           : i % 5 == 2 ? 1.0
                                                                                        : 0.0);
        const FeatureId n_columns = i % 7 == 0 ? 30 : SvmlightParser::most_columns;
        if (!agree(text, threshold, n_columns, random)) return;
        const Reading reading = slow_read(text, threshold, n_columns);
        wrong_texts += !reading.errors.empty();
        points += reading.points.size();
    }
    // Both kinds of line must be common for the above to mean anything.
    CHECK(wrong_texts > 5000 && wrong_texts < 18000);
    CHECK(points > 20000);
}

/// The error of the one wrong line of a text, as a reader will see it.
std::string message(const std::string& text, std::optional<double> threshold = 0.0,
                    FeatureId n_columns = SvmlightParser::most_columns) {
    SvmlightParser parser(threshold, n_columns);
    TextBatch batch;
    std::size_t consumed = 0;
    const auto error = parser.parse(text, true, 100, batch, consumed);
    if (!error) return "";
    return std::to_string(error->line) + ":" + std::to_string(error->column) + ": expected " + error->expected +
           ", found " + error->found;
}

void errors_say_what_is_wrong() {
    CHECK(message("1 2:1\n1 abc 3:1\n") == "2:3: expected index:value, found 'abc'");
    CHECK(message("spam 2:1") == "1:1: expected a label that is a number, found 'spam'");
    CHECK(message("  2:1") == "1:3: expected a label that is a number, found '2:1'");
    CHECK(message("1,2 2:1") == "1:1: expected a label that is a number, found '1,2'");
    CHECK(message("nan 2:1") == "1:1: expected a label that is a number, found 'nan'");
    CHECK(message("1e999 2:1") == "1:1: expected a label that is a number, found '1e999'");
    CHECK(message("1 2:") == "1:5: expected a finite number as the value, found the end of the line");
    CHECK(message("1 2: 3") == "1:5: expected a finite number as the value, found a blank");
    CHECK(message("1 2:inf") == "1:5: expected a finite number as the value, found 'inf'");
    CHECK(message("1 2:1,5") == "1:6: expected a blank between two features, found ',5'");
    CHECK(message("1 2:2", std::nullopt) == "1:5: expected the value 0 or 1, found '2'");
    CHECK(message("1 5:1 5:1") == "1:7: expected an index above the 5 before it, found '5:1'");
    CHECK(message("1 5:1 4:1") == "1:7: expected an index above the 5 before it, found '4:1'");
    CHECK(message("1 1073741824:1") == "1:3: expected an index of at most 1073741823, found '1073741824:1'");
    CHECK(message("1 4294967297:1") == "1:3: expected an index of at most 1073741823, found '4294967297:1'");
    CHECK(message("1 12345678901:1") == "1:3: expected an index of at most 1073741823, found '12345678901:1'");
    CHECK(message("1 10:1", 0.0, 10) == "1:3: expected an index of at most 9, found '10:1'");
    CHECK(message("1 1073741823:1").empty());
    CHECK(message("1 -3:1") == "1:3: expected index:value, found '-3:1'");
    CHECK(message("1 qid:x 3:1") == "1:3: expected qid: and a number, found 'qid:x'");
    CHECK(message("1 3:1 qid:4") == "1:7: expected index:value, found 'qid:4'");
    CHECK(message("1 " + std::string(100, 'x')) == "1:3: expected index:value, found '" + std::string(40, 'x') + "'");
    CHECK(message("").empty());
    CHECK(message("\n# only\n\r\n").empty());
}

void numbers_out_of_range() {
    const std::string zeros(400, '0');
    const std::vector<std::pair<std::string, std::optional<double>>> cases{{"1e-400", 0.0},
                                                                           {"-1e-400", 0.0},
                                                                           {"1e400", std::nullopt},
                                                                           {"0." + zeros + "1", 0.0},
                                                                           {"1" + zeros, std::nullopt},
                                                                           {"0e400", 0.0},
                                                                           {"1e-99999999999999999999999", 0.0},
                                                                           {"1e99999999999999999999999", std::nullopt},
                                                                           {"0." + zeros + "1e400", 0.1},
                                                                           {"1" + zeros + "e-400", 1.0},
                                                                           {"1" + zeros + "e-800", 0.0}};
    for (const auto& [text, value] : cases) {
        SvmlightParser parser(0.0);
        TextBatch batch;
        std::size_t consumed = 0;
        const auto error = parser.parse(text, true, 1, batch, consumed);
        if (!CHECK(error.has_value() != value.has_value())) std::fprintf(stderr, "%s\n", text.c_str());
        if (value && !error) CHECK(batch.labels[0] == *value);
    }
}

void what_is_written_is_read() {
    std::mt19937 random(3);
    std::vector<std::int64_t> indptr{0};
    std::vector<FeatureId> indices;
    std::vector<double> labels;
    for (int i = 0; i < 2000; ++i) {
        FeatureId last = -1;
        for (auto k = random() % 20; k > 0; --k) {
            last += 1 + static_cast<FeatureId>(random() % (random() % 5 == 0 ? 50000000u : 9u));
            indices.push_back(last);
        }
        indptr.push_back(static_cast<std::int64_t>(indices.size()));
        labels.push_back(
            i % 3 == 0 ? i : std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100));
    }
    // The extremes, which are the longest texts too.
    labels[0] = -1.7976931348623157e308;
    labels[1] = -2.2250738585072014e-308;
    const std::string text = sapwood::svmlight_text<double>(indptr, indices, labels);
    SvmlightParser parser;
    TextBatch batch;
    std::size_t consumed = 0;
    CHECK(!parser.parse(text, true, 5000, batch, consumed));
    CHECK(consumed == text.size() && batch.indptr == indptr && batch.indices == indices && batch.labels == labels);
    const std::vector<std::int64_t> whole{-1, std::numeric_limits<std::int64_t>::min()};
    const std::vector<std::int64_t> rows{0, 1, 2};
    const std::vector<FeatureId> ids{0, std::numeric_limits<FeatureId>::max()};
    CHECK(sapwood::svmlight_text<std::int64_t>(rows, ids, whole) == "-1 0:1\n-9223372036854775808 2147483647:1\n");
    CHECK(sapwood::svmlight_text<double>(std::vector<std::int64_t>{0}, {}, {}).empty());
}

}  // namespace

int main() {
    errors_say_what_is_wrong();
    numbers_out_of_range();
    random_texts_agree();
    what_is_written_is_read();
    return sapwood::check::finish();
}
