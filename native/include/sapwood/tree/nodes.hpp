#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/point.hpp"
#include "sapwood/search/test.hpp"
#include "sapwood/tree/active_features.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Where a node stands in its tree.
using NodeId = std::int32_t;
inline constexpr NodeId no_node = -1;

/// The arena of a tree: its nodes, their parents and children, their tests, and the routing of points. It keeps no
/// statistics, and does not know why a node is split.
///
/// Guarantee: routing takes O(m + depth), and nothing recurses, because text makes chains of hundreds of nodes. A node
/// keeps its id until it is freed; the id is then reused. Any number of threads may read while none changes it.
class Nodes {
public:
    static constexpr NodeId root = 0;

    std::size_t n_nodes() const { return routes_.size() - free_.size(); }
    /// The leaves of the tree, and those of trees that stand beside a node.
    std::size_t n_leaves() const { return n_leaves_[0]; }
    std::size_t n_leaves_beside() const { return n_leaves_[1]; }
    /// Ids are below this; some may be free.
    std::size_t n_ids() const { return routes_.size(); }
    /// How many nodes of the tree were ever made: the birth number of the next one.
    std::uint64_t n_born() const { return n_born_[0]; }
    /// How many nodes were ever made beside others.
    std::uint64_t n_born_beside() const { return n_born_[1]; }

    bool is_leaf(NodeId at) const { return route(at).kind == TestKind::nothing; }
    NodeId parent(NodeId at) const { return family(at).parent; }
    std::int32_t depth(NodeId at) const { return family(at).depth; }
    /// Nodes are numbered in the order in which they were made; it settles ties, also in a tree that was saved. Those
    /// beside others have numbers of their own, above all others, so that they change none in the tree.
    std::uint64_t born(NodeId at) const { return family(at).born; }
    bool is_beside(NodeId at) const { return born(at) >= first_born_beside; }
    /// The number of a node in the order of its own tree, which one beside another node begins anew.
    std::uint64_t born_in_own_tree(NodeId at) const {
        if (!is_beside(at)) return born(at);
        NodeId top = at;
        while (parent(top) != no_node && is_beside(parent(top))) top = parent(top);
        return born(at) - born(top);
    }
    /// How many leaves a node has below it, itself if it is one.
    std::size_t n_leaves_below(NodeId top) const {
        std::size_t n = 0;
        for (const NodeId at : in_order(top)) n += is_leaf(at) ? 1 : 0;
        return n;
    }
    /// The child of an inner node for points that do not pass its test, and for those that do.
    NodeId child(NodeId at, bool passes) const { return route(at).child[passes ? 1 : 0]; }
    const std::array<NodeId, 2>& children(NodeId at) const { return route(at).child; }

    Test test(NodeId at) const {
        const Route& here = route(at);
        return here.kind == TestKind::is_on ? Test(here.feature) : is_leaf(at) ? Test() : typed_tests_[index(at)];
    }

    // ---- routing ------------------------------------------------------------------------------------------------

    /// Calls `visit(at)` for every node from `from` to the leaf that a point reaches, which is returned.
    template <class Visit>
    NodeId walk(const Point& point, NodeId from, Visit visit) const {
        ActiveFeatures active(point.on);
        NodeId at = from;
        visit(at);
        while (!is_leaf(at)) {
            at = next(point, at, active);
            visit(at);
        }
        return at;
    }

    /// The nodes from `from` down to one that is below it, or the same.
    std::vector<NodeId> line(NodeId from, NodeId to) const {
        std::vector<NodeId> nodes{to};
        while (nodes.back() != from) nodes.push_back(parent(nodes.back()));
        std::reverse(nodes.begin(), nodes.end());
        return nodes;
    }

    /// Whether a point that reaches the first node of a line reaches the last.
    bool follows(const Point& point, std::span<const NodeId> line) const {
        ActiveFeatures active(point.on);
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            if (next(point, line[i], active) != line[i + 1]) return false;
        }
        return true;
    }

    NodeId leaf_of(const Point& point) const {
        return walk(point, root, [](NodeId) {});
    }

    /// The nodes from the root to the leaf that a point reaches.
    std::vector<NodeId> path(const Point& point) const {
        std::vector<NodeId> nodes;
        walk(point, root, [&](NodeId at) { nodes.push_back(at); });
        return nodes;
    }

    /// The nodes from the root on, each before its children, those that do not pass its test before those that do.
    std::vector<NodeId> in_order() const { return n_ids() == 0 ? std::vector<NodeId>() : in_order(root); }

    /// The same of a node and all below it.
    std::vector<NodeId> in_order(NodeId top) const {
        std::vector<NodeId> order;
        std::vector<NodeId> waiting{top};
        while (!waiting.empty()) {
            const NodeId at = waiting.back();
            waiting.pop_back();
            order.push_back(at);
            if (is_leaf(at)) continue;
            waiting.push_back(child(at, true));
            waiting.push_back(child(at, false));
        }
        return order;
    }

    std::size_t depth() const {
        std::int32_t deepest = 0;
        for (const NodeId at : in_order()) deepest = std::max(deepest, depth(at));
        return static_cast<std::size_t>(deepest);
    }

    // ---- change -------------------------------------------------------------------------------------------------

    /// Makes a leaf under a parent, or the root; `attach` joins them.
    NodeId make(NodeId parent) { return make(parent, parent != no_node && is_beside(parent)); }

    /// Makes a leaf that stands where another node does, but is no child of its parent: `take_place` may make it one.
    NodeId make_beside(NodeId at) { return make(parent(at), true); }

    /// Lets a node that was made beside a leaf, with all below it, take the place of the leaf; its own id is freed. Its
    /// nodes are numbered as if they were made now, in the order in which they were.
    void take_place(NodeId leaf, NodeId beside) {
        std::vector<NodeId> moved = in_order(beside);
        std::sort(moved.begin(), moved.end(), [this](NodeId a, NodeId b) { return born(a) < born(b); });
        for (const NodeId at : moved) {
            families_[index(at)].born = n_born_[0]++;
            if (is_leaf(at)) {
                --n_leaves_[1];
                ++n_leaves_[0];
            }
        }
        routes_[index(leaf)] = route(beside);
        if (!typed_tests_.empty()) typed_tests_[index(leaf)] = typed_tests_[index(beside)];
        families_[index(leaf)].born = born(beside);
        if (!is_leaf(leaf)) {
            for (const NodeId child : children(leaf)) families_[index(child)].parent = leaf;
        }
        forget_test(beside);
        // One of the two was a leaf that is gone; and the one beside, if it is an inner node, is now counted here.
        free_leaf(beside);
    }

    /// Frees a leaf that is no child of another node.
    void free_leaf(NodeId leaf) {
        --n_leaves_[is_beside(leaf)];
        families_[index(leaf)] = Family();
        free_.push_back(leaf);
    }

    /// Gives a node a test, or another one, and the two children for it.
    void attach(NodeId at, const Test& test, NodeId not_passed, NodeId passed) {
        if (is_leaf(at)) --n_leaves_[is_beside(at)];
        if (test.kind() != TestKind::is_on) {
            // A tree in which only features are tested does without the list.
            typed_tests_.resize(n_ids());
            typed_tests_[index(at)] = test;
        }
        routes_[index(at)] = {test.feature(), test.kind(), {not_passed, passed}};
    }

    /// Frees all nodes below one, which becomes a leaf. Returns those that were freed, an ancestor before its
    /// descendants.
    std::vector<NodeId> prune(NodeId top) {
        std::vector<NodeId> below;
        if (is_leaf(top)) return below;
        below = {child(top, true), child(top, false)};
        for (std::size_t i = 0; i < below.size(); ++i) {
            const NodeId at = below[i];
            if (!is_leaf(at)) below.insert(below.end(), {child(at, true), child(at, false)});
        }
        for (const NodeId at : below) free_alone(at);
        cut(top);
        return below;
    }

    /// Makes a leaf of an inner node. What was below it stands on its own from now on: `adopt` or `free_alone` each
    /// node.
    void cut(NodeId top) {
        forget_test(top);
        ++n_leaves_[is_beside(top)];
    }

    /// Lets a node that was cut off, with all below it, stand below a parent; `attach` joins them. They are as deep as
    /// they were, unless `settle_below` is called.
    void adopt(NodeId at, NodeId parent) { families_[index(at)].parent = parent; }

    /// Puts right how deep the nodes below one are, which were adopted, and numbers them as if they were made now, in
    /// order; `born` is the first of these numbers.
    void settle_below(NodeId top, std::uint64_t born) {
        const bool beside = is_beside(top);
        for (const NodeId at : in_order(top)) {
            if (at == top) continue;
            families_[index(at)].depth = depth(parent(at)) + 1;
            families_[index(at)].born = born++;
        }
        n_born_[beside] = born - (beside ? first_born_beside : 0);
    }

    /// The number of the next node that is made below one.
    std::uint64_t next_born(NodeId parent) const {
        return is_beside(parent) ? first_born_beside + n_born_[1] : n_born_[0];
    }

    /// Frees a node that was cut off, and none of those below it.
    void free_alone(NodeId at) {
        if (is_leaf(at)) --n_leaves_[is_beside(at)];
        forget_test(at);
        families_[index(at)] = Family();
        free_.push_back(at);
    }

    /// Lets a child of the root take its place, with all below it; the id of the child is freed, and the other child,
    /// which is a leaf. Nodes keep their numbers.
    void lift_to_root(NodeId child) {
        for (const NodeId other : std::array(children(root))) {
            if (other != child) free_alone(other);
        }
        routes_[index(root)] = route(child);
        if (!typed_tests_.empty()) typed_tests_[index(root)] = typed_tests_[index(child)];
        families_[index(root)].born = born(child);
        forget_test(child);
        families_[index(child)] = Family();
        free_.push_back(child);
        if (!is_leaf(root)) {
            for (const NodeId below : children(root)) families_[index(below)].parent = root;
        }
        for (const NodeId at : in_order()) {
            if (at != root) --families_[index(at)].depth;
        }
    }

    /// Numbers the root as if it were made now; it is the only node.
    void renew_root() { families_[index(root)].born = n_born_[0]++; }

    /// Where a node that was read goes: under a parent that is there already, or beside a node that is.
    struct Place {
        NodeId parent = no_node;
        bool passes = false;
        NodeId beside = no_node;
    };

    /// Puts nodes that were read into an empty arena, in order: the next node.
    NodeId restore(const Place& place, std::uint64_t born, const Test& test) {
        const std::array<std::uint64_t, 2> n_born = n_born_;
        const NodeId at =
            make(place.beside == no_node ? place.parent : parent(place.beside), born >= first_born_beside);
        n_born_ = n_born;
        families_.back().born = born;
        if (test.kind() != TestKind::nothing) attach(at, test, no_node, no_node);
        if (place.parent != no_node) routes_[index(place.parent)].child[place.passes ? 1 : 0] = at;
        return at;
    }
    void set_n_born(std::uint64_t n_born) { n_born_[0] = n_born; }
    void set_n_born_beside(std::uint64_t n_born) { n_born_[1] = n_born; }
    void reserve(std::size_t size) {
        routes_.reserve(size);
        families_.reserve(size);
    }

    /// The number of the first node that was made beside another: more than any tree has.
    static constexpr std::uint64_t first_born_beside = std::uint64_t{1} << 62;

    // ---- memory -------------------------------------------------------------------------------------------------

    /// How many ids there is room for.
    std::size_t capacity() const { return std::min(routes_.capacity(), families_.capacity()); }

    /// How many more ids there will be room for once two more nodes are made.
    std::size_t ids_to_make_two() const { return free_.size() + room() >= 2 ? 0 : at_a_time(); }

    /// The memory held beside routes and families, whose price is that of a node (node.hpp).
    std::size_t n_bytes() const { return free_.capacity() * sizeof(NodeId) + typed_tests_.capacity() * sizeof(Test); }

    /// Gives back the room for other nodes than the root, which is the only one.
    void shrink_to_root() {
        routes_.resize(1);
        routes_.shrink_to_fit();
        families_.resize(1);
        families_.shrink_to_fit();
        std::vector<Test>().swap(typed_tests_);
        std::vector<NodeId>().swap(free_);
    }

    const std::vector<NodeId>& free_ids() const { return free_; }

    /// What routing reads of a node, and nothing else: a point on its way down a long chain reads only these.
    struct Route {
        FeatureId feature = no_feature;
        TestKind kind = TestKind::nothing;
        std::array<NodeId, 2> child{no_node, no_node};
    };
    struct Family {
        NodeId parent = no_node;
        std::int32_t depth = 0;
        std::uint64_t born = 0;
    };

private:
    // For the tests of the validator, which break what this class keeps whole.
    friend class NodesBreaker;

    static std::size_t index(NodeId at) { return static_cast<std::size_t>(at); }
    const Route& route(NodeId at) const { return routes_[index(at)]; }
    const Family& family(NodeId at) const { return families_[index(at)]; }

    void forget_test(NodeId at) {
        routes_[index(at)] = Route();
        if (!typed_tests_.empty()) typed_tests_[index(at)] = Test();
    }

    /// The child of an inner node that a point goes to.
    SAPWOOD_INLINE NodeId next(const Point& point, NodeId at, ActiveFeatures& active) const {
        const Route& here = route(at);
        const bool passes =
            here.kind == TestKind::is_on
                ? active.contains(here.feature)
                : typed_tests_[index(at)].passes(point, [&](FeatureId id) { return active.contains(id); });
        return here.child[passes ? 1 : 0];
    }

    NodeId make(NodeId parent, bool beside) {
        NodeId id = no_node;
        if (free_.empty()) {
            if (room() == 0) {
                const std::size_t size = n_ids() + at_a_time();
                routes_.reserve(size);
                families_.reserve(size);
                if (!typed_tests_.empty()) typed_tests_.reserve(size);
            }
            id = static_cast<NodeId>(n_ids());
            routes_.emplace_back();
            families_.emplace_back();
            if (!typed_tests_.empty()) typed_tests_.emplace_back();
        } else {
            id = free_.back();
            free_.pop_back();
        }
        const std::uint64_t born = (beside ? first_born_beside : 0) + n_born_[beside]++;
        families_[index(id)] = {parent, parent == no_node ? 0 : depth(parent) + 1, born};
        ++n_leaves_[beside];
        return id;
    }

    /// How many nodes can be made before they all move.
    std::size_t room() const { return capacity() - n_ids(); }
    /// A quarter more at a time: doubling would leave half of a limited memory unused.
    std::size_t at_a_time() const { return n_ids() / 4 + 2; }

    std::vector<Route> routes_;
    std::vector<Family> families_;
    /// The tests of nodes that ask for more than whether a feature is on; empty as long as there is none.
    std::vector<Test> typed_tests_;
    std::vector<NodeId> free_;
    /// Of the tree, and of those beside its nodes.
    std::array<std::size_t, 2> n_leaves_{};
    std::array<std::uint64_t, 2> n_born_{};
};

}  // namespace sapwood
