#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sapwood/compiler.hpp"
#include "sapwood/search/certified/packed_counters.hpp"
#include "sapwood/search/certified/region.hpp"
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
// Theorem (box). Let the class counts stay in a box lower <= c' <= upper, and let the feature be touched at most r
// times, by additions in any class (and by removals too, if there are any). If
//     F(a - s, b + r; upper0, max(lower1, b + r)) < theta   and   F(a + r, b - s; max(lower0, a + r), upper1) < theta,
// with s = 0 if nothing is removed, and s = r (but no more than there is) otherwise, then F < theta in every such
// state. Proof, for a positive state (a', b'; c0', c1'): let a' fall to a - s, raise c0' to upper0, raise b' to b + r
// or to c1' if that is less. If c1' > b + r, lower c1' to max(lower1, b + r). Otherwise the feature is on in all points
// of class 1; raise b and c1 together to b + r, along which F grows by D1(p) - D1(q1) >= 0. (b + r need not exceed
// upper1.)
//
// Theorem (cone). If nothing is removed, the same two corners are enough for every later state, however many points
// have come, in which the ratio of the classes is between theirs: c0' lower1 <= c1' upper0 and c1' lower0 <= c0'
// upper1. Only where b + r exceeds lower1, the other class must grow with it: the first corner is then
// (upper0 (b + r) / lower1, b + r), and the second likewise. Proof, for a positive state: let a' fall to a and raise b'
// to b + r, with c1' if need be, which keeps the first of the two bounds. Then let both classes shrink together, c' = t
// c', down to c1' = max(lower1, b + r). F does not fall on the way: by homogeneity its derivative with respect to t is
// g(c') - g'(c' - x) . c', for x = (a, b + r) and g the weighted impurity, and a tangent of a concave function is
// nowhere below it. The feature stays positive, so that c0' >= a as long as c1' >= b + r. And c0' is at most what it is
// at the corner now, to which it may be raised.
//
// So a cone costs no more than its corners, and is left only if the share of the classes changes. Certificates for it
// stay valid when the cone is narrowed, when its apex `lower` moves on with the counts, and when theta is raised.
//
// Rounding. A certificate is granted only if the computed F at both corners, plus twice the bound on its rounding in
// any state of the region, is below theta. So the true F there, and in every state covered, is below theta by more than
// the rounding of a computed F; and a feature whose computed F is at least theta has a computed score strictly smaller
// than that of every certified feature. That is what "exact" means: the answer is the one that computing all scores
// would give, to the last bit.

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

    /// Sets what certificates are to promise: F < theta in the region, with or without removals.
    void promise(const Region<ClassCounts>& region, double theta, bool removals) {
        region_ = region;
        removals_ = removals;
        const auto& lower = region_.lower;
        const auto& upper = region_.upper;
        const double most = region.is_cone ? region.most : static_cast<double>(upper[0]) + upper[1];
        criterion_.cover(static_cast<Count>(std::min<double>(static_cast<double>(upper[0]) + upper[1], max_points)));
        whole_high0_ = criterion_.weighted(upper[0], lower[1]);
        whole_high1_ = criterion_.weighted(lower[0], upper[1]);
        limit_ = theta - 2 * criterion_.rounding(most, 2);
    }

    /// Whether the promise holds for a feature that is touched at most r times more.
    bool holds(const Count* on, Count r) const { return bound(on, r) < limit_; }

    /// What a bound must be below for a certificate.
    double limit() const { return limit_; }

    /// The largest n * gain, as computed at the two corners, of a feature that is touched at most r times more.
    double bound(const Count* on, Count r) const {
        const auto& [lower, upper, is_cone, most] = region_;
        const Count a = on[0];
        const Count b = on[1];
        const Count less_a = removals_ ? std::max(0, a - r) : a;
        const Count less_b = removals_ ? std::max(0, b - r) : b;
        const Count most_a = is_cone ? most : upper[0];
        const Count most_b = is_cone ? most : upper[1];
        const Count more_a = r < most_a - a ? a + r : most_a;
        const Count more_b = r < most_b - b ? b + r : most_b;
        return std::max(corner<1>(less_a, more_b, {upper[0], lower[1]}, whole_high0_),
                        corner<0>(more_a, less_b, {lower[0], upper[1]}, whole_high1_));
    }

private:
    /// F(a, b; c) at a corner, where the class `grown` must have at least as many points as the feature has in it.
    template <std::size_t grown>
    double corner(Count a, Count b, ClassCounts c, double whole) const {
        const Count on = grown == 0 ? a : b;
        if (on > c[grown]) [[unlikely]] {
            if (region_.is_cone) {
                // Both classes grow, the other one rounded up.
                const std::int64_t other = (std::int64_t{c[1 - grown]} * on + c[grown] - 1) / c[grown];
                if (other > region_.most - on) return std::numeric_limits<double>::infinity();
                c[1 - grown] = static_cast<Count>(other);
            }
            c[grown] = on;
            whole = criterion_.weighted(c[0], c[1]);
        }
        // More than there are at the corner, as may be some time after a cone was made: there is no such state of the
        // sign that this corner is for.
        if ((grown == 0 ? b : a) > c[1 - grown]) [[unlikely]]
            return 0;
        return whole - criterion_.score(a, b, c[0], c[1]);
    }

    Criterion criterion_;
    Region<ClassCounts> region_{};
    double limit_ = 0;
    double whole_high0_ = 0;
    double whole_high1_ = 0;
    bool removals_ = false;
};

}  // namespace sapwood
