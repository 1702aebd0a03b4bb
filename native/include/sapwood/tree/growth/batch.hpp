#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/splitting.hpp"

namespace sapwood {

/// The growth of a tree that is given the counts of whole batches (batch/absorb.hpp) and splits between them: every
/// leaf that has counted something since is asked once, in the order of birth, and split if its split test says that
/// there is something to split on. A split is made once and for all.
///
/// Guarantee: the tree is a function of what each batch holds. The order of the points of a batch, and how they were
/// divided among those who counted them, leave no trace.
class BatchGrowth final : public GrowthPolicy {
public:
    explicit BatchGrowth(const TreeOptions& options) : splitting_(options, Rival::no_split) {}

    void check_learns_points() const override {
        throw std::invalid_argument("points must come in batches, by partial_fit, for batch_growth, got a single one");
    }
    void learn(TreeBody&, const Point&, Label, Weight) override { check_learns_points(); }

    std::size_t grow(TreeBody& tree) override {
        const Nodes& nodes = tree.nodes();
        std::vector<NodeId> leaves = nodes.in_order();
        std::erase_if(leaves, [&](NodeId at) { return !nodes.is_leaf(at); });
        std::sort(leaves.begin(), leaves.end(), [&](NodeId a, NodeId b) { return nodes.born(a) < nodes.born(b); });
        std::size_t n_split = 0;
        for (const NodeId leaf : leaves) {
            if (!splitting_.split_if_due(tree, leaf)) continue;
            tree.end_statistics(leaf);
            ++n_split;
        }
        return n_split;
    }

    bool counts_inner_nodes() const override { return false; }

private:
    Splitting splitting_;
};

}  // namespace sapwood
