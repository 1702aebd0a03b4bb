#pragma once

#include <cstdint>
#include <string_view>

/// Constants that the writer and the reader of forests share; docs/format.md describes the format byte by byte.
namespace sapwood::forest_format {

inline constexpr std::string_view magic = "sapfrst\n";
inline constexpr std::uint32_t version = 1;

}  // namespace sapwood::forest_format
