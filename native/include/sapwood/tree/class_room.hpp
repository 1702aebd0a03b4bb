#pragma once

#include <bit>
#include <cstddef>

namespace sapwood {

/// The classes that records have room for where there are `n_classes`, so that late ones cost nothing, or seldom: as
/// many as are expected; beyond that a power of two, so that k classes which nobody expected make records grow log2 k
/// times. Two classes have records of their own kind, one output of a regression among them, with no room for more.
///
/// No answer and no saved byte depends on it.
constexpr std::size_t room_for_classes(std::size_t n_classes, std::size_t expected) {
    if (n_classes <= 2) return n_classes;
    return n_classes <= expected ? expected : std::bit_ceil(n_classes);
}

}  // namespace sapwood
