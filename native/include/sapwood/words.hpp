#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sapwood::detail {

// Choices are enums inside, and words only at the border: in Python, on the command line, in files.

/// Where a word stands in a list. Throws std::invalid_argument, with what the parameter must be, if it is not in it.
template <std::size_t size>
std::size_t index_of_word(const char* parameter, std::string_view word,
                          const std::array<std::string_view, size>& known) {
    std::string names;
    for (std::size_t i = 0; i < size; ++i) {
        if (known[i] == word) return i;
        names += (names.empty() ? "'" : ", '") + std::string(known[i]) + "'";
    }
    throw std::invalid_argument(std::string(parameter) + " must be one of " + names + ", got '" + std::string(word) +
                                "'");
}

template <std::size_t size>
void require_one_of(const char* parameter, std::string_view word, const std::array<std::string_view, size>& known) {
    index_of_word(parameter, word, known);
}

/// A number with the fewest digits that tell it from all others.
inline std::string shortest(double value) {
    std::array<char, 32> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

}  // namespace sapwood::detail
