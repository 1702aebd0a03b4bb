#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sapwood/search/make_search.hpp"
#include "sapwood/tree/tree.hpp"

namespace sapwood {

/// A tree whose nodes have searches and models that grow, within a limit of memory if it has one.
///
/// Guarantee: after every point the tree is within its limit. Models take no page that there is no room for, no node is
/// split if its children would not fit even without statistics, and the nodes that promise least give up theirs until
/// what remains fits.
class BoundedTree : public Tree {
protected:
    explicit BoundedTree(TreeOptions options) : Tree(std::move(options)) {}
    explicit BoundedTree(TreeState&& state) : Tree(std::move(state)), tally_(state.tally) {}

    void start_search(NodeId at) {
        Node& here = node(at);
        std::fill(here.counted.begin(), here.counted.end(), 0);
        here.n_counted = 0;
        here.tested_at = 0;
        here.paused = false;
        here.paused_bytes = 0;
        here.n_paused = 0;
        here.least_score.reset();
        here.leaders.reset();
        if (!options_.max_depth || here.depth < *options_.max_depth) {
            here.search = make_search(options_.search_choice(n_classes()));
        }
    }

    /// Takes the memory of all nodes afresh.
    void measure_all() {
        node_bytes_ = 0;
        search_bytes_ = 0;
        for (Node& each : nodes_) measure(each);
    }

    std::size_t limit() const { return static_cast<std::size_t>(*options_.max_bytes); }
    std::size_t bytes() const { return shared_bytes() + node_bytes_; }

    void measure(NodeId at) {
        node_bytes_ -= node(at).bytes;
        search_bytes_ -= node(at).search_bytes;
        measure(node(at));
    }

    void measure(Node& here) {
        node_bytes_ += here.bytes = bytes_of(here);
        search_bytes_ += here.search_bytes = here.search ? here.search->n_bytes() : 0;
    }

    /// Whether a model may take more memory now. If it could once nodes have given up their statistics, one will.
    bool may_take(std::size_t more) {
        if (bytes() + more <= limit()) return true;
        if (fits_without_searches(more)) starved_ = true;
        return false;
    }

    bool fits_without_searches(std::size_t more) const { return bytes() - search_bytes_ + more <= limit(); }

    bool has_room_for_children(const Node& here) const {
        if (!options_.max_bytes) return true;
        const std::size_t counts = n_classes() * (sizeof(std::int64_t) + sizeof(Count));
        const std::size_t models = here.models ? here.models->n_bytes() : 0;
        return fits_without_searches(bytes_to_make_two() + 2 * (counts + models));
    }

    bool may_own(const SharedTable& table, FeatureId slot) {
        // The table may have grown since its node was measured, so it is counted once more.
        return !options_.max_bytes || table.owns(slot) || may_take(table.n_bytes() + table.bytes_to_own(slot));
    }

    /// To be called after a point, with the nodes that have learned from it.
    void keep_within(std::span<const NodeId> path) {
        for (const NodeId at : path) {
            if (test(at).is_leaf() || node(at).search) measure(at);
        }
        bool must = std::exchange(starved_, false) || bytes() > limit();
        while (must && pause_least_promising()) must = bytes() > limit();
        const NodeId leaf = path.back();
        if (test(leaf).is_leaf()) resume_if_possible(leaf);
    }

    /// What is left when every search and every record of a feature is given up, with so many classes.
    std::size_t least_bytes(const ModelLayout& layout) const {
        const std::size_t intercept = 2 * layout.n_outputs() * sizeof(Word);
        std::size_t bytes = shared_bytes() - pool_->n_bytes() - trunk_.n_bytes() + intercept;
        for (const NodeId at : in_order()) {
            bytes += layout.n_classes * (sizeof(std::int64_t) + sizeof(Count));
            if (node(at).models) bytes += layout.n_classes * sizeof(std::int64_t) + intercept;
        }
        return bytes;
    }

    /// Wider models may not fit any more: then searches are given up, and where that is not enough, models start anew.
    void keep_within_after_widening() {
        while (bytes() > limit() && pause_least_promising()) {
        }
        for (NodeId at = 0; at < static_cast<NodeId>(nodes_.size()) && bytes() > limit(); ++at) {
            if (!node(at).models) continue;
            node(at).models->table = SharedTable(*pool_);
            measure(at);
        }
        if (bytes() > limit()) trunk_ = Trunk(layout_.n_outputs());
    }

    /// The node that learns about splits with the least to win: inner nodes first, which have a split already.
    NodeId least_promising() const {
        NodeId least = no_node;
        const auto before = [this](NodeId a, NodeId b) {
            const bool a_is_leaf = test(a).is_leaf();
            if (a_is_leaf != test(b).is_leaf()) return !a_is_leaf;
            const std::int64_t pa = node(a).promise();
            const std::int64_t pb = node(b).promise();
            return pa != pb ? pa < pb : node(a).born < node(b).born;
        };
        for (NodeId at = 0; at < static_cast<NodeId>(nodes_.size()); ++at) {
            if (node(at).search && (least == no_node || before(at, least))) least = at;
        }
        return least;
    }

    bool pause_least_promising() {
        const NodeId at = least_promising();
        if (at == no_node) return false;
        Node& here = node(at);
        here.paused_bytes = here.search->n_bytes();
        here.search.reset();
        here.paused = true;
        here.n_paused = 0;
        ++tally_.paused;
        measure(at);
        return true;
    }

    /// A paused leaf begins anew if what it held then would fit now; or, asked now and then, in the place of a leaf
    /// with less than half as much to win.
    void resume_if_possible(NodeId at) {
        if (!node(at).paused) return;
        const auto fits = [&] { return bytes() + 2 * node(at).paused_bytes <= limit(); };
        if (!fits() && node(at).n_paused >= points_between_claims) {
            node(at).n_paused = 0;
            const NodeId least = least_promising();
            if (least != no_node && 2 * node(least).promise() < node(at).promise()) pause_least_promising();
        }
        if (!fits()) return;
        start_search(at);
        measure(at);
        ++tally_.resumed;
    }

    TreeTally tally_;
    std::size_t node_bytes_ = 0;
    /// Of these, the memory that pausing frees.
    std::size_t search_bytes_ = 0;

private:
    /// A paused leaf asks this seldom whether it may take the place of another.
    static constexpr std::int64_t points_between_claims = 256;

    /// Whether a model was refused memory since the last point.
    bool starved_ = false;
};

}  // namespace sapwood
