#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "sapwood/compiler.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The class counts for which certificates are made: a box, or a cone.
///
/// A box holds the counts from `lower` to `upper`. A cone is for two classes and points that are only added: it holds
/// all counts from `lower` on, `most` of them at the most, whose ratio is between those of the two corners of the box,
/// (upper0, lower1) and (lower0, upper1). So it holds the box, and does not end as points come in unless the share of
/// the classes changes.
template <class ClassCounts>
struct Region {
    ClassCounts lower{};
    ClassCounts upper{};
    bool is_cone = false;
    /// The most points of a cone.
    Count most = 0;

    SAPWOOD_INLINE bool contains(const ClassCounts& counts) const {
        // More than two classes, whose counts are a vector, never make a cone.
        if constexpr (requires { std::tuple_size<ClassCounts>::value; }) {
            if (is_cone) [[likely]]
                return cone_contains(counts);
        }
        for (std::size_t k = 0; k < counts.size(); ++k) {
            if (counts[k] < lower[k] || counts[k] > upper[k]) return false;
        }
        return true;
    }

    /// How many points may come, at least, before the region is left.
    Count room_left(const ClassCounts& counts, bool removals) const {
        Count room = max_points;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            room = std::min(room, bound(k, counts) - counts[k]);
            if (removals) room = std::min(room, counts[k] - lower[k]);
        }
        return room;
    }

    /// Becomes what it has in common with a region around the given counts, which it contains, that reaches so far
    /// from them. What holds for all of the region holds for all that is left.
    void narrow(const ClassCounts& counts, const ClassCounts& room, bool removals) {
        ClassCounts reach = upper;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            reach[k] = std::min(bound(k, counts), counts[k] + room[k]);
        }
        for (std::size_t k = 0; k < counts.size(); ++k) {
            upper[k] = reach[k];
            lower[k] = removals ? std::max(lower[k], counts[k] - room[k]) : counts[k];
        }
    }

private:
    /// That no class has fewer points than `lower` need not be asked: points are only added.
    SAPWOOD_INLINE bool cone_contains(const ClassCounts& c) const {
        const auto times = [](Count a, Count b) { return std::int64_t{a} * b; };
        return c[0] + c[1] <= most && times(c[0], lower[1]) <= times(c[1], upper[0]) &&
               times(c[1], lower[0]) <= times(c[0], upper[1]);
    }

    /// How many points of class k there may be beside those of the other classes.
    Count bound(std::size_t k, const ClassCounts& counts) const {
        if (!is_cone) return upper[k];
        const std::int64_t most_k = std::int64_t{upper[k]} * counts[1 - k] / lower[1 - k];
        return static_cast<Count>(std::min<std::int64_t>(most - counts[1 - k], most_k));
    }
};

}  // namespace sapwood
