#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/tree/forgetting.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// Decides which nodes give memory back when a tree is at its limit, and which get it.
///
/// Guarantee: after every point the tree is within its limit. Models take no page for which there is no room, no node
/// is split if its children would not fit even without statistics, and the nodes with the least to win give up their
/// statistics until the rest fits. And the tree goes on learning: models have a share of the memory and no more, and
/// when all of it is taken one leaf in turn gives its pages up, so that others, of a new concept perhaps, get some.
class Pausing {
public:
    explicit Pausing(TreeBody& tree) : tree_(tree) {}

    /// To be called after a point, with the nodes that have learned from it, the leaf last.
    void keep_within(std::span<const NodeId> path) {
        for (const NodeId at : path) tree_.measure(at);
        bool must = tree_.take_refusal() || is_exceeded();
        while (must && pause_least_promising()) must = is_exceeded();
        if (tree_.take_crowding() && chance() % points_between_claims == 0) give_way();
        const NodeId leaf = path.back();
        if (tree_.nodes().is_leaf(leaf)) resume_if_possible(leaf);
    }

    /// Makes room for an alternate of the root, which has a trunk and models of its own: the models of leaves are given
    /// up until half of what models may take is left. What the errors say is that the tree is out of date; if it is
    /// not, its leaves learn anew.
    void make_way() {
        if (!tree_.budget().is_limited()) return;
        for (const NodeId at : tree_.nodes().in_order()) {
            if (2 * tree_.predictor().n_bytes() <= tree_.budget().share_of_models()) return;
            if (tree_.node(at).models) tree_.clear_models(at);
        }
    }

    /// Throws std::invalid_argument if not even a single leaf with `n_classes` classes would fit.
    static void check_classes(const TreeBody& tree, std::size_t n_classes) {
        if (!tree.budget().is_limited() || tree.least_bytes_of_root(n_classes) <= tree.budget().limit()) return;
        throw std::invalid_argument("max_bytes must have room for " + std::to_string(n_classes) +
                                    " classes, which take " + std::to_string(tree.least_bytes_of_root(n_classes)) +
                                    " bytes in a single leaf, got " + std::to_string(tree.budget().limit()));
    }

    /// To be called before a tree is widened to `n_classes` classes: the subtrees with the least to win are given up
    /// until the wider nodes fit.
    SAPWOOD_COLD void make_room_to_widen(std::size_t n_classes) {
        if (!tree_.budget().is_limited()) return;
        if (tree_.following() && tree_.least_bytes(n_classes) > tree_.budget().limit()) {
            for (const NodeId at : tree_.nodes().in_order()) tree_.drop_alternate(at);
        }
        while (tree_.least_bytes(n_classes) > tree_.budget().limit()) {
            const NodeId at = least_useful_pair();
            if (at == no_node) {
                tree_.shrink_to_root();
                return;
            }
            tree_.collapse(at);
        }
    }

    /// To be called after that: wider models may not fit any more. Then searches are given up, and where that is not
    /// enough, models start anew.
    void keep_within_after_widening() {
        if (!tree_.budget().is_limited()) return;
        while (is_exceeded() && pause_least_promising()) {
        }
        if (tree_.following()) Forgetting(tree_).keep_within();
        const auto end = static_cast<NodeId>(tree_.nodes().n_ids());
        for (NodeId at = 0; at < end && is_exceeded(); ++at) {
            if (tree_.node(at).models) tree_.clear_models(at);
        }
        if (is_exceeded()) tree_.clear_trunk();
    }

private:
    /// A paused leaf asks this seldom whether it may take the place of another: to find the least promising node takes
    /// a look at all of them.
    static constexpr std::int64_t points_between_claims = 256;
    /// A tree none of whose nodes counts tries again this seldom: most tries only cost time.
    static constexpr std::int64_t points_between_tries = 1024;
    /// A paused leaf misses this many points before it begins anew, so that no search is begun only to be given up:
    /// half of those between two claims.
    static constexpr std::int64_t points_before_return = 128;

    /// A number that depends on how many points there were, and on nothing else.
    std::int64_t chance() const {
        return static_cast<std::int64_t>(TreeBody::mixed(static_cast<std::uint64_t>(tree_.n())) >> 1);
    }

    /// Lets the models of one leaf forget what they know of features, any leaf with the same chance. Which leaf has a
    /// model that is out of date, the counts of no leaf say: to take the one with the least to win, or the oldest, was
    /// measured to be worse.
    void give_way() {
        std::vector<NodeId> holders;
        const auto end = static_cast<NodeId>(tree_.nodes().n_ids());
        for (NodeId at = 0; at < end; ++at) {
            if (tree_.node(at).models && tree_.node(at).models->table.n_folders() > 0) holders.push_back(at);
        }
        if (holders.empty()) return;
        const auto size = static_cast<std::int64_t>(holders.size());
        tree_.clear_models(holders[static_cast<std::size_t>(chance() / points_between_claims % size)]);
    }

    bool is_exceeded() const { return tree_.budget().is_exceeded(tree_.shared_bytes()); }

    /// The node that learns about splits with the least to win: those of the tree before those of its alternates, which
    /// are there because they may be right; inner nodes first, which have a split already.
    NodeId least_promising() const {
        const Nodes& nodes = tree_.nodes();
        const auto before = [&](NodeId a, NodeId b) {
            if (nodes.is_beside(a) != nodes.is_beside(b)) return nodes.is_beside(b);
            const bool a_is_leaf = nodes.is_leaf(a);
            if (a_is_leaf != nodes.is_leaf(b)) return !a_is_leaf;
            const std::int64_t pa = tree_.node(a).promise();
            const std::int64_t pb = tree_.node(b).promise();
            return pa != pb ? pa < pb : nodes.born(a) < nodes.born(b);
        };
        NodeId least = no_node;
        const auto end = static_cast<NodeId>(nodes.n_ids());
        for (NodeId at = 0; at < end; ++at) {
            if (tree_.node(at).statistics.is_counting() && (least == no_node || before(at, least))) least = at;
        }
        return least;
    }

    bool pause_least_promising() {
        const NodeId at = least_promising();
        if (at == no_node) return false;
        tree_.pause(at);
        return true;
    }

    /// A paused leaf begins anew if what it held then would fit now, twice; or, asked now and then, in the place of a
    /// leaf with less than half as much to win; or, still more seldom, if no node counts at all, since a search that is
    /// given up again before long may find a split that stands out.
    void resume_if_possible(NodeId leaf) {
        const NodeStatistics& statistics = tree_.node(leaf).statistics;
        if (!statistics.is_paused()) return;
        const auto fits = [&] { return tree_.budget().fits(tree_.shared_bytes(), 2 * statistics.paused_bytes()); };
        const bool may_try = tree_.budget().of_searches() == 0 && chance() % points_between_tries == 0;
        if (!fits() && statistics.n_missed() >= points_between_claims) {
            tree_.statistics(leaf).forget_missed();
            const NodeId least = least_promising();
            if (least != no_node && 2 * tree_.node(least).promise() < tree_.node(leaf).promise()) tree_.pause(least);
        }
        if (!may_try && (!fits() || statistics.n_missed() < points_before_return)) return;
        tree_.resume(leaf);
        // With more classes than when it was given up, a search may take more even before it has counted anything.
        if (is_exceeded()) tree_.pause(leaf);
    }

    /// The inner node above two leaves whose split took away least impurity, over all of its points; the youngest of
    /// several. None if the tree is a single leaf.
    NodeId least_useful_pair() const {
        const Nodes& nodes = tree_.nodes();
        const auto won = [&](NodeId at) {
            double n = 0;
            for (const std::int64_t count : tree_.node(at).of_class) n += static_cast<double>(count);
            return n * tree_.node(at).split.gain;
        };
        NodeId least = no_node;
        for (const NodeId at : nodes.in_order()) {
            if (nodes.is_leaf(at) || !nodes.is_leaf(nodes.child(at, false)) || !nodes.is_leaf(nodes.child(at, true))) {
                continue;
            }
            if (least == no_node || won(at) < won(least) ||
                (won(at) == won(least) && nodes.born(at) > nodes.born(least))) {
                least = at;
            }
        }
        return least;
    }

    TreeBody& tree_;
};

}  // namespace sapwood
