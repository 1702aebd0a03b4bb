#pragma once

#include <memory>
#include <optional>

#include "sapwood/tree/restructuring.hpp"
#include "sapwood/tree/split_test/make_split_test.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// Splits nodes when their split test says so: the part that learners share.
class Splitting {
public:
    Splitting(const TreeOptions& options, Rival rival)
        : split_test_(make_split_test(options)),
          grace_period_(options.grace_period),
          min_samples_reevaluate_(options.min_samples_reevaluate),
          rival_(rival),
          restructures_(options.restructures()),
          rests_(!options.takes_points_back()) {}

    /// Splits a leaf if it is time; returns whether it was.
    bool split_if_due(TreeBody& tree, NodeId leaf) {
        NodeStatistics& statistics = tree.statistics(leaf);
        if (!statistics.is_counting() || statistics.n_since_test() < grace_period_) return false;
        if (!tree.may_have_more_leaves(leaf)) return false;
        const Count asked_at = statistics.tested_at();
        statistics.note_test();
        if (statistics.is_pure()) return false;
        tree.note_test();
        if (rests_) statistics.rest_sets(asked_at);
        std::optional<DueSplit> due = split_test_->due_split(statistics, tree.context(leaf), rival_);
        if (due) due->split = tree.chosen_among_ties(leaf, due->split);
        statistics.end_rest();
        if (!due) return false;
        if (!tree.has_room_for_children(leaf)) return false;
        tree.split(leaf, *due);
        return true;
    }

    /// Splits an inner node anew if another split is better by the split test; returns whether it was.
    bool split_anew_if_due(TreeBody& tree, NodeId inner) {
        const std::optional<DueSplit> due = due_revision(tree, inner);
        if (!due) return false;
        // Where there is no room for what is below, it is given up.
        if (!restructures_ || !Restructuring(tree).pull_up(inner, *due)) tree.split_anew(inner, *due);
        return true;
    }

    /// The split that is better than that of an inner node by the split test, if it is time to look and there is one.
    std::optional<DueSplit> due_revision(TreeBody& tree, NodeId inner) {
        NodeStatistics& statistics = tree.statistics(inner);
        if (!statistics.is_counting()) return std::nullopt;
        if (statistics.n_since_test() < split_test_->points_before_revision(statistics, min_samples_reevaluate_)) {
            return std::nullopt;
        }
        statistics.note_test();
        if (statistics.is_pure()) return std::nullopt;
        if (rests_) statistics.wake();
        tree.note_test();
        return split_test_->due_revision(statistics, tree.context(inner), tree.nodes().test(inner));
    }

private:
    std::unique_ptr<SplitTest> split_test_;
    Count grace_period_;
    Count min_samples_reevaluate_;
    Rival rival_;
    bool restructures_;
    /// Whether leaves let sets of many values rest: not those whose points leave again, which may stay as many for
    /// ever.
    bool rests_;
};

}  // namespace sapwood
