#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sapwood/tree/split_test/evidence.hpp"
#include "sapwood/tree/split_test/evidence_notes.hpp"
#include "sapwood/tree/split_test/gain_units.hpp"
#include "sapwood/tree/split_test/gaussian.hpp"
#include "sapwood/tree/split_test/selection.hpp"
#include "sapwood/tree/split_test/split_test.hpp"

namespace sapwood {

/// The test by evidence: a leaf is split on its best feature once the evidence that *some* feature informs about the
/// class there is enough (evidence.hpp), at any time, over all features and all leaves together. Whether the best
/// feature is the one that informs most is not asked before the first split, and is what a revision is for: it is made
/// when another feature is better by the selection test (selection.hpp).
///
/// It looks at the features of the largest gain; so it never splits where the evidence of all features would not, and
/// may split later. On real streams that never happened with four (docs/benchmarks.md).
class EvidenceTest final : public SplitTest {
public:
    EvidenceTest(double delta, double min_gain)
        : log_delta_(std::log(delta)), min_gain_(min_gain), gains_(Criterion::entropy) {}

    std::optional<DueSplit> due_split(NodeStatistics& leaf, const NodeContext& context, Rival) override {
        EvidenceNotes& notes = notes_of(leaf);
        evidence_.set_classes(leaf.counted().size());
        evidence_.cover(leaf.n());
        const double whole = evidence_.weighted_entropy(leaf.counted());
        if (notes.bound() + whole < -rounding) return std::nullopt;

        const std::int64_t number = leaf_number(context);
        // What the evidence of a feature falls short of n * gain by, and what it needs at least.
        const double others_need = evidence_needed(log_delta_, number, 1) + evidence_.least_regret(leaf.n());
        const std::optional<Split> best = leaf.ask();
        if (!best) return std::nullopt;
        if (whole - best->score < others_need - rounding) {
            notes.set_bound(-best->score - others_need);
            return std::nullopt;
        }
        const std::vector<Split> top = leaf.top(n_looked_at);
        double bound = -(top.size() < n_looked_at ? whole : top.back().score) - others_need;
        // A feature without a rank gets the next one at the earliest.
        const double next_needs = evidence_needed(log_delta_, number, static_cast<std::int64_t>(notes.n_ranked()) + 1);
        bool is_enough = false;
        for (const Split& split : top) {
            const double log_p = evidence_.log_probability(leaf.on(split.feature()), leaf.counted());
            const double needed = notes.needed(split.feature(), log_delta_, number);
            is_enough = is_enough || log_p + whole >= needed;
            bound = std::max(bound, log_p - std::min(needed, next_needs));
        }
        notes.set_bound(bound);
        const double gain = gains_.of(*best);
        if (!is_enough || !(gain > std::max(min_gain_, least_gain))) return std::nullopt;
        const double second = top.size() > 1 ? std::max(0.0, gains_.of(top[1])) : 0;
        return DueSplit{*best, gain, std::max(0.0, gain - second)};
    }

    std::optional<DueSplit> due_revision(NodeStatistics& inner, const NodeContext& context,
                                         const Test& current) override {
        const double n = inner.n();
        const double current_gain = std::max(0.0, gains_.of(inner, current.feature()));
        const std::optional<double> radius = radius_of(inner, context, current.feature());
        if (!radius) return std::nullopt;
        if (inner.least_score() && gains_.most(inner) - current_gain <= *radius) return std::nullopt;
        const std::optional<Split> best = inner.ask();
        if (!best || best->test == current || n < 1) return std::nullopt;
        const std::optional<double> other = radius_of(inner, context, best->feature());
        if (!other) return std::nullopt;
        const double margin = gains_.of(*best) - current_gain;
        if (!(margin > std::max(*radius + *other, least_gain))) return std::nullopt;
        return DueSplit{*best, gains_.of(*best), margin};
    }

    /// The selection test holds at all times, so that any schedule may be used: one that looks at a node a number of
    /// times that grows with the logarithm of its points, an eighth more at a time.
    Count points_before_revision(const NodeStatistics& inner, Count least) const override {
        return std::max(least, inner.n() / 8);
    }

private:
    /// The features of the largest gain that are looked at. Of 49 splits on four real streams none would have been made
    /// earlier by a look at all features; with two, 2 of 50, with one, 5 of 50.
    static constexpr std::size_t n_looked_at = 4;
    /// Far above the rounding of sums of a few thousand, and far below what decides anything.
    static constexpr double rounding = 1e-7;

    static EvidenceNotes& notes_of(NodeStatistics& node) { return static_cast<EvidenceNotes&>(*node.notes()); }
    /// Leaves are numbered from 1, in the order in which they were made.
    static std::int64_t leaf_number(const NodeContext& context) { return static_cast<std::int64_t>(context.born) + 1; }

    /// How far the gain of a feature can be from its true one; nothing where the approximation does not hold yet.
    std::optional<double> radius_of(NodeStatistics& node, const NodeContext& context, FeatureId feature) {
        const std::vector<Count> on = node.on(feature);
        if (!is_nearly_normal(on, node.counted())) return std::nullopt;
        const double needed = notes_of(node).needed(feature, log_delta_, leaf_number(context));
        if (!std::isfinite(needed)) return std::nullopt;
        return selection_radius(gain_variance(Criterion::entropy, on, node.counted()), node.n(), needed);
    }

    double log_delta_;
    double min_gain_;
    GainMeter gains_;
    Evidence evidence_{2};
};

}  // namespace sapwood
