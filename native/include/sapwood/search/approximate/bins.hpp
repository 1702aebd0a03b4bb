#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "sapwood/types.hpp"

namespace sapwood {

/// The bins of UpdEnt and UpdGini: intervals of rho_j = c_{j01} / n_{j0}, the share of class 1 where feature j is off.
///
/// Each bin offers, for the counts a = c_{j10} and b = c_{j11} of a feature and c0, c1 of the node,
///  - `key(weighted, a, b)`: K of the paper, whose order within a bin is that of the scores at the bin's centroid;
///  - `lower_key(a, b)` and `upper_key(a, b)`: the keys of the trees L and U. By the paper's identity
///    rho_j < theta <=> theta n_{j1} - c_{j11} < theta n - c_1, a feature has left the bin downwards if its lower key
///    is smaller than `lower_key` of the whole node, and upwards if its upper key is greater than `upper_key` of the
///    node.
/// The two are compared as rounded: what a comparison calls inside is what is inside, here, in the loops of the
/// algorithms and in their validator alike. A rounded border differs from the true one by a share of about 2^-52, which
/// changes the guarantee (1 + alpha) by as little.

/// A border theta of a bin, as a linear function of counts. For theta = 1 - x with a small x, theta itself would lose
/// the digits of x; the same function is then written with x and the other class.
class Border {
public:
    static Border at(double theta) { return {theta, false}; }
    static Border at_one_minus(double x) { return {x, true}; }

    /// theta * (a + b) - b.
    double operator()(Count a, Count b) const {
        const double on = static_cast<double>(a) + b;
        return mirrored_ ? a - share_ * on : share_ * on - b;
    }

private:
    Border(double share, bool mirrored) : share_(share), mirrored_(mirrored) {}

    double share_;
    bool mirrored_;
};

/// The bins B_i of UpdEnt for i = -infinity, ..., -2, -1, 1, 2, ..., infinity. They touch at their borders
/// 2^-((1 + alpha)^k) and 1 - 2^-((1 + alpha)^k), k = 0, 1, ...; bins further out come into use as n grows.
class EntropyBins {
public:
    using Index = std::int32_t;
    static constexpr Index lowest = std::numeric_limits<Index>::min();   // B_-infinity = [0, 0]
    static constexpr Index highest = std::numeric_limits<Index>::max();  // B_infinity = [1, 1]

    struct Bin {
        Border lower;
        Border upper;
        /// ln(1 - mu) and ln(mu) of the centroid; both 0 at +-infinity, where the term that they would multiply is
        /// infinite but the same for every feature, because c_{j11} = c_1 (or c_{j10} = c_0) for all of them.
        double log_not_mu;
        double log_mu;

        double key(double weighted, Count a, Count b) const { return weighted + a * log_not_mu + b * log_mu; }
        double lower_key(Count a, Count b) const { return lower(a, b); }
        double upper_key(Count a, Count b) const { return upper(a, b); }
    };

    explicit EntropyBins(double alpha) : log_step_(std::log1p(alpha)) {}

    Bin bin(Index i) const {
        if (i == lowest) return {Border::at(0), Border::at(0), 0, 0};
        if (i == highest) return {Border::at_one_minus(0), Border::at_one_minus(0), 0, 0};
        const Index k = i < 0 ? -i : i;
        const double outer = share(k);
        const double inner = share(k - 1);
        // The centroid is the outer end of the bin; its logarithm is known exactly before its power is rounded.
        const double log_outer = -std::numbers::ln2 * std::exp(k * log_step_);
        const double log_rest = std::log1p(-outer);
        if (i < 0) return {Border::at(outer), Border::at(inner), log_rest, log_outer};
        return {Border::at_one_minus(inner), Border::at_one_minus(outer), log_outer, log_rest};
    }

    /// ind(rho) for rho = off1 / (off0 + off1). A feature that is never off has no rho; it counts as 0, which is exact:
    /// such a feature has c_{j11} = c_1 like all others in that bin.
    Index ind(Count off0, Count off1) const {
        if (off1 == 0) return lowest;
        if (off0 == 0) return highest;
        if (off1 >= off0) return steps(off0, static_cast<double>(off0) + off1);
        return -steps(off1, static_cast<double>(off0) + off1);
    }

    /// The number of bins first, ..., last.
    static std::int64_t span(Index first, Index last) {
        if (first == last) return 1;
        return std::int64_t{last} - first + (first < 0 && last > 0 ? 0 : 1);
    }

    /// The bin below and above: there is no B_0.
    static Index below(Index i) { return i == 1 ? -1 : i - 1; }
    static Index above(Index i) { return i == -1 ? 1 : i + 1; }

    /// Whether a feature can be filed in the bins first, ..., last.
    bool has(Index first, Index last) const {
        if (first == lowest || last == highest) return first == last;
        const Index furthest = steps(1, max_points) + 1;
        return first != 0 && last != 0 && -furthest <= first && first <= last && last <= furthest;
    }

private:
    /// 2^-((1 + alpha)^k).
    double share(Index k) const { return k == 0 ? 0.5 : std::exp2(-std::exp(k * log_step_)); }

    /// The k >= 1 with share(k) <= x / n <= share(k - 1).
    Index steps(Count x, double n) const {
        const double log_log = std::log(std::log2(n / x));
        Index k = std::max<Index>(1, static_cast<Index>(std::ceil(log_log / log_step_)));
        // The formula is off by one at the borders, where its rounding and that of the borders disagree.
        while (k > 1 && x > share(k - 1) * n) --k;
        while (x < share(k) * n) ++k;
        return k;
    }

    double log_step_;
};

/// The bins B_i of UpdGini for i = 0, 1, ...: of width beta = alpha / (alpha + 2), each overlapping the next by half,
/// so that a feature that has just been put into one needs many points to leave it.
class GiniBins {
public:
    using Index = std::int32_t;

    struct Bin {
        Border lower;
        Border upper;
        double mu;

        double key(double weighted, Count a, Count b) const {
            return weighted - (mu >= 0.5 ? 2.0 * a * mu : 2.0 * b * (1 - mu));
        }
        double lower_key(Count a, Count b) const { return lower(a, b); }
        double upper_key(Count a, Count b) const { return upper(a, b); }
    };

    explicit GiniBins(double alpha) : beta_(alpha / (alpha + 2)) {}

    Bin bin(Index i) const {
        return {Border::at((i / 2.0 - 0.25) * beta_), Border::at((i / 2.0 + 0.75) * beta_), (i / 2.0 + 0.25) * beta_};
    }

    /// ind(rho) for rho = off1 / (off0 + off1). A feature that is never off has no rho; it counts as 0, which is exact:
    /// its score at any centroid is its true score.
    Index ind(Count off0, Count off1) const {
        if (off1 == 0) return 0;
        const double rho = off1 / (static_cast<double>(off0) + off1);
        return static_cast<Index>(std::floor(2 * rho / beta_));
    }

    /// Whether a feature can be filed in the bins first, ..., last: it is in a single one.
    bool has(Index first, Index last) const { return first == last && 0 <= first && first <= 2 / beta_; }

    static std::int64_t span(Index first, Index last) { return std::int64_t{last} - first + 1; }
    static Index below(Index i) { return i - 1; }
    static Index above(Index i) { return i + 1; }

private:
    double beta_;
};

}  // namespace sapwood
