#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sapwood/random.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What all who count call a feature or a number, without a list that they share: the number of its column, or a hash
/// of its text.
using SharedId = std::uint64_t;

/// The ids of texts are from here on, those of columns below: neither is ever taken for the other.
inline constexpr SharedId first_text_id = SharedId{1} << 63;

/// Between them are the bins of numbers (number_grid.hpp), which are counted as features are: the number by its place
/// among those of the tree, on which a router lets all agree, and the bin.
inline constexpr SharedId first_bin_id = SharedId{1} << 62;
inline constexpr int bits_of_bin = 16;

inline constexpr bool is_bin_id(SharedId id) { return id >= first_bin_id && id < first_text_id; }
inline constexpr SharedId bin_id(std::size_t number, std::size_t bin) {
    return first_bin_id + (SharedId{number} << bits_of_bin) + bin;
}
inline constexpr std::size_t number_of_bin_id(SharedId id) {
    return static_cast<std::size_t>((id - first_bin_id) >> bits_of_bin);
}
inline constexpr std::size_t bin_of_bin_id(SharedId id) {
    return static_cast<std::size_t>(id & ((SharedId{1} << bits_of_bin) - 1));
}

/// The id of a text by its bytes in UTF-8: 63 bits of FNV-1a (Fowler, Noll and Vo), mixed because its high bits hardly
/// depend on the last bytes. Among a hundred million texts two are the same with a probability below 0.001.
inline SharedId text_id(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
    return first_text_id | (Random::mixed(hash) >> 1);
}

}  // namespace sapwood
