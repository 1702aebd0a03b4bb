#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// Gives an inner node another test without giving up what is below it: the new test is pulled up, and each of its two
/// sides gets the tests that were there before. As in PLASTIC (Heyden et al., ECML PKDD 2024), but nothing that is
/// known is reset.
///
/// For each side of the new test, every node below is taken over as follows.
///
/// - A node with the new test is no longer needed: what was below it on this side moves up into its place, as it is.
/// The
///   points that reach it are the same as before, so that its classes, models, statistics and tests stay exact.
/// - A leaf is split on the new test, as if it were time to: this side has a copy, with the models of the leaf, and the
///   points of the leaf that are of this side. Those that it has counted are known; the others, which it was made with,
///   are divided in the same proportion, or, where it has counted none of a class, in that of the revised node. Its
///   statistics start afresh, like those of every leaf that a split makes.
/// - Any other node is copied with its test. Its statistics are those of its two children together, merged: the points
///   that are known to have reached it. Its gain and margin are those of the day on which its test was chosen. A test
///   is not copied where no point of this side is known to have passed it, or none not to have; nor, above two leaves,
///   where it takes less impurity from the points of this side than a split of points at random would by its one more
///   probability per class (half of the logarithm of the points each, as in BIC). Else each revision would double what
///   is below. A node that would be as deep as `max_depth` is a leaf. Such a leaf has the models of the child that has
///   more points.
///
/// Guarantee: a point reaches the leaf of the tests on its way, which are the new one and those of the old way that
/// were copied; the points of each class of the leaves add up to what they were; a model is given up only with the leaf
/// that it was of, and only where two become one. O(nodes below, and features of the statistics that are merged).
class Restructuring {
public:
    explicit Restructuring(TreeBody& tree) : tree_(tree), nodes_(tree.nodes_) {}

    /// Makes the split of an inner node anew. Returns whether it did: it does not, and nothing has changed, where the
    /// tree would have more leaves than it may, or does not fit into memory.
    bool pull_up(NodeId top, DueSplit due) {
        due.split = tree_.chosen_among_ties(top, due.split);
        test_ = due.split.test;
        plan(top);
        if (!may_have_leaves(top) || !has_room()) return false;
        ++tree_.tally_.resplit;
        through_ = tree_.options().samples() ? tree_.points_through(top) : Counts(counted_.begin(), counted_.end());
        take_apart(top);
        put_together(top);
        fill(top, due);
        return true;
    }

private:
    using Counts = std::vector<std::int64_t>;
    /// An index into `drafts_`.
    using DraftId = std::size_t;
    static constexpr DraftId no_draft = static_cast<DraftId>(-1);

    /// What is to be where a node was, on one side of the new test.
    struct Draft {
        /// Of an inner node that is to be made: the one that it is a copy of; of a leaf: the one whose models it has.
        /// Otherwise the node that moves here, with all below it.
        NodeId source = no_node;
        bool moves = false;
        std::array<DraftId, 2> child{no_draft, no_draft};
        /// The points of its leaves.
        Counts of_class;
        std::size_t n_leaves = 1;
        /// What a node that is made takes over: found before its source is given up.
        Test test;
        MadeSplit split;
        std::optional<LeafModels> models;
        /// Where it is, once it is.
        NodeId at = no_node;

        bool is_leaf() const { return !moves && child[0] == no_draft; }
        std::int64_t n() const { return sum(of_class); }
    };

    static std::int64_t sum(const Counts& counts) {
        std::int64_t n = 0;
        for (const std::int64_t count : counts) n += count;
        return n;
    }
    static void add(Counts& to, const Counts& more) {
        for (std::size_t k = 0; k < to.size(); ++k) to[k] += more[k];
    }
    static std::size_t index(NodeId at) { return static_cast<std::size_t>(at); }

    // ---- what is to be ------------------------------------------------------------------------------------------

    void plan(NodeId top) {
        below_ = nodes_.in_order(top);
        passed_ = tree_.statistics(top).passing(test_);
        counted_ = tree_.statistics(top).counted();
        // Of each node, what is to be in its place on either side; and the points and leaves below it.
        std::vector<std::array<DraftId, 2>> in_place(nodes_.n_ids());
        std::vector<Counts> points(nodes_.n_ids());
        std::vector<std::size_t> n_leaves(nodes_.n_ids(), 1);
        for (std::size_t i = below_.size(); i-- > 0;) {
            const NodeId at = below_[i];
            if (nodes_.is_leaf(at)) {
                points[index(at)] = tree_.node(at).of_class;
                in_place[index(at)] = sides_of_leaf(at);
                continue;
            }
            const auto [off, on] = nodes_.children(at);
            points[index(at)] = points[index(off)];
            add(points[index(at)], points[index(on)]);
            n_leaves[index(at)] = n_leaves[index(off)] + n_leaves[index(on)];
            for (const bool side : {false, true}) {
                const NodeId child = nodes_.child(at, side);
                in_place[index(at)][side] = nodes_.test(at) == test_
                                                ? moved(child, points[index(child)], n_leaves[index(child)])
                                                : copied(at, {in_place[index(off)][side], in_place[index(on)][side]});
            }
        }
        tops_ = in_place[index(top)];
    }

    DraftId keep(Draft draft) {
        drafts_.push_back(std::move(draft));
        return drafts_.size() - 1;
    }

    DraftId moved(NodeId at, const Counts& of_class, std::size_t n_leaves) {
        Draft draft;
        draft.source = at;
        draft.moves = true;
        draft.of_class = of_class;
        draft.n_leaves = n_leaves;
        return keep(std::move(draft));
    }

    /// The two leaves that a leaf is split into.
    std::array<DraftId, 2> sides_of_leaf(NodeId leaf) {
        const NodeStatistics& statistics = tree_.node(leaf).statistics;
        std::array<Draft, 2> sides;
        sides[0].source = sides[1].source = leaf;
        sides[0].of_class = tree_.node(leaf).of_class;
        sides[1].of_class.resize(tree_.n_classes());
        const bool counts = statistics.is_counting();
        const std::vector<Count> passed = counts ? statistics.passing(test_) : std::vector<Count>(tree_.n_classes());
        for (std::size_t k = 0; k < passed.size(); ++k) {
            const std::int64_t counted = counts ? statistics.counted()[k] : 0;
            const std::int64_t others = sides[0].of_class[k] - counted;
            sides[1].of_class[k] = passed[k] + (counted > 0       ? others * passed[k] / counted
                                                : counted_[k] > 0 ? others * passed_[k] / counted_[k]
                                                                  : 0);
            sides[0].of_class[k] -= sides[1].of_class[k];
        }
        const DraftId off = keep(std::move(sides[0]));
        return {off, keep(std::move(sides[1]))};
    }

    /// A copy of an inner node above what is to be in the place of its children.
    DraftId copied(NodeId at, std::array<DraftId, 2> child) {
        const Draft& off = drafts_[child[0]];
        const Draft& on = drafts_[child[1]];
        const DraftId fuller = off.n() >= on.n() ? child[0] : child[1];
        const bool is_deepest = !tree_.options().may_split_at(nodes_.depth(at) + 1);
        if (is_deepest || (off.is_leaf() && on.is_leaf() && !is_borne_out(off.of_class, on.of_class))) {
            Draft leaf;
            leaf.source = drafts_[fuller].source;
            leaf.of_class = off.of_class;
            add(leaf.of_class, on.of_class);
            return keep(std::move(leaf));
        }
        if (off.n() == 0 || on.n() == 0) return fuller;
        Draft copy;
        copy.source = at;
        copy.child = child;
        copy.of_class = off.of_class;
        add(copy.of_class, on.of_class);
        copy.n_leaves = off.n_leaves + on.n_leaves;
        return keep(std::move(copy));
    }

    /// Whether points of each class are told apart by a test by more than they would be by chance.
    static bool is_borne_out(const Counts& off, const Counts& on) {
        const auto weighted = [](std::int64_t n) {
            return n == 0 ? 0 : static_cast<double>(n) * std::log(static_cast<double>(n));
        };
        Counts all = off;
        add(all, on);
        const std::int64_t n = sum(all);
        double won = weighted(n) - weighted(sum(off)) - weighted(sum(on));
        int n_classes = 0;
        for (std::size_t k = 0; k < all.size(); ++k) {
            won += weighted(off[k]) + weighted(on[k]) - weighted(all[k]);
            n_classes += all[k] > 0 ? 1 : 0;
        }
        // Points of one class are not told apart, whatever rounding says.
        return n_classes > 1 && won > 0.5 * (n_classes - 1) * std::log(static_cast<double>(n));
    }

    // ---- whether it may be --------------------------------------------------------------------------------------

    bool may_have_leaves(NodeId top) const {
        if (!tree_.options().max_leaves) return true;
        const std::size_t before = nodes_.n_leaves_below(top);
        const std::size_t after = drafts_[tops_[0]].n_leaves + drafts_[tops_[1]].n_leaves;
        // An alternate has a limit of its own, which it is within.
        if (nodes_.is_beside(top)) return after <= before;
        return nodes_.n_leaves() - before + after <= static_cast<std::size_t>(*tree_.options().max_leaves);
    }

    /// Whether all that is made would fit beside what there is.
    bool has_room() const {
        if (!tree_.budget_.is_limited()) return true;
        std::size_t more = 0;
        for (const DraftId id : in_order()) {
            const Draft& draft = drafts_[id];
            if (draft.moves) continue;
            more += price_of_node + TreeBody::bytes_of_counts(tree_.n_classes()) +
                    (tree_.following_ ? NodeWatch::price : 0);
            if (draft.is_leaf() && tree_.node(draft.source).models) more += tree_.node(draft.source).models->n_bytes();
        }
        return tree_.budget_.fits_without_searches(tree_.shared_bytes(), more);
    }

    /// The drafts that are to be, each before its children, those of the side that does not pass before the others.
    std::vector<DraftId> in_order() const {
        std::vector<DraftId> order;
        std::vector<DraftId> waiting{tops_[1], tops_[0]};
        while (!waiting.empty()) {
            const DraftId id = waiting.back();
            waiting.pop_back();
            order.push_back(id);
            if (drafts_[id].child[0] == no_draft) continue;
            waiting.push_back(drafts_[id].child[1]);
            waiting.push_back(drafts_[id].child[0]);
        }
        return order;
    }

    // ---- making it so -------------------------------------------------------------------------------------------

    /// Gives up all nodes below one but those that move, after what is copied of them.
    void take_apart(NodeId top) {
        std::vector<bool> stays(nodes_.n_ids());
        for (const DraftId id : in_order()) {
            Draft& draft = drafts_[id];
            if (draft.moves) {
                for (const NodeId at : nodes_.in_order(draft.source)) stays[index(at)] = true;
            } else if (draft.is_leaf()) {
                draft.models = tree_.node(draft.source).models;
            } else {
                draft.test = nodes_.test(draft.source);
                draft.split = tree_.node(draft.source).split;
            }
        }
        if (tree_.following_) {
            for (const NodeId at : below_) {
                if (at != top) tree_.drop_alternate(at);
            }
        }
        nodes_.cut(top);
        for (const NodeId at : below_) {
            if (at == top || stays[index(at)]) continue;
            nodes_.free_alone(at);
            tree_.free_content(at);
        }
    }

    void put_together(NodeId top) {
        const std::uint64_t born = nodes_.next_born(top);
        attach(top, test_, tops_);
        for (const DraftId id : in_order()) {
            if (drafts_[id].child[0] != no_draft) attach(drafts_[id].at, drafts_[id].test, drafts_[id].child);
        }
        nodes_.settle_below(top, born);
    }

    void attach(NodeId parent, const Test& test, std::array<DraftId, 2> child) {
        for (const DraftId id : child) {
            Draft& draft = drafts_[id];
            draft.at = draft.moves ? draft.source : tree_.make_node(parent);
            if (draft.moves) nodes_.adopt(draft.at, parent);
        }
        nodes_.attach(parent, test, drafts_[child[0]].at, drafts_[child[1]].at);
    }

    /// Gives all nodes what they know, the lower ones first.
    void fill(NodeId top, const DueSplit& due) {
        const std::vector<DraftId> order = in_order();
        for (std::size_t i = order.size(); i-- > 0;) {
            Draft& draft = drafts_[order[i]];
            if (draft.moves) {
                for (const NodeId at : nodes_.in_order(draft.at)) settle_moved(at);
                continue;
            }
            tree_.start_statistics(draft.at);
            Node& made = tree_.content(draft.at);
            if (draft.is_leaf()) {
                made.of_class = std::move(draft.of_class);
                made.models = std::move(draft.models);
            } else {
                made.split = draft.split;
                merge_children(draft.at);
            }
            tree_.measure(draft.at);
        }
        Node& here = tree_.content(top);
        here.split = {due.gain, due.margin, tree_.n_};
        here.of_class = through_;
        // Those that its children have counted passed it before its split.
        for (const NodeId child : nodes_.children(top)) {
            const std::vector<Count>& counted = tree_.node(child).statistics.counted();
            const Counts since =
                tree_.options().samples() ? tree_.points_through(child) : Counts(counted.begin(), counted.end());
            for (std::size_t k = 0; k < since.size(); ++k) {
                here.of_class[k] = std::max<std::int64_t>(0, here.of_class[k] - since[k]);
            }
        }
        here.statistics.note_test();
        here.statistics.keep(test_);
        tree_.measure(top);
    }

    /// A node that moved has another number, and is less deep where tests above it were not copied.
    void settle_moved(NodeId at) {
        NodeStatistics& statistics = tree_.statistics(at);
        if (SplitNotes* const notes = statistics.notes()) notes->note_number();
        const bool may_look = tree_.options().may_split_at(nodes_.depth(at));
        if (statistics.state() == NodeStatistics::State::absent && may_look) tree_.start_statistics(at);
        tree_.measure(at);
    }

    void merge_children(NodeId at) {
        NodeStatistics& statistics = tree_.statistics(at);
        for (const NodeId child : nodes_.children(at)) {
            NodeStatistics& of_child = tree_.statistics(child);
            if (of_child.is_counting() && of_child.n() > 0) statistics.merge(of_child);
        }
        statistics.note_test();
        statistics.keep(nodes_.test(at));
    }

    TreeBody& tree_;
    Nodes& nodes_;
    /// The new test.
    Test test_;
    /// The points of each class that the revised node has counted, and those of them that pass the new test.
    std::vector<Count> counted_;
    std::vector<Count> passed_;
    /// Those that have passed it since it was made.
    Counts through_;
    /// The revised node and all that was below it.
    std::vector<NodeId> below_;
    std::vector<Draft> drafts_;
    /// What is to be below the revised node.
    std::array<DraftId, 2> tops_{no_draft, no_draft};
};

}  // namespace sapwood
