#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "sapwood/read/characters.hpp"
#include "sapwood/read/plain_number.hpp"
#include "sapwood/read/table_points.hpp"
#include "sapwood/read/text_table.hpp"

namespace sapwood {

/// What the cells at one place of each row are for.
struct CsvField {
    /// The column of the points.
    std::size_t column = TablePoints::ignored_column;
    /// Whether they are read as numbers where they look like one.
    bool is_number = false;
};

/// How the rows of a table are written.
struct CsvOptions {
    char delimiter = ',';
    /// No cell may have more bytes.
    std::size_t longest = 0;
    /// Texts that look like numbers and stand for missing ones.
    std::vector<std::string> missing_numbers;
};

/// Reads the rows of CSV (RFC 4180) in blocks of whole lines of UTF-8.
///
/// Guarantee: a row is read as Python's csv module does, or not at all: one that is bad in any way, or goes over
/// several lines, is left to the caller.
class CsvRows {
public:
    CsvRows(CsvOptions options, std::vector<CsvField> fields)
        : options_(std::move(options)), fields_(std::move(fields)) {}

    CsvField& field(std::size_t i) { return fields_[i]; }
    std::size_t n_fields() const { return fields_.size(); }

    /// Reads rows of a block, the last of which may lack its end, until it ends, `most` points are gathered or a row is
    /// left to the caller. Returns the bytes read; `n_lines` counts on.
    std::size_t parse(std::string_view block, std::size_t most, TablePoints& points, std::int64_t& n_lines,
                      bool& is_left) {
        end_ = block.data() + block.size();
        const char* at = block.data();
        is_left = false;
        while (at < end_ && points.batch().size() < most) {
            const char* next = at;
            if (*at == '\n' || (*at == '\r' && at + 1 < end_ && at[1] == '\n')) {
                next += *at == '\n' ? 1 : 2;
            } else {
                points.begin_row();
                next = read_row(at, points);
                if (next == nullptr) {
                    is_left = true;
                    break;
                }
                points.end_row(n_lines + 1);
            }
            ++n_lines;
            at = next;
        }
        return static_cast<std::size_t>(at - block.data());
    }

private:
    /// Returns where the next row begins; nullptr if this one is left to the caller.
    const char* read_row(const char* const begin, TablePoints& points) {
        const char* at = begin;
        const std::size_t last = fields_.size() - 1;
        for (std::size_t i = 0; i <= last; ++i) {
            const char* const end = read_cell(at, fields_[i], points);
            if (end == nullptr) return nullptr;
            if (end < end_ && *end == options_.delimiter) {
                if (i == last) return nullptr;
                at = end + 1;
            } else {
                if (i < last) return nullptr;
                at = end;
            }
        }
        if (!is_utf8({begin, static_cast<std::size_t>(at - begin)})) return nullptr;
        if (at < end_ && *at == '\r') ++at;
        return at < end_ ? at + 1 : at;
    }

    /// Returns where a cell ends: a delimiter, or the end of the line.
    const char* read_cell(const char* at, const CsvField& field, TablePoints& points) {
        if (at < end_ && *at == '"') return read_quoted(at + 1, field, points);
        if (field.is_number) {
            double value = 0;
            const char* const stop = plain_number(at, end_, value);
            if (stop != nullptr && is_end(stop) && !is_missing({at, static_cast<std::size_t>(stop - at)})) {
                points.add_number(field.column, value);
                return stop;
            }
        }
        const char* const stop = end_of(at);
        const bool is_padded = end_ - stop >= static_cast<std::ptrdiff_t>(TextTable::padding);
        return is_end(stop) && add(at, stop, is_padded, field, points) ? stop : nullptr;
    }

    const char* read_quoted(const char* at, const CsvField& field, TablePoints& points) {
        const auto quote_after = [this](const char* from) {
            return static_cast<const char*>(std::memchr(from, '"', static_cast<std::size_t>(end_ - from)));
        };
        const char* stop = quote_after(at);
        if (stop == nullptr) return nullptr;
        const char* cell = at;
        const char* cell_end = stop;
        if (stop + 1 < end_ && stop[1] == '"') {
            unquoted_.clear();
            while (true) {
                unquoted_.append(at, stop);
                if (stop + 1 >= end_ || stop[1] != '"') break;
                unquoted_.push_back('"');
                at = stop + 2;
                stop = quote_after(at);
                if (stop == nullptr) return nullptr;
            }
            cell = unquoted_.data();
            cell_end = cell + unquoted_.size();
        }
        if (std::memchr(cell, '\n', static_cast<std::size_t>(cell_end - cell)) != nullptr) return nullptr;
        ++stop;
        if (!is_end(stop)) return nullptr;
        if (field.is_number) {
            double value = 0;
            if (plain_number(cell, cell_end, value) == cell_end &&
                !is_missing({cell, static_cast<std::size_t>(cell_end - cell)})) {
                points.add_number(field.column, value);
                return stop;
            }
        }
        return add(cell, cell_end, false, field, points) ? stop : nullptr;
    }

    /// Whether a cell may end here.
    bool is_end(const char* at) const {
        if (at == end_ || *at == options_.delimiter || *at == '\n') return true;
        return *at == '\r' && (at + 1 == end_ || at[1] == '\n');
    }

    /// The first delimiter or end of a line from here on.
    const char* end_of(const char* at) const {
#if defined(__SSE2__)
        const __m128i delimiters = _mm_set1_epi8(options_.delimiter);
        for (; end_ - at >= 16; at += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
            const __m128i found = _mm_or_si128(
                _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiters), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')));
            const int mask = _mm_movemask_epi8(found);
            if (mask != 0) return at + std::countr_zero(static_cast<unsigned>(mask));
        }
#endif
        while (at < end_ && *at != options_.delimiter && *at != '\n' && *at != '\r') ++at;
        return at;
    }

    bool is_missing(std::string_view number) const {
        return !options_.missing_numbers.empty() &&
               std::find(options_.missing_numbers.begin(), options_.missing_numbers.end(), number) !=
                   options_.missing_numbers.end();
    }

    /// Adds a cell. `is_padded`: enough behind it can be read, as behind most cells of a block.
    bool add(const char* begin, const char* end, bool is_padded, const CsvField& field, TablePoints& points) {
        const auto length = static_cast<std::size_t>(end - begin);
        if (length > options_.longest) return false;
        if (field.column == TablePoints::ignored_column) return true;
        if (length == 0) return field.column != TablePoints::label_column;
        if (!is_padded) {
            padded_.assign(begin, end);
            padded_.append(TextTable::padding, '\0');
            begin = padded_.data();
        }
        return points.add_cell(field.column, begin, length);
    }

    CsvOptions options_;
    std::vector<CsvField> fields_;
    const char* end_ = nullptr;
    std::string unquoted_;
    std::string padded_;
};

}  // namespace sapwood
