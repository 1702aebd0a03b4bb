#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/tree/predict/naive_bayes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What naive Bayes says of one feature at a time among the points of some classes: the same, to the last bit, as
/// `NaiveBayes` says of its record alone. The logarithms of the sizes of the classes are taken once for all features.
class FeatureShares {
public:
    explicit FeatureShares(std::span<const std::int64_t> n_of_class) {
        double n = 0;
        for (const std::int64_t count : n_of_class) {
            n += static_cast<double>(count);
            of_size_.push_back(std::log(static_cast<double>(count) + NaiveBayes::strength));
        }
        per_point_ = NaiveBayes::strength / (n + 1);
        if (n_of_class.size() == 2) log_odds_of_sizes_ = NaiveBayes::log_odds(0, 1, n_of_class);
    }

    /// Adds, times `scale`, what the feature with these counts of classes adds to the score of each class; to a single
    /// output what it adds to the log-odds of the second of two. Nothing if it was on in no point.
    void add(const Word* counts, double scale, std::span<double> outputs) const {
        double on = 0;
        for (std::size_t k = 0; k < of_size_.size(); ++k) on += counts[k].count;
        if (on == 0) return;
        const double prior = (on + 0.5) * per_point_;
        if (outputs.size() == 1) {
            const double log_ratio = std::log((counts[1].count + prior) / (counts[0].count + prior));
            outputs[0] += scale * (log_ratio + log_odds_of_sizes_);
            return;
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            outputs[k] += scale * (std::log(counts[k].count + prior) - of_size_[k]);
        }
    }

private:
    std::vector<double> of_size_;
    double log_odds_of_sizes_ = 0;
    double per_point_ = 0;
};

}  // namespace sapwood
