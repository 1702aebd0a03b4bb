#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sapwood/dynamic/dynamic_options.hpp"
#include "sapwood/dynamic/feature_order.hpp"
#include "sapwood/dynamic/point_store.hpp"
#include "sapwood/search/split_search.hpp"
#include "sapwood/tree/node_impurity.hpp"
#include "sapwood/tree/split_test/evidence.hpp"
#include "sapwood/tree/split_test/gain_units.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What the points of a node amount to, beside their features.
struct NodeTotals {
    std::vector<Count> of_class;
    Count n = 0;
    /// The features that are on, over all points.
    std::int64_t nonzeros = 0;

    void add(std::size_t n_features, Label label, Count weight) {
        of_class[label] += weight;
        n += weight;
        nonzeros += static_cast<std::int64_t>(n_features) * weight;
    }

    void add(const NodeTotals& other) {
        for (std::size_t k = 0; k < of_class.size(); ++k) of_class[k] += other.of_class[k];
        n += other.n;
        nonzeros += other.nonzeros;
    }

    bool is_pure() const {
        return std::count_if(of_class.begin(), of_class.end(), [](Count count) { return count > 0; }) < 2;
    }
};

/// A feature as the test of a node: its gain in the unit of the tree, and the points of each class in which it is on.
struct Candidate {
    FeatureId feature = no_feature;
    double gain = 0;
    std::vector<Count> on;
};

/// Finds the best split of a node, from the counts of a search or from a few points, and says whether it is enough to
/// split.
///
/// Guarantee: the answer is a function of the multiset of points and of the order of features: of equal scores the
/// feature that comes first in that order is taken. Scores are computed as the searches compute them, bit for bit, so
/// that it does not matter who is asked.
class SplitChooser {
public:
    SplitChooser(const DynamicOptions& options, std::size_t n_classes)
        : criterion_(options.criterion), log_delta_(std::log(options.delta)), impurity_(options.criterion) {
        set_classes(n_classes);
    }

    void set_classes(std::size_t n_classes) {
        n_classes_ = n_classes;
        evidence_.set_classes(n_classes);
    }

    /// The best split by a search; nothing while it has seen no feature. `scans`: by a look at every feature.
    std::optional<Candidate> best(SplitSearch& search, const NodeTotals& totals, const FeatureOrder& order,
                                  bool scans) {
        const auto best_few = [&](std::size_t k) { return scans ? search.scan(k) : search.top(k); };
        std::vector<Split> top = best_few(2);
        if (top.empty()) return std::nullopt;
        const double score = top.front().score;
        for (std::size_t k = 4; top.size() == k / 2 && top.back().score == score; k *= 2) top = best_few(k);
        FeatureId first = top.front().feature();
        for (const Split& split : top) {
            if (split.score == score && order.comes_before(split.feature(), first)) first = split.feature();
        }
        return of(search, first, totals);
    }

    /// A best split by a search, whichever of several: where nothing depends on which, and to know it takes longer.
    std::optional<Candidate> any_best(SplitSearch& search, const NodeTotals& totals) {
        const std::optional<Split> best = search.best();
        if (!best) return std::nullopt;
        return of(search, best->feature(), totals);
    }

    /// A feature as a test, by a search.
    Candidate of(const SplitSearch& search, FeatureId feature, const NodeTotals& totals) {
        std::vector<Count> on = search.on(feature);
        return {feature, gain(on, totals), std::move(on)};
    }

    /// The best split of a few points; nothing if no feature is on in any. O(features on in them).
    std::optional<Candidate> best(const PointStore& store, std::span<const PointId> points, const NodeTotals& totals,
                                  const FeatureOrder& order) {
        count(store, points);
        std::optional<std::size_t> best;
        double least = 0;
        Count limit = 0;
        for (std::size_t i = 0; i < met_.size(); ++i) {
            const std::span<const Count> on = counted(i);
            Count n_on = 0;
            for (const Count count_of_class : on) n_on += count_of_class;
            if (n_on <= limit) continue;
            const double score = score_of(on, totals);
            const bool is_better =
                !best || score < least || (score == least && order.comes_before(met_[i], met_[*best]));
            if (!is_better) continue;
            best = i;
            least = score;
            limit = limit_for(least, limit, totals);
        }
        if (!best) return std::nullopt;
        const std::span<const Count> on = counted(*best);
        return Candidate{met_[*best], gain(on, totals), {on.begin(), on.end()}};
    }

    /// A feature as a test of a few points.
    Candidate of(const PointStore& store, std::span<const PointId> points, FeatureId feature,
                 const NodeTotals& totals) {
        std::vector<Count> on(n_classes_);
        for (const PointId id : points) {
            const Features features = store.features(id);
            if (std::binary_search(features.begin(), features.end(), feature)) on[store.label(id)] += store.weight(id);
        }
        return {feature, gain(on, totals), std::move(on)};
    }

    /// The largest gain of a feature other than one, at least 0.
    double best_gain_besides(SplitSearch& search, FeatureId feature, const NodeTotals& totals) {
        for (const Split& split : search.top(2)) {
            if (split.feature() != feature) return std::max(0.0, of(search, split.feature(), totals).gain);
        }
        return 0;
    }
    double best_gain_besides(const PointStore& store, std::span<const PointId> points, FeatureId feature,
                             const NodeTotals& totals) {
        count(store, points);
        double best = 0;
        for (std::size_t i = 0; i < met_.size(); ++i) {
            if (met_[i] != feature) best = std::max(best, gain(counted(i), totals));
        }
        return best;
    }

    /// Whether a feature informs about the class: ln E_j >= ln(1 / delta_j) (evidence.hpp), where
    ///     delta_j = delta * n_j / (sum over all features i of n_i),    n_j the points in which j is on.
    /// The shares add up to delta and depend on the features of the points alone, as those by rank do; but they
    /// remember no order. The price is that they change from point to point: the error probability is that of one look
    /// at a node that was fixed beforehand, not of all looks at all times.
    bool has_evidence(const Candidate& candidate, const NodeTotals& totals) {
        Count n_on = 0;
        for (const Count count : candidate.on) n_on += count;
        if (n_on < occurrences_for_rank) return false;
        evidence_.cover(totals.n);
        const double share = static_cast<double>(n_on) / static_cast<double>(totals.nonzeros);
        return evidence_.log_evidence(candidate.on, totals.of_class) + std::log(share) + log_delta_ >= 0;
    }

    std::size_t n_bytes() const {
        return places_.capacity() * sizeof(Place) + met_.capacity() * sizeof(FeatureId) +
               counts_.capacity() * sizeof(Count);
    }

private:
    double gain(std::span<const Count> on, const NodeTotals& totals) {
        return in_tree_units(criterion_,
                             (impurity_.weighted(totals.of_class, totals.n) - score_of(on, totals)) / totals.n);
    }

    double score_of(std::span<const Count> on, const NodeTotals& totals) {
        off_.assign(totals.of_class.begin(), totals.of_class.end());
        for (std::size_t k = 0; k < on.size(); ++k) off_[k] -= on[k];
        return impurity_.weighted(on, totals.n) + impurity_.weighted(off_, totals.n);
    }

    /// A feature that is on in at most so many points has a score greater than one that is known, whatever the classes
    /// of these points: see TableScan::Limit. At least `known`. Most features of a few points are on in one of them.
    Count limit_for(double score, Count known, const NodeTotals& totals) {
        // By far more than rounding.
        const double far = score + 1e-10 * impurity_.weighted(totals.of_class, totals.n);
        const Count most = *std::min_element(totals.of_class.begin(), totals.of_class.end());
        for (; known < most; ++known) {
            for (std::size_t k = 0; k < n_classes_; ++k) {
                one_class_.assign(n_classes_, 0);
                one_class_[k] = known + 1;
                if (!(score_of(one_class_, totals) > far)) return known;
            }
        }
        return known;
    }

    /// Counts the features of points, for `counted`.
    void count(const PointStore& store, std::span<const PointId> points) {
        std::size_t nonzeros = 0;
        for (const PointId point : points) nonzeros += store.features(point).size();
        // At most half full, and no larger than that: it stays in the cache, however many features there are in all.
        places_.assign(std::bit_ceil(2 * nonzeros + 1), {no_feature, 0});
        met_.clear();
        counts_.clear();
        for (const PointId point : points) {
            for (const FeatureId id : store.features(point)) {
                Place& place = place_of(id);
                if (place.feature == no_feature) {
                    place = {id, static_cast<std::uint32_t>(met_.size())};
                    met_.push_back(id);
                    counts_.resize(counts_.size() + n_classes_);
                }
                counts_[place.number * n_classes_ + store.label(point)] += store.weight(point);
            }
        }
    }

    /// Where a feature stands among those met, or the empty place where that is to be noted. By linear probing.
    struct Place {
        FeatureId feature;
        std::uint32_t number;
    };
    Place& place_of(FeatureId id) {
        const std::size_t mask = places_.size() - 1;
        std::size_t at = (static_cast<std::uint32_t>(id) * 0x9E3779B1u >> 7) & mask;
        while (places_[at].feature != id && places_[at].feature != no_feature) at = (at + 1) & mask;
        return places_[at];
    }

    std::span<const Count> counted(std::size_t i) const {
        return std::span<const Count>(counts_).subspan(i * n_classes_, n_classes_);
    }

    Criterion criterion_;
    double log_delta_;
    std::size_t n_classes_ = 2;
    NodeImpurity impurity_;
    Evidence evidence_{2};
    std::vector<Count> off_;
    std::vector<Count> one_class_;
    /// The features of the points that were counted last, their counts, and where each feature stands among them.
    std::vector<FeatureId> met_;
    std::vector<Count> counts_;
    std::vector<Place> places_;
};

}  // namespace sapwood
