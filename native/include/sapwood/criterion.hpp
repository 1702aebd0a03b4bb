#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sapwood/words.hpp"

namespace sapwood {

/// The impurity that a split is to lower (impurity.hpp).
enum class Criterion { entropy, gini, kearns_mansour };

/// What the criteria are called outside, in the order of the enum.
inline constexpr std::array<std::string_view, 3> criteria{"entropy", "gini", "kearns_mansour"};

/// The criterion that a word names. Throws std::invalid_argument if it names none.
inline Criterion criterion_of(std::string_view word) {
    return static_cast<Criterion>(detail::index_of_word("criterion", word, criteria));
}

constexpr std::string_view word_of(Criterion criterion) { return criteria[static_cast<std::size_t>(criterion)]; }

}  // namespace sapwood
