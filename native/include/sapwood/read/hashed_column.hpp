#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "sapwood/types.hpp"

namespace sapwood {

/// MurmurHash3 of 32 bits with the seed 0 (Austin Appleby, in the public domain).
inline std::uint32_t murmur3(std::string_view text) {
    const auto scrambled = [](std::uint32_t k) { return std::rotl(k * 0xCC9E2D51u, 15) * 0x1B873593u; };
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
    std::uint32_t hash = 0;
    std::size_t at = 0;
    for (; at + 4 <= text.size(); at += 4) {
        const std::uint32_t k = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
        hash = std::rotl(hash ^ scrambled(k), 13) * 5 + 0xE6546B64u;
    }
    std::uint32_t rest = 0;
    for (std::size_t i = text.size(); i > at; --i) rest = rest << 8 | byte(i - 1);
    if (at < text.size()) hash ^= scrambled(rest);
    hash ^= static_cast<std::uint32_t>(text.size());
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    return hash ^ hash >> 16;
}

/// The column that scikit-learn's HashingVectorizer gives a word, of `n_columns`: its hash as a signed number, without
/// the sign; the smallest, which has no opposite, is made one that has the same column wherever int is 32 bits.
inline FeatureId hashed_column(std::string_view word, FeatureId n_columns) {
    const auto hash = static_cast<std::int32_t>(murmur3(word));
    constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
    if (hash == least) return (std::numeric_limits<std::int32_t>::max() - (n_columns - 1)) % n_columns;
    return (hash < 0 ? -hash : hash) % n_columns;
}

}  // namespace sapwood
