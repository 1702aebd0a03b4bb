#pragma once

#include <cstddef>
#include <vector>

#include "sapwood/search/search_state.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What many points add to the counts of a node: a class has `of_class[k]` of them, and feature `ids[i]` is on in
/// `n_on[i]`. Of those of class k, feature `of_label[k].ids[i]` is on in `of_label[k].on[i]`.
///
/// Of a number in `numbers` the points of each class are in bins. Those with numbers have the feature that says that it
/// is present among their features.
///
/// Ids ascend and every feature is on in a point at least; the points are at most `max_points`.
struct AddedCounts {
    struct OfLabel {
        std::vector<FeatureId> ids;
        std::vector<Count> on;
    };

    /// Bins ascend and do not overlap, and each has points: a row with a count for each class.
    struct OfNumber {
        AttributeId attribute;
        std::vector<double> low;
        std::vector<double> high;
        std::vector<Count> counts;
    };

    std::vector<Count> of_class;
    std::vector<OfLabel> of_label;
    std::vector<FeatureId> ids;
    std::vector<Count> n_on;
    std::vector<OfNumber> numbers;

    Count n() const {
        Count sum = 0;
        for (const Count count : of_class) sum += count;
        return sum;
    }

    /// The state of a search over features that has counted just these.
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
