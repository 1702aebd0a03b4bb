#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace sapwood {

/// A number without apparent relation to the one given, nor to those near it: the step of splitmix64 (Steele, Lea and
/// Flood, 2014).
inline std::uint64_t hashed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/// Random numbers that are the same on every platform for the same state: xoshiro256++ (Blackman and Vigna, 2019), and
/// nothing of the standard library, whose distributions differ from one library to the next.
class Random {
public:
    using State = std::array<std::uint64_t, 4>;

    /// Any four words are a state; each is mixed first, so that words which differ in a few bits give other streams.
    explicit Random(const State& words) {
        for (std::size_t i = 0; i < 4; ++i) state_[i] = mixed(words[i] + 0x9e3779b97f4a7c15U * (i + 1));
        if (!moves(state_)) state_[0] = 1;
    }

    /// The generator that goes on where the one stopped whose state this was. It must move.
    static Random of_state(const State& state) {
        Random random(state);
        random.state_ = state;
        return random;
    }
    const State& state() const { return state_; }

    /// Whether a state is one that a generator can be in: from no other does it move.
    static bool moves(const State& state) { return (state[0] | state[1] | state[2] | state[3]) != 0; }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// One of 2^53 equally likely numbers: k / 2^53 for k from 0 to 2^53 - 1.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    /// The same, but from 1 / 2^53 to 1, so that it has a logarithm.
    double uniform_above_zero() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

    /// A whole number from 0 to size - 1. Exact in a double up to 2^53, and as even as 53 bits can be.
    std::int64_t below(std::int64_t size) {
        const auto drawn = static_cast<std::int64_t>(uniform() * static_cast<double>(size));
        return drawn < size ? drawn : size - 1;
    }

    bool chance(double probability) { return uniform() < probability; }

    /// Another generator, with a stream of its own.
    Random split() {
        const State words{next(), next(), next(), next()};
        return Random(words);
    }

    /// A number without apparent relation to the one given: the finaliser of splitmix64.
    static std::uint64_t mixed(std::uint64_t word) {
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
        return word ^ (word >> 31);
    }

private:
    State state_{};
};

// Logarithm and exponential from additions, multiplications and divisions alone, which IEEE 754 rounds the same way
// everywhere; those of a mathematical library may differ in the last bit, and with it the data of a seed.
namespace portable {

inline constexpr double ln2 = 0.693147180559945309417;

/// 2 artanh(s) for |s| <= 1/3, to about one unit in the last place.
inline double twice_artanh(double s) {
    const double z = s * s;
    double sum = 0;
    for (int k = 17; k >= 0; --k) sum = sum * z + 1.0 / (2 * k + 1);
    return 2.0 * s * sum;
}

/// ln x for a normal x > 0.
inline double ln(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xfffffffffffffU) | 0x3ff0000000000000U);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    return static_cast<double>(exponent) * ln2 + twice_artanh((m - 1.0) / (m + 1.0));
}

/// -ln(1 - q) for 0 <= q < 1, exact to the last bits for a small q too.
inline double minus_ln_1m(double q) { return q < 0.5 ? twice_artanh(q / (2.0 - q)) : -ln(1.0 - q); }

/// e^x for x <= 0; 0 where the result would not be a normal number.
inline double exp_of_negative(double x) {
    const double k = std::floor(x / ln2 + 0.5);
    if (k < -1021.0) return 0.0;
    const double r = x - k * ln2;
    double sum = 0;
    for (int i = 16; i >= 1; --i) sum = (sum + 1.0) * r / i;
    return (sum + 1.0) * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
}

}  // namespace portable
}  // namespace sapwood
