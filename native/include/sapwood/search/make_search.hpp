#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/impurity.hpp"
#include "sapwood/search/exhaustive.hpp"
#include "sapwood/search/split_search.hpp"
#include "sapwood/search/upd_ent.hpp"
#include "sapwood/search/upd_gini.hpp"

namespace sapwood {

inline constexpr std::array<std::string_view, 2> criteria{Entropy::name, Gini::name};
inline constexpr std::array<std::string_view, 2> searches{"exhaustive", "approximate"};

/// The number of bins, and the steps of a feature through them, grow with 1 / alpha: below this they are no help.
inline constexpr double smallest_alpha = 1e-6;

/// The words and the number that choose a search.
struct SearchChoice {
    std::string criterion;
    std::string search;
    double alpha;
};

namespace detail {

template <std::size_t size>
void require_one_of(const std::string& parameter, const std::string& value,
                    const std::array<std::string_view, size>& known) {
    std::string names;
    for (const std::string_view name : known) {
        if (name == value) return;
        names += (names.empty() ? "'" : ", '") + std::string(name) + "'";
    }
    throw std::invalid_argument(parameter + " must be one of " + names + ", got '" + value + "'");
}

/// A number with the fewest digits that tell it from all others.
inline std::string shortest(double value) {
    std::array<char, 32> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

}  // namespace detail

/// Makes the search that a choice describes, or throws std::invalid_argument.
inline std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice) {
    detail::require_one_of("criterion", choice.criterion, criteria);
    detail::require_one_of("search", choice.search, searches);
    if (!std::isfinite(choice.alpha) || choice.alpha < smallest_alpha) {
        throw std::invalid_argument("alpha must be a finite number of at least " + detail::shortest(smallest_alpha) +
                                    ", got " + detail::shortest(choice.alpha));
    }
    const bool entropy = choice.criterion == Entropy::name;
    if (choice.search == "exhaustive") {
        if (entropy) return std::make_unique<ExhaustiveSearch<Entropy>>();
        return std::make_unique<ExhaustiveSearch<Gini>>();
    }
    if (entropy) return std::make_unique<UpdEnt>(choice.alpha);
    return std::make_unique<UpdGini>(choice.alpha);
}

}  // namespace sapwood
