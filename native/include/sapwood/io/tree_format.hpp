#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sapwood/storage/shared_table.hpp"
#include "sapwood/types.hpp"

/// Constants that the writer and the reader of trees share; docs/format.md describes the format byte by byte.
namespace sapwood::tree_format {

inline constexpr std::string_view magic = "saptree\n";
inline constexpr std::uint32_t version = 4;

/// In lists of pages and folders: none. All others are counted from 1, in the order in which they are first referred
/// to.
inline constexpr std::uint32_t none = 0;

/// Which records of a page are written: all of them.
inline constexpr std::uint16_t all_records = 0xFFFF;
static_assert(PagePool::records_per_page == 16);

/// More folders than this no table has: features end at 2^31 - 1.
inline constexpr std::size_t most_folders =
    (std::size_t{1} << 31) / (PagePool::records_per_page * PagePool::pages_per_folder);

/// The steps of a logistic regression, 0.15 per point at the most, cannot bring a weight further than this; nor the
/// squares of its gradients, w^2 for a point of weight w, their sum.
inline constexpr float largest_weight = 2147483648.0f;            // 2^31
inline constexpr float largest_squares = 9223372036854775808.0f;  // 2^63

/// A step of a mixer is at most 8 * 4 / (7 * 64) long, whatever the weight of the point: far less than 1.
inline constexpr double largest_mix = 2147483648.0;  // 2^31

/// Counters that only ever rise by one at a time stay below this.
inline constexpr std::int64_t largest_tally = std::int64_t{1} << 60;

}  // namespace sapwood::tree_format
