#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sapwood/read/parse_double.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What is wrong with a line of a file: where, what stands there, and what should.
struct LineError {
    std::int64_t line = 0;
    std::int64_t column = 0;
    std::string found;
    std::string expected;
};

/// Points read from text, in compressed sparse rows.
struct TextBatch {
    std::vector<std::int64_t> indptr{0};
    std::vector<FeatureId> indices;
    /// The value of each of these, if the parser keeps values.
    std::vector<double> values;
    std::vector<double> labels;
    /// The line of the first point; 0 if there is none.
    std::int64_t first_line = 0;

    std::size_t size() const { return labels.size(); }
};

/// Reads the svmlight (libsvm) format, one point per line, from text that arrives in pieces:
///     label [qid:number] index:value index:value ... [# comment]
/// An index is the number of a feature as the file has it, of at most ten digits, below `n_columns` and ascending
/// within a line; the feature is on where its value is greater than a threshold. Blank lines and comments are no
/// points.
///
/// Memory is that of the batch. A line with an error adds nothing to it.
class SvmlightParser {
public:
    static constexpr FeatureId most_columns = FeatureId{1} << 30;

    /// `threshold`: without one, values must be 0 or 1. `n_columns`: from 1 to `most_columns`. `keeps_values`: whether
    /// the batch has the value of each feature that is on.
    explicit SvmlightParser(std::optional<double> threshold = 0.0, FeatureId n_columns = most_columns,
                            bool keeps_values = false)
        : threshold_(threshold), n_columns_(n_columns), keeps_values_(keeps_values) {}

    /// The lines that have been read.
    std::int64_t n_lines() const { return lines_; }

    /// Reads whole lines of `text` until it ends, `most` points are in the batch, or a line has an error, which is
    /// returned; that line counts as read. `is_last`: no text follows, so that the last line may lack its end. Sets
    /// `consumed` to the bytes read: what is left is to be passed again, with what follows it.
    std::optional<LineError> parse(std::string_view text, bool is_last, std::size_t most, TextBatch& batch,
                                   std::size_t& consumed) {
        const char* const begin = text.data();
        const char* const end = begin + text.size();
        const char* at = begin;
        consumed = 0;
        while (at < end && batch.size() < most) {
            const auto* line_end = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            if (line_end == nullptr) {
                if (!is_last) break;
                line_end = end;
            }
            ++lines_;
            const std::size_t kept = batch.indices.size();
            const bool right = parse_line(at, line_end, batch);
            at = line_end == end ? end : line_end + 1;
            consumed = static_cast<std::size_t>(at - begin);
            if (!right) {
                batch.indices.resize(kept);
                if (keeps_values_) batch.values.resize(kept);
                return std::move(error_);
            }
        }
        return std::nullopt;
    }

private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
    static bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

    /// Notes an error at a place of a line, up to the next blank.
    bool fail(const char* line, const char* at, const char* end, std::string expected) {
        const char* stop = at;
        constexpr std::ptrdiff_t longest = 40;
        while (stop < end && !is_space(*stop) && stop - at < longest) ++stop;
        error_ = {lines_, at - line + 1,
                  at == end    ? "the end of the line"
                  : stop == at ? "a blank"
                               : "'" + std::string(at, stop) + "'",
                  std::move(expected)};
        return false;
    }

    bool parse_line(const char* line, const char* end, TextBatch& batch) {
        const char* at = line;
        while (at < end && is_space(*at)) ++at;
        if (at == end || *at == '#') return true;
        double label = 0;
        if (!parse_digit(at, end, label) && !parse_number(at, end, label))
            return fail(line, at, end, "a label that is a number");
        const char* after_label = at;
        FeatureId last = -1;
        bool may_be_query = true;
        for (;;) {
            may_be_query &= !parse_ones(at, end, last, batch);
            if (at < end && !is_space(*at) && *at != '#') {
                if (at == after_label) return fail(line, line + first_of(line, end), end, "a label that is a number");
                return fail(line, at, end, "a blank between two features");
            }
            while (at < end && is_space(*at)) ++at;
            if (at == end || *at == '#') break;
            if (may_be_query && *at == 'q') {
                if (!parse_query(line, at, end)) return false;
            } else if (!parse_feature(line, at, end, last, batch)) {
                return false;
            }
            may_be_query = false;
        }
        if (batch.labels.empty()) batch.first_line = lines_;
        batch.labels.push_back(label);
        batch.indptr.push_back(static_cast<std::int64_t>(batch.indices.size()));
        return true;
    }

    /// A label of one digit, perhaps with a sign, as most are; false, and nothing else, if there is none.
    static bool parse_digit(const char*& at, const char* end, double& value) {
        const char* digit = *at == '-' || *at == '+' ? at + 1 : at;
        if (digit >= end || !is_digit(*digit) || (digit + 1 < end && !is_space(digit[1]))) return false;
        value = *at == '-' ? -(*digit - '0') : *digit - '0';
        at = digit + 1;
        return true;
    }

    /// As many features as there are of the plainest form, a space, an index of up to nine digits and a 1; whatever
    /// else there is, is left to those that say what is wrong. Returns whether there was one.
    bool parse_ones(const char*& at, const char* end, FeatureId& last, TextBatch& batch) const {
        const bool is_on = !threshold_ || 1 > *threshold_;
        const char* const start = at;
        while (end - at >= 4 && *at == ' ') {
            const char* next = at + 1;
            const char* const longest = end - next > 9 ? next + 9 : end;
            std::uint32_t index = 0;
            while (next < longest && is_digit(*next)) index = index * 10 + static_cast<std::uint32_t>(*next++ - '0');
            const auto id = static_cast<FeatureId>(index);
            const bool is_plain = next > at + 1 && end - next >= 2 && next[0] == ':' && next[1] == '1' &&
                                  (end - next == 2 || is_space(next[2]));
            if (!is_plain || id <= last || id >= n_columns_) break;
            if (is_on) add(id, 1, batch);
            last = id;
            at = next + 2;
        }
        return at != start;
    }

    static std::ptrdiff_t first_of(const char* line, const char* end) {
        const char* at = line;
        while (at < end && is_space(*at)) ++at;
        return at - line;
    }

    bool parse_query(const char* line, const char*& at, const char* end) {
        constexpr std::string_view name = "qid:";
        const char* const start = at;
        double query = 0;
        if (std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(name)) {
            at += name.size();
            if (parse_number(at, end, query)) return true;
        }
        return fail(line, start, end, "qid: and a number");
    }

    bool parse_feature(const char* line, const char*& at, const char* end, FeatureId& last, TextBatch& batch) {
        const char* const start = at;
        std::uint32_t index = 0;
        // Ten digits may be more than an index can be, and wrap around; nine cannot.
        while (at < end && is_digit(*at) && at - start < 10) {
            index = index * 10 + static_cast<std::uint32_t>(*at - '0');
            ++at;
        }
        const bool too_long = (at - start == 10 && !fits(start)) || (at < end && is_digit(*at));
        if (!too_long && (at == start || at == end || *at != ':')) return fail(line, start, end, "index:value");
        const auto id = static_cast<FeatureId>(index);
        if (too_long || id >= n_columns_) {
            return fail(line, start, end, "an index of at most " + std::to_string(n_columns_ - 1));
        }
        ++at;
        if (id <= last) return fail(line, start, end, "an index above the " + std::to_string(last) + " before it");
        last = id;
        double value = 0;
        const char* const value_start = at;
        if (!parse_number(at, end, value)) return fail(line, value_start, end, "a finite number as the value");
        if (!threshold_ && value != 0 && value != 1) return fail(line, value_start, end, "the value 0 or 1");
        if (threshold_ ? value > *threshold_ : value == 1) add(id, value, batch);
        return true;
    }

    void add(FeatureId id, double value, TextBatch& batch) const {
        batch.indices.push_back(id);
        if (keeps_values_) batch.values.push_back(value);
    }

    /// Whether ten digits are a number of 31 bits.
    static bool fits(const char* digits) { return std::memcmp(digits, "2147483648", 10) < 0; }

    /// A finite number, nearest to what is written; `at` moves behind it.
    static bool parse_number(const char*& at, const char* end, double& value) {
        const char* start = at;
        if (start < end && *start == '+' && start + 1 < end && start[1] != '-') ++start;
        const auto [stop, problem] = parse_double(start, end, value);
        if (problem == std::errc::result_out_of_range && is_tiny(start, stop)) {
            value = 0;
        } else if (problem != std::errc() || !std::isfinite(value)) {
            return false;
        }
        at = stop;
        return true;
    }

    /// Whether a number that no double can hold is too near to 0 rather than too far from it. from_chars does not say.
    static bool is_tiny(const char* at, const char* end) {
        std::int64_t magnitude = 0;  // the places before the point that are not leading zeros; negative behind it
        bool seen_point = false;
        bool seen_digit = false;
        for (; at < end && *at != 'e' && *at != 'E'; ++at) {
            if (*at == '.') {
                seen_point = true;
            } else if (is_digit(*at)) {
                seen_digit |= *at != '0';
                if (seen_point && !seen_digit) --magnitude;
                if (!seen_point && seen_digit) ++magnitude;
            }
        }
        if (at == end) return magnitude <= 0;
        ++at;
        const bool is_negative = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) ++at;
        std::int64_t exponent = 0;
        constexpr std::int64_t enough = std::int64_t{1} << 58;  // more than any text has places
        for (; at < end && exponent < enough; ++at) exponent = exponent * 10 + (*at - '0');
        return magnitude + (is_negative ? -exponent : exponent) <= 0;
    }

    std::optional<double> threshold_;
    FeatureId n_columns_;
    bool keeps_values_;
    std::int64_t lines_ = 0;
    std::optional<LineError> error_;
};

}  // namespace sapwood
