#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/search/make_search.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/tree/split_test/split_test.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// How a tree may change once a node has been split.
inline constexpr std::array<std::string_view, 2> growths{
    "hoeffding",      // VFDT: never. Domingos and Hulten, KDD 2000
    "extremely_fast"  // EFDT: an inner node is split anew when another feature is better. Manapragada et al., KDD 2018
};

/// The words and the numbers that choose a tree.
struct TreeOptions {
    std::string growth = "hoeffding";
    std::string criterion = "entropy";
    std::string search = "certified";
    double alpha = 0.1;
    std::string split_test = "hoeffding";
    double delta = 1e-7;
    double tau = 0.05;
    Count grace_period = 1;
    Count min_samples_reevaluate = 20;
    double min_gain = 0;
    std::optional<std::int64_t> max_depth;
    std::optional<std::int64_t> max_leaves;
    std::optional<std::int64_t> max_bytes;
    std::string leaf_prediction = "adaptive";
    /// Chooses among equally good splits; without it the feature that was seen first is taken.
    std::optional<std::uint64_t> seed;

    SearchChoice search_choice(std::size_t n_classes) const {
        return {criterion_of(criterion), search_kind_of(search), alpha, static_cast<int>(n_classes)};
    }
};

/// The least memory that a tree may be held to: less has no room for a node that learns.
inline constexpr std::int64_t least_max_bytes = 1 << 16;

/// Throws std::invalid_argument, which says what must hold, unless a tree can have these options.
inline void check_options(const TreeOptions& options) {
    const auto require = [](bool holds, const std::string& what, const std::string& got) {
        if (!holds) throw std::invalid_argument(what + ", got " + got);
    };
    const auto number = [](double value) { return detail::shortest(value); };
    const auto at_least = [&](const char* name, std::optional<std::int64_t> value, std::int64_t least) {
        require(!value || *value >= least, std::string(name) + " must be at least " + std::to_string(least),
                std::to_string(value.value_or(0)));
    };
    detail::require_one_of("growth", options.growth, growths);
    check_choice(options.search_choice(2));
    if (const auto reason = why_not(options.search_choice(2))) throw std::invalid_argument(*reason);
    detail::require_one_of("split_test", options.split_test, split_tests);
    if (const auto reason = why_no_test(options.split_test, options.criterion)) throw std::invalid_argument(*reason);
    require(options.delta > 0 && options.delta < 0.5, "delta must be between 0 and 0.5", number(options.delta));
    require(std::isfinite(options.tau) && options.tau >= 0, "tau must be a finite number of at least 0",
            number(options.tau));
    require(std::isfinite(options.min_gain) && options.min_gain >= 0, "min_gain must be a finite number of at least 0",
            number(options.min_gain));
    at_least("grace_period", options.grace_period, 1);
    at_least("min_samples_reevaluate", options.min_samples_reevaluate, 1);
    at_least("max_depth", options.max_depth, 0);
    at_least("max_leaves", options.max_leaves, 1);
    at_least("max_bytes", options.max_bytes, least_max_bytes);
    detail::require_one_of("leaf_prediction", options.leaf_prediction, leaf_predictions);
}

}  // namespace sapwood
