#pragma once

#include <cstddef>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// What many points amount to: how many are of each class, and in how many of each class a feature is on.
///
/// Ids ascend, each comes once; those of a feature that is on in none of the points may be among them.
struct SummedCounts {
    std::vector<Count> of_class;
    std::vector<FeatureId> ids;
    /// A row for each id, with a count for each class.
    std::vector<Count> on;

    std::size_t n_classes() const { return of_class.size(); }
    const Count* row(std::size_t i) const { return on.data() + i * n_classes(); }

    Count n() const {
        Count sum = 0;
        for (const Count count : of_class) sum += count;
        return sum;
    }
};

}  // namespace sapwood
