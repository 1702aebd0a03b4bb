// Trees of every kind by number, and a stream of many rare features, for tests of trees.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "sapwood/tree/tree_options.hpp"
#include "sapwood/types.hpp"
#include "streams.hpp"

namespace sapwood::check {

/// Bold options, so that few points suffice to split; another kind of tree for every number.
inline TreeOptions kind(Growth growth, std::size_t number) {
    constexpr std::array of_predictions{LeafPrediction::adaptive, LeafPrediction::majority, LeafPrediction::naive_bayes,
                                        LeafPrediction::logistic, LeafPrediction::mixed};
    TreeOptions options;
    options.growth = growth;
    options.criterion = static_cast<Criterion>(number % 3);
    options.leaf_prediction = of_predictions[number / 3 % 5];
    options.split_test = number % 2 == 0 ? SplitTestKind::hoeffding : SplitTestKind::gaussian;
    if (growth == Growth::streaming) {
        options.criterion = Criterion::entropy;
        options.split_test = number % 4 == 3 ? SplitTestKind::gaussian : SplitTestKind::evidence;
    }
    options.delta = 0.2;
    options.tau = 0.2;
    options.min_samples_reevaluate = static_cast<Count>(1 + number % 7);
    if (number % 5 == 4) options.seed = number;
    if (number % 7 == 6) options.max_depth = 3;
    if (number % 11 == 5) options.max_leaves = 6;
    return options;
}

/// The same with a test that splits after a few points, where the shape of a tree is what is tested.
inline TreeOptions bold(Growth growth) {
    TreeOptions options = kind(growth, 0);
    options.split_test = SplitTestKind::hoeffding;
    return options;
}

inline int classes_of(const TreeOptions& options, std::size_t number) {
    return options.criterion == Criterion::kearns_mansour ? 2 : 2 + static_cast<int>(number % 4);
}

/// Thousands of features, most of them rare, and a few that tell of the class, ever others of them.
inline std::vector<streams::Point> wide(int n, int d, int n_classes, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<streams::Point> points;
    for (int i = 0; i < n; ++i) {
        streams::Point point{{}, static_cast<Label>(random() % static_cast<unsigned>(n_classes))};
        for (int j = 0; j < 12; ++j) {
            const double u = uniform(random);
            point.features.push_back(static_cast<FeatureId>(d * u * u * u));
        }
        for (int j = 0; j < 40; ++j) {
            const bool speaks = (j + i / 2000) % n_classes == point.label;
            if (uniform(random) < (speaks ? 0.08 : 0.02)) point.features.push_back(7 * j);
        }
        std::sort(point.features.begin(), point.features.end());
        point.features.erase(std::unique(point.features.begin(), point.features.end()), point.features.end());
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace sapwood::check
