#pragma once

#include <span>

#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/splitting.hpp"
#include "sapwood/tree/pausing.hpp"

namespace sapwood {

/// VFDT: a leaf is split when its best split is better than the second best by the split test, once and for all.
/// Domingos and Hulten, "Mining high-speed data streams", KDD 2000.
///
/// A point is counted in its leaf alone; inner nodes keep no statistics.
class HoeffdingGrowth final : public GrowthPolicy {
public:
    explicit HoeffdingGrowth(const TreeOptions& options) : splitting_(options, Rival::second_best) {}

    void learn(TreeBody& tree, const Point& point, Label label, Weight weight) override {
        const NodeId leaf = tree.nodes().leaf_of(point);
        tree.teach(leaf, point, label, weight);
        tree.note_point(weight);
        tree.count(leaf, point, label, weight);
        if (splitting_.split_if_due(tree, leaf)) tree.end_statistics(leaf);
        if (tree.budget().is_limited()) Pausing(tree).keep_within(std::span(&leaf, 1));
    }

    bool counts_inner_nodes() const override { return false; }

private:
    Splitting splitting_;
};

}  // namespace sapwood
