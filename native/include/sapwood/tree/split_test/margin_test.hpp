#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/tree/split_test/bound.hpp"
#include "sapwood/tree/split_test/gain_units.hpp"
#include "sapwood/tree/split_test/split_test.hpp"

namespace sapwood {

/// The classic split test: the best split is made when its gain is ahead by more than a bound, or when the bound is
/// below tau, because the two are then as good as equal. A split whose gain is not above `min_gain` is never made.
///
/// The search is asked only where the answer is not known without (node_statistics.hpp).
class MarginTest final : public SplitTest {
public:
    /// `times`: what the bound is multiplied by. Bounds fall with the root of the points, or faster, so that this is
    /// the root of the counts per point.
    MarginTest(std::unique_ptr<Bound> bound, Criterion criterion, double tau, double min_gain, double times = 1)
        : bound_(std::move(bound)), gains_(criterion), tau_(tau), min_gain_(min_gain), times_(times) {}

    std::optional<DueSplit> due_split(NodeStatistics& leaf, const NodeContext&, Rival rival) override {
        if (cannot_split(leaf)) return std::nullopt;
        const std::optional<Split> best = leaf.ask();
        if (!best) return std::nullopt;
        const double gain = gains_.of(*best);
        if (!(gain > std::max(min_gain_, least_gain))) return std::nullopt;
        // Whatever the second best is, the margin is at most the gain.
        if (bound_->is_uniform() && !is_ahead(gain, uniform(leaf.counted()))) return std::nullopt;
        double second_gain = 0;
        std::vector<Count> on_second;
        if (rival == Rival::second_best) {
            const std::vector<Split> two = leaf.top(2);
            if (two.size() == 2 && gains_.of(two[1]) > least_gain) {
                second_gain = gains_.of(two[1]);
                leaf.note_leaders(two[0], two[1]);
                on_second = leaf.passing(two[1].test);
            }
        }
        const double bound =
            bound_->is_uniform() ? uniform(leaf.counted()) : value(leaf.counted(), leaf.passing(best->test), on_second);
        const double margin = gain - second_gain;
        if (!is_ahead(margin, bound)) return std::nullopt;
        return DueSplit{*best, gain, margin};
    }

    std::optional<DueSplit> due_revision(NodeStatistics& inner, const NodeContext&, const Test& current) override {
        // No gain is negative, but by rounding. Not splitting, whose gain is 0, is no rival: impurities are concave.
        const double current_gain = std::max(0.0, gains_.of(inner, current));
        if (inner.least_score() && bound_->is_uniform() &&
            gains_.most(inner) - current_gain <= uniform(inner.counted())) {
            return std::nullopt;
        }
        const std::optional<Split> best = inner.ask();
        if (!best || best->test == current) return std::nullopt;
        const double margin = gains_.of(*best) - current_gain;
        const double bound = bound_->is_uniform()
                                 ? uniform(inner.counted())
                                 : value(inner.counted(), inner.passing(best->test), inner.passing(current));
        if (!(margin > std::max(bound, least_gain))) return std::nullopt;
        return DueSplit{*best, gains_.of(*best), margin};
    }

private:
    double uniform(std::span<const Count> of_class) const { return times_ * bound_->uniform(of_class); }
    double value(std::span<const Count> of_class, std::span<const Count> best, std::span<const Count> second) const {
        return times_ * bound_->value(of_class, best, second);
    }

    bool is_ahead(double margin, double bound) const { return margin > bound || bound < tau_; }

    /// Whether it is known without asking that a leaf is not to be split.
    bool cannot_split(const NodeStatistics& leaf) {
        if (!leaf.least_score()) return false;
        const double most = gains_.most(leaf);
        if (most <= min_gain_) return true;
        if (!bound_->is_uniform()) return false;
        const double bound = uniform(leaf.counted());
        if (bound < tau_) return false;
        // Whatever the second best is, the margin is at most the gain; and of any two features one is no better than
        // the second best.
        if (most <= bound) return true;
        const auto leaders = leaf.leaders();
        if (!leaders) return false;
        const double second = std::min(gains_.of(leaf, leaders->first), gains_.of(leaf, leaders->second));
        return most - (second - least_gain) <= bound;
    }

    std::unique_ptr<Bound> bound_;
    GainMeter gains_;
    double tau_;
    double min_gain_;
    double times_;
};

}  // namespace sapwood
