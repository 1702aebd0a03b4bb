#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "sapwood/search/approximate/bins.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/search/search_state.hpp"
#include "sapwood/tree/node.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/tree_options.hpp"

namespace sapwood {

/// What a tree has tried and done, for whoever wants to know why it looks as it does.
struct TreeTally {
    std::int64_t tested = 0;   // times a split was looked for
    std::int64_t split = 0;    // leaves split
    std::int64_t resplit = 0;  // inner nodes split anew
    std::int64_t pruned = 0;   // nodes given up in that
    std::int64_t paused = 0;   // times a node stopped learning for want of memory
    std::int64_t resumed = 0;  // times one began again

    /// The nodes made so far: the root, and two at every split.
    std::uint64_t n_born() const { return 1 + 2 * static_cast<std::uint64_t>(split + resplit); }
};

/// All that a tree is made of, to be put into one: from here on it learns as the tree did that the parts are of. The
/// parts must fit together; who reads them from outside checks that.
struct TreeState {
    explicit TreeState(TreeOptions chosen, std::size_t n_classes)
        : options(std::move(chosen)),
          layout(ModelLayout::of(options.leaf_prediction, n_classes)),
          pool(std::make_unique<PagePool>(layout.record_size())),
          trunk(layout.n_outputs()) {}

    TreeOptions options;
    ModelLayout layout;
    std::int64_t n = 0;
    TreeTally tally;
    // Before the nodes, whose tables give their pages back to it.
    std::unique_ptr<PagePool> pool;
    Trunk trunk;
    /// The root first. `bytes` of a node need not be set.
    std::vector<Node> nodes;
    std::vector<Route> tests;
};

/// In a state that is kept, the features of an approximate search are in at most this many bins on the average (and
/// some more): else they would take far more memory than what is written of them. Only a small alpha leads to more.
inline constexpr std::int64_t bins_per_feature = 8;

/// Whether the bins of an approximate search are so few, and a search can be made with them. (Not so if a feature that
/// was on in every point, and so had no share of its own, was filed as another one; and then went beyond all bins.)
inline bool can_keep_bins(const SearchChoice& choice, const SearchState& state) {
    std::int64_t size = 0;
    for (std::size_t i = 0; i < state.ids.size(); ++i) size += EntropyBins::span(state.first_bin[i], state.last_bin[i]);
    if (size > bins_per_feature * (static_cast<std::int64_t>(state.ids.size()) + bins_per_feature)) return false;
    const auto all_exist = [&](const auto& bins) {
        for (std::size_t i = 0; i < state.ids.size(); ++i) {
            if (!bins.has(state.first_bin[i], state.last_bin[i])) return false;
        }
        return true;
    };
    return choice.criterion == Gini::name ? all_exist(GiniBins(choice.alpha)) : all_exist(EntropyBins(choice.alpha));
}

/// The same state with its rows in the order given.
inline SearchState reordered(SearchState state, const std::vector<std::size_t>& order) {
    const auto reorder = [&](auto& row) {
        if (row.empty()) return;
        auto old = row;
        for (std::size_t i = 0; i < order.size(); ++i) row[i] = old[order[i]];
    };
    reorder(state.ids);
    for (auto& on : state.on) reorder(on);
    reorder(state.first_bin);
    reorder(state.last_bin);
    return state;
}

/// The same state with its features in ascending order: equal searches have equal states.
inline SearchState by_feature(SearchState state) {
    if (std::is_sorted(state.ids.begin(), state.ids.end())) return state;
    std::vector<std::size_t> order(state.ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return state.ids[x] < state.ids[y]; });
    return reordered(std::move(state), order);
}

/// Makes a search from a state. Features with bins are taken in the order of their bins, so that every
/// tree of a bin is made after those of lower ones, and the time does not grow with the square of their number.
inline std::unique_ptr<SplitSearch> restored(const SearchChoice& choice, SearchState state) {
    if (!state.first_bin.empty()) {
        std::vector<std::size_t> order(state.ids.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t x, std::size_t y) { return state.first_bin[x] < state.first_bin[y]; });
        state = reordered(std::move(state), order);
    }
    std::unique_ptr<SplitSearch> search = make_search(choice);
    search->restore(std::move(state));
    return search;
}

}  // namespace sapwood
