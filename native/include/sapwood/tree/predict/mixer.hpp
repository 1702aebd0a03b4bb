#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sapwood {

/// Leaves that mix their models.
///
/// Every model of a leaf, an expert, says of a point how likely each class is. Their opinions, in log-odds, are the
/// inputs of one more small logistic regression, the mixer, which lives at the leaf, learns online, and is inherited by
/// both children of a split: logistic mixing, as in the PAQ compressors (Mahoney, 2005) and in gated linear networks
/// (Veness et al., 2021). Two classes: with the opinions z_e, clipped to [-8, 8],
///     z = sum_e w_e z_e,    p = 1 / (1 + e^-z),    w_e -= rate (p - y) z_e.
/// K classes: one weight an expert, with opinions l_ec, logarithms of what is proportional to probabilities,
///     s_c = sum_e w_e l_ec,    p = softmax(s),    w_e -= rate (sum_c p_c l_ec - l_ey),
/// which is the gradient of -ln p_y, and the same as above for K = 2. A constant added to all l_ec of an expert changes
/// neither p nor the step, so that no expert need be normalised: 0 is the class that it thinks likeliest, and no class
/// is less than -8.
///
/// The loss is convex in w, and the mixer is a descent on it, so that in the long run it is about as good as the best
/// fixed weights of its experts, of which each expert alone (w_e = 1, the others 0) is one.

/// The experts, in the order of their weights.
enum Expert : std::size_t {
    majority_expert,         // the classes of the points of the leaf
    leaf_bayes_expert,       // naive Bayes of the leaf and of what it inherited
    trunk_expert,            // the regression of all points, at the middle step size; the leaf corrects this one
    fast_trunk_expert,       // the same, at three times that step size: for what changes
    slow_trunk_expert,       // the same, at a third: for what does not
    corrected_expert,        // the trunk, corrected by a regression of the leaf's own
    trunk_bayes_expert,      // naive Bayes of all points
    gaussians_expert,        // naive Bayes of the leaf by the densities of numbers; 0 where it has none
    trunk_gaussians_expert,  // the same of all points: which needs no splits, where a class is one cloud of numbers
    n_experts
};
/// Those that a tree which grows by batches has, and one of points without numbers: all but the last two.
inline constexpr std::size_t n_common_experts = gaussians_expert;

/// The trunks of different step sizes, in the order of their weights in a record.
inline constexpr std::size_t n_trunks = 3;

/// The weight of each expert.
using MixerWeights = std::array<double, n_experts>;

namespace mixing {

/// Opinions are clipped to a probability of 1 - 1/2981: beyond that more confidence is noise, and an expert that is
/// sure of a wrong class must stay within reach of the others.
inline constexpr double clip = 8;

/// The loss of a point, as a function of the weights, has a curvature of at most n_experts clip^2 / 4: an opinion
/// within a range of `clip` has a variance of at most clip^2 / 4 whatever the probabilities of the classes. A descent
/// with steps below the inverse of the curvature never overshoots. The rate is half of it, 2 / (7 * 64) = 0.0045, for
/// the experts that every leaf has; with two more it is nine fourteenths.
inline constexpr double rate = 2.0 / (static_cast<double>(n_common_experts) * clip * clip);

/// Naive Bayes adds what every feature says as if no two said the same. In texts and one-hot data about three do, and
/// its log-odds are too large by as much; its weight in the mix learns the rest.
inline constexpr double bayes_scale = 0.3;

/// The step sizes, to be divided by the root of the mean number of active features: AdaGrad's best step is in
/// proportion to the weights that it has to reach (Duchi, Hazan and Singer, 2011, Corollary 1), and a score of a few
/// units that is the sum of m weights of either sign has weights in proportion to 1 / sqrt(m). About 1 by that; which
/// multiple is best depends on the stream, and the mixer finds out: three, a factor of three apart, cover one decade.
inline constexpr std::array<double, n_trunks> trunk_steps{1.2, 3.6, 0.4};
inline constexpr double leaf_step = 1.2;

/// Added to every sum of squared gradients, as if one point had been seen whose class was a complete surprise: the
/// largest gradient of a point is 1. So no first step is longer than later ones can correct.
inline constexpr double first_square = 1;

/// The weights to begin with: the regressions are averaged, which is calibrated from the first point on; the others
/// must earn theirs.
inline constexpr MixerWeights first_weights{0, 0, 0.25, 0.25, 0.25, 0.25, 0, 0, 0};

/// The same where there are numbers: normal densities, which take a number for what it is, know a little from the first
/// few points on, when a regression over ranges knows next to nothing.
inline constexpr MixerWeights first_weights_of_numbers{0, 0, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 0, 1.0 / 6, 1.0 / 6};

/// The weights while labels come sorted (label_runs.hpp).
inline constexpr MixerWeights weights_of_sorted{0, 0, 0, 0, 0, 0, 1, 0, 0};
static_assert(weights_of_sorted[trunk_bayes_expert] == 1);

/// What step sizes are multiplied by, from all points so far and the features that were on in them.
inline double step_scale(std::int64_t n_active, std::int64_t n_points) {
    const double mean = static_cast<double>(n_active) / static_cast<double>(n_points);
    return 1 / std::sqrt(n_points > 0 && mean > 1 ? mean : 1);
}

/// Whether the experts on numbers are among those that are mixed; until then the weight of that of the leaf is 0.
inline bool mixes_numbers(std::span<const double, n_experts> weights) { return weights[gaussians_expert] != 0; }

/// Lets the experts on numbers join, where the others have learned already: each of those keeps as much less of its
/// weight as it would have had less to begin with. What the trunk's densities have earned, where the trunk met numbers
/// before the leaf did, they keep.
inline void let_numbers_join(std::span<double, n_experts> weights) {
    constexpr double kept = first_weights_of_numbers[trunk_expert] / first_weights[trunk_expert];
    for (std::size_t e = 0; e < n_common_experts; ++e) weights[e] *= kept;
    weights[gaussians_expert] += first_weights_of_numbers[gaussians_expert];
    weights[trunk_gaussians_expert] += first_weights_of_numbers[trunk_gaussians_expert];
}

/// Lets weights go back towards those that they began with: `keep` is the share of the way that is left.
inline void fade(std::span<double, n_experts> weights, double keep) {
    const MixerWeights& first = mixes_numbers(weights) ? first_weights_of_numbers : first_weights;
    for (std::size_t e = 0; e < n_experts; ++e) weights[e] = first[e] + keep * (weights[e] - first[e]);
}

// ---- two classes ---------------------------------------------------------------------------------------------------

inline double clipped(double log_odds) { return std::clamp(log_odds, -clip, clip); }

/// The log-odds of the second class that the opinions amount to; all of them clipped. Added from the first on.
template <std::size_t size>
double mix_of(std::span<const double, size> weights, std::span<const double, size> opinions) {
    double z = 0;
    for (std::size_t e = 0; e < weights.size(); ++e) z += weights[e] * opinions[e];
    return z;
}
inline double mix(std::span<const double, n_experts> weights, std::span<const double, n_experts> opinions) {
    return mix_of(weights, opinions);
}

/// The length of a step for a point of some weight, where the opinions have these ranges, squared and summed. However
/// large the weight, it stays below the inverse of the curvature: a point of weight 1000 draws the mix to its label,
/// and not beyond.
inline double step_length(double weight, double squared_ranges) {
    const double step = rate * weight;
    return step * squared_ranges > 4 ? 4 / squared_ranges : step;
}

/// A step of the mixer. `error` = p - y.
template <std::size_t size>
void learn_of(std::span<double, size> weights, std::span<const double, size> opinions, double error, double weight) {
    double squares = 0;
    for (const double z : opinions) squares += z * z;
    const double step = step_length(weight, squares);
    for (std::size_t e = 0; e < weights.size(); ++e) weights[e] -= step * error * opinions[e];
}
inline void learn(std::span<double, n_experts> weights, std::span<const double, n_experts> opinions, double error,
                  double weight) {
    learn_of(weights, opinions, error, weight);
}

// ---- K classes: opinions are a row of K values per expert
// ------------------------------------------------------------

/// Makes the opinion of one expert comparable: 0 for the class it thinks likeliest, none below -clip.
inline void level(std::span<double> opinion) {
    const double largest = *std::max_element(opinion.begin(), opinion.end());
    for (double& each : opinion) each = std::max(each - largest, -clip);
}

/// The logarithms of what the opinions amount to, not normalised. Added from the first expert on.
template <std::size_t size>
void mix_of(std::span<const double, size> weights, std::span<const double> opinions, std::span<double> mixed) {
    std::fill(mixed.begin(), mixed.end(), 0.0);
    for (std::size_t e = 0; e < weights.size(); ++e) {
        const std::span<const double> opinion = opinions.subspan(e * mixed.size(), mixed.size());
        for (std::size_t c = 0; c < mixed.size(); ++c) mixed[c] += weights[e] * opinion[c];
    }
}
inline void mix(std::span<const double, n_experts> weights, std::span<const double> opinions, std::span<double> mixed) {
    mix_of(weights, opinions, mixed);
}

/// A step of the mixer. `errors[c]` = p_c - [c = y].
template <std::size_t size>
void learn_of(std::span<double, size> weights, std::span<const double> opinions, std::span<const double> errors,
              double weight) {
    const auto of = [&](std::size_t e) { return opinions.subspan(e * errors.size(), errors.size()); };
    double squares = 0;
    for (std::size_t e = 0; e < weights.size(); ++e) {
        const double least = *std::min_element(of(e).begin(), of(e).end());
        squares += least * least;
    }
    const double step = step_length(weight, squares);
    for (std::size_t e = 0; e < weights.size(); ++e) {
        const std::span<const double> opinion = of(e);
        double slope = 0;
        for (std::size_t c = 0; c < errors.size(); ++c) slope += errors[c] * opinion[c];
        weights[e] -= step * slope;
    }
}
inline void learn(std::span<double, n_experts> weights, std::span<const double> opinions,
                  std::span<const double> errors, double weight) {
    learn_of(weights, opinions, errors, weight);
}

// ---- many points at once (slopes.hpp), of two classes or more: opinions are a row of values per expert
// ------------------------------------------------------------

/// The slopes of the loss of a point by each common weight, and after them the squared ranges of the opinions, all
/// times the weight of the point. `errors` are those of its outputs.
inline void slopes(std::span<const double> opinions, std::span<const double> errors, double weight,
                   std::span<double> out) {
    double squares = 0;
    for (std::size_t e = 0; e < n_common_experts; ++e) {
        const std::span<const double> opinion = opinions.subspan(e * errors.size(), errors.size());
        double slope = 0;
        double range = 0;
        for (std::size_t c = 0; c < errors.size(); ++c) {
            slope += errors[c] * opinion[c];
            range = std::max(range, std::abs(opinion[c]));
        }
        out[e] = slope * weight;
        squares += range * range;
    }
    out[n_common_experts] = squares * weight;
}

/// A step of the mixer against the slopes of many points: as `learn` of one, below the inverse of the curvature of all.
inline void learn_sums(std::span<double, n_experts> weights, std::span<const double, n_common_experts> slopes,
                       double squared_ranges) {
    const double step = step_length(1, squared_ranges);
    for (std::size_t e = 0; e < n_common_experts; ++e) weights[e] -= step * slopes[e];
}

}  // namespace mixing

}  // namespace sapwood
