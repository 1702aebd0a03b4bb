#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// Points that a generator made, in compressed sparse rows, and their labels. A generator calls `each(points)` after
/// every point, which may take those that there are, and leave none (`taken`).
struct Generated {
    std::vector<std::int64_t> indptr;
    std::vector<FeatureId> indices;
    std::vector<std::uint8_t> labels;

    explicit Generated(std::int64_t n) : indptr{0} {
        indptr.reserve(static_cast<std::size_t>(n) + 1);
        labels.reserve(static_cast<std::size_t>(n));
    }

    /// Returns the points, and begins anew with room for as many.
    Generated taken() {
        Generated points(static_cast<std::int64_t>(labels.size()));
        points.indices.reserve(indices.size());
        std::swap(points, *this);
        return points;
    }

    /// Ends a point, whose features have been appended to the indices in ascending order.
    void end_point(bool label) {
        indptr.push_back(static_cast<std::int64_t>(indices.size()));
        labels.push_back(label ? 1 : 0);
    }
};

}  // namespace sapwood
