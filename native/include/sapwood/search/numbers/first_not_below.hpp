#pragma once

#include <cstddef>
#include <span>

namespace sapwood {

/// The place of the first of ascending numbers that is not below a value; their number if all are.
///
/// Halving without branches that depend on the value, which nothing foretells: a mask, as compilers make branches of
/// choices.
inline std::size_t first_not_below(std::span<const double> ascending, double value) {
    const double* first = ascending.data();
    std::size_t length = ascending.size();
    while (length > 1) {
        const std::size_t half = length / 2;
        first += half & (std::size_t{0} - static_cast<std::size_t>(first[half - 1] < value));
        length -= half;
    }
    const auto at = static_cast<std::size_t>(first - ascending.data());
    return at + (length == 1 && *first < value ? 1 : 0);
}

}  // namespace sapwood
