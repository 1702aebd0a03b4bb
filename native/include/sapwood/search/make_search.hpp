#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/impurity.hpp"
#include "sapwood/search/approximate/upd_ent.hpp"
#include "sapwood/search/approximate/upd_gini.hpp"
#include "sapwood/search/certified/certified.hpp"
#include "sapwood/search/certified/multiclass_certificate.hpp"
#include "sapwood/search/exhaustive/exhaustive.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

inline constexpr std::array<std::string_view, 3> criteria{Entropy::name, Gini::name, KearnsMansour::name};
inline constexpr std::array<std::string_view, 3> searches{"exhaustive", "approximate", "certified"};

/// The number of bins, and the steps of a feature through them, grow with 1 / alpha: below this they are no help.
inline constexpr double smallest_alpha = 1e-6;

/// The words and the numbers that choose a search.
struct SearchChoice {
    std::string criterion;
    std::string search;
    /// How far from the best an approximate split may be; no other search uses it.
    double alpha = 0.1;
    int n_classes = 2;
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

/// The exhaustive or the certified search for a criterion that is defined for any number of classes.
template <MulticlassCriterion Criterion>
std::unique_ptr<SplitSearch> make_exact(bool certified, std::size_t n_classes) {
    if (n_classes == 2) {
        if (certified) return std::make_unique<CertifiedSearch<BinaryCertificate<Criterion>>>(2);
        return std::make_unique<ExhaustiveSearch<Criterion>>();
    }
    if (certified) return std::make_unique<CertifiedSearch<MulticlassCertificate<Criterion>>>(n_classes);
    return std::make_unique<MulticlassExhaustiveSearch<Criterion>>(n_classes);
}

}  // namespace detail

/// Throws std::invalid_argument unless each part of a choice is right by itself.
inline void check_choice(const SearchChoice& choice) {
    detail::require_one_of("criterion", choice.criterion, criteria);
    detail::require_one_of("search", choice.search, searches);
    if (!std::isfinite(choice.alpha) || choice.alpha < smallest_alpha) {
        throw std::invalid_argument("alpha must be a finite number of at least " + detail::shortest(smallest_alpha) +
                                    ", got " + detail::shortest(choice.alpha));
    }
    if (choice.n_classes < 2 || choice.n_classes > max_classes) {
        throw std::invalid_argument("n_classes must be from 2 to " + std::to_string(max_classes) + ", got " +
                                    std::to_string(choice.n_classes));
    }
}

/// Why a choice whose parts are right by themselves is no search all the same; nothing if it is one.
inline std::optional<std::string> why_not(const SearchChoice& choice) {
    const std::string n_classes = std::to_string(choice.n_classes);
    if (choice.criterion == KearnsMansour::name && choice.n_classes != 2) {
        return "n_classes must be 2 for the criterion 'kearns_mansour', got " + n_classes +
               ": 2 sqrt(p (1 - p)) is an impurity of two classes, of which one has the share p";
    }
    if (choice.search == "approximate" && choice.n_classes != 2) {
        return "n_classes must be 2 for the search 'approximate', got " + n_classes +
               ": the paper's algorithm is for two classes, since with more a feature's key would depend on more than "
               "one share, and the binning does not carry over";
    }
    if (choice.search == "approximate" && choice.criterion == KearnsMansour::name) {
        return "criterion must be 'entropy' or 'gini' for the search 'approximate', got 'kearns_mansour': the paper's "
               "bins bound the error for these two impurities only";
    }
    return std::nullopt;
}

/// Makes the search that a choice describes, or throws std::invalid_argument.
inline std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice) {
    check_choice(choice);
    if (const std::optional<std::string> reason = why_not(choice)) throw std::invalid_argument(*reason);
    const bool entropy = choice.criterion == Entropy::name;
    if (choice.search == "approximate") {
        if (entropy) return std::make_unique<UpdEnt>(choice.alpha);
        return std::make_unique<UpdGini>(choice.alpha);
    }
    const bool certified = choice.search == "certified";
    if (choice.criterion == KearnsMansour::name) {
        if (certified) return std::make_unique<CertifiedSearch<BinaryCertificate<KearnsMansour>>>(2);
        return std::make_unique<ExhaustiveSearch<KearnsMansour>>();
    }
    const auto n_classes = static_cast<std::size_t>(choice.n_classes);
    if (entropy) return detail::make_exact<Entropy>(certified, n_classes);
    return detail::make_exact<Gini>(certified, n_classes);
}

}  // namespace sapwood
