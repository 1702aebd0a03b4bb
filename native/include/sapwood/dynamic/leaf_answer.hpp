#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/dynamic/dynamic_tree.hpp"
#include "sapwood/tree/predict/logistic_regression.hpp"
#include "sapwood/tree/predict/naive_bayes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What the leaves of a settled dynamic tree answer: the shares of the classes, or naive Bayes over the active
/// features.
///
/// Guarantee: an answer is a function of the points of the leaf and of the point asked about, its features in their
/// order. A feature that is on in no point of the leaf is left out before anything is multiplied, so that one that was
/// forgotten changes no bit.
class LeafAnswer {
public:
    explicit LeafAnswer(const DynamicTree& tree)
        : tree_(tree), probabilities_(tree.n_classes()), products_(tree.n_classes()) {}

    /// The probability of each class.
    std::span<const double> of(Features features) {
        const NodeId leaf = tree_.nodes().leaf_of(features);
        const NodeTotals& totals = tree_.node(leaf).totals;
        if (tree_.options().leaf_prediction == LeafPrediction::naive_bayes && totals.n > 0) {
            const std::vector<std::int64_t> n_of_class(totals.of_class.begin(), totals.of_class.end());
            for (std::size_t k = 0; k < probabilities_.size(); ++k) {
                probabilities_[k] = std::log(static_cast<double>(n_of_class[k]) + 1);
            }
            NaiveBayes::add_scores(records_of(leaf, features), n_of_class, probabilities_, products_);
            LogisticRegression::normalise_logarithms(probabilities_);
        } else {
            for (std::size_t k = 0; k < probabilities_.size(); ++k) {
                probabilities_[k] = totals.n > 0 ? static_cast<double>(totals.of_class[k]) / totals.n
                                                 : 1 / static_cast<double>(probabilities_.size());
            }
        }
        return probabilities_;
    }

    /// What each feature adds to the score of each class at the leaf that a point reaches, a row for each; nothing
    /// where the shares of the classes answer.
    std::vector<double> shares(Features features) { return shares_at(tree_.nodes().leaf_of(features), features); }

    /// The mean of that over the points of all leaves, a row for each of the features below `n_features`.
    std::vector<double> mean_shares(std::size_t n_features) {
        const std::size_t n_classes = tree_.n_classes();
        std::vector<double> means(n_features * n_classes);
        if (tree_.options().leaf_prediction != LeafPrediction::naive_bayes || tree_.n() == 0) return means;
        for (const NodeId leaf : tree_.nodes().in_order()) {
            if (!tree_.nodes().is_leaf(leaf)) continue;
            std::vector<FeatureId> features;
            for (const PointId id : tree_.node(leaf).points) {
                const Features more = tree_.points().features(id);
                features.insert(features.end(), more.begin(), more.end());
            }
            std::sort(features.begin(), features.end());
            features.erase(std::unique(features.begin(), features.end()), features.end());
            const std::vector<double> here = shares_at(leaf, features);
            const double share = tree_.node(leaf).totals.n / static_cast<double>(tree_.n());
            for (std::size_t i = 0; i < features.size(); ++i) {
                for (std::size_t k = 0; k < n_classes; ++k) {
                    means[static_cast<std::size_t>(features[i]) * n_classes + k] += share * here[i * n_classes + k];
                }
            }
        }
        return means;
    }

private:
    std::vector<double> shares_at(NodeId leaf, Features features) {
        const std::size_t n_classes = tree_.n_classes();
        std::vector<double> found(features.size() * n_classes);
        if (tree_.options().leaf_prediction != LeafPrediction::naive_bayes) return found;
        const std::vector<Count>& of_class = tree_.node(leaf).totals.of_class;
        const std::vector<std::int64_t> n_of_class(of_class.begin(), of_class.end());
        for (std::size_t i = 0; i < features.size(); ++i) {
            NaiveBayes::add_scores(records_of(leaf, features.subspan(i, 1)), n_of_class,
                                   std::span<double>(found).subspan(i * n_classes, n_classes), products_);
        }
        return found;
    }

    /// The counts of those features that are on in a point of a leaf, as naive Bayes reads them.
    Records records_of(NodeId leaf, Features features) {
        words_.clear();
        records_.clear();
        for (const FeatureId id : features) {
            const std::vector<Count> on = on_in(leaf, id);
            if (std::all_of(on.begin(), on.end(), [](Count count) { return count == 0; })) continue;
            for (const Count count : on) words_.push_back(Word{.count = count});
        }
        for (std::size_t at = 0; at < words_.size(); at += tree_.n_classes()) records_.push_back(words_.data() + at);
        return records_;
    }

    std::vector<Count> on_in(NodeId leaf, FeatureId id) const {
        const DynamicNode& here = tree_.node(leaf);
        if (here.search) return here.search->on(id);
        std::vector<Count> on(tree_.n_classes());
        for (const PointId point : here.points) {
            const Features features = tree_.points().features(point);
            if (std::binary_search(features.begin(), features.end(), id)) {
                on[tree_.points().label(point)] += tree_.points().weight(point);
            }
        }
        return on;
    }

    const DynamicTree& tree_;
    std::vector<double> probabilities_;
    std::vector<double> products_;
    std::vector<Word> words_;
    std::vector<const Word*> records_;
};

}  // namespace sapwood
