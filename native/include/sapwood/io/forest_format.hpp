#pragma once

#include <cstdint>
#include <string_view>

/// Constants that the writer and the reader of forests share; docs/format.md describes the format byte by byte.
namespace sapwood::forest_format {

inline constexpr std::string_view magic = "sapfrst\n";
inline constexpr std::uint32_t version = 2;

/// Far above what divisions by a sum of numbers round, for each of the most trees.
inline constexpr double rounding_of_trust = 1e-9;

}  // namespace sapwood::forest_format
