#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <version>

namespace sapwood {

namespace detail {

/// The powers of ten that are doubles.
inline constexpr std::array<double, 23> exact_powers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The double nearest to the digits between two places, with their point and exponent; false if that is none, or is
/// not finite, or may not be told here.
inline bool nearest_double(const char* begin, const char* end, double& value) {
#if defined(__cpp_lib_to_chars)
    if (*begin == '+') ++begin;
    const auto [stop, problem] = std::from_chars(begin, end, value);
    return problem == std::errc() && stop == end && std::isfinite(value);
#else
    // The library reads no doubles: whoever asked does it himself.
    static_cast<void>(begin), static_cast<void>(end), static_cast<void>(value);
    return false;
#endif
}

}  // namespace detail

/// Reads a number in decimal digits, perhaps with a sign, a point and an exponent, and gives the nearest double.
/// Returns where it ends; nullptr if there is none, it is not finite, or only a slower reader can tell.
inline const char* plain_number(const char* const begin, const char* const end, double& value) {
    const auto digit = [](char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; };
    const char* at = begin;
    const bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) ++at;
    std::uint64_t mantissa = 0;
    const char* const digits = at;
    while (at < end && digit(*at) < 10) mantissa = mantissa * 10 + digit(*at++);
    std::ptrdiff_t n_digits = at - digits;
    std::int64_t exponent = 0;
    if (at < end && *at == '.') {
        const char* const fraction = ++at;
        while (at < end && digit(*at) < 10) mantissa = mantissa * 10 + digit(*at++);
        exponent = fraction - at;
        n_digits += at - fraction;
    }
    if (n_digits == 0) return nullptr;
    if (at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        const bool is_small = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) ++at;
        const char* const power_digits = at;
        std::int64_t power = 0;
        while (at < end && digit(*at) < 10) {
            if (power < 100'000) power = power * 10 + digit(*at);
            ++at;
        }
        if (at == power_digits) return nullptr;
        exponent += is_small ? -power : power;
    }
    // Both numbers are doubles, so that one operation gives the nearest to the result (Clinger 1990). Nineteen digits
    // fit into 64 bits.
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    constexpr std::int64_t most = detail::exact_powers.size() - 1;
    if (n_digits > 19 || mantissa > exact || exponent < -most || exponent > most) {
        return detail::nearest_double(begin, at, value) ? at : nullptr;
    }
    const auto whole = static_cast<double>(mantissa);
    const double power = detail::exact_powers[static_cast<std::size_t>(exponent < 0 ? -exponent : exponent)];
    value = exponent < 0 ? whole / power : whole * power;
    if (is_negative) value = -value;
    return at;
}

}  // namespace sapwood
