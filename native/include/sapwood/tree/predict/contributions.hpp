#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/tree/predict/feature_shares.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What each active feature says at the leaf of a point, by each model. What is of a model that the tree does not keep
/// is empty.
struct Contributions {
    std::size_t n_features = 0;
    std::size_t n_outputs = 0;
    std::size_t n_classes = 0;
    /// A row of outputs for each feature: the weights of the trunk, and of the leaf's correction.
    std::vector<double> trunk;
    std::vector<double> correction;
    /// A row of classes for each feature: the logarithms of its shares of the classes in naive Bayes.
    std::vector<double> shares;
    /// An output each.
    std::vector<double> trunk_intercept;
    std::vector<double> correction_intercept;
};

namespace detail {

/// Adds what each number says as a number (gaussians.hpp), times `weight`, to what is said by the narrowest range that
/// the number is in, where there is one: to `said`, a row of outputs for each feature.
inline void add_gaussians(const Gaussians& gaussians, const NumberRanges& ranges, const Point& point,
                          std::size_t n_classes, double weight, std::vector<double>& said) {
    const std::size_t n_outputs = said.size() / std::max<std::size_t>(point.for_models.size(), 1);
    std::array<FeatureId, NumberRanges::most_features> of_number;
    std::vector<double> products(n_classes);
    for (const NumberValue& number : point.numbers) {
        const FeatureId* const end = ranges.write(number.attribute, number.value, of_number.data());
        if (end == of_number.data()) continue;
        const auto place = std::find(point.for_models.begin(), point.for_models.end(), end[-1]);
        if (place == point.for_models.end()) continue;
        std::vector<double> scores(n_classes);
        gaussians.add_scores(Point(Features(), {&number, 1}), scores, products);
        double* const to = said.data() + static_cast<std::size_t>(place - point.for_models.begin()) * n_outputs;
        if (n_outputs == 1) {
            to[0] += weight * (scores[1] - scores[0]);
        } else {
            for (std::size_t k = 0; k < n_classes; ++k) to[k] += weight * scores[k];
        }
    }
}

/// The contributions at a leaf that mixes: what each feature adds to every model, times the weight of the model. What
/// comes of the trunk is in `trunk`, what of the leaf in `correction`. Opinions that the mixer clips make the sum of
/// all differ from what it answers.
inline Contributions mixed_contributions(const Mixing& mixing, const NumberRanges& ranges, const Node& leaf,
                                         const ModelLayout& layout, const Point& point) {
    const Features features = point.for_models;
    const MixedTrunk& trunk = mixing.trunk();
    const std::span<const double, n_experts> mixer = mixing.weights(*leaf.models);
    Contributions found;
    found.n_features = features.size();
    found.n_outputs = layout.n_outputs();
    std::vector<double> outputs(found.n_outputs);
    const FeatureShares trunk_bayes(trunk.n_of_class());
    const FeatureShares leaf_bayes(leaf.models->n_of_class);
    const auto add_regressions = [&](const Word* record) {
        for (std::size_t t = 0; t < n_trunks; ++t) {
            // The leaf corrects the first of them, and so speaks through it as well.
            const double weight = mixer[trunk_expert + t] + (t == 0 ? mixer[corrected_expert] : 0);
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                outputs[k] += weight * static_cast<double>(record[trunk.weights_at(t) + k].weight);
            }
        }
    };
    const auto append_to = [&](std::vector<double>& to) {
        to.insert(to.end(), outputs.begin(), outputs.end());
        std::fill(outputs.begin(), outputs.end(), 0.0);
    };
    add_regressions(trunk.intercept());
    append_to(found.trunk_intercept);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        outputs[k] = mixer[corrected_expert] * static_cast<double>(leaf.models->intercept[k].weight);
    }
    append_to(found.correction_intercept);
    for (const FeatureId id : features) {
        if (trunk.contains(id)) {
            add_regressions(trunk.record(id));
            trunk_bayes.add(trunk.record(id) + trunk.counts_at(), mixing::bayes_scale * mixer[trunk_bayes_expert],
                            outputs);
        }
        append_to(found.trunk);
        const Word* record = leaf.models->table.find(id);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            outputs[k] = mixer[corrected_expert] * static_cast<double>(record[layout.weights_at() + k].weight);
        }
        leaf_bayes.add(record, mixing::bayes_scale * mixer[leaf_bayes_expert], outputs);
        append_to(found.correction);
    }
    if (const OwnedCopy<Gaussians>& gaussians = leaf.models->mixer->gaussians) {
        add_gaussians(*gaussians, ranges, point, layout.n_classes, mixer[gaussians_expert], found.correction);
    }
    if (const OwnedCopy<Gaussians>& gaussians = trunk.gaussians()) {
        add_gaussians(*gaussians, ranges, point, layout.n_classes, mixer[trunk_gaussians_expert], found.trunk);
    }
    return found;
}

}  // namespace detail

/// The contributions of the features of a point that models look at, in their order.
inline Contributions contributions_of(const StreamingTree& tree, const Point& point) {
    const Features features = point.for_models;
    const LeafPredictor& predictor = tree.body().predictor();
    const ModelLayout& layout = predictor.layout();
    const Trunk& trunk = predictor.trunk_model();
    const Node& leaf = tree.node(tree.nodes().leaf_of(point));
    if (predictor.mixing()) {
        return detail::mixed_contributions(*predictor.mixing(), tree.body().ranges(), leaf, layout, point);
    }
    Contributions found;
    found.n_features = features.size();
    found.n_outputs = layout.keeps_logistic ? layout.n_outputs() : 0;
    found.n_classes = layout.keeps_naive_bayes ? layout.n_classes : 0;
    const auto append_weights = [&](const Word* record, std::vector<double>& to) {
        std::vector<double> scores(found.n_outputs);
        if (record != nullptr) LogisticRegression::add_scores(record, scores);
        to.insert(to.end(), scores.begin(), scores.end());
    };
    if (layout.keeps_logistic) {
        append_weights(trunk.intercept(), found.trunk_intercept);
        append_weights(leaf.models->intercept.data(), found.correction_intercept);
    }
    for (const FeatureId id : features) {
        const Word* record = layout.keeps_anything() ? leaf.models->table.find(id) : nullptr;
        if (layout.keeps_logistic) {
            append_weights(trunk.contains(id) ? trunk.record(id) : nullptr, found.trunk);
            append_weights(record + layout.weights_at(), found.correction);
        }
        if (layout.keeps_naive_bayes) {
            std::vector<double> scores(found.n_classes);
            std::vector<double> products(found.n_classes);
            NaiveBayes::add_scores(Records(&record, 1), leaf.models->n_of_class, scores, products);
            found.shares.insert(found.shares.end(), scores.begin(), scores.end());
        }
    }
    return found;
}

}  // namespace sapwood
