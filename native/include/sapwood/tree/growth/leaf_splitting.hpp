#pragma once

#include <memory>
#include <optional>

#include "sapwood/tree/split_test/make_split_test.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// Splits leaves when their split test says so: the part that learners share.
class LeafSplitting {
public:
    LeafSplitting(const TreeOptions& options, Rival rival)
        : split_test_(make_split_test(options)), grace_period_(options.grace_period), rival_(rival) {}

    SplitTest& split_test() { return *split_test_; }

    /// Splits a leaf if it is time; returns whether it was.
    bool split_if_due(TreeBody& tree, NodeId leaf) {
        NodeStatistics& statistics = tree.statistics(leaf);
        if (!statistics.is_counting() || statistics.n_since_test() < grace_period_) return false;
        if (!tree.may_have_more_leaves()) return false;
        statistics.note_test();
        if (statistics.is_pure()) return false;
        tree.note_test();
        std::optional<DueSplit> due = split_test_->due_split(statistics, rival_);
        if (!due) return false;
        due->split = tree.chosen_among_ties(leaf, due->split);
        if (!tree.has_room_for_children(leaf)) return false;
        tree.split(leaf, *due);
        return true;
    }

private:
    std::unique_ptr<SplitTest> split_test_;
    Count grace_period_;
    Rival rival_;
};

}  // namespace sapwood
