#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "sapwood/random.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The weight of a point: how often counts count it, and how much it matters to models that need no whole number. The
/// two differ only where a weight is no whole number.
struct Weight {
    // Not explicit: a whole number is a weight.
    constexpr Weight(Count whole) : count(whole), exact(whole) {}
    constexpr Weight(Count rounded, double given) : count(rounded), exact(given) {}

    Count count;
    double exact;
};

/// Rounds weights to counts at random: up with the probability of the fraction, so that the expected count is the
/// weight. A whole number is itself, and draws nothing: a stream of whole numbers does not depend on the seed.
class WeightRounding {
public:
    using State = Random::State;

    explicit WeightRounding(std::optional<std::uint64_t> seed) : random_({seed.value_or(0), stream, 0, 0}) {}

    /// For 0 <= weight <= max_points.
    Weight rounded(double weight) {
        const double whole = std::floor(weight);
        const double fraction = weight - whole;
        const bool up = fraction > 0 && random_.chance(fraction);
        return {static_cast<Count>(whole) + (up ? 1 : 0), weight};
    }

    const State& state() const { return random_.state(); }
    void restore(const State& state) { random_ = Random::of_state(state); }

private:
    /// Sets these random numbers apart from others of the same seed: "weights" in ASCII.
    static constexpr std::uint64_t stream = 0x77656967687473U;

    Random random_;
};

}  // namespace sapwood
