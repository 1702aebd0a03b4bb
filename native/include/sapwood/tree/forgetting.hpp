#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// Calls `use(node)` for every node that a point reaches, in a tree that follows a changing stream and in the
/// alternates beside its way, and appends them to `reached`.
template <class Use>
void for_each_reached(const TreeBody& tree, const Point& point, std::vector<NodeId>& reached, Use use) {
    const auto reach = [&](NodeId at) {
        use(at);
        reached.push_back(at);
    };
    // One walk after the other: a thread can be on one at a time.
    const std::size_t first = reached.size();
    tree.nodes().walk(point, Nodes::root, reach);
    for (std::size_t i = first, end = reached.size(); i < end; ++i) {
        const NodeId alternate = tree.watch(reached[i]).alternate;
        if (alternate != no_node) tree.nodes().walk(point, alternate, reach);
    }
}

/// Keeps the recent points of a tree, takes those back that go, and lets new nodes learn from those that stay.
///
/// Guarantee, for a tree that takes points back: a node has counted, and a leaf has in its classes, exactly the points
/// that are kept, reach it, and came since the moments that its watch says; a leaf that was made by a split has,
/// besides, the classes that the split implies, until it is narrowed or filled.
class Forgetting {
public:
    explicit Forgetting(TreeBody& tree) : tree_(tree) {}

    /// Forgets the oldest points until there is room for one more; appends the nodes that change to `touched`. Returns
    /// whether there is: a point that does not fit into a limited memory by itself is not kept, and must not be
    /// counted.
    bool make_room(const Point& point, std::vector<NodeId>& touched) {
        while (recent().is_full() || !fits(point)) {
            if (recent().size() == 0) return false;
            forget_oldest(touched);
        }
        return true;
    }

    void keep(const Point& point, Label label, Weight weight) {
        recent().push(point, label, weight.count, weight.exact);
    }

    /// The number of the oldest of the last `width` points that have reached a node of the tree, as far back as points
    /// are kept.
    std::int64_t moment_of_last(NodeId at, std::int64_t width) const {
        std::int64_t oldest = recent().end();
        const std::vector<NodeId> line = tree_.nodes().line(Nodes::root, at);
        for (std::int64_t number = oldest; width > 0 && number-- > recent().first();) {
            if (!tree_.nodes().follows(recent().at(number).point, line)) continue;
            oldest = number;
            --width;
        }
        return width > 0 ? recent().first() : oldest;
    }

    /// Leaves a leaf of the tree only the points that came since a moment.
    void narrow(NodeId leaf, std::int64_t since) {
        NodeWatch& watch = tree_.watch(leaf);
        std::vector<std::int64_t> of_class(tree_.n_classes());
        const std::vector<NodeId> line = tree_.nodes().line(Nodes::root, leaf);
        const std::int64_t first = std::max(recent().first(), std::min(since, watch.counted_since));
        for (std::int64_t number = first; number < recent().end(); ++number) {
            const RecentPoint kept = recent().at(number);
            if (!tree_.nodes().follows(kept.point, line)) continue;
            if (number >= since) {
                of_class[kept.label] += kept.count;
            } else {
                tree_.statistics(leaf).remove(kept.point, kept.label, kept.count);
            }
        }
        watch.since = since;
        watch.counted_since = std::max(watch.counted_since, since);
        tree_.set_classes(leaf, std::move(of_class));
    }

    /// Lets the two new leaves below a node have all points that are kept and reach them, and no other. `beside`: the
    /// node of the tree that they are in an alternate of; none if they are in the tree itself.
    void fill_children(NodeId inner, NodeId beside = no_node) {
        const Nodes& nodes = tree_.nodes();
        for (const NodeId child : nodes.children(inner)) have_nothing(child);
        const NodeId top = beside == no_node ? Nodes::root : tree_.watch(beside).alternate;
        const std::vector<NodeId> to_top = beside == no_node ? std::vector<NodeId>() : nodes.line(Nodes::root, beside);
        const std::vector<NodeId> line = nodes.line(top, inner);
        for (std::int64_t number = recent().first(); number < recent().end(); ++number) {
            const RecentPoint kept = recent().at(number);
            if (!nodes.follows(kept.point, to_top) || !nodes.follows(kept.point, line)) continue;
            const NodeId leaf = nodes.walk(kept.point, inner, [](NodeId) {});
            tree_.statistics(leaf).add(kept.point, kept.label, kept.count);
            tree_.add_to_classes(leaf, kept.label, kept.count);
        }
        for (const NodeId child : tree_.nodes().children(inner)) {
            tree_.statistics(child).note_test();
            tree_.measure(child);
        }
    }

    /// Lets an alternate, a leaf that has learned nothing, learn the points since a moment that have reached its node.
    /// Where nodes count all points that are kept, so does this one; the models of its leaf learn those since the
    /// moment.
    void replay(NodeId at, std::int64_t since) {
        const NodeId alternate = tree_.watch(at).alternate;
        const std::int64_t counted_since = tree_.options().counts_window() ? 0 : since;
        have_nothing(alternate, counted_since);
        const std::int64_t first = std::max(counted_since, recent().first());
        const bool has_counted_the_same = tree_.options().takes_points_back() &&
                                          tree_.node(at).statistics.is_counting() &&
                                          tree_.watch(at).counted_since <= first && counted_since <= recent().first();
        if (has_counted_the_same) tree_.statistics(alternate).copy_counts(tree_.node(at).statistics);
        const std::vector<NodeId> line = tree_.nodes().line(Nodes::root, at);
        for (std::int64_t number = first; number < recent().end(); ++number) {
            const RecentPoint kept = recent().at(number);
            if (!tree_.nodes().follows(kept.point, line)) continue;
            const Weight weight{kept.count, kept.weight};
            if (!has_counted_the_same) tree_.count(alternate, kept.point, kept.label, weight);
            if (number >= since) {
                tree_.teach(alternate, kept.point, kept.label, weight, tree_.taught_beside(at));
            } else {
                tree_.add_to_classes(alternate, kept.label, kept.count);
            }
        }
        tree_.statistics(alternate).note_test();
        tree_.measure(alternate);
    }

    /// If the tree exceeds its memory although every node has given up its search: gives up alternates, then points.
    void keep_within() {
        const auto is_exceeded = [this] { return tree_.budget().is_exceeded(tree_.shared_bytes()); };
        if (!is_exceeded()) return;
        for (const NodeId at : tree_.nodes().in_order()) tree_.drop_alternate(at);
        std::vector<NodeId> touched;
        while (is_exceeded() && recent().size() > 0) {
            touched.clear();
            forget_oldest(touched);
            for (const NodeId at : touched) tree_.measure(at);
        }
    }

private:
    RecentPoints& recent() { return tree_.follow().recent; }
    const RecentPoints& recent() const { return tree_.following()->recent; }

    /// Points that are taken back get no more than half of a limited memory, so that the tree has the other half; those
    /// that only alternates begin with get an eighth, which a tree can do without.
    bool fits(const Point& point) const {
        if (!tree_.budget().is_limited()) return true;
        const std::size_t more = recent().bytes_to_push(point);
        const std::size_t share = tree_.options().takes_points_back() ? 2 : 8;
        return recent().n_bytes() + more <= tree_.budget().limit() / share &&
               tree_.budget().fits_without_searches(tree_.shared_bytes(), more);
    }

    void forget_oldest(std::vector<NodeId>& touched) {
        if (!tree_.options().takes_points_back()) {
            recent().pop();
            return;
        }
        const std::int64_t number = recent().first();
        const RecentPoint kept = recent().at(number);
        const auto take_from = [&](NodeId at) {
            if (tree_.watch(at).counted_since <= number) {
                tree_.statistics(at).remove(kept.point, kept.label, kept.count);
            }
            if (tree_.nodes().is_leaf(at) && tree_.watch(at).since <= number) {
                tree_.add_to_classes(at, kept.label, -kept.count);
            }
        };
        for_each_reached(tree_, kept.point, touched, take_from);
        recent().pop();
    }

    /// Lets a node begin with no point, to be given those since a moment.
    void have_nothing(NodeId at, std::int64_t since = 0) {
        tree_.start_statistics(at);
        tree_.watch(at).since = since;
        tree_.watch(at).counted_since = since;
        if (tree_.nodes().is_leaf(at)) tree_.set_classes(at, std::vector<std::int64_t>(tree_.n_classes()));
    }

    TreeBody& tree_;
};

}  // namespace sapwood
