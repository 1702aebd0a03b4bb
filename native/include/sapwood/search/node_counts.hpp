#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sapwood/search/added_counts.hpp"
#include "sapwood/search/summed_counts.hpp"
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

    /// Counts many points at once. O(counts).
    void add_counts(const AddedCounts& added) {
        n_ += added.n();
        for (std::size_t k = 0; k < n_classes(); ++k) of_class_[k] += added.of_class[k];
        for (const FeatureId id : added.ids) index_.find_or_insert(id);
        for (auto& of_label : on_) of_label.resize(index_.size());
        for (std::size_t k = 0; k < n_classes(); ++k) {
            const AddedCounts::OfLabel& more = added.of_label[k];
            for (std::size_t i = 0; i < more.ids.size(); ++i) {
                on_[k][index_of(index_.find(more.ids[i]))] += more.on[i];
            }
        }
    }

    /// Takes a counted point back.
    void remove(Features features, Label label, Count weight) {
        n_ -= weight;
        of_class_[label] -= weight;
        for (const FeatureId id : features) on_[label][index_of(index_.find(id))] -= weight;
    }

    /// Takes many counted points back at once. O(counts).
    void remove(const SummedCounts& gone) {
        n_ -= gone.n();
        for (std::size_t k = 0; k < n_classes(); ++k) of_class_[k] -= gone.of_class[k];
        for (std::size_t i = 0; i < gone.ids.size(); ++i) {
            const Slot slot = index_.find(gone.ids[i]);
            if (slot == no_slot) continue;
            for (std::size_t k = 0; k < n_classes(); ++k) on_[k][index_of(slot)] -= gone.row(i)[k];
        }
    }

    /// Counts more classes from now on.
    void take_classes(std::size_t n_classes) {
        of_class_.resize(n_classes);
        on_.resize(n_classes, std::vector<Count>(index_.size()));
    }

    /// Puts back what was counted before: the features in the order of their slots. If it throws, nothing has changed.
    void restore(std::vector<Count> of_class, const std::vector<FeatureId>& ids, std::vector<std::vector<Count>> on) {
        FeatureIndex index;
        for (const FeatureId id : ids) index.find_or_insert(id);
        index_ = std::move(index);
        of_class_ = std::move(of_class);
        on_ = std::move(on);
        n_ = 0;
        for (const Count count : of_class_) n_ += count;
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
