#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "sapwood/generate/generated.hpp"
#include "sapwood/random.hpp"

namespace sapwood {

/// The stream sparse(n, d1, d2, q) of Tatti's paper.
struct SparseStream {
    std::int64_t n;
    std::int64_t d1;
    std::int64_t d2;
    double q;
};

/// How many cells that are off come before the next one that is on, where each is on with probability q: the whole part
/// of an exponential variate.
class Gaps {
public:
    explicit Gaps(double q) : q_(q), scale_(q > 0.0 && q < 1.0 ? 1.0 / portable::minus_ln_1m(q) : 0.0) {}

    std::int64_t draw(Random& random) const {
        if (q_ >= 1.0) return 0;
        if (q_ <= 0.0) return far;
        const double gap = -portable::ln(random.uniform_above_zero()) * scale_;
        // Written so that a NaN, from 0 times infinity, is far too.
        return gap < static_cast<double>(far) ? static_cast<std::int64_t>(gap) : far;
    }

    /// Beyond the last cell of any stream, and far from overflow when a row is added to it.
    static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 4;

private:
    double q_;
    double scale_;
};

/// Draws the stream: the flip rate of each signal feature first, then point after point. Takes time proportional to
/// n d1 and the noise features that are on. There is room for `at_once` points, which `each` may take.
template <class Each>
Generated generate_sparse(const SparseStream& stream, Random random, std::int64_t at_once, Each each) {
    const Gaps gaps(stream.q);
    std::vector<double> flip(static_cast<std::size_t>(stream.d1));
    for (double& rate : flip) rate = random.uniform();

    Generated points(at_once);
    const double likely = static_cast<double>(at_once) *
                          (static_cast<double>(stream.d1) / 2 + static_cast<double>(stream.d2) * stream.q) * 1.02;
    points.indices.reserve(static_cast<std::size_t>(likely) + 64);
    // The gap before the next noise feature runs on from one point into the next.
    std::int64_t next = stream.d2 > 0 ? gaps.draw(random) : Gaps::far;
    for (std::int64_t i = 0; i < stream.n; ++i) {
        const bool label = (random.next() >> 63) != 0;
        for (std::int64_t j = 0; j < stream.d1; ++j) {
            if (random.chance(flip[static_cast<std::size_t>(j)]) != label) {
                points.indices.push_back(static_cast<FeatureId>(j));
            }
        }
        for (; next < stream.d2; next += 1 + gaps.draw(random)) {
            points.indices.push_back(static_cast<FeatureId>(stream.d1 + next));
        }
        next -= stream.d2;
        points.end_point(label);
        each(points);
    }
    return points;
}

}  // namespace sapwood
