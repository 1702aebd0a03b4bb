#pragma once

#include <vector>

#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/splitting.hpp"
#include "sapwood/tree/pausing.hpp"

namespace sapwood {

/// EFDT: a leaf is split as soon as its best split is better than no split by the split test. When another split
/// becomes better than that of an inner node, the node is split anew and its subtree is given up. Manapragada, Webb and
/// Salehi, "Extremely fast decision tree", KDD 2018.
///
/// A point is counted in every node on its way.
class ExtremelyFastGrowth final : public GrowthPolicy {
public:
    explicit ExtremelyFastGrowth(const TreeOptions& options) : splitting_(options, Rival::no_split) {}

    void learn(TreeBody& tree, const Point& point, Label label, Weight weight) override {
        path_.clear();
        const NodeId leaf = tree.nodes().walk(point, Nodes::root, [this](NodeId at) { path_.push_back(at); });
        tree.teach(leaf, point, label, weight);
        tree.note_point(weight);
        for (const NodeId at : path_) {
            tree.count(at, point, label, weight);
            if (at == leaf ? splitting_.split_if_due(tree, at) : splitting_.split_anew_if_due(tree, at)) break;
        }
        if (tree.budget().is_limited()) Pausing(tree).keep_within(path_);
    }

    bool counts_inner_nodes() const override { return true; }

private:
    Splitting splitting_;
    /// The nodes on the way of the last point.
    std::vector<NodeId> path_;
};

}  // namespace sapwood
