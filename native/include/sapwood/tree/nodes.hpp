#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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
    std::size_t n_leaves() const { return n_leaves_; }
    /// Ids are below this; some may be free.
    std::size_t n_ids() const { return routes_.size(); }
    /// How many nodes were ever made: the birth number of the next one.
    std::uint64_t n_born() const { return n_born_; }

    bool is_leaf(NodeId at) const { return route(at).kind == TestKind::nothing; }
    NodeId parent(NodeId at) const { return family(at).parent; }
    std::int32_t depth(NodeId at) const { return family(at).depth; }
    /// Nodes are numbered in the order in which they were made; it settles ties, also in a tree that was saved.
    std::uint64_t born(NodeId at) const { return family(at).born; }
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
            const Route& here = route(at);
            const bool passes =
                here.kind == TestKind::is_on
                    ? active.contains(here.feature)
                    : typed_tests_[index(at)].passes(point, [&](FeatureId id) { return active.contains(id); });
            at = here.child[passes ? 1 : 0];
            visit(at);
        }
        return at;
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
    NodeId make(NodeId parent) {
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
        families_[index(id)] = {parent, parent == no_node ? 0 : depth(parent) + 1, n_born_++};
        ++n_leaves_;
        return id;
    }

    /// Gives a node a test, or another one, and the two children for it.
    void attach(NodeId at, const Test& test, NodeId not_passed, NodeId passed) {
        if (is_leaf(at)) --n_leaves_;
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
        for (const NodeId at : below) {
            if (is_leaf(at)) --n_leaves_;
            forget_test(at);
            families_[index(at)] = Family();
            free_.push_back(at);
        }
        forget_test(top);
        ++n_leaves_;
        return below;
    }

    /// Puts nodes that were read into an empty arena, in order: the next node, under a parent that is there already.
    NodeId restore(NodeId parent, bool passes, std::uint64_t born, const Test& test) {
        const std::uint64_t n_born = n_born_;
        const NodeId at = make(parent);
        n_born_ = n_born;
        families_.back().born = born;
        if (test.kind() != TestKind::nothing) attach(at, test, no_node, no_node);
        if (parent != no_node) routes_[index(parent)].child[passes ? 1 : 0] = at;
        return at;
    }
    void set_n_born(std::uint64_t n_born) { n_born_ = n_born; }
    void reserve(std::size_t size) {
        routes_.reserve(size);
        families_.reserve(size);
    }

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

    /// How many nodes can be made before they all move.
    std::size_t room() const { return capacity() - n_ids(); }
    /// A quarter more at a time: doubling would leave half of a limited memory unused.
    std::size_t at_a_time() const { return n_ids() / 4 + 2; }

    std::vector<Route> routes_;
    std::vector<Family> families_;
    /// The tests of nodes that ask for more than whether a feature is on; empty as long as there is none.
    std::vector<Test> typed_tests_;
    std::vector<NodeId> free_;
    std::size_t n_leaves_ = 0;
    std::uint64_t n_born_ = 0;
};

}  // namespace sapwood
