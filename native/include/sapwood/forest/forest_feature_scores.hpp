#pragma once

#include <cstddef>
#include <vector>

#include "sapwood/forest/forest.hpp"
#include "sapwood/tree/predict/feature_scores.hpp"

namespace sapwood {

/// What a feature that is on adds to the score of each class in a forest: the mean over the trees of what it adds there
/// (feature_scores.hpp), a row of classes for each of the features 0, ..., n_features - 1.
inline std::vector<double> feature_scores(const Forest& forest, std::size_t n_features) {
    const Mixing* const trunk = forest.trunk() ? &*forest.trunk() : nullptr;
    std::vector<double> means(n_features * forest.n_classes());
    const double share = 1 / static_cast<double>(forest.n_trees());
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        FeatureScores of_tree(forest.tree(t), n_features, trunk);
        const std::vector<double>& scores = of_tree.scores();
        for (std::size_t i = 0; i < means.size(); ++i) means[i] += share * scores[i];
    }
    return means;
}

}  // namespace sapwood
