#pragma once

#include <cstdint>
#include <string_view>

#include "sapwood/random.hpp"

namespace sapwood {

/// What all who count call a feature, without a list that they share: the number of its column, or a hash of its text.
using SharedId = std::uint64_t;

/// The ids of texts are from here on, those of columns below: neither is ever taken for the other.
inline constexpr SharedId first_text_id = SharedId{1} << 63;

/// The id of a text by its bytes in UTF-8: 63 bits of FNV-1a (Fowler, Noll and Vo), mixed because its high bits hardly
/// depend on the last bytes. Among a hundred million texts two are the same with a probability below 0.001.
inline SharedId text_id(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
    return first_text_id | (Random::mixed(hash) >> 1);
}

}  // namespace sapwood
