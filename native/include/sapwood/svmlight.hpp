#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

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
    std::vector<double> labels;

    std::size_t size() const { return labels.size(); }
};

/// Reads the svmlight (libsvm) format, a line a point, from text that arrives in pieces:
///     label [qid:number] index:value index:value ... [# comment]
/// An index is the number of a feature as the file has it, at least `least_index` and ascending within a line; the
/// feature is on where its value is greater than a threshold. Blank lines and comments are no points.
///
/// Memory is that of the batch. A line with an error adds nothing to it.
class SvmlightParser {
public:
    /// `threshold`: without one, values must be 0 or 1.
    explicit SvmlightParser(std::optional<double> threshold = 0.0, FeatureId least_index = 0)
        : threshold_(threshold), least_index_(least_index) {}

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
        if (!parse_number(at, end, label)) return fail(line, at, end, "a label that is a number");
        const char* after_label = at;
        FeatureId last = -1;
        for (;;) {
            if (at < end && !is_space(*at) && *at != '#') {
                if (at == after_label) return fail(line, line + first_of(line, end), end, "a label that is a number");
                return fail(line, at, end, "a blank between two features");
            }
            while (at < end && is_space(*at)) ++at;
            if (at == end || *at == '#') break;
            if (!parse_feature(line, at, end, last, batch)) return false;
        }
        batch.labels.push_back(label);
        batch.indptr.push_back(static_cast<std::int64_t>(batch.indices.size()));
        return true;
    }

    static std::ptrdiff_t first_of(const char* line, const char* end) {
        const char* at = line;
        while (at < end && is_space(*at)) ++at;
        return at - line;
    }

    bool parse_feature(const char* line, const char*& at, const char* end, FeatureId& last, TextBatch& batch) {
        const char* const start = at;
        std::uint32_t index = 0;
        // Ten digits may be more than an index can be; nine cannot.
        while (at < end && is_digit(*at) && at - start < 10) {
            index = index * 10 + static_cast<std::uint32_t>(*at - '0');
            ++at;
        }
        const bool too_long = at - start == 10 && !fits(start);
        if (at == start || at == end || *at != ':' || too_long) {
            if (at == start && static_cast<std::size_t>(end - at) > 4 && std::memcmp(at, "qid:", 4) == 0) {
                at += 4;
                double query = 0;
                if (parse_number(at, end, query)) return true;
                return fail(line, start, end, "qid: and a number");
            }
            return fail(line, start, end,
                        too_long || (at < end && is_digit(*at)) ? "an index of at most 1073741823"
                                                                : "a feature as index:value");
        }
        ++at;
        const auto id = static_cast<FeatureId>(index);
        if (index >= largest_index) return fail(line, start, end, "an index of at most 1073741823");
        if (id < least_index_) return fail(line, start, end, "an index of at least " + std::to_string(least_index_));
        if (id <= last) {
            return fail(line, start, end, "an index above the " + std::to_string(last) + " before it");
        }
        last = id;
        // Most values are a plain 1.
        if (at < end && *at == '1' && (at + 1 == end || is_space(at[1]))) {
            ++at;
            if (!threshold_ || 1 > *threshold_) batch.indices.push_back(id);
            return true;
        }
        double value = 0;
        const char* const value_start = at;
        if (!parse_number(at, end, value)) return fail(line, value_start, end, "a finite number as the value");
        if (!threshold_ && value != 0 && value != 1) return fail(line, value_start, end, "the value 0 or 1");
        if (threshold_ ? value > *threshold_ : value == 1) batch.indices.push_back(id);
        return true;
    }

    /// Whether ten digits are a number of 32 bits.
    static bool fits(const char* digits) { return std::memcmp(digits, "2147483648", 10) < 0; }

    /// A finite number; `at` moves behind it.
    static bool parse_number(const char*& at, const char* end, double& value) {
        const char* start = at;
        if (start < end && *start == '+' && start + 1 < end && start[1] != '-') ++start;
        const auto [stop, problem] = std::from_chars(start, end, value);
        if (problem != std::errc() || !std::isfinite(value)) return false;
        at = stop;
        return true;
    }

    static constexpr std::uint32_t largest_index = 1u << 30;

    std::optional<double> threshold_;
    FeatureId least_index_;
    std::int64_t lines_ = 0;
    std::optional<LineError> error_;
};

}  // namespace sapwood
