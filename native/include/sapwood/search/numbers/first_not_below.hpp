#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sapwood/compiler.hpp"

namespace sapwood {

/// The place of the first of ascending numbers that is not below a value; their number if all are.
///
/// Halving, without branches that depend on the value, which nothing foretells (a mask, as compilers make branches of
/// choices), until a few are left; of these those below are counted, as every further step would wait for the one
/// before. What is counted may begin before them or end behind them: it is below, or is not.
SAPWOOD_WIDE_VECTORS
inline std::size_t first_not_below(std::span<const double> ascending, double value) {
    constexpr std::size_t few = 16;
    const double* first = ascending.data();
    std::size_t length = ascending.size();
    std::int64_t n = 0;
    if (length < few) {
        for (std::size_t i = 0; i < length; ++i) n += first[i] < value ? 1 : 0;
        return static_cast<std::size_t>(n);
    }
    while (length > few) {
        const std::size_t half = length / 2;
        first += half & (std::size_t{0} - static_cast<std::size_t>(first[half - 1] < value));
        length -= half;
    }
    const auto begin = std::min(static_cast<std::size_t>(first - ascending.data()), ascending.size() - few);
    for (std::size_t i = 0; i < few; ++i) n += ascending[begin + i] < value ? 1 : 0;
    return begin + static_cast<std::size_t>(n);
}

}  // namespace sapwood
