#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sapwood {

// Choices are enums inside, and words only at the border: in Python, on the command line, in files.

/// The words for the values of an enum, in the order of their numbers, from 0: what users write and files hold. Each
/// enum that has words specialises this, with `static constexpr std::array<std::string_view, n> all`.
template <class Enum>
struct Words;

template <class Enum>
constexpr std::string_view word_of(Enum value) {
    return Words<Enum>::all[static_cast<std::size_t>(value)];
}

/// The value that a word stands for. Throws std::invalid_argument, which names the parameter, if it stands for none.
template <class Enum>
Enum value_of(std::string_view parameter, std::string_view word) {
    std::string known;
    for (std::size_t i = 0; i < Words<Enum>::all.size(); ++i) {
        if (Words<Enum>::all[i] == word) return static_cast<Enum>(i);
        known += (i == 0 ? "'" : ", '") + std::string(Words<Enum>::all[i]) + "'";
    }
    throw std::invalid_argument(std::string(parameter) + " must be one of " + known + ", got '" + std::string(word) +
                                "'");
}

namespace detail {

/// A number with the fewest digits that tell it from all others.
inline std::string shortest(double value) {
    std::array<char, 32> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

}  // namespace detail

}  // namespace sapwood
