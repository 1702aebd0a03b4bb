#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sapwood/storage/shared_table.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

namespace detail {

/// The logarithm of a product of this number of factors, each between 2^-33 and 2^32, replaces one logarithm per
/// factor: the product stays within the range of a double.
inline constexpr std::size_t factors_in_product = 16;

/// Multiplies the shares of features, but for their common denominator, for each of two classes. One that was on in no
/// point has a factor of 1. Returns the number of the others. To be inlined into what is compiled for wide vectors.
SAPWOOD_INLINE inline double multiply_shares(const Count* on0, const Count* on1, double per_point, double* products) {
    // First all factors, which vectors compute, then their products, in four lanes.
    constexpr std::size_t lanes = 4;
    alignas(32) double factors0[factors_in_product];
    alignas(32) double factors1[factors_in_product];
    // By bits, as a branch would keep the loop from vectors.
    const auto chosen = [](std::uint64_t mask, double value) {
        return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) & mask) |
                                     (std::bit_cast<std::uint64_t>(1.0) & ~mask));
    };
    std::int64_t m = 0;
    for (std::size_t i = 0; i < factors_in_product; ++i) {
        const double a = on0[i];
        const double b = on1[i];
        const double prior = (a + b + 0.5) * per_point;
        const std::int64_t was_on = on0[i] + on1[i] > 0 ? -1 : 0;
        factors0[i] = chosen(static_cast<std::uint64_t>(was_on), a + prior);
        factors1[i] = chosen(static_cast<std::uint64_t>(was_on), b + prior);
        m -= was_on;
    }
    for (std::size_t first = lanes; first < factors_in_product; first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            factors0[lane] *= factors0[first + lane];
            factors1[lane] *= factors1[first + lane];
        }
    }
    products[0] = (factors0[0] * factors0[1]) * (factors0[2] * factors0[3]);
    products[1] = (factors1[0] * factors1[1]) * (factors1[2] * factors1[3]);
    return static_cast<double>(m);
}

SAPWOOD_WIDE_VECTORS
inline double binary_products(const Count* on0, const Count* on1, double per_point, double* products) {
    return multiply_shares(on0, on1, per_point, products);
}

}  // namespace detail

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

    /// Adds to `scores` the logarithm of the likelihood of the features in each class. `records`: of each feature, the
    /// counts of its points in each class; `n_of_class`: the points that they are of.
    static void add_scores(Records records, std::span<const std::int64_t> n_of_class, std::span<double> scores,
                           std::span<double> products) {
        double n = 0;
        for (const std::int64_t count : n_of_class) n += static_cast<double>(count);
        double m = 0;
        for (std::size_t first = 0; first < records.size(); first += detail::factors_in_product) {
            const std::size_t size = std::min(detail::factors_in_product, records.size() - first);
            const Records some = records.subspan(first, size);
            m += n_of_class.size() == 2 ? binary_products(some, strength / (n + 1), products)
                                        : any_products(some, strength / (n + 1), products);
            for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += std::log(products[k]);
        }
        for (std::size_t k = 0; k < scores.size(); ++k) {
            scores[k] -= m * std::log(static_cast<double>(n_of_class[k]) + strength);
        }
    }

    /// The log-odds of the second of two classes by the features alone, without the sizes of the classes: the
    /// difference of the two scores that `add_scores` adds. The counts of a record begin at its word `at`.
    ///
    /// One logarithm for sixteen features, of the ratio of two products: a factor is at most n + 2, so that nothing
    /// overflows.
    static double log_odds(Records records, std::size_t at, std::span<const std::int64_t> n_of_class) {
        const double per = per_point(n_of_class);
        double m = 0;
        double sum = 0;
        for (std::size_t first = 0; first < records.size(); first += detail::factors_in_product) {
            const Records some = records.subspan(first, std::min(detail::factors_in_product, records.size() - first));
            std::array<Count, detail::factors_in_product> on0{};
            std::array<Count, detail::factors_in_product> on1{};
            for (std::size_t i = 0; i < some.size(); ++i) {
                on0[i] = some[i][at].count;
                on1[i] = some[i][at + 1].count;
            }
            std::array<double, 2> products;
            m += detail::binary_products(on0.data(), on1.data(), per, products.data());
            sum += std::log(products[1] / products[0]);
        }
        return log_odds(sum, m, n_of_class);
    }

    /// The same, where the logarithm of the ratio of the products of all features is known, and how many they are.
    static double log_odds(double log_ratio, double n_on, std::span<const std::int64_t> n_of_class) {
        const double of_sizes =
            std::log((static_cast<double>(n_of_class[0]) + strength) / (static_cast<double>(n_of_class[1]) + strength));
        return log_ratio + n_on * of_sizes;
    }

    /// What the prior of a feature of two classes is multiplied by.
    static double per_point(std::span<const std::int64_t> n_of_class) {
        const double n = static_cast<double>(n_of_class[0]) + static_cast<double>(n_of_class[1]);
        return strength / (n + 1);
    }

private:
    /// Multiplies the shares of a few features, but for their common denominator, for each class. Returns how many of
    /// them were on in a point.
    static double any_products(Records records, double per_point, std::span<double> products) {
        std::fill(products.begin(), products.end(), 1.0);
        double m = 0;
        for (const Word* counts : records) {
            double on = 0;
            for (std::size_t k = 0; k < products.size(); ++k) on += counts[k].count;
            if (on == 0) continue;
            ++m;
            const double prior = (on + 0.5) * per_point;
            for (std::size_t k = 0; k < products.size(); ++k) products[k] *= counts[k].count + prior;
        }
        return m;
    }

    /// The same for two classes, in vectors.
    static double binary_products(Records records, double per_point, std::span<double> products) {
        std::array<Count, detail::factors_in_product> on0{};
        std::array<Count, detail::factors_in_product> on1{};
        for (std::size_t i = 0; i < records.size(); ++i) {
            on0[i] = records[i][0].count;
            on1[i] = records[i][1].count;
        }
        return detail::binary_products(on0.data(), on1.data(), per_point, products.data());
    }
};

}  // namespace sapwood
