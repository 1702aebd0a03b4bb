#pragma once

#include <optional>
#include <vector>

#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/leaf_splitting.hpp"
#include "sapwood/tree/pausing.hpp"

namespace sapwood {

/// EFDT: a leaf is split as soon as its best split is better than none by the split test; when another split becomes
/// better than the one that a node has, the node is split anew and what was below it is given up. Manapragada, Webb and
/// Salehi, "Extremely fast decision tree", KDD 2018.
///
/// A point is counted in every node on its way.
class ExtremelyFastGrowth final : public GrowthPolicy {
public:
    explicit ExtremelyFastGrowth(const TreeOptions& options)
        : splitting_(options, Rival::no_split), min_samples_reevaluate_(options.min_samples_reevaluate) {}

    void learn(TreeBody& tree, const Point& point, Label label, Count weight) override {
        path_.clear();
        const NodeId leaf = tree.nodes().walk(point, Nodes::root, [this](NodeId at) { path_.push_back(at); });
        tree.teach(leaf, point.on, label, weight);
        tree.note_point(weight);
        for (const NodeId at : path_) {
            tree.statistics(at).add(point.on, label, weight);
            if (at == leaf ? splitting_.split_if_due(tree, at) : split_anew_if_due(tree, at)) break;
        }
        if (tree.budget().is_limited()) Pausing(tree).keep_within(path_);
    }

    bool counts_inner_nodes() const override { return true; }

private:
    bool split_anew_if_due(TreeBody& tree, NodeId inner) {
        NodeStatistics& statistics = tree.statistics(inner);
        if (!statistics.is_counting() || statistics.n_since_test() < min_samples_reevaluate_) return false;
        statistics.note_test();
        if (statistics.is_pure()) return false;
        tree.note_test();
        const std::optional<DueSplit> due = splitting_.split_test().due_revision(statistics, tree.nodes().test(inner));
        if (!due) return false;
        tree.split_anew(inner, *due);
        return true;
    }

    LeafSplitting splitting_;
    Count min_samples_reevaluate_;
    /// The nodes on the way of the last point.
    std::vector<NodeId> path_;
};

}  // namespace sapwood
