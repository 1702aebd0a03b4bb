#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sapwood/storage/feature_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The counts that determine every split of a node: the points per class, and for every seen feature the points per
/// class in which it is on. In the paper's notation c_k and c_{j1k}; the rest follows by subtraction.
class NodeCounts {
public:
    explicit NodeCounts(std::size_t n_classes) : of_class_(n_classes), on_(n_classes) {}

    Count n() const { return n_; }

    std::size_t n_classes() const { return of_class_.size(); }

    Count of_class(std::size_t label) const { return of_class_[label]; }

    const std::vector<Count>& of_classes() const { return of_class_; }

    std::size_t n_features() const { return index_.size(); }

    const FeatureIndex& index() const { return index_; }

    /// c_{j1k}: the points of class k in which the feature of a slot is on.
    Count on(std::size_t label, Slot slot) const { return on_[label][index_of(slot)]; }

    const Count* on(std::size_t label) const { return on_[label].data(); }

    const std::vector<std::vector<Count>>& on() const { return on_; }

    /// Counts a point `weight` times and calls `visit(slot)` for each of its features. O(m).
    template <class Visit>
    void add(Features features, Label label, Count weight, Visit visit) {
        n_ += weight;
        of_class_[label] += weight;
        for (const FeatureId id : features) {
            const Slot slot = index_.find_or_insert(id);
            if (index_of(slot) == on_[0].size()) {
                for (auto& of_label : on_) of_label.push_back(0);
            }
            on_[label][index_of(slot)] += weight;
            visit(slot);
        }
    }

    /// Takes a counted point back.
    void remove(Features features, Label label, Count weight) {
        n_ -= weight;
        of_class_[label] -= weight;
        for (const FeatureId id : features) on_[label][index_of(index_.find(id))] -= weight;
    }

    /// Puts back what was counted before: the features in the order of their slots.
    void restore(std::vector<Count> of_class, const std::vector<FeatureId>& ids, std::vector<std::vector<Count>> on) {
        of_class_ = std::move(of_class);
        n_ = 0;
        for (const Count count : of_class_) n_ += count;
        index_ = FeatureIndex();
        for (const FeatureId id : ids) index_.find_or_insert(id);
        on_ = std::move(on);
    }

    std::size_t n_bytes() const {
        std::size_t bytes = index_.n_bytes();
        for (const auto& of_label : on_) bytes += of_label.capacity() * sizeof(Count);
        return bytes;
    }

private:
    Count n_ = 0;
    std::vector<Count> of_class_;
    FeatureIndex index_;
    std::vector<std::vector<Count>> on_;
};

}  // namespace sapwood
