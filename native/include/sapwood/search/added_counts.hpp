#pragma once

#include <cstddef>
#include <vector>

#include "sapwood/search/search_state.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What many points add to the counts of a node: a class has `of_class[k]` of them, and feature `ids[i]` is on in
/// `n_on[i]`. Of those of class k, feature `of_label[k].ids[i]` is on in `of_label[k].on[i]`.
///
/// Ids ascend and every feature is on in a point at least; the points are at most `max_points`.
struct AddedCounts {
    struct OfLabel {
        std::vector<FeatureId> ids;
        std::vector<Count> on;
    };

    std::vector<Count> of_class;
    std::vector<OfLabel> of_label;
    std::vector<FeatureId> ids;
    std::vector<Count> n_on;

    Count n() const {
        Count sum = 0;
        for (const Count count : of_class) sum += count;
        return sum;
    }

    /// The state of a search that has counted just these.
    SearchState state() const {
        SearchState state;
        state.of_class = of_class;
        state.ids = ids;
        state.on.assign(of_class.size(), std::vector<Count>(ids.size()));
        for (std::size_t k = 0; k < of_label.size(); ++k) {
            std::size_t at = 0;
            for (std::size_t i = 0; i < of_label[k].ids.size(); ++i) {
                while (ids[at] != of_label[k].ids[i]) ++at;
                state.on[k][at] = of_label[k].on[i];
            }
        }
        return state;
    }
};

}  // namespace sapwood
