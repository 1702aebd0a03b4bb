#pragma once

#include <cstdint>
#include <span>

namespace sapwood {

/// How many independent points a point is worth, from 0 to 1, in a stream whose labels come in runs.
///
/// Where r of the points have the label of the point before, and q would if labels did not depend on one another, the
/// sum of the squared shares of the classes, the labels have the autocorrelation a = (r - q) / (1 - q), and n of them
/// are worth n (1 - a) / (1 + a) independent ones (Bayley and Hammersley, "The effective number of independent
/// observations in an autocorrelated time series", 1946, for correlations that fall by the factor a from point to
/// point). Points of one class are worth nothing: they do not say what happens to the others.
inline double independent_share(std::span<const std::int64_t> of_class, std::int64_t n_repeats) {
    double n = 0;
    for (const std::int64_t count : of_class) n += static_cast<double>(count);
    double by_chance = 0;
    for (const std::int64_t count : of_class) {
        const double share = static_cast<double>(count) / n;
        by_chance += share * share;
    }
    if (!(n > 1 && by_chance < 1)) return 0;
    const double correlation = (static_cast<double>(n_repeats) / (n - 1) - by_chance) / (1 - by_chance);
    return correlation > 0 ? (1 - correlation) / (1 + correlation) : 1;
}

}  // namespace sapwood
