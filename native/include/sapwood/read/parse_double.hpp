#pragma once

#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>
#include <version>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

namespace sapwood {
namespace detail {

inline bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether text begins with a word in small letters, whatever the case of the text.
inline bool begins_with(const char* at, const char* end, const char* word) {
    for (; *word != '\0'; ++word, ++at) {
        if (at == end || (*at != *word && *at != *word - 'a' + 'A')) return false;
    }
    return true;
}

/// The end of the longest beginning of a text that std::from_chars takes for a number; the text's own if there is none.
inline const char* end_of_number(const char* const first, const char* const last) {
    const char* at = first;
    if (at < last && *at == '-') ++at;
    for (const char* word : {"infinity", "inf", "nan"}) {
        if (begins_with(at, last, word)) return at + std::char_traits<char>::length(word);
    }
    const char* const digits = at;
    while (at < last && is_decimal_digit(*at)) ++at;
    bool has_digit = at > digits;
    if (at < last && *at == '.') {
        const char* const behind = at + 1;
        const char* fraction = behind;
        while (fraction < last && is_decimal_digit(*fraction)) ++fraction;
        if (has_digit || fraction > behind) at = fraction;
        has_digit |= fraction > behind;
    }
    if (!has_digit) return first;
    if (at < last && (*at == 'e' || *at == 'E')) {
        const char* exponent = at + 1;
        if (exponent < last && (*exponent == '-' || *exponent == '+')) ++exponent;
        if (exponent < last && is_decimal_digit(*exponent)) {
            while (exponent < last && is_decimal_digit(*exponent)) ++exponent;
            at = exponent;
        }
    }
    return at;
}

#if !defined(_WIN32)
/// What std::from_chars does, by strtod in the locale "C". Slower, and there on every system but Windows.
inline std::from_chars_result parse_double_by_strtod(const char* first, const char* last, double& value) {
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", locale_t{});
    const char* const end = end_of_number(first, last);
    if (end == first) return {first, std::errc::invalid_argument};
    // With a zero behind it, which the text need not have.
    const std::string number(first, end);
    const double found = strtod_l(number.c_str(), nullptr, c_locale);
    const bool says_infinity = end[-1] == 'f' || end[-1] == 'F' || end[-1] == 'y' || end[-1] == 'Y';
    const bool is_too_large = std::isinf(found) && !says_infinity;
    // Zero, although there is a digit other than zero before the exponent.
    bool is_too_small = false;
    if (found == 0) {
        for (const char* at = first; at < end && *at != 'e' && *at != 'E'; ++at)
            is_too_small |= *at >= '1' && *at <= '9';
    }
    if (is_too_large || is_too_small) return {end, std::errc::result_out_of_range};
    value = found;
    return {end, std::errc()};
}
#endif

}  // namespace detail

/// The number nearest to what is written, as std::from_chars reads it. libc++ had none for doubles before version 20.
inline std::from_chars_result parse_double(const char* first, const char* last, double& value) {
#if defined(__cpp_lib_to_chars) || defined(_WIN32)
    return std::from_chars(first, last, value);
#else
    return detail::parse_double_by_strtod(first, last, value);
#endif
}

}  // namespace sapwood
