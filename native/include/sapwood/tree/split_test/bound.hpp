#pragma once

#include <cstddef>
#include <span>

#include "sapwood/types.hpp"

namespace sapwood {

/// The number that a split must be ahead by. A bound for the difference of two gains at a node with points of each
/// class; each of the two splits is given by the points of each class in which its feature is on, and `second` is empty
/// for not splitting at all, whose gain is 0 without doubt.
class Bound {
public:
    virtual ~Bound() = default;

    /// Whether it depends on how many points of each class there are alone, not on which splits are compared.
    virtual bool is_uniform() const = 0;

    virtual double value(std::span<const Count> of_class, std::span<const Count> best,
                         std::span<const Count> second) const = 0;

    double uniform(std::span<const Count> of_class) const { return value(of_class, {}, {}); }
};

/// How many points there are, and how many of the classes are among them.
struct ClassTotals {
    explicit ClassTotals(std::span<const Count> of_class) {
        for (const Count count : of_class) {
            n += count;
            n_classes += count > 0 ? 1 : 0;
        }
    }

    double n = 0;
    std::size_t n_classes = 0;
};

}  // namespace sapwood
