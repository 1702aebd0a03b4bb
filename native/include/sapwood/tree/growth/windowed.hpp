#pragma once

#include <cstdint>
#include <optional>
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

/// CVFDT: the tree of the most recent points. A leaf is split as in VFDT. Every point is counted in every node on its
/// way, and taken back when it leaves the window. When another split is better than that of an inner node by the split
/// test, an alternate with that split begins, and takes its place when it predicts better (alternates.hpp). Hulten,
/// Spencer and Domingos, "Mining time-changing data streams", KDD 2001.
///
/// Guarantee: after every point, every node has counted exactly the points of the window that reach it, and a leaf has
/// their classes; alternates too. (Not a node that was paused for memory, which begins again with the next point.)
///
/// Unlike in the paper, inner nodes are checked after every point; new leaves and alternates begin with the points of
/// the window instead of none; and an alternate is judged by every point, by a test.
class WindowedGrowth final : public GrowthPolicy {
public:
    explicit WindowedGrowth(const TreeOptions& options)
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
                          [&](NodeId at, std::span<const NodeId> nodes) {
                              for (const NodeId met : nodes) tree.count(met, point, label, weight);
                              if (splitting_.split_if_due(tree, nodes.back()))
                                  forgetting.fill_children(nodes.back(), at);
                          });
        const bool is_right = tree.judge_and_teach(leaf, point, label, weight);
        alternates_.note(tree, is_right);
        bool is_free = true;
        for (const NodeId at : path_) {
            tree.count(at, point, label, weight);
            if (at == leaf) {
                if (splitting_.split_if_due(tree, leaf)) forgetting.fill_children(leaf);
            } else if (is_free && !Alternates::rests(tree, at) && Alternates::may_begin(tree, at, leaf)) {
                begin_if_due(tree, at, forgetting);
            }
            is_free = is_free && tree.watch(at).alternate == no_node;
        }
        // The trunk is of all leaves, and with it its errors.
        ErrorWatch::note(tree, path_.span().first(1), leaf, is_right, [](NodeId, std::int64_t) {});
        alternates_.decide(tree, path_.span());
        if (!tree.budget().is_limited()) return;
        touched_.insert(touched_.end(), path_.begin(), path_.end());
        Pausing(tree).keep_within(touched_);
        forgetting.keep_within();
    }

    bool counts_inner_nodes() const override { return true; }
    bool counts_all_points() const override { return false; }
    bool forgets_points() const override { return true; }
    void save(ByteWriter& out, const TreeBody& tree) const override { save_following(out, tree); }
    void load(ByteReader& in, TreeBody& tree, std::int64_t n_features) override {
        load_following(in, tree, n_features);
    }

private:
    /// Begins an alternate beside a node if another split is better: a leaf that learns the window, and is split so.
    void begin_if_due(TreeBody& tree, NodeId at, Forgetting& forgetting) {
        std::optional<DueSplit> due = splitting_.due_revision(tree, at);
        if (!due) return;
        const NodeId alternate = Alternates::begin(tree, at, 0);
        // It has counted the same points, and so has the same best feature; a threshold may lie elsewhere in its gap.
        if (const std::optional<Split> best = tree.statistics(alternate).ask()) due->split = *best;
        due->split = tree.chosen_among_ties(alternate, due->split);
        tree.split(alternate, *due);
        forgetting.fill_children(alternate, at);
    }

    Splitting splitting_;
    Alternates alternates_;
    /// The nodes on the way of the last point, and all that it has changed.
    NodeList path_;
    std::vector<NodeId> touched_;
};

}  // namespace sapwood
