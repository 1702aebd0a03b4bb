#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/search/search_choice.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/types.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// The growth policy: what happens after a point. Each has a file in growth/. The numbers are those of the file format.
enum class Growth : std::uint8_t {
    hoeffding = 0,       // VFDT: a split is made once and for all. Domingos and Hulten, KDD 2000
    extremely_fast = 1,  // EFDT: a split is made early, and anew when another is better. Manapragada et al., KDD 2018
    streaming = 2,       // sapwood's own: as extremely_fast, but inner nodes count a sample of the points
};
template <>
struct Words<Growth> {
    static constexpr std::array<std::string_view, 3> all{"hoeffding", "extremely_fast", "streaming"};
};

/// The split test: when a node is split. Each has a file in split_test/.
enum class SplitTestKind : std::uint8_t { hoeffding, mcdiarmid, gaussian, evidence };
template <>
struct Words<SplitTestKind> {
    static constexpr std::array<std::string_view, 4> all{"hoeffding", "mcdiarmid", "gaussian", "evidence"};
};

/// The options of a tree. The defaults are those of the estimators, which explain them.
struct TreeOptions {
    Growth growth = Growth::hoeffding;
    Criterion criterion = Criterion::entropy;
    SearchKind search = SearchKind::certified;
    double alpha = 0.1;
    SplitTestKind split_test = SplitTestKind::hoeffding;
    double delta = 1e-7;
    double tau = 0.05;
    Count grace_period = 1;
    Count min_samples_reevaluate = 20;
    double min_gain = 0;
    std::optional<std::int64_t> max_depth;
    std::optional<std::int64_t> max_leaves;
    std::optional<std::int64_t> max_bytes;
    LeafPrediction leaf_prediction = LeafPrediction::adaptive;
    /// Chooses among equally good splits; without it the feature that was seen first is taken.
    std::optional<std::uint64_t> seed;

    SearchChoice search_choice(std::size_t n_classes) const {
        return {criterion, search, alpha, static_cast<int>(n_classes)};
    }

    /// Whether the statistics of nodes count a point once, whatever its weight: weights are no evidence.
    bool counts_points_once() const { return split_test == SplitTestKind::evidence; }

    bool may_split_at(std::int32_t depth) const { return !max_depth || depth < *max_depth; }
};

/// Calls `visit(name, option)` for every option, in the order of the file format. Whatever must treat all options alike
/// (the binding, the file) goes through here, so that a new option is a field above and a line here.
template <class Options, class Visit>
void for_each_option(Options& options, Visit visit) {
    visit("growth", options.growth);
    visit("criterion", options.criterion);
    visit("search", options.search);
    visit("alpha", options.alpha);
    visit("split_test", options.split_test);
    visit("delta", options.delta);
    visit("tau", options.tau);
    visit("grace_period", options.grace_period);
    visit("min_samples_reevaluate", options.min_samples_reevaluate);
    visit("min_gain", options.min_gain);
    visit("max_depth", options.max_depth);
    visit("max_leaves", options.max_leaves);
    visit("max_bytes", options.max_bytes);
    visit("leaf_prediction", options.leaf_prediction);
    visit("seed", options.seed);
}

/// The smallest memory limit of a tree: less has no room for a node that learns.
inline constexpr std::int64_t least_max_bytes = 1 << 16;

/// Why a split test does not take a criterion; nothing if it does.
inline std::optional<std::string> why_no_test(SplitTestKind test, Criterion criterion) {
    if (test == SplitTestKind::mcdiarmid && criterion == Criterion::kearns_mansour) {
        return "split_test must be 'hoeffding' or 'gaussian' for the criterion 'kearns_mansour', got 'mcdiarmid': that "
               "bound is known for entropy and Gini only";
    }
    if (test == SplitTestKind::evidence && criterion != Criterion::entropy) {
        return "criterion must be 'entropy' for the split_test 'evidence', got '" + std::string(word_of(criterion)) +
               "': evidence is a difference of entropies";
    }
    return std::nullopt;
}

/// Throws std::invalid_argument, which says what must hold, unless a tree can have these options and `n_classes`
/// classes.
inline void check_classes(const TreeOptions& options, std::size_t n_classes) {
    const SearchChoice choice = options.search_choice(n_classes);
    check_choice(choice);
    if (const auto reason = why_not(choice)) throw std::invalid_argument(*reason);
}

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
    check_classes(options, 2);
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
}

}  // namespace sapwood
