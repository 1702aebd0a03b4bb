#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/random.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// How often each tree of a forest learns each point: draws of a Poisson distribution (online bagging: Oza and Russell,
/// 2001), or once each if its mean is 0.
///
/// Guarantee: the draw of a tree for a point is a function of the seed, of the tree and of the number of the point, and
/// of nothing else: not of what other trees draw, of threads, or of how points are divided into calls. The seed of the
/// tree and the number n of the point, from 0 on, give u = hashed(hashed(seed of the tree) + n) / 2^64, cut to 53 bits
/// (hashed: random.hpp); the draw is the least k with u < P(0) + ... + P(k).
class PoissonDraws {
public:
    explicit PoissonDraws(double mean) {
        if (mean == 0) return;
        double term = portable::exp_of_negative(-mean);
        double sum = term;
        // Until the rest is below the chance of the smallest step of u.
        for (std::size_t k = 1; sum < 1 - 0x1p-53 && cumulated_.size() < most; ++k) {
            cumulated_.push_back(sum);
            term *= mean / static_cast<double>(k);
            sum += term;
        }
        cumulated_.push_back(1);
    }

    /// `seed`: that of the tree, hashed.
    Count draw(std::uint64_t seed, std::int64_t n) const {
        if (cumulated_.empty()) return 1;
        const double u = static_cast<double>(hashed(seed + static_cast<std::uint64_t>(n)) >> 11) * 0x1p-53;
        std::size_t k = 0;
        while (u >= cumulated_[k]) ++k;
        return static_cast<Count>(k);
    }

    /// The largest draw.
    Count largest() const { return cumulated_.empty() ? 1 : static_cast<Count>(cumulated_.size() - 1); }

private:
    /// More than any mean up to `largest_mean` needs.
    static constexpr std::size_t most = 1024;

    std::vector<double> cumulated_;
};

}  // namespace sapwood
