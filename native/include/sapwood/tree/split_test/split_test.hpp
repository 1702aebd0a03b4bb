#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/impurity.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// When has a node seen enough to say that one split is better than another? A split test answers with a bound: the
/// better one is taken when its gain is larger by more than that. Gains of entropy are in bits here, as they are in the
/// works cited and in other libraries of streaming trees; of the other criteria as they come.

/// The gain of a split search, which measures entropy in nats, in the unit of a tree.
inline double in_tree_units(std::string_view criterion, double gain) {
    return criterion == Entropy::name ? gain * std::numbers::log2e : gain;
}

/// The largest possible gain, from the number of classes that a node has seen.
inline double gain_range(std::string_view criterion, std::size_t n_classes) {
    return criterion == Entropy::name ? std::log2(static_cast<double>(std::max<std::size_t>(n_classes, 2))) : 1.0;
}

/// Hoeffding's bound for the mean of n values within a range, exceeded with probability at most delta. Domingos and
/// Hulten, "Mining high-speed data streams", KDD 2000. (A gain is not such a mean, which the next test mends.)
inline double hoeffding_bound(double range, double delta, double n) {
    return range * std::sqrt(std::log(1 / delta) / (2 * n));
}

/// The bound for a difference of gains that follows from McDiarmid's inequality, for information gain (in bits) and for
/// the Gini gain. Rutkowski, Pietruczuk, Duda and Jaworski, "Decision trees for mining data streams based on the
/// McDiarmid's bound", IEEE TKDE 25(6), 2013.
inline double mcdiarmid_bound(std::string_view criterion, std::size_t n_classes, double delta, double n) {
    const double k = static_cast<double>(std::max<std::size_t>(n_classes, 2));
    const double range =
        criterion == Entropy::name ? 6 * (k * std::log2(std::numbers::e * n) + std::log2(2 * n)) + 2 * std::log2(k) : 8;
    return range * std::sqrt(std::log(1 / delta) / (2 * n));
}

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
inline double gain_variance(std::string_view criterion, std::span<const Count> on, std::span<const Count> of_class) {
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
            if (criterion == Entropy::name) {
                derivative = std::log2(of_this_side / of_all);
            } else if (criterion == Gini::name) {
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
inline double gaussian_bound(std::string_view criterion, double quantile, std::span<const Count> best,
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

inline constexpr std::array<std::string_view, 3> split_tests{"hoeffding", "mcdiarmid", "gaussian"};

/// Why there is no such test for a criterion; nothing if there is.
inline std::optional<std::string> why_no_test(const std::string& test, const std::string& criterion) {
    if (test == "mcdiarmid" && criterion == KearnsMansour::name) {
        return "split_test must be 'hoeffding' or 'gaussian' for the criterion 'kearns_mansour', got 'mcdiarmid': that "
               "bound is known for entropy and Gini only";
    }
    return std::nullopt;
}

/// A split test with its parameters.
class SplitTest {
public:
    SplitTest(std::string test, std::string criterion, double delta)
        : test_(std::move(test)), criterion_(std::move(criterion)), delta_(delta), quantile_(normal_quantile(delta)) {}

    /// Whether the bound depends on how many points of each class there are alone, not on which splits are compared.
    bool is_uniform() const { return test_ != "gaussian"; }

    /// By how much the gain of the best split must exceed that of the second, each given by the points of each class in
    /// which its feature is on; `second` is empty for not splitting at all.
    double bound(std::span<const Count> of_class, std::span<const Count> best, std::span<const Count> second) const {
        if (test_ == "gaussian") return gaussian_bound(criterion_, quantile_, best, second, of_class);
        double n = 0;
        std::size_t n_classes = 0;
        for (const Count count : of_class) {
            n += count;
            n_classes += count > 0 ? 1 : 0;
        }
        if (test_ == "mcdiarmid") return mcdiarmid_bound(criterion_, n_classes, delta_, n);
        return hoeffding_bound(gain_range(criterion_, n_classes), delta_, n);
    }

private:
    std::string test_;
    std::string criterion_;
    double delta_;
    double quantile_;
};

}  // namespace sapwood
