#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sapwood/tree/shared_table.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Naive Bayes over the active features of a point, in O(m K).
///
/// The share of the points of class k in which feature j is on is estimated as
///     (n_jk + s * (n_j + 1/2) / (n + 1)) / (n_k + s),
/// drawn towards its share among all points by the weight of s = 1 point. A feature that was on in none of them says
/// nothing. Adding one point to each class instead would let every new word speak for the
/// rarer class, by the ratio of their sizes.
class NaiveBayes {
public:
    static constexpr double strength = 1;

    /// Adds to `scores` the logarithm of the likelihood of the features in each class. `n_of_class`: the points that
    /// the counts are of; `record_of(feature)`: the counts of a feature, one for each class.
    template <class RecordOf>
    static void add_scores(Features features, std::span<const std::int64_t> n_of_class, RecordOf record_of,
                           std::span<double> scores, std::span<double> products) {
        double n = 0;
        for (const std::int64_t count : n_of_class) n += static_cast<double>(count);
        const std::size_t n_classes = n_of_class.size();
        // A logarithm of the product of a few factors, each between 2^-33 and 2^32, in place of one for every factor.
        constexpr std::size_t factors_in_product = 16;
        double m = 0;
        for (std::size_t first = 0; first < features.size(); first += factors_in_product) {
            const Features some = features.subspan(first, std::min(factors_in_product, features.size() - first));
            std::fill(products.begin(), products.end(), 1.0);
            for (const FeatureId id : some) {
                const Word* counts = record_of(id);
                double on = 0;
                for (std::size_t k = 0; k < n_classes; ++k) on += counts[k].count;
                if (on == 0) continue;
                ++m;
                const double prior = strength * (on + 0.5) / (n + 1);
                for (std::size_t k = 0; k < n_classes; ++k) products[k] *= counts[k].count + prior;
            }
            for (std::size_t k = 0; k < n_classes; ++k) scores[k] += std::log(products[k]);
        }
        for (std::size_t k = 0; k < n_classes; ++k) {
            scores[k] -= m * std::log(static_cast<double>(n_of_class[k]) + strength);
        }
    }
};

}  // namespace sapwood
