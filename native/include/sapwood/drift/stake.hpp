#pragma once

#include <algorithm>

#include "sapwood/random.hpp"

namespace sapwood {

/// What a stake of 1 has become by bets, however much that is: one number, which is the stake itself up to 1e299, and
/// beyond that minus its natural logarithm. Where points are worth little, a contest is decided only there.
class Stake {
public:
    Stake() = default;
    /// One that was told before.
    explicit Stake(double told) : told_(told) {}
    double told() const { return told_; }

    /// Whether bets on `n` points can lead to it: each at most doubles it.
    bool is_possible(double n) const {
        if (told_ > 0) return told_ <= largest;
        return -told_ > ln_largest - 1 && -told_ <= n * portable::ln2 * (1 + 1e-9);
    }

    /// Becomes 2 `share` times as much, where the share of it that was bet on what came is from 0 to 1.
    void grow(double share) {
        if (told_ > 0) {
            const double grown = told_ * 2 * share;
            // A stake of nothing could not grow again.
            told_ = grown <= largest ? std::max(grown, smallest) : -portable::ln(grown);
            return;
        }
        const double grown = -told_ + portable::ln(2 * share);
        told_ = grown > ln_largest ? -grown : largest * portable::exp_of_negative(grown - ln_largest);
    }

    /// Whether its `share`-th power is 1 / delta or more.
    bool is_enough(double delta, double share) const {
        if (told_ < 0) return -told_ * share >= -portable::ln(delta);
        return told_ * delta >= 1 && (share == 1 || portable::ln(told_) * share >= -portable::ln(delta));
    }

private:
    static constexpr double smallest = 1e-300;
    static constexpr double largest = 1e299;
    static constexpr double ln_largest = 688.4729428052197;  // ln 1e299

    double told_ = 1;
};

}  // namespace sapwood
