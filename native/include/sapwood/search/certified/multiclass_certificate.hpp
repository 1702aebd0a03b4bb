#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <vector>

#include "sapwood/impurity.hpp"
#include "sapwood/search/certified/certificate.hpp"
#include "sapwood/search/certified/plain_counters.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

// Certificates for K classes, by way of those for two (certificate.hpp).
//
// Let F be n * gain over K classes, and F_k the same for class k against all others.
//  - Gini:    F = 1/2 sum F_k, because sum 2 p_k (1 - p_k) = 2 sum p_k (1 - p_k).
//  - Entropy: F <= sum F_k. F is a sum over the two sides of a feature of n_v KL(q_v || p), with q_v the shares of the
//    classes there, and the binary divergences of all classes add up to KL(q || p) plus
//    sum (1 - q_k) ln((1 - q_k) / (1 - p_k)), which is K - 1 times a divergence again, and so not negative.
// Each F_k is bounded over the box by the theorem for two classes, so their sum bounds F.
//
// For entropy a second bound is often sharper. For fixed class counts F is convex in the counts a of the feature, so
// over at most r more occurrences it is largest at a or at a + r e_k for some class k, provided that all of these are
// possible: a_k + r <= lower_k. And for fixed a, dF/dc_y = ln((1 - a_y / c_y) / (1 - |a| / |c|)), which in the box is
// at most ln((1 - a_y / upper_y) / (1 - |a| / |lower|)); so from lower to any point of the box F grows by at most sum
// (upper_y - lower_y) max(0, that logarithm). With psi(k, c) = c ln c - k ln k - (c - k) ln(c - k), F(a; c) = psi(|a|,
// |c|) - sum psi(a_y, c_y).

/// Grants certificates for any number of classes, for entropy and Gini.
template <MulticlassCriterion Criterion>
class MulticlassCertificate {
public:
    static constexpr std::size_t fixed_classes = 0;
    using ClassCounts = std::vector<Count>;
    using Counters = PlainCounters;

    explicit MulticlassCertificate(std::size_t n_classes)
        : off_(n_classes), whole_high_(n_classes), whole_low_(n_classes) {}

    void cover(Count n) { criterion_.cover(n); }

    double whole(const ClassCounts& c) const { return criterion_.weighted(c); }

    double score(const Count* on, const ClassCounts& c) const {
        for (std::size_t k = 0; k < c.size(); ++k) off_[k] = c[k] - on[k];
        return criterion_.weighted({on, c.size()}) + criterion_.weighted(off_);
    }

    /// Sets what certificates are to promise: F < theta in a region, which must be a box, with or without removals.
    void promise(const Region<ClassCounts>& box, double theta, bool removals) {
        box_ = box;
        removals_ = removals;
        const std::size_t n_classes = box.lower.size();
        lower_ = 0;
        upper_ = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            lower_ += box.lower[k];
            upper_ += box.upper[k];
        }
        criterion_.cover(upper_);
        for (std::size_t k = 0; k < n_classes; ++k) {
            whole_high_[k] = criterion_.weighted(upper_ - box.upper[k], box.lower[k]);
            whole_low_[k] = criterion_.weighted(lower_ - box.lower[k], box.upper[k]);
        }
        limit_ = theta - 2 * (criterion_.rounding(upper_, n_classes) +
                              static_cast<double>(n_classes) * criterion_.rounding(upper_, 2));
    }

    /// Whether the promise holds for a feature that is touched at most r times more.
    bool holds(const Count* on, Count r) const { return bound(on, r) < limit_; }

    /// What a bound must be below for a certificate.
    double limit() const { return limit_; }

    /// A bound on the n * gain of a feature that is touched at most r times more; infinite if it is not below the
    /// limit.
    double bound(const Count* on, Count r) const {
        if constexpr (std::same_as<Criterion, Entropy>) {
            if (const double convex = convex_bound(on, r); convex < limit_) return convex;
        }
        return class_by_class_bound(on, r);
    }

private:
    /// The bound by the certificates of each class against all others; infinite as soon as it is known to be too large.
    double class_by_class_bound(const Count* on, Count r) const {
        const std::size_t n_classes = box_.lower.size();
        constexpr double share = std::same_as<Criterion, Gini> ? 0.5 : 1.0;
        Count all = 0;
        for (std::size_t k = 0; k < n_classes; ++k) all += on[k];
        double sum = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            const Count in = on[k];
            const Count out = all - in;
            const Count in_lower = box_.lower[k];
            const Count in_upper = box_.upper[k];
            const Count out_lower = lower_ - in_lower;
            const Count out_upper = upper_ - in_upper;
            const Count less_in = removals_ ? std::max(0, in - r) : in;
            const Count less_out = removals_ ? std::max(0, out - r) : out;
            const Count more_in = r < in_upper - in ? in + r : in_upper;
            const Count more_out = r < out_upper - out ? out + r : out_upper;
            const double high =
                more_in <= in_lower
                    ? whole_high_[k] - criterion_.score(less_out, more_in, out_upper, in_lower)
                    : criterion_.weighted(out_upper, more_in) - criterion_.score(less_out, more_in, out_upper, more_in);
            const double low =
                more_out <= out_lower
                    ? whole_low_[k] - criterion_.score(more_out, less_in, out_lower, in_upper)
                    : criterion_.weighted(more_out, in_upper) - criterion_.score(more_out, less_in, more_out, in_upper);
            sum += share * std::max(high, low);
            if (!(sum < limit_)) return std::numeric_limits<double>::infinity();
        }
        return sum;
    }

    /// The bound by convexity, for entropy; infinite where it does not apply.
    double convex_bound(const Count* on, Count r) const {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        const std::size_t n_classes = box_.lower.size();
        if (removals_) return infinite;
        Count all = 0;
        double parts = 0;      // sum of psi(a_y, lower_y)
        double best_move = 0;  // the largest psi(a_k, lower_k) - psi(a_k + r, lower_k)
        for (std::size_t k = 0; k < n_classes; ++k) {
            if (r > box_.lower[k] - on[k]) return infinite;
            all += on[k];
            const double part = psi(on[k], box_.lower[k]);
            parts += part;
            best_move = k == 0 ? part - psi(on[k] + r, box_.lower[k])
                               : std::max(best_move, part - psi(on[k] + r, box_.lower[k]));
        }
        if (all + r >= lower_) return infinite;
        const double here = psi(all, lower_) - parts;
        const double moved = psi(all + r, lower_) - parts + best_move;
        return std::max(here + growth(on, all), moved + growth(on, all + r));
    }

    /// How much F can grow from the lower corner of the box to any point of it, for a feature that is on `all` times.
    double growth(const Count* on, Count all) const {
        // Where nearly all points have the feature, the logarithm of the rest is inexact, and the bound useless anyway.
        if (static_cast<double>(lower_) - all < 1e-6 * lower_) return std::numeric_limits<double>::infinity();
        const double rest = std::log1p(-static_cast<double>(all) / lower_);
        double sum = 0;
        for (std::size_t k = 0; k < box_.lower.size(); ++k) {
            if (box_.upper[k] == 0) continue;
            const double own = std::log1p(-static_cast<double>(on[k]) / box_.upper[k]);
            sum += (box_.upper[k] - box_.lower[k]) * std::max(0.0, own - rest);
        }
        return sum * (1 + 1e-9);  // far more than the rounding of the sum
    }

    /// c ln c - k ln k - (c - k) ln(c - k): the weighted entropy of k points in one class and c - k in another.
    double psi(Count k, Count c) const { return criterion_.weighted(k, c - k); }

    Criterion criterion_;
    Region<ClassCounts> box_{};
    double limit_ = 0;
    Count lower_ = 0;
    Count upper_ = 0;
    bool removals_ = false;
    mutable std::vector<Count> off_;
    std::vector<double> whole_high_;
    std::vector<double> whole_low_;
};

}  // namespace sapwood
