#pragma once

#include <cstddef>
#include <string_view>

#include "sapwood/types.hpp"
#include "sapwood/wide_vectors.hpp"
#include "sapwood/x_log_x.hpp"

namespace sapwood {

/// Layer 1: from counts to impurity.
///
/// A criterion is a concave impurity phi(p) of the share p of class 1, given by its weighted form
///     weighted(u, v) = (u + v) * phi(v / (u + v)),    weighted(0, 0) = 0,
/// for u points of class 0 and v of class 1. All else follows from it: for a feature that is on in a points of class 0
/// and b of class 1 of a node with c0 and c1,
///     score = weighted(a, b) + weighted(c0 - a, c1 - b) = n * impurity(D | feature)
/// and the gain is (weighted(c0, c1) - score) / n.
///
/// The weighted form is symmetric to the last bit, so that a feature and its complement, or two classes exchanged, tie.
/// `cover(n)` must be called before counts that sum to n are passed. `scores` computes many scores at once.

namespace detail {

/// Plain look-ups: gathered into vectors they were measured to be slower.
inline void entropy_scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1,
                           const double* table, double* scores) {
    const Count n = c0 + c1;
    for (std::size_t i = 0; i < size; ++i) {
        const Count a = on0[i];
        const Count b = on1[i];
        scores[i] = (table[a + b] - (table[a] + table[b])) + (table[n - a - b] - (table[c0 - a] + table[c1 - b]));
    }
}

SAPWOOD_WIDE_VECTORS
inline void gini_scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1,
                        double* __restrict scores) {
    for (std::size_t i = 0; i < size; ++i) {
        const Count on = on0[i] + on1[i];
        const Count off = c0 + c1 - on;
        const double a = on0[i];
        const double b = on1[i];
        const double off0 = c0 - on0[i];
        const double off1 = c1 - on1[i];
        // An empty side has an impurity of 0 / 1 = 0 here, without a branch that would keep the loop from vectors.
        scores[i] = 2.0 * a * b / (on + (on == 0)) + 2.0 * off0 * off1 / (off + (off == 0));
    }
}

}  // namespace detail

/// H(p) = -p ln p - (1 - p) ln(1 - p), in nats.
class Entropy {
public:
    static constexpr std::string_view name = "entropy";

    void cover(Count n) {
        if (x_log_x_.outgrown(n)) x_log_x_ = XLogX::covering(n);
    }

    double weighted(Count u, Count v) const { return x_log_x_(u + v) - (x_log_x_(u) + x_log_x_(v)); }

    double score(Count a, Count b, Count c0, Count c1) const { return weighted(a, b) + weighted(c0 - a, c1 - b); }

    void scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1, double* out) const {
        if (x_log_x_.covers(c0 + c1)) {
            detail::entropy_scores(on0, on1, size, c0, c1, x_log_x_.values(), out);
        } else {
            for (std::size_t i = 0; i < size; ++i) out[i] = score(on0[i], on1[i], c0, c1);
        }
    }

private:
    XLogX x_log_x_ = XLogX::covering(0);
};

/// G(p) = 2 p (1 - p).
class Gini {
public:
    static constexpr std::string_view name = "gini";

    void cover(Count) {}

    double weighted(Count u, Count v) const {
        const double on = static_cast<double>(u) + v;
        return on > 0 ? 2.0 * u * v / on : 0.0;
    }

    double score(Count a, Count b, Count c0, Count c1) const { return weighted(a, b) + weighted(c0 - a, c1 - b); }

    void scores(const Count* on0, const Count* on1, std::size_t size, Count c0, Count c1, double* out) const {
        detail::gini_scores(on0, on1, size, c0, c1, out);
    }
};

}  // namespace sapwood
