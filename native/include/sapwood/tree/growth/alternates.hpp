#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sapwood/drift/independent_share.hpp"
#include "sapwood/tree/forgetting.hpp"
#include "sapwood/tree/node_list.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// The alternates of a tree: beside a node that may no longer be right, another tree learns the same points in a place
/// of its own. It takes the place of the node when it predicts better, and is dropped when it predicts worse, both by a
/// test that holds at all times (contest.hpp), or when it has not won in time.
///
/// Guarantee: an alternate changes nothing of the tree, nor of what the tree predicts, before it wins, unless memory is
/// limited, which they share. There is at most one on the way of a point, so that a point is learned at most twice.
class Alternates {
public:
    explicit Alternates(const TreeOptions& options)
        : delta_(options.swap_delta),
          patience_(options.counts_window() ? std::min(options.patience, options.window_size) : options.patience),
          rest_(options.counts_window() ? twice(sum(patience_, options.window_size)) : 0) {}

    /// Whether an alternate may begin beside a node, in place of nothing; there must be none beside a node above it.
    /// `leaf` is one below it.
    static bool may_begin(const TreeBody& tree, NodeId at, NodeId leaf) {
        return tree.watch(at).alternate == no_node && tree.has_room_for_children(leaf);
    }

    /// Whether a node goes without an alternate for some time, as one has come to nothing, unless its error rises.
    static bool rests(const TreeBody& tree, NodeId at) {
        return tree.watch(at).rests_until > tree.following()->recent.end();
    }

    /// Begins an alternate beside a node, which learns the kept points since a moment, in place of those below it.
    static NodeId begin(TreeBody& tree, NodeId at, std::int64_t since) {
        for (const NodeId below : tree.nodes().in_order(at)) {
            if (below != at) tree.drop_alternate(below);
        }
        const NodeId alternate = tree.begin_alternate(at);
        Forgetting(tree).replay(at, since);
        return alternate;
    }

    /// Lets the alternate on a path predict a point and learn from it. Appends the nodes that change to `touched`, and
    /// calls `grow(at, nodes)` to count the point in the nodes of the alternate that it has met, the leaf last.
    template <class Grow>
    void learn(TreeBody& tree, std::span<const NodeId> path, const Point& point, Label label, Weight weight,
               std::vector<NodeId>& touched, Grow grow) {
        judged_ = no_node;
        if (!tree.following()->tally.has_alternates()) return;
        for (const NodeId at : path) {
            const NodeId alternate = tree.watch(at).alternate;
            if (alternate == no_node) continue;
            way_.clear();
            const NodeId leaf = tree.nodes().walk(point, alternate, [&](NodeId met) { way_.push_back(met); });
            judged_ = at;
            is_right_ = tree.judge_and_teach(leaf, point, label, weight, tree.taught_beside(at));
            if (tree.budget().is_limited()) tree.measure(leaf);
            touched.insert(touched.end(), way_.begin(), way_.end());
            grow(at, way_.span());
            return;
        }
    }

    /// Notes whether the tree itself predicted the point that its alternate has just learned.
    void note(TreeBody& tree, bool is_right) const {
        if (judged_ != no_node) tree.watch(judged_).contest.note(is_right_, is_right);
    }

    /// Ends the contest beside a node of a path if it is decided. What is below a node that goes goes with it.
    void decide(TreeBody& tree, std::span<const NodeId> path) const {
        if (!tree.following()->tally.has_alternates()) return;
        for (const NodeId at : path) {
            NodeWatch& watch = tree.watch(at);
            if (watch.alternate == no_node) continue;
            const RecentPoints& recent = tree.following()->recent;
            const double share = independent_share(recent.of_class(), recent.n_repeats());
            if (watch.contest.is_won(delta_, share) && tree.may_swap(at)) {
                tree.swap_alternate(at);
            } else if (watch.contest.is_lost(delta_, share) || watch.contest.n >= patience_) {
                tree.drop_alternate(at);
                if (rest_ > 0) watch.rests_until = sum(tree.following()->recent.end(), rest_);
            }
            return;
        }
    }

private:
    /// The sum of two numbers of points, of which either may mean for ever.
    static std::int64_t sum(std::int64_t a, std::int64_t b) {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        return a > most - b ? most : a + b;
    }
    static std::int64_t twice(std::int64_t a) { return sum(a, a); }

    double delta_;
    /// The points of a contest, at most. That of a tree of a window has no more than the window: the alternate was
    /// taught it, and after as many points more of its node both have long counted the same.
    std::int64_t patience_;
    /// How many points a node goes without an alternate after one that came to nothing. An error that has risen makes
    /// one begin once; a better split would at once make another begin. That one was taught the window and learned for
    /// up to `patience_` points. After twice as many without, the next begins with other points, and alternates have
    /// cost a node half of its own learning at most.
    std::int64_t rest_;
    /// The node whose alternate has learned the last point, none if there is none, and whether that predicted it.
    NodeId judged_ = no_node;
    bool is_right_ = false;
    /// The nodes of the alternate on the way of the last point.
    NodeList way_;
};

}  // namespace sapwood
