#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sapwood/search/node_counts.hpp"
#include "sapwood/search/split.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Counters of the work that a search has done; what the paper's running times are made of.
struct Work {
    /// Times a feature was put into a tree in which it was not.
    std::uint64_t moves = 0;
    /// Keys written into a tree.
    std::uint64_t key_updates = 0;
    /// Features whose score was computed to answer a query.
    std::uint64_t examined = 0;
};

/// All that must be kept of a search to continue it exactly: saved and restored by layers above.
struct SearchState {
    std::array<Count, 2> of_class{};
    /// A row for each seen feature, in the order of slots.
    std::vector<FeatureId> ids;
    std::array<std::vector<Count>, 2> on;
    /// a(j) and b(j), the first and the last bin of each feature; empty for a search without bins.
    std::vector<std::int32_t> first_bin;
    std::vector<std::int32_t> last_bin;
    Work work;
};

/// Throws std::invalid_argument unless a state read from outside is one that a search could have had.
inline void check_state(const SearchState& state) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    const auto [c0, c1] = state.of_class;
    require(c0 >= 0 && c1 >= 0 && c0 <= max_points - c1, "state must hold class counts from 0 to 2^31 - 1");
    const std::size_t size = state.ids.size();
    require(state.on[0].size() == size && state.on[1].size() == size, "state must hold a count for every feature");
    for (std::size_t i = 0; i < size; ++i) {
        require(state.ids[i] >= 0, "state must hold no negative feature");
        for (const std::size_t k : {0U, 1U}) {
            require(0 <= state.on[k][i] && state.on[k][i] <= state.of_class[k],
                    "state must hold counts within their class");
        }
        require(state.on[0][i] + state.on[1][i] > 0, "state must hold features that were seen");
    }
    std::vector<FeatureId> sorted(state.ids);
    std::sort(sorted.begin(), sorted.end());
    require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "state must hold every feature once");
}

/// The split search: keeps the best split of one node while points arrive.
///
/// The three implementations (exhaustive.hpp, approximate.hpp, certified.hpp) are plain drop-ins for each other; each
/// states its guarantee. A query brings deferred maintenance up to date, and so is not const, but never changes an
/// answer.
class SplitSearch {
public:
    virtual ~SplitSearch() = default;

    /// Adds one point. The features must be unique and not negative, the label 0 or 1: see check_point.
    virtual void add(Features features, Label label) = 0;

    /// The best split, or nothing while no feature has been seen.
    virtual std::optional<Split> best() = 0;

    /// The best k splits, best first; fewer where fewer features have been seen.
    virtual std::vector<Split> top(std::size_t k) = 0;

    virtual std::unique_ptr<SplitSearch> clone() const = 0;

    /// Throws std::logic_error with what is broken if an invariant of the structure does not hold. O(everything).
    virtual void validate() = 0;

    virtual SearchState state() = 0;
    virtual void restore(SearchState state) = 0;

    /// The search trees in use that hold at least one feature; 0 for a search without trees.
    virtual std::size_t n_trees() { return 0; }

    /// The memory held, in bytes.
    virtual std::size_t n_bytes() const = 0;

    /// The split of the seen feature in a slot.
    virtual Split split_of(Slot slot) const = 0;

    const NodeCounts& counts() const { return counts_; }

    const Work& work() const { return work_; }

protected:
    SplitSearch() = default;
    SplitSearch(const SplitSearch&) = default;
    SplitSearch& operator=(const SplitSearch&) = default;

    NodeCounts counts_;
    Work work_;
};

/// The part of a search that depends on its criterion alone.
template <class Criterion>
class SplitSearchFor : public SplitSearch {
public:
    Split split_of(Slot slot) const final {
        const Count c0 = counts_.of_class(0);
        const Count c1 = counts_.of_class(1);
        const Count a = counts_.on(0, slot);
        const Count b = counts_.on(1, slot);
        Split split;
        split.feature = counts_.index().id(slot);
        split.score = criterion_.score(a, b, c0, c1);
        split.gain = (criterion_.weighted(c0, c1) - split.score) / counts_.n();
        split.counts = {{{c0 - a, c1 - b}, {a, b}}};
        return split;
    }

    SearchState state() override {
        SearchState state;
        state.of_class = {counts_.of_class(0), counts_.of_class(1)};
        state.ids = counts_.index().ids();
        for (const Label label : {Label{0}, Label{1}}) {
            state.on[label].assign(counts_.on(label), counts_.on(label) + counts_.n_features());
        }
        state.work = work_;
        return state;
    }

    void restore(SearchState state) override {
        counts_.restore(state.of_class, state.ids, std::move(state.on));
        criterion_.cover(counts_.n());
        work_ = state.work;
    }

protected:
    Criterion criterion_;
};

}  // namespace sapwood
