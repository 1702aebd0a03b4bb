// What the readers of text and tables are made of, against slow twins: texts by number, edges of words, numbers, cells.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "sapwood/read/csv_rows.hpp"
#include "sapwood/read/hashed_column.hpp"
#include "sapwood/read/plain_number.hpp"
#include "sapwood/read/text_lines.hpp"
#include "sapwood/read/text_table.hpp"
#include "sapwood/read/word_edges.hpp"

namespace {

using namespace sapwood;

std::mt19937 generator(7);

std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(generator); }

std::string random_text(std::string_view letters, std::size_t longest) {
    std::string text(below(longest + 1), ' ');
    for (char& c : text) c = letters[below(letters.size())];
    return text;
}

void test_texts_have_numbers_in_order() {
    TextTable table;
    std::map<std::string, std::uint32_t> twin;
    for (int round = 0; round < 20'000; ++round) {
        const std::string text = random_text(std::string_view("ab\0c", 4), round % 3 == 0 ? 40 : 9);
        const std::string padded = text + random_text("xyz", 0) + std::string(TextTable::padding, 'p');
        const auto number = static_cast<std::uint32_t>(twin.size());
        const std::uint32_t expected = twin.emplace(text, number).first->second;
        TextTable::Entry& entry = table.find_or_add(padded.data(), text.size());
        CHECK(entry.number() == expected);
        CHECK(table.text(expected) == text);
        CHECK((entry.stamp == 0) == (expected == number));
        entry.stamp = 1;
    }
    CHECK(table.size() == twin.size());
    table.clear();
    CHECK(table.size() == 0);
}

void test_edges_are_those_of_words() {
    std::string alphabet = "aZ09_ .-\t";
    alphabet.push_back('@');
    alphabet += "[`{/:";
    for (int round = 0; round < 2'000; ++round) {
        const std::string text = random_text(alphabet, 200);
        std::vector<std::uint32_t> expected;
        bool is_inside = false;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            const bool is_part =
                i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
            if (is_part != is_inside) expected.push_back(static_cast<std::uint32_t>(i));
            is_inside = is_part;
        }
        std::string lower(text.size() + 64, ' ');
        std::vector<std::uint32_t> edges(text.size() + 1);
        edges.resize(word_edges(text.data(), text.size(), lower.data(), edges.data()));
        CHECK(edges == expected);
        for (std::size_t i = 0; i < text.size(); ++i) {
            CHECK(lower[i] == static_cast<char>(std::tolower(static_cast<unsigned char>(text[i]))));
        }
    }
    std::string lower(64, ' ');
    std::vector<std::uint32_t> edges(8);
    CHECK(word_edges("na\xc3\xafve", 6, lower.data(), edges.data()) == no_ascii);
}

void test_numbers_are_the_nearest() {
    for (int round = 0; round < 20'000; ++round) {
        std::string text = random_text("+-", 1) + random_text("0123456789", 22);
        if (below(2) == 0) text += "." + random_text("0123456789", 22);
        if (below(2) == 0) text += random_text("eE", 1) + random_text("+-", 1) + random_text("0123", 3);
        const std::string whole = text + ",";
        double value = 0;
        const char* const stop = plain_number(whole.data(), whole.data() + whole.size(), value);
        if (stop == nullptr || stop != whole.data() + text.size()) continue;
        const double expected = std::strtod(text.c_str(), nullptr);
        CHECK(value == expected && std::signbit(value) == std::signbit(expected));
    }
    for (const char* text : {"1e999", "", "+", ".", "e5", "1e", "1e+", "inf", "nan", "-"}) {
        const std::string_view view(text);
        double value = 0;
        CHECK(plain_number(view.data(), view.data() + view.size(), value) == nullptr);
    }
}

void test_hashes_are_those_of_murmur3() {
    // From the reference implementation.
    CHECK(murmur3("") == 0u);
    CHECK(murmur3("hello") == 0x248BFA47u);
    CHECK(murmur3("hello, world") == 0x149BBB7Fu);
    CHECK(murmur3("The quick brown fox jumps over the lazy dog.") == 0xD5C48BFCu);
    CHECK(hashed_column("hello", 10) == static_cast<FeatureId>(0x248BFA47u % 10));
}

void test_rows_are_whole_or_left() {
    std::vector<std::string> asked;
    TablePoints points(2, [&](std::size_t column, std::string_view cell) -> Said {
        asked.emplace_back(cell);
        if (cell == "bad") return {Said::Kind::bad};
        if (cell == "NA") return {Said::Kind::missing};
        if (cell == "two") return {Said::Kind::number, 0, 2.0};
        const auto number = static_cast<std::int32_t>(asked.size() - 1);
        return {Said::Kind::feature, number, 0, column == TablePoints::label_column ? 0 : number};
    });
    CsvRows rows({',', 100, {"-9"}}, {{1, true}, {2, false}, {TablePoints::label_column, false}});
    const std::string text =
        "1.5,red,x\r\n\n-9,\"r\"\"d\",y\ntwo,red,x\n2,bad,x\n3,\"a\nb\",x\n4,blue,\n5,red\n6,red,x,7\n8,red,y";
    std::size_t at = 0;
    std::int64_t n_lines = 0;
    std::vector<std::string> left;
    while (at < text.size()) {
        bool is_left = false;
        at += rows.parse(std::string_view(text).substr(at), 100, points, n_lines, is_left);
        if (!is_left) continue;
        const std::size_t end = text.find('\n', at) + 1;
        left.push_back(text.substr(at, end - at));
        at = end;
        ++n_lines;
    }
    const std::vector<std::string> expected{"2,bad,x\n", "3,\"a\n", "b\",x\n", "4,blue,\n", "5,red\n", "6,red,x,7\n"};
    CHECK(left == expected);
    CHECK(n_lines == 11);
    const TableBatch batch = points.take();
    CHECK(batch.size() == 4);
    CHECK(batch.first_line == 1);
    CHECK((batch.values == std::vector<double>{1.5, 2.0, 8.0}));
    CHECK((batch.number_indptr == std::vector<std::int64_t>{0, 1, 1, 2, 3}));
    CHECK((batch.indptr == std::vector<std::int64_t>{0, 1, 3, 4, 5}));
    CHECK(batch.indices[0] == batch.indices[3] && batch.indices[0] == batch.indices[4]);
    CHECK((batch.labels == std::vector<std::int64_t>{0, 1, 0, 1}));
}

void test_lines_that_are_left() {
    TextLines lines({}, [](std::uint32_t first, Characters::Page& page) {
        for (std::uint32_t i = 0; i < page.size(); ++i) page[i] = {first + i, true, false, first + i == 0x3A3};
    });
    const std::string text = "a\tOne two one\n\n \t\nb\tna\xc3\xafve\nno tab\nc\t\xff\nd\t\xce\xa3\nlast\tEnd";
    std::size_t at = 0;
    std::vector<std::string> left;
    while (at < text.size()) {
        std::size_t begin = 0;
        const std::size_t end = lines.parse(std::string_view(text).substr(at), 100, false, begin);
        if (begin < end) left.push_back(text.substr(at + begin, end - begin));
        at += end;
    }
    CHECK((left == std::vector<std::string>{"no tab\n", "c\t\xff\n", "d\t\xce\xa3\n"}));
    CHECK(lines.n_lines() == 8);
    const WordBatch batch = lines.take();
    std::vector<std::string> words;
    for (const FeatureId place : batch.indices) {
        words.emplace_back(lines.words().text(static_cast<std::uint32_t>(place)));
    }
    CHECK((words == std::vector<std::string>{"one", "two", "na\xc3\xafve", "end"}));
    CHECK((batch.indptr == std::vector<std::int64_t>{0, 2, 3, 4}));
}

}  // namespace

int main() {
    test_texts_have_numbers_in_order();
    test_edges_are_those_of_words();
    test_numbers_are_the_nearest();
    test_hashes_are_those_of_murmur3();
    test_rows_are_whole_or_left();
    test_lines_that_are_left();
    return sapwood::check::finish();
}
