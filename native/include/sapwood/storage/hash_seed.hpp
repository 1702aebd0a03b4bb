#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <random>

namespace sapwood {

/// What makes the hashes of one process its own. Whoever chooses the ids of features does not know it, and so cannot
/// choose many that collide, which would make every table as slow as a list. No result depends on it: what comes out
/// of a table is put in order, or its order makes no difference.
struct HashSeed {
    std::uint64_t mask;
    std::uint64_t multiplier;

    /// The same in every process, for tables of slots: those are dense and given in the order of first sight, so that
    /// nobody can choose many of them freely. What such a table takes in memory then depends on the stream alone, and
    /// so does a tree that has a limit of memory. The multiplier is 2^64 divided by the golden ratio.
    static constexpr HashSeed of_slots() { return {0, 0x9E3779B97F4A7C15u}; }

    static HashSeed random() {
        const auto word = [] {
            try {
                std::random_device device;
                return std::uint64_t{device()} << 32 | device();
            } catch (const std::exception&) {
                // A system without random numbers still has a clock.
                return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) *
                       std::uint64_t{0x9E3779B97F4A7C15u};
            }
        };
        // Odd, so that no two ids have the same product.
        return {word(), word() | 1};
    }
};

inline const HashSeed hash_seed = HashSeed::random();

}  // namespace sapwood
