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
