#pragma once

#include <cmath>

namespace sapwood {

/// The selection test: how far the gain of a feature, in nats, can be from its true one, at any time.
///
/// The gain of j is the mean of Z = ln p(y | x_j) - ln p(y) over the points; `variance` is that of Z. The radius is the
/// boundary of Robbins' normal mixture for sums of that variance: by it a feature is better than another if its gain
/// is larger by more than the sum of both radii, whatever their correlation. Status: asymptotic, as the variance is an
/// estimate; not to be used before every cell is expected to hold five points. `needed` = ln(1 / delta_j) of the
/// feature.
inline double selection_radius(double variance, double n, double needed) {
    /// Where the boundary is tightest, in points: near 8 rho for delta_j = .05, 23 rho for 5e-5.
    constexpr double rho = 100;
    return std::sqrt(variance * (n + rho) * (std::log((n + rho) / rho) + 2 * needed)) / n;
}

}  // namespace sapwood
