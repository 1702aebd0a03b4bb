#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

#include "sapwood/log_sums.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// When has a leaf seen enough to say that some feature informs about the class?
///
/// Let c_k be the points of each class of a node, n in all, and a_k those in which feature j is on. With
///     KT(u) = Gamma(K/2) / Gamma(1/2)^K * prod_k Gamma(u_k + 1/2) / Gamma(|u| + K/2),
/// the probability that Krichevsky and Trofimov (1981) give to a sequence of labels with the counts u, the evidence is
///     ln E_j = ln KT(a) + ln KT(c - a) + n H(c),    in nats:
/// how much better the labels are foretold by one who looks at j than by the best of those who do not, chosen
/// afterwards.
///
/// Guarantee. Suppose that, given the features, the labels at the node are independent of each other and all of one
/// distribution: no feature informs about the class. KT(a) KT(c - a) is the probability of the labels so far under one
/// fixed law of all labels (a mixture), and e^(-n H(c)) is at least their probability under the true one, so that E_j
/// is at most the ratio of the two, which is a non-negative martingale that begins at 1. By Ville's inequality
///     P(E_j >= 1 / delta_j at any time) <= delta_j.
/// Feature j has the share delta_j = delta_i / penalty(r_j), r_j = 1, 2, ... the order in which the features occurred
/// for the third time at the node, and the i-th leaf of the tree, i = 1, 2, ... in the order of their birth, the share
/// delta_i = delta / penalty(i). As sum_r 1 / penalty(r) < 1, and r_j depends on the features alone, with probability
/// at least 1 - delta no leaf of the tree where no feature informs is ever split, at whatever times and for whatever
/// features one looks. To look at a few features of the largest gain only loses power, nothing of the guarantee.
/// It does not hold under drift: a feature that follows time informs about labels that do. A point counts once,
/// whatever its weight. K is the number of classes that the tree knows of, and is to be known from the start.

/// The evidence of features, from counts. `cover(n)` must be called before counts that sum to n are passed.
class Evidence {
public:
    explicit Evidence(std::size_t n_classes) { set_classes(n_classes); }

    void set_classes(std::size_t n_classes) {
        n_classes_ = n_classes;
        shift_ = static_cast<std::int64_t>((n_classes_ - 1) / 2);
        is_odd_ = n_classes_ % 2 == 1;
        first_ = is_odd_ ? sums_.half(shift_) : sums_.whole(shift_);
    }

    void cover(Count n) { sums_.cover(n); }

    /// ln KT(u) = sum_k half(u_k), from the first class on, less `rising(|u|)`.
    double log_kt(std::span<const Count> counts) const {
        Count n = 0;
        double sum = 0;
        for (const Count count : counts) {
            n += count;
            sum += sums_.half(count);
        }
        return sum - rising(n);
    }

    /// n H(c) = n ln n - sum_k c_k ln c_k: what the labels cost whoever looks at no feature.
    double weighted_entropy(std::span<const Count> counts) const {
        Count n = 0;
        double sum = 0;
        for (const Count count : counts) {
            n += count;
            sum += sums_.x_log_x(count);
        }
        return sums_.x_log_x(n) - sum;
    }

    /// ln KT(a) + ln KT(c - a), at most 0, and never more when a point has been added: what is added multiplies one of
    /// the two by a probability.
    /// `fixed`: the number of classes if it is known here, else 0.
    template <std::size_t fixed = 0>
    double log_probability(std::span<const Count> on, std::span<const Count> of_class) const {
        const std::size_t n_classes = fixed > 0 ? fixed : of_class.size();
        Count n_on = 0;
        Count n_off = 0;
        double sum_on = 0;
        double sum_off = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            const Count off = of_class[k] - on[k];
            n_on += on[k];
            n_off += off;
            sum_on += sums_.half(on[k]);
            sum_off += sums_.half(off);
        }
        return (sum_on - rising(n_on)) + (sum_off - rising(n_off));
    }

    /// ln E_j, in nats.
    double log_evidence(std::span<const Count> on, std::span<const Count> of_class) const {
        return log_probability(on, of_class) + weighted_entropy(of_class);
    }

    /// The least that is lost, of n * gain, by not knowing the shares of the classes beforehand: for all counts u of m
    /// points
    ///     -m H(u) - ln KT(u) >= regret(m) = rising(m) - (m ln m - m) - K/2 ln 2,
    /// because u_k ln u_k - half(u_k) >= u_k - (ln 2) / 2 for all u_k. It is increasing and concave in m, as
    ///     regret(m + 1) - regret(m) = ln(m + K/2) - (the mean of ln over [m, m + 1]),
    /// of which the mean is at most ln(m + 1/2), and its derivative 1 / (m + K/2) - ln(1 + 1/m) <= 0.
    double regret(Count m) const {
        return rising(m) - (sums_.x_log_x(m) - m) - static_cast<double>(n_classes_) / 2 * std::numbers::ln2;
    }

    /// The most that ln E_j falls short of: for every feature of a node with n points that is neither always off nor
    /// always on,
    ///     ln E_j <= n * gain_j - least_regret(n),
    /// as regret(n_on) + regret(n_off), concave, is least at the ends, 1 and n - 1.
    double least_regret(Count n) const { return n < 2 ? 0 : regret(1) + regret(n - 1); }

private:
    /// sum of ln(i + K/2) over i = 0, ..., m - 1 = ln Gamma(m + K/2) - ln Gamma(K/2).
    double rising(Count m) const { return (is_odd_ ? sums_.half(m + shift_) : sums_.whole(m + shift_)) - first_; }

    LogSums sums_;
    std::size_t n_classes_ = 2;
    std::int64_t shift_ = 0;
    bool is_odd_ = false;
    double first_ = 0;
};

/// ln(2.11 (r + 1) ln^2(r + 2)) for r = 1, 2, ...: what it costs to be the r-th of a list whose length nobody knows.
/// The sum of e^-price(r) over all r is below 1, because the sum of 1 / (k ln^2 k) over k = 2, 3, ... is 2.1097.
inline double price_of_rank(std::int64_t r) {
    const double log = std::log(static_cast<double>(r) + 2);
    return std::log(2.11 * (static_cast<double>(r) + 1) * (log * log));
}

/// The same, from a table where r is small.
inline double known_price_of_rank(std::uint32_t r) {
    static const auto prices = [] {
        std::array<double, 1024> made{};
        for (std::size_t i = 1; i < made.size(); ++i) made[i] = price_of_rank(static_cast<std::int64_t>(i));
        return made;
    }();
    return r < prices.size() ? prices[r] : price_of_rank(r);
}

/// What ln E_j must reach, ln(1 / delta_j), for the r-th feature of the i-th leaf, both from 1. In this order.
inline double evidence_needed(double log_delta, std::int64_t leaf, std::int64_t rank) {
    return (price_of_rank(leaf) - log_delta) + price_of_rank(rank);
}

/// Features have a rank from their third occurrence on.
inline constexpr Count occurrences_for_rank = 3;

/// The features of the largest gain that are looked at. Of 49 splits on four real streams none would have been made
/// earlier by a look at all features; with two, 2 of 50, with one, 5 of 50.
inline constexpr std::size_t features_looked_at = 4;

}  // namespace sapwood
