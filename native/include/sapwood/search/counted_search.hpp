#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/node_counts.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

/// The part that the searches over plain NodeCounts share.
template <class Impurity>
class CountedSearch : public SplitSearch {
public:
    Count n() const final { return counts_.n(); }

    std::vector<Count> of_classes() const final { return counts_.of_classes(); }

    std::size_t n_features() const final { return counts_.n_features(); }

    std::size_t n_with_at_least(Count n) const final {
        std::size_t found = 0;
        for (const FeatureId id : counts_.index().ids()) found += this->n_on(id) >= n ? 1 : 0;
        return found;
    }

    std::vector<Count> on(FeatureId id) const final {
        std::vector<Count> on(counts_.n_classes());
        const Slot slot = counts_.index().find(id);
        for (std::size_t k = 0; slot != no_slot && k < on.size(); ++k) on[k] = counts_.on(k, slot);
        return on;
    }

    std::uint64_t n_examined() const final { return examined_; }

    SAPWOOD_COLD SearchState state() override {
        SearchState state;
        state.of_class = counts_.of_classes();
        state.ids = counts_.index().ids();
        state.on = counts_.on();
        state.examined = examined_;
        return state;
    }

    SAPWOOD_COLD void restore(SearchState state) override {
        Count n = 0;
        for (const Count count : state.of_class) n += count;
        // What may fail comes first.
        criterion_.cover(n);
        counts_.restore(std::move(state.of_class), state.ids, std::move(state.on));
        examined_ = state.examined;
    }

protected:
    explicit CountedSearch(std::size_t n_classes) : counts_(n_classes) {}

    /// The split of the feature in a slot, given its score and the impurity of the whole node.
    Split split_of(Slot slot, double score, double whole) const {
        return {counts_.index().id(slot), score, counts_.n() == 0 ? 0 : (whole - score) / counts_.n()};
    }

    NodeCounts counts_;
    Impurity criterion_;
    std::uint64_t examined_ = 0;
};

}  // namespace sapwood
