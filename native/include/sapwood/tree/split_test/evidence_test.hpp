#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "sapwood/search/numbers/attribute_search.hpp"
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
        const AttributeSearch* over = leaf.search()->over_attributes();
        if (over != nullptr && !over->looks_at_sets() && leaf.search()->is_exact() &&
            !may_be_enough(leaf, *over, whole, number)) {
            return std::nullopt;
        }
        // What the evidence of a feature falls short of n * gain by, and what it needs at least.
        const double others_need = evidence_needed(log_delta_, number, 1) + evidence_.least_regret(leaf.n());
        const std::optional<Split> best = leaf.ask();
        if (!best) return std::nullopt;
        if (whole - best->score < others_need - rounding) {
            notes.set_bound(-best->score - others_need);
            return std::nullopt;
        }
        const std::vector<Split> top = leaf.top(features_looked_at);
        double bound = -(top.size() < features_looked_at ? whole : top.back().score) - others_need;
        // A feature without a rank gets the next one at the earliest.
        const double next_needs = evidence_needed(log_delta_, number, static_cast<std::int64_t>(notes.n_ranked()) + 1);
        bool is_enough = false;
        for (const Split& split : top) {
            const double log_p = evidence_.log_probability(leaf.passing(split.test), leaf.counted());
            const double needed = notes.needed(split.test, *leaf.search(), log_delta_, number);
            is_enough = is_enough || log_p + whole >= needed;
            bound = std::max(bound, log_p - std::min(needed, next_needs));
            // An attribute comes with its best test; others of it may have more evidence, now or later.
            if (split.test.kind() == TestKind::is_above) {
                // No threshold of it can have more than this, which takes no look at all of them.
                const double most = -split.score - others_need - 2 * std::numbers::ln2 - price_of_rank(1);
                if (most > bound) {
                    bound = std::max(bound,
                                     std::min(most, most_of_number(leaf, split.test.attribute(), next_needs, number)));
                }
            } else if (split.test.kind() == TestKind::is_among) {
                bound = std::max(bound, -split.score - others_need);
            }
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
        const double current_gain = std::max(0.0, gains_.of(inner, current));
        const std::optional<double> radius = radius_of(inner, context, current);
        if (!radius) return std::nullopt;
        if (inner.least_score() && gains_.most(inner) - current_gain <= *radius) return std::nullopt;
        const std::optional<Split> best = inner.ask();
        if (!best || best->test == current || n < 1) return std::nullopt;
        const std::optional<double> other = radius_of(inner, context, best->test);
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
    /// Far above the rounding of sums of a few thousand, and far below what decides anything.
    static constexpr double rounding = 1e-7;

    static EvidenceNotes& notes_of(NodeStatistics& node) { return static_cast<EvidenceNotes&>(*node.notes()); }
    /// Leaves are numbered from 1, in the order in which they were made.
    static std::int64_t leaf_number(const NodeContext& context) { return static_cast<std::int64_t>(context.born) + 1; }

    /// Whether some test may have enough evidence, after a look at those parts of the search of which the last look
    /// does not say so: features, or the thresholds of a number. If none may, notes what says so.
    ///
    /// A feature that is new begins as a division into all points and none. What a new threshold begins as is looked at
    /// with the others of its number, or with the features as long as the node has not met the number: the parts are
    /// looked at at different times, so that each must speak for itself.
    bool may_be_enough(NodeStatistics& leaf, const AttributeSearch& over, double whole, std::int64_t number) {
        EvidenceNotes& notes = notes_of(leaf);
        const auto may_be = [whole](double bound) { return bound + whole >= -rounding; };
        if (may_be(notes.bound_of_features())) {
            const std::optional<Split> best = leaf.search()->over_features().best();
            const double needed = evidence_needed(log_delta_, number, 1) + evidence_.least_regret(leaf.n());
            notes.set_bound_of_features((best ? -best->score : -whole) - needed);
        }
        double most = notes.bound_of_features();
        if (may_be(most)) return true;
        const double next_needs = evidence_needed(log_delta_, number, static_cast<std::int64_t>(notes.n_ranked()) + 1);
        std::vector<double>& bounds = notes.bounds_of_numbers(over.n_numbers());
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            if (may_be(bounds[i])) bounds[i] = most_of_number(leaf, over.number_at(i), next_needs, number);
            if (may_be(bounds[i])) return true;
            most = std::max(most, bounds[i]);
        }
        notes.set_bound(most);
        return false;
    }

    /// The most that the evidence of a threshold of a number exceeds what it needs by, less the weighted entropy of the
    /// node: of one that there is, or of one that comes later, which needs more. That one begins as a division by a
    /// threshold that there is, by the presence of the number, or into all points and none.
    double most_of_number(NodeStatistics& node, AttributeId attribute, double unranked_needs, std::int64_t leaf) {
        const AttributeSearch& over = *node.search()->over_attributes();
        const FeatureId presence = over.attributes().number(attribute).presence;
        const double of_presence =
            std::min(notes_of(node).needed(presence, log_delta_, leaf), unranked_needs) + 2 * std::numbers::ln2;
        const Histogram* histogram = over.histogram(attribute);
        return node.counted().size() == 2 ? most_of_thresholds<2>(*histogram, node.counted(), of_presence)
                                          : most_of_thresholds<0>(*histogram, node.counted(), of_presence);
    }

    /// `fixed`: the number of classes if it is known here, else 0.
    template <std::size_t fixed>
    double most_of_thresholds(const Histogram& histogram, std::span<const Count> of_class, double of_presence) {
        const std::size_t n_classes = fixed > 0 ? fixed : of_class.size();
        above_.assign(n_classes, 0);
        with_.assign(of_class.begin(), of_class.end());
        for (std::size_t i = 0; i < histogram.size(); ++i) {
            for (std::size_t k = 0; k < n_classes; ++k) with_[k] -= histogram.counts(i)[k];
        }
        const bool some_missing = std::any_of(with_.begin(), with_.end(), [](Count count) { return count > 0; });
        // Of those that come later the first begin as all points and none (`above_` is empty), or as the presence.
        const double latest = of_presence + price_of_rank(histogram.n_gaps() + 1);
        double most = evidence_.log_probability<fixed>(above_, of_class) - latest;
        if (some_missing) most = std::max(most, evidence_.log_probability<fixed>(with_, of_class) - latest);
        for (std::size_t i = histogram.size(); i-- > 1;) {
            for (std::size_t k = 0; k < n_classes; ++k) {
                above_[k] += histogram.counts(i)[k];
                with_[k] += histogram.counts(i)[k];
            }
            const double needed = of_presence + known_price_of_rank(histogram.gap_below(i));
            most = std::max(most, evidence_.log_probability<fixed>(above_, of_class) - needed);
            if (some_missing) most = std::max(most, evidence_.log_probability<fixed>(with_, of_class) - needed);
        }
        return most;
    }

    /// How far the gain of a feature can be from its true one; nothing where the approximation does not hold yet.
    std::optional<double> radius_of(NodeStatistics& node, const NodeContext& context, const Test& test) {
        const std::vector<Count> on = node.passing(test);
        if (!is_nearly_normal(on, node.counted())) return std::nullopt;
        const double needed = notes_of(node).needed(test, *node.search(), log_delta_, leaf_number(context));
        if (!std::isfinite(needed)) return std::nullopt;
        return selection_radius(gain_variance(Criterion::entropy, on, node.counted()), node.n(), needed);
    }

    double log_delta_;
    double min_gain_;
    GainMeter gains_;
    Evidence evidence_{2};
    /// The points of each class above a threshold, and those with the missing ones.
    std::vector<Count> above_;
    std::vector<Count> with_;
};

}  // namespace sapwood
