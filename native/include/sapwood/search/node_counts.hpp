#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/search/feature_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a node must count to know every split: the points of each class, and for every seen feature the points of each
/// class in which it is on. In the paper's notation c_k and c_{j1k}; the rest follows by subtraction.
class NodeCounts {
public:
    Count n() const { return class_[0] + class_[1]; }

    Count of_class(Label label) const { return class_[label]; }

    std::size_t n_features() const { return index_.size(); }

    const FeatureIndex& index() const { return index_; }

    /// c_{j1k}: the points of class k in which the feature of a slot is on.
    Count on(Label label, Slot slot) const { return on_[label][static_cast<std::size_t>(slot)]; }

    const Count* on(Label label) const { return on_[label].data(); }

    /// Counts one point and calls `visit(slot)` for each of its features. O(m).
    template <class Visit>
    void add(Features features, Label label, Visit visit) {
        if (n() == max_points) {
            throw std::overflow_error("points must be at most " + std::to_string(max_points) + ", got one more");
        }
        ++class_[label];
        for (const FeatureId id : features) {
            const Slot slot = index_.find_or_insert(id);
            if (static_cast<std::size_t>(slot) == on_[0].size()) {
                on_[0].push_back(0);
                on_[1].push_back(0);
            }
            ++on_[label][static_cast<std::size_t>(slot)];
            visit(slot);
        }
    }

    /// Puts back what was counted before: the features in the order of their slots.
    void restore(std::array<Count, 2> of_class, const std::vector<FeatureId>& ids,
                 std::array<std::vector<Count>, 2> on) {
        class_ = of_class;
        index_ = FeatureIndex();
        for (const FeatureId id : ids) index_.find_or_insert(id);
        on_ = std::move(on);
    }

    std::size_t n_bytes() const { return index_.n_bytes() + (on_[0].capacity() + on_[1].capacity()) * sizeof(Count); }

private:
    std::array<Count, 2> class_{};
    FeatureIndex index_;
    std::array<std::vector<Count>, 2> on_;
};

}  // namespace sapwood
