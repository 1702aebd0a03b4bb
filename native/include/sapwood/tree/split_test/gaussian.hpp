#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>

#include "sapwood/tree/split_test/bound.hpp"
#include "sapwood/tree/split_test/gain_units.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The number that a standard normal variable exceeds with probability delta, in (0, 1/2).
inline double normal_quantile(double delta) {
    // Halving the interval takes longer than a closed approximation, and needs no table of coefficients; a tree asks
    // once.
    double low = 0;
    double high = 40;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (std::erfc(middle / std::numbers::sqrt2) / 2 > delta ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// n times the variance of the gain of a feature that is on in a_k of the c_k points of each class, by the delta
/// method: with cells p_vk the gain is a smooth function of their shares, and
///     n * variance -> sum p d^2 - (sum p d)^2,    d = the derivative of the gain by the cell.
/// Jin and Agrawal, "Efficient decision tree construction on streaming data", KDD 2003.
inline double gain_variance(Criterion criterion, std::span<const Count> on, std::span<const Count> of_class) {
    double n = 0;
    double n_on = 0;
    for (std::size_t k = 0; k < of_class.size(); ++k) {
        n += of_class[k];
        n_on += on[k];
    }
    const std::array<double, 2> of_side{n - n_on, n_on};
    const auto in_cell = [&](std::size_t v, std::size_t k) {
        return static_cast<double>(v == 1 ? on[k] : of_class[k] - on[k]);
    };
    // Gini: the sum of the squared shares of each side.
    std::array<double, 2> squares{};
    for (std::size_t v = 0; v < 2; ++v) {
        for (std::size_t k = 0; k < of_class.size() && of_side[v] > 0; ++k) {
            squares[v] += in_cell(v, k) * in_cell(v, k) / (of_side[v] * of_side[v]);
        }
    }
    double mean = 0;
    double mean_square = 0;
    for (std::size_t v = 0; v < 2; ++v) {
        for (std::size_t k = 0; k < of_class.size(); ++k) {
            const double cell = in_cell(v, k);
            if (cell == 0) continue;
            const double share = cell / n;
            const double of_all = of_class[k] / n;
            const double of_this_side = cell / of_side[v];
            double derivative = 0;
            if (criterion == Criterion::entropy) {
                derivative = std::log2(of_this_side / of_all);
            } else if (criterion == Criterion::gini) {
                derivative = 2 * of_this_side - squares[v] - 2 * of_all;
            } else {
                const std::size_t other = 1 - k;
                derivative =
                    std::sqrt(static_cast<double>(of_class[other]) / of_class[k]) - std::sqrt(in_cell(v, other) / cell);
            }
            mean += share * derivative;
            mean_square += share * derivative * derivative;
        }
    }
    return std::max(0.0, mean_square - mean * mean);
}

/// Whether every cell that independence would lead to expect holds at least five points, the usual condition for an
/// approximation by the normal distribution.
inline bool is_nearly_normal(std::span<const Count> on, std::span<const Count> of_class) {
    constexpr double fewest = 5;
    double n = 0;
    double n_on = 0;
    for (std::size_t k = 0; k < of_class.size(); ++k) {
        n += of_class[k];
        n_on += on[k];
    }
    for (const Count count : of_class) {
        if (count > 0 && std::min(n_on, n - n_on) * count < fewest * n) return false;
    }
    return true;
}

/// The bound for the difference of two gains that are nearly normal: `quantile` times its standard deviation, where the
/// variances of the two are added. Infinite where the approximation does not hold yet. `second` is empty for not
/// splitting at all, whose gain is 0 without doubt.
inline double gaussian_bound(Criterion criterion, double quantile, std::span<const Count> best,
                             std::span<const Count> second, std::span<const Count> of_class) {
    double variance = 0;
    double n = 0;
    for (const Count count : of_class) n += count;
    for (const std::span<const Count> on : {best, second}) {
        if (on.empty()) continue;
        if (!is_nearly_normal(on, of_class)) return std::numeric_limits<double>::infinity();
        variance += gain_variance(criterion, on, of_class);
    }
    return quantile * std::sqrt(variance / n);
}

class GaussianBound final : public Bound {
public:
    GaussianBound(Criterion criterion, double delta) : criterion_(criterion), quantile_(normal_quantile(delta)) {}

    bool is_uniform() const override { return false; }

    double value(std::span<const Count> of_class, std::span<const Count> best,
                 std::span<const Count> second) const override {
        return gaussian_bound(criterion_, quantile_, best, second, of_class);
    }

private:
    Criterion criterion_;
    double quantile_;
};

}  // namespace sapwood
