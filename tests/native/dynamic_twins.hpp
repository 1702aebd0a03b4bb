// A tree that forgets and its twin: a batch learner that knows nothing else than the points.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/dynamic/dynamic_tree.hpp"
#include "sapwood/dynamic/validate_dynamic.hpp"

namespace sapwood {

/// A point is its features, ascending, and its label; how often it is held is its weight.
using Points = std::map<std::pair<std::vector<FeatureId>, Label>, Count>;

/// ID3 by its definition, over a list of points: no structure is kept from one call to the next.
class BatchLearner {
public:
    BatchLearner(const DynamicOptions& options, std::size_t n_classes, const FeatureOrder& order)
        : options_(options), n_classes_(n_classes), order_(order), impurity_(options.criterion) {}

    /// The test of every node, `no_feature` for a leaf, each node before its children and off before on.
    std::vector<FeatureId> tests(const Points& points) {
        std::vector<FeatureId> found;
        grow({points.begin(), points.end()}, 0, found);
        return found;
    }

    struct Best {
        FeatureId feature = no_feature;
        double gain = 0;
        double gain_of_test = 0;
        bool has_evidence = true;
    };
    using List = std::vector<std::pair<std::pair<std::vector<FeatureId>, Label>, Count>>;

    /// The best feature of points, and the gain of another one.
    Best best(const List& points, FeatureId test = no_feature) {
        std::vector<Count> whole(n_classes_);
        std::map<FeatureId, std::vector<Count>> on;
        Count n = 0;
        double nonzeros = 0;
        for (const auto& [point, weight] : points) {
            whole[point.second] += weight;
            n += weight;
            for (const FeatureId id : point.first) {
                on.try_emplace(id, n_classes_).first->second[point.second] += weight;
                nonzeros += weight;
            }
        }
        Best best;
        double least = 0;
        for (const auto& [id, counts] : on) {
            std::vector<Count> off(whole);
            for (std::size_t k = 0; k < n_classes_; ++k) off[k] -= counts[k];
            const double score = impurity_.weighted(counts, n) + impurity_.weighted(off, n);
            const double gain = in_tree_units(options_.criterion, (impurity_.weighted(whole, n) - score) / n);
            if (id == test) best.gain_of_test = gain;
            const bool is_first = best.feature == no_feature;
            if (!is_first && !(score < least || (score == least && order_.comes_before(id, best.feature)))) continue;
            least = score;
            best.feature = id;
            best.gain = gain;
        }
        if (best.feature != no_feature && options_.stopping == Stopping::evidence) {
            Evidence evidence(n_classes_);
            evidence.cover(n);
            const std::vector<Count>& counts = on.at(best.feature);
            Count n_on = 0;
            for (const Count count : counts) n_on += count;
            best.has_evidence =
                n_on >= 3 &&
                evidence.log_evidence(counts, whole) + std::log(n_on / nonzeros) + std::log(options_.delta) >= 0;
        }
        return best;
    }

    bool is_pure(const List& points) const {
        std::set<Label> labels;
        for (const auto& [point, weight] : points) labels.insert(point.second);
        return labels.size() < 2;
    }

    static Count size(const List& points) {
        Count n = 0;
        for (const auto& [point, weight] : points) n += weight;
        return n;
    }

    static std::pair<List, List> divided(const List& points, FeatureId feature) {
        std::pair<List, List> sides;
        for (const auto& each : points) {
            const std::vector<FeatureId>& on = each.first.first;
            (std::find(on.begin(), on.end(), feature) == on.end() ? sides.first : sides.second).push_back(each);
        }
        return sides;
    }

private:
    void grow(const List& points, std::int32_t depth, std::vector<FeatureId>& found) {
        found.push_back(no_feature);
        if (!options_.may_split_at(depth) || size(points) < options_.min_samples || is_pure(points)) return;
        const Best chosen = best(points);
        if (!(chosen.gain > std::max(options_.min_gain, least_gain)) || !chosen.has_evidence) return;
        found.back() = chosen.feature;
        const auto [off, on] = divided(points, chosen.feature);
        grow(off, depth + 1, found);
        grow(on, depth + 1, found);
    }

    const DynamicOptions& options_;
    std::size_t n_classes_;
    const FeatureOrder& order_;
    NodeImpurity impurity_;
};

inline std::vector<FeatureId> tests_of(const DynamicTree& tree) {
    std::vector<FeatureId> tests;
    for (const NodeId at : tree.nodes().in_order()) tests.push_back(tree.nodes().test(at).feature());
    return tests;
}

/// The other way round, to see that ids decide nothing.
class Reversed final : public FeatureOrder {
public:
    bool comes_before(FeatureId a, FeatureId b) const override { return a > b; }
};

/// A tree and its twin: the points in a map, from which the batch learner builds the tree anew.
class Twins {
public:
    Twins(const DynamicOptions& options, std::size_t n_classes, const FeatureOrder& order)
        : options_(options), order_(order), tree_(options), batch_(options_, n_classes, order) {
        if (n_classes > 2) {
            const std::vector<Label> numbers{0, 1};
            tree_.renumber(numbers, n_classes);
        }
    }

    void learn(const std::vector<FeatureId>& features, Label label, Count weight = 1) {
        tree_.learn(features, label, weight);
        points_[{features, label}] += weight;
    }

    void forget(const std::vector<FeatureId>& features, Label label, Count weight = 1) {
        tree_.forget(tree_.points().find(features, label), weight);
        const auto at = points_.find({features, label});
        if ((at->second -= weight) == 0) points_.erase(at);
    }

    /// Forgets many of the points at once: one of every few, each with all of its weight.
    void forget_many(std::size_t one_of, std::size_t first) {
        std::vector<Taken> gone;
        for (auto at = points_.begin(); at != points_.end();) {
            if (first++ % one_of != 0) {
                ++at;
                continue;
            }
            gone.push_back({tree_.points().find(at->first.first, at->first.second), at->second});
            at = points_.erase(at);
        }
        tree_.forget(gone);
    }

    /// Forgets one of the points, chosen by a number.
    void forget_some(std::size_t number) {
        if (points_.empty()) return;
        const auto at = std::next(points_.begin(), static_cast<std::ptrdiff_t>(number % points_.size()));
        forget(at->first.first, at->first.second);
    }

    /// With beta = 0 the two trees must be the same.
    bool agree() {
        tree_.settle(order_);
        return CHECK(tests_of(tree_) == batch_.tests(points_)) && CHECK(tree_.n() == size());
    }

    /// With beta > 0 every node must be within beta of the best, by exhaustive search.
    bool is_within_beta() {
        tree_.settle(order_);
        return is_within_beta(Nodes::root, {points_.begin(), points_.end()});
    }

    std::int64_t size() const {
        std::int64_t n = 0;
        for (const auto& [point, weight] : points_) n += weight;
        return n;
    }
    DynamicTree& tree() { return tree_; }
    const Points& points() const { return points_; }

private:
    bool is_within_beta(NodeId at, const BatchLearner::List& points) {
        const Nodes& nodes = tree_.nodes();
        const FeatureId test = nodes.test(at).feature();
        const bool may_split =
            options_.may_split_at(nodes.depth(at)) && BatchLearner::size(points) >= options_.min_samples;
        const BatchLearner::Best best = batch_.best(points, test);
        if (test == no_feature) {
            return CHECK(!may_split || batch_.is_pure(points) || !best.has_evidence ||
                         best.gain <= std::max(options_.min_gain, least_gain) + options_.beta);
        }
        const bool here = CHECK(may_split) && CHECK(best.has_evidence) &&
                          CHECK(best.gain - best.gain_of_test <= options_.beta) &&
                          CHECK(best.gain_of_test == tree_.gain(at));
        const auto [off, on] = BatchLearner::divided(points, test);
        return here && is_within_beta(nodes.child(at, false), off) && is_within_beta(nodes.child(at, true), on);
    }

    DynamicOptions options_;
    const FeatureOrder& order_;
    DynamicTree tree_;
    BatchLearner batch_;
    Points points_;
};

inline std::vector<FeatureId> random_point(std::mt19937& random, int d, double p) {
    std::vector<FeatureId> features;
    std::bernoulli_distribution on(p);
    for (FeatureId id = 0; id < d; ++id) {
        if (on(random)) features.push_back(id);
    }
    return features;
}

}  // namespace sapwood
