#pragma once

#include <algorithm>
#include <cstdint>

#include "sapwood/drift/stake.hpp"

namespace sapwood {

/// Which of two models that see the same points is right more often: a sequential form of McNemar's test.
///
/// Only points count that one of the two predicts and the other does not. If the challenger is no better, it wins each
/// of them with a probability of at most 1/2, whatever came before. It bets that it wins with p = max(1/2, (wins + 1/2)
/// / (all + 1)), of the points before: its stake, 1 at first, becomes 2 p times as much when it wins and 2 (1 - p)
/// times when it loses. By that the stake is a supermartingale, and by Ville's inequality the probability that it
/// *ever* reaches 1 / delta is at most delta, however often one looks. The same holds for the one that stands,
/// mirrored.
///
/// Guarantee: of independent points, a challenger that is no better is taken, at any time, with a probability of at
/// most delta; and one that is no worse is dropped with a probability of at most delta. Of points that depend on one
/// another fewer count (independent_share.hpp): with a share f of them a stake is worth its f-th power.
struct Contest {
    /// Points in all; those that the challenger alone predicted, and those that the one that stands alone did.
    std::int64_t n = 0;
    std::int64_t wins = 0;
    std::int64_t losses = 0;
    /// The stake of the challenger, and of the one that stands.
    Stake stake;
    Stake standing_stake;

    void note(bool challenger_is_right, bool standing_is_right) {
        ++n;
        if (challenger_is_right == standing_is_right) return;
        const double all = static_cast<double>(wins + losses) + 1;
        const double bet = std::max(0.5, (static_cast<double>(wins) + 0.5) / all);
        const double standing_bet = std::max(0.5, (static_cast<double>(losses) + 0.5) / all);
        stake.grow(challenger_is_right ? bet : 1 - bet);
        standing_stake.grow(challenger_is_right ? 1 - standing_bet : standing_bet);
        ++(challenger_is_right ? wins : losses);
    }

    /// Whether the contest is decided, where a point is worth a share of an independent one.
    bool is_won(double delta, double share) const { return stake.is_enough(delta, share); }
    bool is_lost(double delta, double share) const { return standing_stake.is_enough(delta, share); }
};

}  // namespace sapwood
