#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/search/search_choice.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/types.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// The growth policy: what happens after a point. Each has a file in growth/. The numbers are those of the file format.
enum class Growth : std::uint8_t {
    hoeffding = 0,       // VFDT: a split is made once and for all. Domingos and Hulten, KDD 2000
    extremely_fast = 1,  // EFDT: a split is made early, and anew when another is better. Manapragada et al., KDD 2018
    streaming = 2,       // sapwood's own: as extremely_fast, but inner nodes count a sample of the points
    windowed = 3,        // CVFDT: the tree of the most recent points. Hulten, Spencer and Domingos, KDD 2001
    adaptive = 4,        // HAT: a window at every node, as long as its error does not rise. Bifet and Gavaldà, IDA 2009
    batch = 5,           // sapwood's own: a function of what each batch holds, whatever the order of its points
    adaptive_size = 6,   // ASHT: as hoeffding, and a tree that has grown too large is cut. Bifet et al., KDD 2009
};
template <>
struct Words<Growth> {
    static constexpr std::array<std::string_view, 7> all{"hoeffding", "extremely_fast", "streaming",    "windowed",
                                                         "adaptive",  "batch",          "adaptive_size"};
};

/// What is given up of a tree that has grown beyond its size.
enum class WhenFull : std::uint8_t {
    drop_root,  // the root, the oldest node, with all below it but the subtree that has grown
    reset,      // everything
};
template <>
struct Words<WhenFull> {
    static constexpr std::array<std::string_view, 2> all{"drop_root", "reset"};
};

/// The split test: when a node is split. Each has a file in split_test/.
enum class SplitTestKind : std::uint8_t { hoeffding, mcdiarmid, gaussian, evidence };
template <>
struct Words<SplitTestKind> {
    static constexpr std::array<std::string_view, 4> all{"hoeffding", "mcdiarmid", "gaussian", "evidence"};
};

/// What becomes of the subtree of an inner node whose split is made anew, where its growth does so.
enum class Revision : std::uint8_t {
    replace,     // it is given up, as in EFDT
    restructure  // the new test is pulled up above it (restructuring.hpp)
};
template <>
struct Words<Revision> {
    static constexpr std::array<std::string_view, 2> all{"replace", "restructure"};
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
    LeafPrediction leaf_prediction = LeafPrediction::mixed;
    /// Chooses among equally good splits; without it the feature that was seen first is taken.
    std::optional<std::uint64_t> seed;
    /// Of the growths that make splits anew, `extremely_fast` and `streaming`.
    Revision revision = Revision::replace;
    /// Of growth by batches: the parts of a batch that are learned one after the other.
    std::int64_t sub_batches = 1;
    /// Of the growth `adaptive_size`: the most inner nodes, and what happens when there is one more.
    std::int64_t max_size = 1024;
    WhenFull when_full = WhenFull::drop_root;
    /// Of the growth `streaming`: whether it follows a changing stream.
    bool drift = false;
    // Of learners that follow a changing stream.
    /// The points that are kept.
    std::int64_t window_size = 50'000;
    /// The error probability of the look that a detector of change takes at its window.
    double drift_delta = 0.002;
    /// The probability that an alternate is taken, or dropped, by chance.
    double swap_delta = 0.05;
    /// The points after which an alternate that has not won is dropped.
    std::int64_t patience = 10'000;
    /// The points after which half of what a leaf has learned of its models is left.
    std::optional<std::int64_t> half_life;

    /// Whether an inner node can have another split than that for which it was made.
    bool revises() const { return growth == Growth::extremely_fast || growth == Growth::streaming; }

    /// Whether inner nodes count only some of the points that pass them.
    bool samples() const { return growth == Growth::streaming; }

    /// Whether the test of a node may be older than the node above it.
    bool restructures() const { return revises() && revision == Revision::restructure; }

    /// Whether the tree takes points back, which it keeps until then.
    bool takes_points_back() const { return growth == Growth::windowed || growth == Growth::adaptive; }

    /// Whether the tree gives up nodes together with the points that they have, so that its nodes have fewer than it.
    bool gives_up_points() const { return growth == Growth::adaptive_size; }

    /// The points that a count stands for, on average: less than 1 where a forest draws how often a point is learned,
    /// which is no evidence. It follows from the options of the forest, and is not saved.
    double points_per_count = 1;

    /// Whether the tree follows a changing stream: it keeps recent points, watches its errors, and has alternates.
    bool follows_change() const { return takes_points_back() || (growth == Growth::streaming && drift); }

    /// Whether every node counts all points that are kept and reach it, also those from before it was made.
    bool counts_window() const { return growth == Growth::windowed; }

    SearchChoice search_choice(std::size_t n_classes) const {
        return {criterion, search, alpha, static_cast<int>(n_classes), HashSeed::of_slots()};
    }

    /// Whether the statistics of nodes count a point once, whatever its weight: weights are no evidence.
    bool counts_points_once() const { return split_test == SplitTestKind::evidence; }

    bool may_split_at(std::int32_t depth) const { return !max_depth || depth < *max_depth; }
};

/// Calls `visit(name, option)` for every option of a learner, the growth first, in the order of the file format.
/// Whatever must treat all options alike (the binding, the file) goes through here, so that a new option is a field
/// above and a line here.
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
    if (options.revises()) visit("revision", options.revision);
    if (options.growth == Growth::batch) visit("sub_batches", options.sub_batches);
    if (options.growth == Growth::adaptive_size) {
        visit("max_size", options.max_size);
        visit("when_full", options.when_full);
    }
    if (options.growth == Growth::streaming) {
        visit("drift", options.drift);
        visit("half_life", options.half_life);
        if (!options.drift) return;
    } else if (!options.follows_change()) {
        return;
    }
    visit("window_size", options.window_size);
    visit("drift_delta", options.drift_delta);
    visit("swap_delta", options.swap_delta);
    visit("patience", options.patience);
    if (options.growth != Growth::streaming) visit("half_life", options.half_life);
}

/// So many parts of a batch: each is a pass over all of its points.
inline constexpr std::int64_t max_sub_batches = 1 << 16;

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
void check_options(const TreeOptions& options);

}  // namespace sapwood
