#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sapwood/compiler.hpp"
#include "sapwood/types.hpp"
#include "sapwood/x_log_x.hpp"

namespace sapwood {

/// Layer 1: from counts to impurity.
///
/// A criterion is a concave impurity phi of the shares of the classes, given by its weighted form
///     weighted(u) = |u| * phi(u / |u|),    weighted(0) = 0,
/// for u_k points of class k and |u| in all; with two classes weighted(u, v). All else follows from it: for a feature
/// that is on in a_k points of each class of a node with c_k,
///     score = weighted(a) + weighted(c - a) = n * impurity(D | feature)
/// and the gain is (weighted(c) - score) / n.
///
/// With two classes the weighted form is symmetric to the last bit, so that two classes exchanged tie; and a feature
/// ties with its complement. `cover(n)` must be called before counts that sum to n are passed. `scores` computes many
/// scores at once. `rounding(n, K)` bounds how far a computed n * gain can be from the true one, for at most n points
/// of K classes.

namespace detail {

/// The score for entropy, by a table of x ln x.
SAPWOOD_INLINE inline double entropy_score(Count a, Count b, Count c0, Count c1, const double* table) {
    const Count off0 = c0 - a;
    const Count off1 = c1 - b;
    return (table[a + b] - (table[a] + table[b])) + (table[off0 + off1] - (table[off0] + table[off1]));
}

/// Plain look-ups: gathered into vectors they were measured to be slower.
inline void entropy_scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1,
                           const double* table, double* scores) {
    for (std::size_t i = 0; i < size; ++i) scores[i] = entropy_score(on0[i], on1[i], c0, c1, table);
}

SAPWOOD_WIDE_VECTORS
inline void gini_scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1,
                        double* __restrict scores) {
    for (std::size_t i = 0; i < size; ++i) {
        const Count a = on0[i];
        const Count b = on1[i];
        const Count on = a + b;
        const Count off = c0 + c1 - on;
        const double off0 = c0 - a;
        const double off1 = c1 - b;
        // An empty side has an impurity of 0 / 1 = 0 here, without a branch that would keep the loop from vectors.
        scores[i] = 2.0 * a * b / (on + (on == 0)) + 2.0 * off0 * off1 / (off + (off == 0));
    }
}

}  // namespace detail

/// H(p) = - sum p_k ln p_k, in nats.
class Entropy {
public:
    static constexpr std::string_view name = "entropy";

    void cover(Count n) {
        if (x_log_x_.outgrown(n)) x_log_x_ = XLogX::covering(n);
    }

    SAPWOOD_INLINE double weighted(Count u, Count v) const { return x_log_x_(u + v) - (x_log_x_(u) + x_log_x_(v)); }

    double weighted(std::span<const Count> counts) const {
        Count n = 0;
        double sum = 0;
        for (const Count count : counts) {
            n += count;
            sum += x_log_x_(count);
        }
        return x_log_x_(n) - sum;
    }

    SAPWOOD_INLINE double score(Count a, Count b, Count c0, Count c1) const {
        // One look at the size of the table instead of six.
        if (x_log_x_.covers(c0 + c1)) [[likely]]
            return detail::entropy_score(a, b, c0, c1, x_log_x_.values());
        return score_beyond(a, b, c0, c1);
    }

    void scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1, double* out) const {
        if (x_log_x_.covers(c0 + c1)) {
            detail::entropy_scores(on0, on1, size, c0, c1, x_log_x_.values(), out);
        } else {
            for (std::size_t i = 0; i < size; ++i) out[i] = score(on0[i], on1[i], c0, c1);
        }
    }

    /// Each of the 3 (K + 1) terms x ln x is off by at most 2 units in the last place of n ln n, and so is each sum.
    static double rounding(double n, std::size_t n_classes) {
        return 0x1p-53 * 12 * static_cast<double>(n_classes + 1) * (n + 2) * std::log(n + 2);
    }

private:
    // Kept out of line, so that a score is small enough to be inlined where it matters.
#if defined(__GNUC__)
    [[gnu::noinline, gnu::cold]]
#endif
    double score_beyond(Count a, Count b, Count c0, Count c1) const {
        return weighted(a, b) + weighted(c0 - a, c1 - b);
    }

    XLogX x_log_x_ = XLogX::covering(0);
};

/// G(p) = sum p_k (1 - p_k).
class Gini {
public:
    static constexpr std::string_view name = "gini";

    void cover(Count) {}

    double weighted(Count u, Count v) const {
        const double n = static_cast<double>(u) + v;
        return n > 0 ? 2.0 * u * v / n : 0.0;
    }

    /// (n^2 - sum u_k^2) / n, in whole numbers but for the division.
    double weighted(std::span<const Count> counts) const {
        std::int64_t n = 0;
        for (const Count count : counts) n += count;
        std::int64_t pairs = 0;
        for (const Count count : counts) pairs += count * (n - count);
        return n > 0 ? static_cast<double>(pairs) / static_cast<double>(n) : 0.0;
    }

    double score(Count a, Count b, Count c0, Count c1) const { return weighted(a, b) + weighted(c0 - a, c1 - b); }

    void scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1, double* out) const {
        detail::gini_scores(on0, on1, size, c0, c1, out);
    }

    /// Three terms of at most n, each off by 4 units in the last place, and two sums.
    static double rounding(double n, std::size_t) { return 0x1p-53 * 16 * (n + 2); }
};

/// 2 sqrt(p (1 - p)), the impurity of Kearns and Mansour (STOC 1996), for two classes: it falls faster than the others
/// as a side becomes pure, and stands here to show that a search needs nothing but a concave impurity.
class KearnsMansour {
public:
    static constexpr std::string_view name = "kearns_mansour";

    void cover(Count) {}

    double weighted(Count u, Count v) const { return 2.0 * std::sqrt(static_cast<double>(u) * v); }

    double score(Count a, Count b, Count c0, Count c1) const { return weighted(a, b) + weighted(c0 - a, c1 - b); }

    void scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1, double* out) const {
        for (std::size_t i = 0; i < size; ++i) out[i] = score(on0[i], on1[i], c0, c1);
    }

    /// Three terms of at most n, each off by 2 units in the last place, and two sums.
    static double rounding(double n, std::size_t) { return 0x1p-53 * 16 * (n + 2); }
};

/// Whether a criterion is defined for more than two classes.
template <class Criterion>
concept MulticlassCriterion = requires(const Criterion criterion, std::span<const Count> counts) {
    { criterion.weighted(counts) } -> std::same_as<double>;
};

}  // namespace sapwood
