#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/added_counts.hpp"
#include "sapwood/search/certified/record_flags.hpp"
#include "sapwood/search/removal_guard.hpp"
#include "sapwood/search/search_state.hpp"
#include "sapwood/search/summed_counts.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a certified search has counted: the points of each class, and the records of all features. A record counts down
/// too (record_flags.hpp), and whoever adds is told of each that has run out; what that means is for others to know.
template <class Certificate>
class CertifiedCounts {
public:
    using ClassCounts = typename Certificate::ClassCounts;
    using Counters = typename Certificate::Counters;
    using Record = typename Counters::Record;

    explicit CertifiedCounts(std::size_t n_classes, const HashSeed& seed = hash_seed, std::size_t room = 0)
        : counters_(n_classes, seed, room), guard_(n_classes) {
        if constexpr (Certificate::fixed_classes == 0) of_class_.resize(n_classes);
        counters_.set_first_left(never_runs_out);
    }

    /// Counts a point; calls `run_out(id, record)` for its features that have run out.
    template <class RunOut>
    SAPWOOD_INLINE void add(Features features, Label label, Count weight, RunOut run_out) {
        of_class_[label] += weight;
        n_ += weight;
        if (n_ == of_class_[label]) {
            // Only while there is one class does the answer depend on the ids alone.
            for (const FeatureId id : features) smallest_id_ = std::min(smallest_id_, id);
        }
        touched_ += features.size();
        counters_.touch(features, label, weight, weight, run_out);
    }

    /// Counts many points at once; calls `run_out` as `add` does. O(counts), but for sorting those of a class.
    template <class RunOut>
    void add_counts(const AddedCounts& added, RunOut run_out) {
        for (std::size_t k = 0; k < n_classes(); ++k) of_class_[k] += added.of_class[k];
        n_ += added.n();
        if (has_one_class() && !added.ids.empty()) smallest_id_ = std::min(smallest_id_, added.ids.front());
        std::vector<std::pair<Count, FeatureId>> by_count;
        std::vector<FeatureId> same;
        for (std::size_t k = 0; k < n_classes(); ++k) {
            const AddedCounts::OfLabel& more = added.of_label[k];
            by_count.clear();
            for (std::size_t i = 0; i < more.ids.size(); ++i) by_count.emplace_back(more.on[i], more.ids[i]);
            std::sort(by_count.begin(), by_count.end());
            touched_ += by_count.size();
            // A record is touched as by a point of that weight, together with all to which as much is added.
            for (std::size_t first = 0; first < by_count.size(); first += same.size()) {
                same.clear();
                const Count count = by_count[first].first;
                for (std::size_t i = first; i < by_count.size() && by_count[i].first == count; ++i) {
                    same.push_back(by_count[i].second);
                }
                counters_.touch(same, static_cast<Label>(k), count, count, run_out);
            }
        }
    }

    /// Throws std::invalid_argument if the counts show that a point was not added; removes nothing.
    void check_removal(Features features, Label label, Count weight) {
        const auto on = [&](FeatureId id) { return counters_.counts(id)[label]; };
        guard_.check(features, label, weight, of_class_[label], on,
                     [this](auto use) { counters_.for_each([&](FeatureId id, Record) { use(id); }); });
    }

    /// Takes back a point that `check_removal` has let pass; calls `run_out` as `add` does.
    template <class RunOut>
    void remove(Features features, Label label, Count weight, RunOut run_out) {
        removals_ = true;
        for (const FeatureId id : features) {
            Record record = counters_.find(id);
            counters_.set_flags(record, counters_.flags(record) | RecordFlags::seen_before);
        }
        of_class_[label] -= weight;
        n_ -= weight;
        touched_ += features.size();
        counters_.touch(features, label, -weight, weight, run_out);
    }

    /// The same for many points at once. O(counts).
    template <class RunOut>
    void remove(const SummedCounts& gone, RunOut run_out) {
        removals_ = true;
        for (std::size_t k = 0; k < n_classes(); ++k) of_class_[k] -= gone.of_class[k];
        n_ -= gone.n();
        touched_ += gone.ids.size();
        counters_.take(gone, run_out);
    }

    /// What must be kept of the counts.
    SearchState state() {
        SearchState state;
        state.of_class = of_classes();
        state.on.resize(n_classes());
        counters_.for_each([&](FeatureId id, Record record) {
            if (counters_.seen(record)) state.ids.push_back(id);
        });
        // In an order that says nothing of how the counters are kept: what is restored has the same state again.
        std::sort(state.ids.begin(), state.ids.end());
        for (const FeatureId id : state.ids) {
            const auto counts = counters_.counts(id);
            for (std::size_t k = 0; k < state.on.size(); ++k) state.on[k].push_back(counts[k]);
        }
        state.removes = removals_;
        return state;
    }

    /// Takes over what was kept; nothing may have been counted before.
    void restore(const SearchState& state) {
        for (std::size_t k = 0; k < n_classes(); ++k) {
            of_class_[k] = state.of_class[k];
            n_ += state.of_class[k];
        }
        ClassCounts counts = of_class_;
        for (std::size_t i = 0; i < state.ids.size(); ++i) {
            Record record = counters_.find_or_make(state.ids[i]);
            for (std::size_t k = 0; k < n_classes(); ++k) counts[k] = state.on[k][i];
            counters_.set_counts(state.ids[i], record, counts);
            counters_.set_flags(record, counters_.flags(record) | RecordFlags::seen_before);
            smallest_id_ = std::min(smallest_id_, state.ids[i]);
        }
        touched_ = state.ids.size();
        removals_ = state.removes;
    }

    /// Counts more classes from now on, for which there is room.
    void take_classes(std::size_t n_classes) {
        of_class_.resize(n_classes);
        guard_.take_classes(n_classes);
        counters_.take_classes(n_classes);
    }

    Count n() const { return n_; }
    std::size_t n_classes() const { return counters_.n_classes(); }
    const ClassCounts& of_class() const { return of_class_; }
    std::vector<Count> of_classes() const { return {of_class_.begin(), of_class_.end()}; }

    /// The points of each class in which a feature is on.
    std::vector<Count> on(FeatureId id) const {
        const auto counts = counters_.counts(id);
        return {counts.begin(), counts.end()};
    }

    /// The features seen. O(d).
    /// Appends those of the features, which have just been counted, that are on in exactly n points.
    void append_with(Features features, Count n, std::vector<FeatureId>& found) const {
        counters_.append_with(features, n, found);
    }

    /// How many features are on in at least n points.
    std::size_t n_with_at_least(Count n) const {
        std::size_t size = 0;
        counters_.for_each([&](FeatureId id, const auto* record) {
            Count n_on = 0;
            for (const Count count : counters_.counts(id, record)) n_on += count;
            size += n_on >= n ? 1 : 0;
        });
        return size;
    }

    std::size_t n_features() const {
        std::size_t size = 0;
        counters_.for_each([&](FeatureId, const auto* record) { size += counters_.seen(record) ? 1 : 0; });
        return size;
    }

    bool has_one_class() const {
        for (std::size_t k = 0; k < n_classes(); ++k) {
            if (of_class_[k] != 0) return of_class_[k] == n_;
        }
        return true;
    }

    /// The smallest id seen, as long as all points are of one class.
    FeatureId smallest_id() const { return smallest_id_; }

    /// How many counts of features have been changed.
    std::uint64_t touched() const { return touched_; }

    /// Whether points have been removed, and so may be again.
    bool removals() const { return removals_; }

    /// The records of the features.
    Counters& counters() { return counters_; }
    const Counters& counters() const { return counters_; }

    std::size_t n_bytes() const { return counters_.n_bytes() + guard_.n_bytes(); }

private:
    Counters counters_;
    ClassCounts of_class_{};
    Count n_ = 0;
    FeatureId smallest_id_ = std::numeric_limits<FeatureId>::max();
    std::uint64_t touched_ = 0;
    bool removals_ = false;
    RemovalGuard guard_;
};

}  // namespace sapwood
