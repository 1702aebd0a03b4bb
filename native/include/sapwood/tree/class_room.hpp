#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace sapwood {

/// Where memory is limited, room for classes that have not come is taken from what is there.
namespace limited_room {

/// The bytes of a class in the records of a feature, at most: a count of the search, and of the models a count, a
/// weight and a sum of squares.
inline constexpr std::size_t bytes_of_class = 16;
/// Classes that are expected have room where a tree holds so many records all the same: enough for a tree of dozens of
/// leaves over a thousand features. Smaller trees are made anew in no time.
inline constexpr std::size_t records_to_hold = 1 << 16;
/// Below so many records that fit, no class has room but those that have come: a single leaf must fit.
inline constexpr std::size_t fewest_records = 1 << 8;

constexpr bool holds(std::size_t limit, std::size_t room, std::size_t n_records) {
    return limit / bytes_of_class / n_records >= room;
}

/// The least number of a row that has at least `n_classes`: from 3 on, each is a quarter more than the one before, and
/// at least one more. So a quarter is wasted at most, and records are made anew for the 3rd to the 8th class, the 9th,
/// the 11th, the 13th, the 16th ...: 29 times for a thousand.
constexpr std::size_t step_for(std::size_t n_classes) {
    std::size_t step = 3;
    while (step < n_classes) step += std::max<std::size_t>(1, step / 4);
    return step;
}

}  // namespace limited_room

/// The classes that records have room for where there are `n_classes`, so that late ones cost nothing, or seldom: as
/// many as are expected; beyond that a power of two, so that k classes which nobody expected make records grow log2 k
/// times. Two classes have records of their own kind, one output of a regression among them, with no room for more.
/// With a limit of memory in bytes there are smaller steps, and room for all that are expected only if it is no burden.
///
/// No answer depends on it, unless a limit of memory binds; nor does a saved byte then.
constexpr std::size_t room_for_classes(std::size_t n_classes, std::size_t expected,
                                       std::optional<std::int64_t> limit = std::nullopt) {
    if (n_classes <= 2) return n_classes;
    const bool are_expected = n_classes <= expected;
    if (!limit) return are_expected ? expected : std::bit_ceil(n_classes);
    const auto bytes = static_cast<std::size_t>(*limit);
    if (are_expected && limited_room::holds(bytes, expected, limited_room::records_to_hold)) return expected;
    const std::size_t step = limited_room::step_for(n_classes);
    const std::size_t room = are_expected ? std::min(step, expected) : step;
    return limited_room::holds(bytes, room, limited_room::fewest_records) ? room : n_classes;
}

}  // namespace sapwood
