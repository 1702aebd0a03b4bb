#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sapwood/random.hpp"
#include "sapwood/tree/tree_options.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// What draws the features that may be split on.
enum class Subspace : std::uint8_t { tree, node };
template <>
struct Words<Subspace> {
    static constexpr std::array<std::string_view, 2> all{"tree", "node"};
};

/// How the answers of trees become one.
enum class Combining : std::uint8_t {
    mixed,          // by a regression over the stream: tree_mixer.hpp
    votes,          // each tree has one vote
    accuracy,       // the probabilities of each tree, times its accuracy
    inverse_error,  // the probabilities of each tree, over the square of its recent error: recent_error.hpp
};
template <>
struct Words<Combining> {
    static constexpr std::array<std::string_view, 4> all{"mixed", "votes", "accuracy", "inverse_error"};
};

/// What happens when the error of a tree rises.
enum class OnDrift : std::uint8_t {
    nothing,
    swap,        // at a warning a tree begins to learn in the background, and at a drift takes the place
    reset_worst  // at a drift of any tree, the one with the largest error is replaced by a new one
};
template <>
struct Words<OnDrift> {
    static constexpr std::array<std::string_view, 3> all{"nothing", "swap", "reset_worst"};
};

/// The options of a forest: those of its trees, and its own. The defaults are those of the estimators.
struct ForestOptions {
    TreeOptions tree;
    std::int64_t n_estimators = 10;
    /// The mean of the Poisson distribution of how often a tree learns a point; 0: once each.
    double lambda_value = 0;
    /// The share of the features that may be split on, and who draws it.
    double max_features = 0.6;
    Subspace subspace = Subspace::tree;
    Combining combining = Combining::mixed;
    OnDrift on_drift = OnDrift::swap;
    /// The chance that a look at the errors of a tree finds a change where there is none: for a warning, for a drift.
    double warning_delta = 0.01;
    double drift_delta = 0.001;

    std::uint64_t seed() const { return tree.seed.value_or(0); }

    /// The trees that there may be at once: with those in the background.
    std::int64_t most_at_once() const {
        return n_estimators > 1 && on_drift == OnDrift::swap ? 2 * n_estimators : n_estimators;
    }

    /// The memory that the trunk may take, of what is limited: a fifth, as one tree of a few would. The rest is for the
    /// trees, to each the same.
    std::optional<std::int64_t> bytes_of_trunk() const {
        return tree.max_bytes ? std::optional(*tree.max_bytes / 5) : std::nullopt;
    }

    /// The options of the tree in a place. Where trees have a largest size, each may have twice that of the one before.
    TreeOptions of_tree(std::size_t place) const {
        TreeOptions options = tree;
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        const bool has_room = place < 63 && tree.max_size <= most >> place;
        if (tree.growth == Growth::adaptive_size) options.max_size = has_room ? tree.max_size << place : most;
        if (tree.max_bytes) {
            options.max_bytes = (*tree.max_bytes - *bytes_of_trunk()) / most_at_once() - bytes_of_watching;
        }
        // What a point that is learned counts for, on average.
        if (lambda_value > 0) options.points_per_count = (1 - portable::exp_of_negative(-lambda_value)) / lambda_value;
        return options;
    }

    /// More than two detectors of change take, whatever they see, and the draw of features: each detector has at most
    /// 62 rows of 6 buckets of 16 bytes and a count, the draw 2 KiB (split_candidates.hpp).
    static constexpr std::int64_t bytes_of_watching = 1 << 14;
};

/// Calls `visit(name, option)` for every option that a forest has besides those of its trees, in the order of the file
/// format.
template <class Options, class Visit>
void for_each_forest_option(Options& options, Visit visit) {
    visit("n_estimators", options.n_estimators);
    visit("lambda_value", options.lambda_value);
    visit("max_features", options.max_features);
    visit("subspace", options.subspace);
    visit("combining", options.combining);
    visit("on_drift", options.on_drift);
    visit("warning_delta", options.warning_delta);
    visit("drift_delta", options.drift_delta);
}

/// More trees than anyone has used over one stream; each holds at least a few hundred bytes.
inline constexpr std::int64_t most_trees = 1 << 16;
/// Draws of a larger mean differ by a tenth or less: no bagging.
inline constexpr double largest_mean = 100;

/// Throws std::invalid_argument, which says what must hold, unless a forest can have these options.
inline void check_options(const ForestOptions& options) {
    const auto require = [](bool holds, const std::string& what, const std::string& got) {
        if (!holds) throw std::invalid_argument(what + ", got " + got);
    };
    require(options.n_estimators >= 1 && options.n_estimators <= most_trees,
            "n_estimators must be from 1 to " + std::to_string(most_trees), std::to_string(options.n_estimators));
    if (options.tree.max_bytes) {
        const std::int64_t least =
            ((least_max_bytes + ForestOptions::bytes_of_watching) * options.most_at_once()) / 4 * 5 + 5;
        require(*options.tree.max_bytes >= least,
                "max_bytes must be at least " + std::to_string(least) + " for " + std::to_string(options.n_estimators) +
                    " trees",
                std::to_string(*options.tree.max_bytes));
    }
    check_options(options.tree);
    require(options.lambda_value >= 0 && options.lambda_value <= largest_mean,
            "lambda_value must be from 0 to " + detail::shortest(largest_mean), detail::shortest(options.lambda_value));
    require(options.max_features > 0 && options.max_features <= 1, "max_features must be above 0 and at most 1",
            detail::shortest(options.max_features));
    for (const auto& [name, delta] :
         {std::pair("warning_delta", options.warning_delta), std::pair("drift_delta", options.drift_delta)}) {
        require(delta > 0 && delta < 1, std::string(name) + " must be between 0 and 1", detail::shortest(delta));
    }
    require(!options.tree.follows_change() && options.tree.growth != Growth::batch,
            "growth must be point by point, without points that are kept, for the trees of a forest",
            "'" + std::string(word_of(options.tree.growth)) + "'");
}

}  // namespace sapwood
