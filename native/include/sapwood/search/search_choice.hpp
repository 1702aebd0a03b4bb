#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/criterion.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/types.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// The search that finds the best split.
enum class SearchKind : std::uint8_t { exhaustive, approximate, certified };
template <>
struct Words<SearchKind> {
    static constexpr std::array<std::string_view, 3> all{"exhaustive", "approximate", "certified"};
};

/// The number of bins, and of steps of a feature through them, grows with 1 / alpha; below this they are no help.
inline constexpr double smallest_alpha = 1e-6;

/// Beyond this a factor of 1 + alpha is no promise: a score that is not 0 is at least that of two points of two
/// classes, and at most 2^30 times that, which is the score of 2^31 points, half of each class.
inline constexpr double largest_alpha = 1e9;

/// The options that choose a search.
struct SearchChoice {
    Criterion criterion = Criterion::entropy;
    SearchKind search = SearchKind::certified;
    /// How far from the best an approximate split may be; no other search uses it.
    double alpha = 0.1;
    int n_classes = 2;
    /// What ids are hashed with; that of the process unless they are slots.
    HashSeed seed = hash_seed;
    /// The classes that records have room for, if more than `n_classes`: no answer depends on it.
    std::size_t class_room = 0;
};

/// Throws std::invalid_argument unless each part of a choice is valid by itself.
inline void check_choice(const SearchChoice& choice) {
    if (!(smallest_alpha <= choice.alpha && choice.alpha <= largest_alpha)) {
        throw std::invalid_argument("alpha must be from " + detail::shortest(smallest_alpha) + " to " +
                                    detail::shortest(largest_alpha) + ", got " + detail::shortest(choice.alpha));
    }
    if (choice.n_classes < 2 || choice.n_classes > max_classes) {
        throw std::invalid_argument("n_classes must be from 2 to " + std::to_string(max_classes) + ", got " +
                                    std::to_string(choice.n_classes));
    }
}

/// Why a choice whose parts are valid by themselves is still no search; nothing if it is one.
inline std::optional<std::string> why_not(const SearchChoice& choice) {
    const std::string n_classes = std::to_string(choice.n_classes);
    const bool is_approximate = choice.search == SearchKind::approximate;
    if (choice.criterion == Criterion::kearns_mansour && choice.n_classes != 2) {
        return "n_classes must be 2 for the criterion 'kearns_mansour', got " + n_classes +
               ": 2 sqrt(p (1 - p)) is an impurity of two classes, of which one has the share p";
    }
    if (is_approximate && choice.n_classes != 2) {
        return "n_classes must be 2 for the search 'approximate', got " + n_classes +
               ": the paper's algorithm is for two classes, since with more a feature's key would depend on more than "
               "one share, and the binning does not carry over";
    }
    if (is_approximate && choice.criterion == Criterion::kearns_mansour) {
        return "criterion must be 'entropy' or 'gini' for the search 'approximate', got 'kearns_mansour': the paper's "
               "bins bound the error for these two impurities only";
    }
    return std::nullopt;
}

}  // namespace sapwood
