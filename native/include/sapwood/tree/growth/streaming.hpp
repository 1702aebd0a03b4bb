#pragma once

#include <cstdint>
#include <vector>

#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/splitting.hpp"
#include "sapwood/tree/pausing.hpp"

namespace sapwood {

/// The growth of `StreamingTreeClassifier`: a leaf is split when its split test says that there is something to split
/// on, and a split is made anew when another one is better, as in EFDT (extremely_fast.hpp); but an inner node counts
/// an eighth of the points that pass it, so that to keep splits right costs a fraction of what finding them does.
///
/// The eighth is chosen by a hash of how many points came before, not by the point: a sample that does not look at
/// labels or features takes nothing from the validity of a test.
class StreamingGrowth final : public GrowthPolicy {
public:
    explicit StreamingGrowth(const TreeOptions& options) : splitting_(options, Rival::no_split) {}

    void learn(TreeBody& tree, const Point& point, Label label, Weight weight) override {
        const bool is_sampled = TreeBody::mixed(static_cast<std::uint64_t>(tree.n())) % one_in == 0;
        path_.clear();
        const NodeId leaf = tree.nodes().walk(point, Nodes::root, [&](NodeId at) {
            if (is_sampled) path_.push_back(at);
        });
        if (!is_sampled) path_.push_back(leaf);
        tree.teach(leaf, point.on, label, weight);
        tree.note_point(weight);
        for (const NodeId at : path_) {
            tree.count(at, point.on, label, weight);
            if (at == leaf ? splitting_.split_if_due(tree, at) : splitting_.split_anew_if_due(tree, at)) break;
        }
        if (tree.budget().is_limited()) Pausing(tree).keep_within(path_);
    }

    bool counts_inner_nodes() const override { return true; }
    bool counts_all_points() const override { return false; }

private:
    /// On real streams the tree was as good with an eighth as with all, for a fifth less time; and it bounds what inner
    /// nodes cost by about that of a leaf, in trees up to eight deep.
    static constexpr std::uint64_t one_in = 8;

    Splitting splitting_;
    /// The nodes that learn from the last point.
    std::vector<NodeId> path_;
};

}  // namespace sapwood
