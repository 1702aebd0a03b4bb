#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

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

/// The contributions of the features of a point, in their order.
inline Contributions contributions_of(const StreamingTree& tree, Features features) {
    const LeafPredictor& predictor = tree.body().predictor();
    const ModelLayout& layout = predictor.layout();
    const Trunk& trunk = predictor.trunk_model();
    const Node& leaf = tree.node(tree.nodes().leaf_of(features));
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
