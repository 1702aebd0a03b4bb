#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sapwood/search/split_search.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Where a node stands in its tree.
using NodeId = std::int32_t;
inline constexpr NodeId no_node = -1;

/// What routing reads of a node: the feature that it tests, and the child for its being off and on. Kept apart from the
/// rest, because a point on its way down a long chain reads nothing else.
struct Route {
    FeatureId feature = no_feature;
    std::array<NodeId, 2> child{no_node, no_node};

    bool is_leaf() const { return feature == no_feature; }
};

/// All else that a tree keeps of a node.
struct Node {
    NodeId parent = no_node;
    std::int32_t depth = 0;
    /// Nodes are numbered in the order in which they were made; it settles ties, also in a tree that was saved.
    std::uint64_t born = 0;
    /// The points of each class. Of a leaf: those that it was made with, as the split of its parent implies, and those
    /// that have reached it since. Of an inner node: those that its split was chosen for.
    std::vector<std::int64_t> of_class;

    /// The points of each class that reached the node since its statistics began, and the statistics: what the next
    /// split is chosen by. No search: the node does not look for a split.
    std::vector<Count> counted;
    Count n_counted = 0;
    std::unique_ptr<SplitSearch> search;
    /// `n_counted` when a split was last looked for.
    Count tested_at = 0;
    /// The least score when the search was last asked, if it was. No feature has fallen below it since.
    std::optional<double> least_score;
    /// The best two splits then, where both had a gain.
    std::optional<std::pair<FeatureId, FeatureId>> leaders;
    /// Whether the search was given up for want of memory, and how much it held.
    bool paused = false;
    std::size_t paused_bytes = 0;
    /// The points that have reached the node while it was paused.
    std::int64_t n_paused = 0;

    /// Of a leaf: what it predicts with, where that is more than `of_class`.
    std::optional<LeafModels> models;

    /// Of an inner node: the gain of its split, how much that was ahead, and after how many points of the stream.
    double gain = 0;
    double margin = 0;
    std::int64_t split_at = 0;

    /// The memory of the node, when it was last measured, and how much of it was that of the search.
    std::size_t bytes = 0;
    std::size_t search_bytes = 0;

    /// How many points of the node its most frequent class does not account for: what a split could still win.
    std::int64_t promise() const {
        std::int64_t n = 0;
        std::int64_t largest = 0;
        for (const std::int64_t count : of_class) {
            n += count;
            largest = count > largest ? count : largest;
        }
        return n - largest;
    }
};

}  // namespace sapwood
