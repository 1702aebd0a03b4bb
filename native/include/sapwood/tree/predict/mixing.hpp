#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/predict/mixed_trunk.hpp"
#include "sapwood/tree/predict/mixer.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Leaves that mix (mixer.hpp): what all of them share, how one answers, and how it learns. A point costs O(m) in every
/// model, and O(experts) in the mixer, each times the classes where there are more than two.
class Mixing {
public:
    explicit Mixing(const ModelLayout& layout) : layout_(layout), trunk_(layout) {}

    const MixedTrunk& trunk() const { return trunk_; }
    MixedTrunk& trunk() { return trunk_; }
    /// The points that were learned, each once, and how many features were on in them.
    std::int64_t n_points() const { return n_points_; }
    std::int64_t n_active() const { return n_active_; }
    void restore(std::int64_t n_points, std::int64_t n_active) {
        n_points_ = n_points;
        n_active_ = n_active;
    }

    /// Computes the probability of each class for a point, into `scores.probabilities`.
    void predict(std::span<const std::int64_t> of_class, const LeafModels& models, Features features,
                 Scores& scores) const {
        trunk_.find(features, scores.in_trunk);
        models.find(features, scores.records);
        consult(of_class, models, scores.in_trunk, scores.records, scores);
        LogisticRegression::probabilities(scores.mixed, scores.probabilities);
    }

    /// Lets a leaf learn a point from its records in the trunk and in the leaf, of which those in `owned` may be
    /// changed. The mix and the regressions take its weight as it is, naive Bayes as it is counted.
    void teach(LeafModels& models, std::span<const std::int64_t> of_class, std::span<Word* const> in_trunk,
               Records in_leaf, std::span<Word* const> owned, std::size_t n_features, Label label, Weight weight,
               Scores& scores) {
        ++n_points_;
        n_active_ += static_cast<std::int64_t>(n_features);
        const double scale = mixing::step_scale(n_active_, n_points_);
        consult(of_class, models, Records(in_trunk.data(), in_trunk.size()), in_leaf, scores);
        learn_mix(models, label, weight.exact, scores);
        const std::size_t n_outputs = layout_.n_outputs();
        for (std::size_t r = 0; r < n_regressions; ++r) {
            become_gradient(std::span(scores.regressions).subspan(r * n_outputs, n_outputs), label, weight.exact,
                            scores);
        }
        models.n_of_class[label] += weight.count;
        for (Word* record : owned) record[label].count += weight.count;
        trunk_.learn(in_trunk, scores.regressions, scale, label, weight.count);
        const auto of_leaf = std::span<const double>(scores.regressions).subspan(n_trunks * n_outputs, n_outputs);
        const AdaGrad steps{mixing::leaf_step * scale, mixing::first_square};
        LogisticRegression::step(models.intercept.data(), of_leaf, steps);
        LogisticRegression::step(owned, layout_.weights_at(), of_leaf, steps);
    }

    Mixing widened(const ModelLayout& wider) const {
        Mixing wide(wider);
        wide.trunk_ = trunk_.widened(wider);
        wide.restore(n_points_, n_active_);
        return wide;
    }

    /// Forgets all that the trunk has learned, and holds no memory for it.
    void clear() { trunk_ = MixedTrunk(layout_); }

    std::size_t n_bytes() const { return trunk_.n_bytes(); }

private:
    /// The scores of the trunks, and of the first of them corrected by the leaf.
    static constexpr std::size_t n_regressions = n_trunks + 1;

    /// Asks every expert about a point, into `scores.opinions`, and mixes what they say, into `scores.mixed`.
    void consult(std::span<const std::int64_t> of_class, const LeafModels& models, Records in_trunk, Records in_leaf,
                 Scores& scores) const {
        const std::size_t n_outputs = layout_.n_outputs();
        trunk_.add_scores(in_trunk, scores.regressions);
        const std::span<double> corrected = std::span(scores.regressions).subspan(n_trunks * n_outputs, n_outputs);
        for (std::size_t k = 0; k < n_outputs; ++k) corrected[k] = scores.regressions[k];
        models.add_correction(in_leaf, layout_, corrected);
        if (n_outputs == 1) {
            consult_binary(of_class, models, in_trunk, in_leaf, scores);
            return;
        }
        const auto opinion = [&](std::size_t expert) {
            return std::span(scores.opinions).subspan(expert * n_outputs, n_outputs);
        };
        for (std::size_t k = 0; k < n_outputs; ++k) {
            opinion(majority_expert)[k] = std::log(static_cast<double>(of_class[k]) + 1);
        }
        models.bayes_scores(in_leaf, of_class, scores);
        for (std::size_t k = 0; k < n_outputs; ++k)
            opinion(leaf_bayes_expert)[k] = mixing::bayes_scale * scores.bayes[k];
        trunk_bayes(in_trunk, scores);
        for (std::size_t k = 0; k < n_outputs; ++k)
            opinion(trunk_bayes_expert)[k] = mixing::bayes_scale * scores.bayes[k];
        // Those of the regressions stand in the same order as their scores.
        std::copy(scores.regressions.begin(), scores.regressions.end(), opinion(trunk_expert).begin());
        for (std::size_t expert = 0; expert < n_experts; ++expert) mixing::level(opinion(expert));
        mixing::mix(weights(models), scores.opinions, scores.mixed);
    }

    void consult_binary(std::span<const std::int64_t> of_class, const LeafModels& models, Records in_trunk,
                        Records in_leaf, Scores& scores) const {
        std::vector<double>& opinions = scores.opinions;
        const double majority = log_ratio(of_class[1], of_class[0]);
        const std::span<const std::int64_t> n = trunk_.n_of_class();
        opinions[majority_expert] = majority;
        opinions[leaf_bayes_expert] =
            mixing::bayes_scale * (NaiveBayes::log_odds(in_leaf, 0, models.n_of_class) + majority);
        opinions[trunk_bayes_expert] =
            mixing::bayes_scale * (NaiveBayes::log_odds(in_trunk, trunk_.counts_at(), n) + log_ratio(n[1], n[0]));
        std::copy_n(scores.regressions.begin(), n_regressions,
                    opinions.begin() + static_cast<std::ptrdiff_t>(trunk_expert));
        for (double& each : opinions) each = mixing::clipped(each);
        scores.mixed[0] = mixing::mix(weights(models), std::span<const double, n_experts>(opinions.data(), n_experts));
    }

    void learn_mix(LeafModels& models, Label label, double weight, Scores& scores) const {
        LogisticRegression::probabilities(scores.mixed, scores.probabilities);
        const std::span<double, n_experts> mix(*models.mixer);
        if (layout_.n_outputs() == 1) {
            mixing::learn(mix, std::span<const double, n_experts>(scores.opinions.data(), n_experts),
                          scores.probabilities[1] - label, weight);
            return;
        }
        for (std::size_t k = 0; k < scores.mixed.size(); ++k) {
            scores.mixed[k] = scores.probabilities[k] - (k == label ? 1 : 0);
        }
        mixing::learn(mix, scores.opinions, scores.mixed, weight);
    }

    /// From the scores of a point to the derivative of its logistic loss by each of them, times its weight.
    static void become_gradient(std::span<double> outputs, Label label, double weight, Scores& scores) {
        LogisticRegression::probabilities(outputs, scores.probabilities);
        const std::size_t first = outputs.size() == 1 ? 1 : 0;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            outputs[k] = (scores.probabilities[first + k] - (first + k == label ? 1 : 0)) * weight;
        }
    }

    void trunk_bayes(Records in_trunk, Scores& scores) const {
        const std::span<const std::int64_t> n = trunk_.n_of_class();
        for (std::size_t k = 0; k < n.size(); ++k) scores.bayes[k] = std::log(static_cast<double>(n[k]) + 1);
        scores.trunk_counts.clear();
        for (const Word* record : in_trunk) scores.trunk_counts.push_back(record + trunk_.counts_at());
        NaiveBayes::add_scores(scores.trunk_counts, n, scores.bayes, scores.products);
    }

    static double log_ratio(std::int64_t above, std::int64_t below) {
        return std::log((static_cast<double>(above) + 1) / (static_cast<double>(below) + 1));
    }

    static std::span<const double, n_experts> weights(const LeafModels& models) {
        return std::span<const double, n_experts>(*models.mixer);
    }

    ModelLayout layout_;
    MixedTrunk trunk_;
    std::int64_t n_points_ = 0;
    std::int64_t n_active_ = 0;
};

}  // namespace sapwood
