#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sapwood/tree/memory_budget.hpp"
#include "sapwood/tree/node_statistics.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The split of an inner node: its gain, its margin, and the number of points of the stream after which it was made.
struct MadeSplit {
    double gain = 0;
    double margin = 0;
    std::int64_t at = 0;
};

/// Everything that a tree keeps of a node, besides its place in the arena.
struct Node {
    explicit Node(std::size_t n_classes = 0) : of_class(n_classes), statistics(n_classes) {}

    /// The points of each class. Of a leaf: those that it was made with, as the split of its parent implies, and those
    /// that have reached it since. Of an inner node: those that had passed it when its split was made, and that its
    /// children have not counted.
    std::vector<std::int64_t> of_class;
    /// What the next split is chosen by.
    NodeStatistics statistics;
    /// Of a leaf: what it predicts with, where that is more than `of_class`.
    std::optional<LeafModels> models;
    /// Of an inner node.
    MadeSplit split;
    /// What the node was charged when it was last measured.
    MemoryCharge charge;

    /// How many points of the node its most frequent class does not account for: what a split could still win.
    std::int64_t promise() const {
        std::int64_t n = 0;
        std::int64_t largest = 0;
        for (const std::int64_t count : of_class) {
            n += count;
            largest = std::max(largest, count);
        }
        return n - largest;
    }

    /// The memory that the node holds outside the lists of nodes.
    MemoryCharge measured() const {
        const std::size_t search = statistics.search_bytes();
        return {of_class.capacity() * sizeof(std::int64_t) + statistics.n_bytes() + (models ? models->n_bytes() : 0),
                search};
    }
};

/// The bytes charged to a node for its place in the lists of a tree. A price, not a measurement: the sizes that a
/// compiler gives to types must not decide which tree grows within a memory limit. It covers the sizes here.
inline constexpr std::size_t price_of_node = 308;
static_assert(sizeof(Node) + sizeof(Nodes::Route) + sizeof(Nodes::Family) <= price_of_node);

}  // namespace sapwood
