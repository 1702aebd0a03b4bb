#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/dynamic/dynamic_tree_body.hpp"
#include "sapwood/dynamic/old_nodes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

inline void DynamicTree::rebuild(NodeId top, const FeatureOrder& order, std::vector<NodeId>& kept,
                                 const std::optional<Candidate>& known) {
    ++tally_.rebuilt;
    tally_.rebuilt_points += node(top).totals.n;
    OldNodes old = cut(top);
    struct Waiting {
        NodeId at;
        std::uint64_t hash;  // the sum of those of the conditions from the top on
        Part part;
    };
    const std::optional<Candidate> unknown;
    // Nothing here recurses: text makes chains of hundreds of nodes.
    std::vector<Waiting> waiting;
    waiting.push_back({top, 0, {old.all(), std::exchange(content(top).points, {})}});
    while (!waiting.empty()) {
        Waiting here = std::move(waiting.back());
        waiting.pop_back();
        const NodeId at = here.at;
        // A node with a search is asked without its points.
        if (!node(at).search || node(at).totals.n < many) {
            content(at).points = points_of(old, here.part);
            here.part = {};
        }
        const std::optional<Candidate> best = wanted(at, order, at == top ? known : unknown);
        if (!best) {
            if (node(at).points.empty()) content(at).points = points_of(old, here.part);
            place(at, std::exchange(content(at).points, {}));
            prepare(at);
            continue;
        }
        if (here.part.points.empty()) here.part.points = std::exchange(content(at).points, {});
        const Test test(best->feature);
        std::array<Part, 2> sides = divided(old, here.part, test);
        std::array<NodeId, 2> children{};
        std::array<bool, 2> is_new{};
        for (const bool side : {false, true}) {
            const std::uint64_t hash = here.hash + Condition{test, side}.hash();
            const NodeId found = old.take(hash, [&] { return conditions_of(top, at, {test, side}); });
            is_new[side] = found == no_node;
            children[side] = is_new[side] ? make_node(at) : found;
            if (is_new[side]) {
                content(children[side]).totals = totals_of(old, sides[side]);
            } else {
                nodes_.adopt(found, at);
                kept.push_back(found);
                ++tally_.kept;
            }
        }
        join(at, test, children);
        for (const bool side : {false, true}) {
            if (is_new[side]) inherit(children[side], children[!side], old, sides[side]);
        }
        if (const auto smaller = smaller_of_divided(at, children)) {
            subtract(at, children[!*smaller], points_of(old, sides[*smaller]));
        }
        for (const bool side : {false, true}) {
            if (!is_new[side]) continue;
            const std::uint64_t hash = here.hash + Condition{test, side}.hash();
            waiting.push_back({children[side], hash, std::move(sides[side])});
        }
    }
    for (const NodeId each : old.rest()) {
        content(each) = DynamicNode();
        nodes_.free_alone(each);
        ++tally_.pruned;
    }
}

inline OldNodes DynamicTree::cut(NodeId top) {
    // Few points are divided faster than old nodes are found.
    if (!nodes_.is_leaf(top) && node(top).totals.n < many) gather(top);
    if (nodes_.is_leaf(top)) return {};
    OldNodes old(nodes_, top);
    nodes_.cut(top);
    return old;
}

/// The conditions on the way from a node to a child of one below it.
inline std::vector<Condition> DynamicTree::conditions_of(NodeId top, NodeId above, Condition last) const {
    std::vector<Condition> found{std::move(last)};
    for (NodeId at = above; at != top; at = nodes_.parent(at)) {
        const NodeId parent = nodes_.parent(at);
        found.push_back({nodes_.test(parent), nodes_.child(parent, true) == at});
    }
    return found;
}

/// A part of the points on each side of a test.
inline std::array<DynamicTree::Part, 2> DynamicTree::divided(const OldNodes& old, const Part& part,
                                                             const Test& test) const {
    std::array<Part, 2> sides;
    const auto divide = [&](const std::vector<PointId>& points) {
        for (const PointId id : points) sides[passes(test, id)].points.push_back(id);
    };
    std::array<std::vector<OldNodes::Piece>, 2> pieces =
        old.divided(part.pieces, test, [&](NodeId leaf) { divide(node(leaf).points); });
    for (const bool side : {false, true}) sides[side].pieces = std::move(pieces[side]);
    divide(part.points);
    return sides;
}

inline std::vector<PointId> DynamicTree::points_of(const OldNodes& old, const Part& part) const {
    std::vector<PointId> points = part.points;
    for (const OldNodes::Piece piece : part.pieces) {
        const std::vector<PointId> more = points_below(old.node(piece));
        points.insert(points.end(), more.begin(), more.end());
    }
    return points;
}

inline NodeTotals DynamicTree::totals_of(const OldNodes& old, const Part& part) const {
    NodeTotals totals{std::vector<Count>(n_classes_), 0, 0};
    for (const PointId id : part.points) {
        totals.add(points_.features(id).size(), points_.label(id), points_.weight(id));
    }
    for (const OldNodes::Piece piece : part.pieces) totals.add(node(old.node(piece)).totals);
    return totals;
}

inline void DynamicTree::split(NodeId at, const Test& test) {
    const OldNodes none;
    std::array<Part, 2> sides = divided(none, {{}, std::exchange(content(at).points, {})}, test);
    std::array<NodeId, 2> children{};
    for (const bool side : {false, true}) {
        children[side] = make_node(at);
        content(children[side]).totals = totals_of(none, sides[side]);
        place(children[side], std::move(sides[side].points));
    }
    join(at, test, children);
}

/// Makes a leaf the parent of two nodes.
inline void DynamicTree::join(NodeId at, const Test& test, const std::array<NodeId, 2>& children) {
    nodes_.attach(at, test, children[0], children[1]);
    content(at).n_split = node(at).totals.n;
    content(at).safe = safe_for(0, node(at).totals.n);
    ++tally_.split;
}

/// Gives a new node the counts of an old one whose points are most of its own, and adds those of the others: where that
/// is less work than to count all, or to take those of the other child from the counts of their parent.
inline void DynamicTree::inherit(NodeId at, NodeId other, const OldNodes& old, const Part& part) {
    const NodeTotals& totals = node(at).totals;
    if (part.pieces.empty() || totals.n < many || must_stop(at)) return;
    const auto nonzeros = [&](OldNodes::Piece piece) {
        const DynamicNode& here = node(old.node(piece));
        return here.search ? here.totals.nonzeros : 0;
    };
    const OldNodes::Piece most =
        *std::max_element(part.pieces.begin(), part.pieces.end(),
                          [&](OldNodes::Piece a, OldNodes::Piece b) { return nonzeros(a) < nonzeros(b); });
    const DynamicNode& parent = node(nodes_.parent(at));
    const DynamicNode& from = node(old.node(most));
    const std::int64_t to_add = totals.nonzeros - nonzeros(most);
    if (to_add + from.n_seen / copied_per_counted >= totals.nonzeros) return;
    if (parent.search && node(other).totals.nonzeros < to_add) return;
    std::unique_ptr<SplitSearch> search = from.search->clone();
    Part rest = part;
    std::erase(rest.pieces, most);
    for (const PointId id : points_of(old, rest)) {
        search->add(points_.features(id), points_.label(id), points_.weight(id));
    }
    tally_.counted += to_add;
    content(at).take(std::move(search), from, to_add);
}

/// The side whose counts, taken from those of a node, are to give those of its other child; nothing if that child needs
/// none, or has less work to count its points.
inline std::optional<bool> DynamicTree::smaller_of_divided(NodeId at, const std::array<NodeId, 2>& children) const {
    if (!node(at).search) return std::nullopt;
    const bool smaller = node(children[1]).totals.nonzeros <= node(children[0]).totals.nonzeros;
    const NodeId larger = children[!smaller];
    if (node(larger).search || node(larger).totals.n < many || must_stop(larger)) return std::nullopt;
    const std::int64_t to_copy = node(at).n_seen;
    const bool is_less =
        node(children[smaller]).totals.nonzeros + to_copy / copied_per_counted < node(larger).totals.nonzeros;
    return is_less ? std::optional<bool>(smaller) : std::nullopt;
}

/// Gives a child of a node its counts: those of the node, less those of the points of its other child.
inline void DynamicTree::subtract(NodeId at, NodeId larger, std::span<const PointId> smaller) {
    std::unique_ptr<SplitSearch> search = node(at).search->clone();
    std::int64_t n_taken = 0;
    for (const PointId id : smaller) {
        search->take_back(points_.features(id), points_.label(id), points_.weight(id));
        n_taken += static_cast<std::int64_t>(points_.features(id).size());
    }
    tally_.counted += n_taken;
    content(larger).take(std::move(search), node(at), n_taken);
}

}  // namespace sapwood
