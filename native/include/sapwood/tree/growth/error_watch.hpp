#pragma once

#include <cstdint>
#include <span>

#include "sapwood/tree/forgetting.hpp"
#include "sapwood/tree/growth/alternates.hpp"
#include "sapwood/tree/pausing.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// Watches the errors of a tree: each node has an ADWIN (drift/adwin.hpp) of whether the points that pass it are
/// predicted. When the error of a node has risen, an alternate begins beside it, with the kept points of the window
/// that is left; beside the uppermost node, where it has risen at several.
///
/// A change that is found while there is an alternate makes another begin in its place, unless it is ahead: it has
/// learned points from before the change, and the contest is of other points than those that come.
class ErrorWatch {
public:
    /// Tells the detectors of nodes on the way to a leaf, from the root on, whether a point was predicted. Calls
    /// `changed(at, since)` for each node whose window has become shorter, with the number of its first kept point.
    template <class Changed>
    static void note(TreeBody& tree, std::span<const NodeId> path, NodeId leaf, bool is_right, Changed changed) {
        const bool is_limited = tree.budget().is_limited();
        bool is_free = true;
        for (const NodeId at : path) {
            NodeWatch& watch = tree.watch(at);
            if (is_limited && !has_room(tree)) return;
            const Change change = watch.errors.update(!is_right);
            if (change != Change::none) {
                ++tree.follow().tally.drifts;
                const std::int64_t since = Forgetting(tree).moment_of_last(at, watch.errors.width());
                changed(at, since);
                if (change == Change::rose && is_free) begin(tree, at, leaf, since);
            }
            is_free = is_free && watch.alternate == no_node;
        }
    }

private:
    /// Whether a detector may grow, where memory is limited. One that may not sees nothing of the point.
    static bool has_room(const TreeBody& tree) {
        return tree.budget().fits_without_searches(tree.shared_bytes(), NodeWatch::price_of_row);
    }

    static void begin(TreeBody& tree, NodeId at, NodeId leaf, std::int64_t since) {
        const NodeWatch& watch = tree.watch(at);
        if (watch.alternate != no_node) {
            if (watch.contest.wins > watch.contest.losses) return;
            tree.drop_alternate(at);
        }
        if (at == Nodes::root) Pausing(tree).make_way();
        if (Alternates::may_begin(tree, at, leaf)) Alternates::begin(tree, at, since);
    }
};

}  // namespace sapwood
