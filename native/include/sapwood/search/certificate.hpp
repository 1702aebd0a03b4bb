#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "sapwood/compiler.hpp"
#include "sapwood/search/packed_counters.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

// Certificates: proofs that a feature cannot be the best split for a while, whatever the stream does.
//
// Let F(a, b; c0, c1) = n * gain of a feature that is on in a and b points of the two classes of a node with c0 and c1.
//
// Lemma. Call (a, b) positive at (c0, c1) if b c0 >= a c1. There F does not decrease as b or c0 grow and does not
// increase as a or c1 grow, and each of these moves keeps the feature positive. Negative is the mirror image. Why: with
// p, q0 and q1 the share of class 1 overall, off and on the feature, q0 <= p <= q1. The partial derivatives of the
// weighted impurity are D1(p) = phi + (1 - p) phi', which falls with p, and D0(p) = phi - p phi', which rises; and
// dF/db = D1(q0) - D1(q1), dF/da = D0(q0) - D0(q1), dF/dc1 = D1(p) - D1(q0), dF/dc0 = D0(p) - D0(q0).
//
// Theorem. Let the class counts stay in a box lower <= c' <= upper, and let the feature be touched at most r times, by
// additions in any class (and by removals too, if there are any). If
//     F(a - s, b + r; upper0, max(lower1, b + r)) < theta   and   F(a + r, b - s; max(lower0, a + r), upper1) < theta,
// with s = 0 if nothing is removed, and s = r (but no more than there is) otherwise, then F < theta in every such
// state. Proof, for a positive state (a', b'; c0', c1'): let a' fall to a - s, raise c0' to upper0, raise b' to b + r
// or to c1' if that is less. If c1' > b + r, lower c1' to max(lower1, b + r). Otherwise the feature is on in all points
// of class 1; raise b and c1 together to b + r, along which F grows by D1(p) - D1(q1) >= 0. (b + r need not exceed
// upper1.)
//
// Rounding. A certificate is granted only if the computed F at both corners, plus twice the bound on its rounding, is
// below theta. So the true F there, and in every state covered, is below theta by more than the rounding of a computed
// F; and a feature whose computed F is at least theta has a computed score strictly smaller than that of every
// certified feature. That is what "exact" means: the answer is the one that computing all scores would give, to the
// last bit.

/// The region of class counts for which certificates are made.
template <class ClassCounts>
struct Box {
    ClassCounts lower;
    ClassCounts upper;

    bool contains(const ClassCounts& counts) const {
        for (std::size_t k = 0; k < counts.size(); ++k) {
            if (counts[k] < lower[k] || counts[k] > upper[k]) return false;
        }
        return true;
    }
};

/// Grants certificates for two classes, for any concave impurity.
template <class Criterion>
class BinaryCertificate {
public:
    static constexpr std::size_t fixed_classes = 2;
    using ClassCounts = std::array<Count, 2>;
    using Counters = PackedCounters;

    explicit BinaryCertificate(std::size_t) {}

    void cover(Count n) { criterion_.cover(n); }

    /// The weighted impurity of a node, and the score of a feature in it.
    SAPWOOD_INLINE double whole(const ClassCounts& c) const { return criterion_.weighted(c[0], c[1]); }
    SAPWOOD_INLINE double score(const Count* on, const ClassCounts& c) const {
        return criterion_.score(on[0], on[1], c[0], c[1]);
    }

    /// The scores of many features.
    void scores(const Count* on0, const Count* on1, std::size_t size, const ClassCounts& c, double* out) const {
        criterion_.scores(on0, on1, size, c[0], c[1], out);
    }

    /// Sets what certificates are to promise: F < theta in the box, with or without removals.
    void promise(const Box<ClassCounts>& box, double theta, bool removals) {
        box_ = box;
        removals_ = removals;
        const auto& [lower, upper] = box_;
        criterion_.cover(upper[0] + upper[1]);
        whole_high0_ = criterion_.weighted(upper[0], lower[1]);
        whole_high1_ = criterion_.weighted(lower[0], upper[1]);
        limit_ = theta - 2 * criterion_.rounding(static_cast<double>(upper[0]) + upper[1], 2);
    }

    /// Whether the promise holds for a feature that is touched at most r times more.
    bool holds(const Count* on, Count r) const {
        const auto& [lower, upper] = box_;
        const Count a = on[0];
        const Count b = on[1];
        const Count less_a = removals_ ? std::max(0, a - r) : a;
        const Count less_b = removals_ ? std::max(0, b - r) : b;
        const Count more_a = r < upper[0] - a ? a + r : upper[0];
        const Count more_b = r < upper[1] - b ? b + r : upper[1];
        return corner<1>(less_a, more_b, {upper[0], lower[1]}, whole_high0_) < limit_ &&
               corner<0>(more_a, less_b, {lower[0], upper[1]}, whole_high1_) < limit_;
    }

private:
    /// F(a, b; c) at a corner, where the class `grown` must have at least as many points as the feature has in it.
    template <std::size_t grown>
    double corner(Count a, Count b, ClassCounts c, double whole) const {
        const Count on = grown == 0 ? a : b;
        if (on > c[grown]) {
            c[grown] = on;
            whole = criterion_.weighted(c[0], c[1]);
        }
        return whole - criterion_.score(a, b, c[0], c[1]);
    }

    Criterion criterion_;
    Box<ClassCounts> box_{};
    double limit_ = 0;
    double whole_high0_ = 0;
    double whole_high1_ = 0;
    bool removals_ = false;
};

}  // namespace sapwood
