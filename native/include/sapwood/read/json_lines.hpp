#pragma once

#include <bit>
#include <cmath>
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
#include "sapwood/read/word_edges.hpp"

namespace sapwood {

/// What the values of a field of the objects are for.
struct JsonField {
    enum class Role { ignored, label, plain, typed };

    Role role = Role::ignored;
    /// The columns of its values, and of the items of its lists, in the points.
    std::size_t column = 0;
    std::size_t items = 0;
    /// Whether numbers are read as such; always so in a plain field.
    bool is_number = false;
};

/// Reads JSON lines, one object per line, in blocks of whole lines of UTF-8. Fields are told to it by the caller, and
/// what a value says, unless it is a number, is asked of the points once for each way in which it is written.
///
/// Guarantee: a line is read as Python's json module does, or not at all: one that is bad in any way, or has a field
/// that was not told, a field twice, or a value that only Python knows how to read, is left to the caller.
class JsonLines {
public:
    /// The object of each line itself.
    static constexpr std::size_t root = 0;
    /// Of objects within objects; deeper ones are left to the caller, who refuses those that are much deeper.
    static constexpr int deepest = 16;

    explicit JsonLines(bool is_labelled) : is_labelled_(is_labelled) { nodes_.emplace_back(); }

    /// Tells a field of an object, by its key as it is written without escapes. Returns its number.
    std::size_t add_field(std::size_t object, std::string_view key, const JsonField& field) {
        std::string padded(key);
        padded.append(TextTable::padding, '\0');
        TextTable::Entry& entry = nodes_[object].children.find_or_add(padded.data(), key.size());
        if (entry.stamp == 0) {
            entry.stamp = 1;
            entry.value = static_cast<std::int32_t>(nodes_.size());
            nodes_.emplace_back().field = field;
        }
        return static_cast<std::size_t>(entry.value);
    }

    /// Reads lines of a block, the last of which may lack its end, until it ends, `most` points are gathered or a line
    /// is left to the caller. Returns the bytes read; `n_lines` counts on.
    std::size_t parse(std::string_view block, std::size_t most, TablePoints& points, std::int64_t& n_lines,
                      bool& is_left) {
        block_end_ = block.data() + block.size();
        std::size_t at = 0;
        is_left = false;
        while (at < block.size() && points.batch().size() < most) {
            const char* const begin = block.data() + at;
            const auto* end = static_cast<const char*>(std::memchr(begin, '\n', block.size() - at));
            const std::size_t next = end == nullptr ? block.size() : at + static_cast<std::size_t>(end - begin) + 1;
            if (end == nullptr) end = block_end_;
            const char* first = begin;
            while (first < end && is_blank(*first)) ++first;
            if (first < end) {
                points.begin_row();
                if (!read_line(begin, end, points)) {
                    is_left = true;
                    break;
                }
                points.end_row(n_lines + 1);
            }
            ++n_lines;
            at = next;
        }
        return at;
    }

private:
    struct Node {
        JsonField field;
        TextTable children;
        std::uint64_t last_line = 0;
    };

    static constexpr bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\r'; }
    void skip_gaps() {
        while (at_ < end_ && is_gap(*at_)) ++at_;
    }
    /// Takes a character, if it stands next.
    bool take(char c) {
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }

    bool read_line(const char* begin, const char* end, TablePoints& points) {
        at_ = begin;
        end_ = end;
        ++line_;
        has_label_ = false;
        skip_gaps();
        if (!take('{') || !read_object(root, 0, points)) return false;
        skip_gaps();
        return at_ == end_ && has_label_ == is_labelled_ && is_utf8({begin, static_cast<std::size_t>(end - begin)});
    }

    /// Reads an object behind its brace.
    bool read_object(std::size_t object, int depth, TablePoints& points) {
        skip_gaps();
        if (take('}')) return true;
        while (true) {
            skip_gaps();
            if (!take('"')) return false;
            const char* const key = at_;
            if (!end_string()) return false;
            const auto length = static_cast<std::size_t>(at_ - 1 - key);
            skip_gaps();
            if (!take(':')) return false;
            skip_gaps();
            const std::size_t child = child_of(object, key, length);
            if (child == root) return false;
            if (std::exchange(nodes_[child].last_line, line_) == line_) return false;
            if (!read_value(child, depth, points)) return false;
            skip_gaps();
            if (take('}')) return true;
            if (!take(',')) return false;
        }
    }

    /// The field of a key, `root` if it was not told.
    std::size_t child_of(std::size_t object, const char* key, std::size_t length) {
        TextTable& children = nodes_[object].children;
        const TextTable::Entry* const entry = children.find(padded(key, length), length);
        return entry == nullptr ? root : static_cast<std::size_t>(entry->value);
    }

    bool read_value(std::size_t number, int depth, TablePoints& points) {
        if (at_ == end_) return false;
        const JsonField field = nodes_[number].field;
        const bool is_plain = field.role == JsonField::Role::plain;
        const char* const begin = at_;
        switch (*at_) {
            case '{':
                if (!is_plain || depth == deepest) return false;
                ++at_;
                return read_object(number, depth + 1, points);
            case '[':
                if (!is_plain) return false;
                ++at_;
                return read_items(field.items, points);
            case '"':
                ++at_;
                if (!end_string()) return false;
                break;
            case 't':
                if (!take_word("true")) return false;
                break;
            case 'f':
                if (!take_word("false")) return false;
                break;
            case 'n':
                if (!take_word("null")) return false;
                break;
            default:
                return read_number(field, points);
        }
        return add(field, begin, points);
    }

    /// Reads a list of strings behind its bracket.
    bool read_items(std::size_t column, TablePoints& points) {
        skip_gaps();
        if (take(']')) return true;
        while (true) {
            skip_gaps();
            const char* const begin = at_;
            if (!take('"') || !end_string()) return false;
            const auto length = static_cast<std::size_t>(at_ - begin);
            if (!points.add_cell(column, padded(begin, length), length)) return false;
            skip_gaps();
            if (take(']')) return true;
            if (!take(',')) return false;
        }
    }

    bool read_number(const JsonField& field, TablePoints& points) {
        const char* const begin = at_;
        double value = 0;
        const char* const stop = plain_number(begin, end_, value);
        if (stop == nullptr) return false;
        // Fewer texts are numbers than elsewhere: no plus, no zeros before others, digits on both sides of a point.
        const char* digits = *begin == '-' ? begin + 1 : begin;
        if (digits == stop || *digits < '0' || *digits > '9') return false;
        if (*digits == '0' && digits + 1 < stop && digits[1] >= '0' && digits[1] <= '9') return false;
        bool is_whole = true;
        for (const char* c = digits; c < stop; ++c) {
            if (*c == '.' && (c + 1 == stop || c[1] < '0' || c[1] > '9')) return false;
            is_whole &= *c >= '0' && *c <= '9';
        }
        at_ = stop;
        if (field.role == JsonField::Role::plain || (field.role == JsonField::Role::typed && field.is_number)) {
            // The whole number -0 has no sign.
            points.add_number(field.column, is_whole && value == 0 ? 0.0 : value);
            return true;
        }
        return add(field, begin, points);
    }

    /// Adds a value as it is written, from `begin` to here.
    bool add(const JsonField& field, const char* begin, TablePoints& points) {
        if (field.role == JsonField::Role::ignored) return true;
        has_label_ |= field.role == JsonField::Role::label;
        const auto length = static_cast<std::size_t>(at_ - begin);
        return points.add_cell(field.column, padded(begin, length), length);
    }

    bool take_word(std::string_view word) {
        if (static_cast<std::size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    /// Goes behind the end of a string; false if there is none, or something in it that may not be.
    bool end_string() {
        while (true) {
            at_ = special_from(at_);
            if (at_ == end_ || static_cast<unsigned char>(*at_) < 0x20) return false;
            if (*at_++ == '"') return true;
            if (!take_escape()) return false;
        }
    }

    /// Goes behind what follows a backslash.
    bool take_escape() {
        if (at_ == end_) return false;
        const char c = *at_++;
        if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
        for (int i = 0; i < 4; ++i, ++at_) {
            if (at_ == end_) return false;
            const bool is_hex =
                (*at_ >= '0' && *at_ <= '9') || (*at_ >= 'a' && *at_ <= 'f') || (*at_ >= 'A' && *at_ <= 'F');
            if (!is_hex) return false;
        }
        return true;
    }

    /// The first quote, backslash or control character from here on.
    const char* special_from(const char* at) const {
#if defined(__SSE2__)
        for (; end_ - at >= 16; at += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
            // Below 0x20 is what the smaller of itself and 0x1f is itself, as unsigned bytes are compared.
            const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
            const __m128i found = _mm_or_si128(
                _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                control);
            const int mask = _mm_movemask_epi8(found);
            if (mask != 0) return at + std::countr_zero(static_cast<unsigned>(mask));
        }
#endif
        while (at < end_ && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
        return at;
    }

    /// The same text where enough can be read behind it.
    const char* padded(const char* text, std::size_t length) {
        if (block_end_ - text >= static_cast<std::ptrdiff_t>(length + TextTable::padding)) return text;
        padded_.assign(text, length);
        padded_.append(TextTable::padding, '\0');
        return padded_.data();
    }

    bool is_labelled_;
    std::vector<Node> nodes_;
    std::uint64_t line_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* block_end_ = nullptr;
    bool has_label_ = false;
    std::string padded_;
};

}  // namespace sapwood
