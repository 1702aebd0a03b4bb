#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/tree/forgetting.hpp"
#include "sapwood/tree/growth/alternates.hpp"
#include "sapwood/tree/growth/error_watch.hpp"
#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/save_following.hpp"
#include "sapwood/tree/growth/splitting.hpp"
#include "sapwood/tree/node_list.hpp"
#include "sapwood/tree/pausing.hpp"

namespace sapwood {

/// HAT: a VFDT with a detector of change at every node. Each node watches the error of the points that pass it through
/// an ADWIN. When that finds a change, the window of the node becomes shorter, and a leaf forgets the points that are
/// no longer in it. When the error of a node has risen, an alternate begins, which learns the points of the new window
/// first, and takes the place of the node when it predicts better (error_watch.hpp). Bifet and Gavaldà, "Adaptive
/// learning from evolving data streams", IDA 2009.
///
/// Guarantee: after every point, every leaf has counted exactly the points of its own window: those that are kept, have
/// reached it, and came since it began or since the change that its ADWIN found last.
///
/// Unlike in the implementations of MOA and river, an alternate has a place of its own and never becomes part of the
/// tree by a split; it is swapped by a test that holds at all times; the error of a node is that of its window; and no
/// point is given a random weight.
class AdaptiveGrowth final : public GrowthPolicy {
public:
    explicit AdaptiveGrowth(const TreeOptions& options)
        : splitting_(options, Rival::second_best), alternates_(options) {}

    void learn(TreeBody& tree, const Point& point, Label label, Weight weight) override {
        Forgetting forgetting(tree);
        touched_.clear();
        const bool is_kept = forgetting.make_room(point, touched_);
        path_.clear();
        const NodeId leaf = tree.nodes().walk(point, Nodes::root, [&](NodeId at) { path_.push_back(at); });
        tree.note_point(weight);
        if (is_kept) {
            forgetting.keep(point, label, weight);
        } else {
            weight.count = 0;
        }
        alternates_.learn(tree, path_.span(), point, label, weight, touched_,
                          [&](NodeId, std::span<const NodeId> nodes) {
                              tree.count(nodes.back(), point, label, weight);
                              split_if_due(tree, nodes.back());
                          });
        const bool is_right = tree.judge_and_teach(leaf, point, label, weight);
        alternates_.note(tree, is_right);
        tree.count(leaf, point, label, weight);
        ErrorWatch::note(tree, path_.span(), leaf, is_right, [&](NodeId at, std::int64_t since) {
            if (at == leaf) forgetting.narrow(leaf, since);
        });
        split_if_due(tree, leaf);
        alternates_.decide(tree, path_.span());
        if (!tree.budget().is_limited()) return;
        touched_.insert(touched_.end(), path_.begin(), path_.end());
        Pausing(tree).keep_within(touched_);
        forgetting.keep_within();
    }

    bool counts_inner_nodes() const override { return false; }
    bool counts_all_points() const override { return false; }
    bool forgets_points() const override { return true; }
    void save(ByteWriter& out, const TreeBody& tree) const override { save_following(out, tree); }
    void load(ByteReader& in, TreeBody& tree, std::int64_t n_features) override {
        load_following(in, tree, n_features);
    }

private:
    void split_if_due(TreeBody& tree, NodeId leaf) {
        if (splitting_.split_if_due(tree, leaf)) tree.end_statistics(leaf);
    }

    Splitting splitting_;
    Alternates alternates_;
    /// The nodes on the way of the last point, and all that it has changed.
    NodeList path_;
    std::vector<NodeId> touched_;
};

}  // namespace sapwood
