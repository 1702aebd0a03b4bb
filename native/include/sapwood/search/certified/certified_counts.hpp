#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/certified/record_flags.hpp"
#include "sapwood/search/removal_guard.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

/// The counting half of the certified search: additions and removals change the counts of features and use up their
/// certificates, and a feature whose certificate has run out goes on the waiting list. What a certificate is, and what
/// is done about the waiting ones, is for the search to know.
template <class Certificate>
class CertifiedCounts : public SplitSearch {
public:
    using ClassCounts = typename Certificate::ClassCounts;

    void add(Features features, Label label, Count weight = 1) final {
        of_class_[label] += weight;
        n_ += weight;
        if (n_ == of_class_[label]) {
            // Only while there is one class does the answer depend on the ids alone.
            for (const FeatureId id : features) smallest_id_ = std::min(smallest_id_, id);
        }
        touched_ += features.size();
        touch(features, label, weight, weight);
    }

    void remove(Features features, Label label, Count weight = 1) final {
        const auto on = [&](FeatureId id) { return counters_.counts(id)[label]; };
        guard_.check(features, label, weight, of_class_[label], on,
                     [this](auto use) { counters_.for_each([&](FeatureId id, Record) { use(id); }); });
        if (!removals_) {
            // Certificates made so far do not allow for removals.
            removals_ = true;
            forget_certificates();
        }
        for (const FeatureId id : features) {
            Record record = counters_.find(id);
            counters_.set_flags(record, counters_.flags(record) | RecordFlags::seen_before);
        }
        of_class_[label] -= weight;
        n_ -= weight;
        touched_ += features.size();
        touch(features, label, -weight, weight);
    }

    SearchState state() final {
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
        state.examined = examined_;
        state.removes = removals_;
        return state;
    }

    void restore(SearchState state) final {
        start_afresh();
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
        features_ = state.ids.size();
        examined_ = state.examined;
        removals_ = state.removes;
    }

    std::uint64_t n_examined() const final { return examined_; }

    bool is_exact() const final { return true; }

    Count n() const final { return n_; }

    std::vector<Count> of_classes() const final { return {of_class_.begin(), of_class_.end()}; }

    std::size_t n_features() const final {
        std::size_t size = 0;
        counters_.for_each([&](FeatureId, const auto* record) { size += counters_.seen(record) ? 1 : 0; });
        return size;
    }

    std::vector<Count> on(FeatureId id) const final {
        const auto counts = counters_.counts(id);
        return {counts.begin(), counts.end()};
    }

protected:
    using Counters = typename Certificate::Counters;
    using Record = typename Counters::Record;

    static constexpr Count never = std::numeric_limits<Count>::max();

    explicit CertifiedCounts(std::size_t n_classes) : counters_(n_classes), guard_(n_classes) {
        if constexpr (Certificate::fixed_classes == 0) of_class_.resize(n_classes);
        forget_all();
    }

    /// Gives up all certificates: none runs out until new ones are made.
    virtual void forget_certificates() = 0;

    /// Becomes a search that has seen nothing.
    virtual void start_afresh() = 0;

    std::size_t n_classes() const { return counters_.n_classes(); }

    Status status(Record record) const { return RecordFlags::status(counters_.flags(record)); }

    /// The number of the list that a feature is on, 0 if it is on none.
    std::uint32_t list_of(Record record) const { return RecordFlags::list(counters_.flags(record)); }

    bool has_one_class() const {
        for (std::size_t k = 0; k < n_classes(); ++k) {
            if (of_class_[k] != 0) return of_class_[k] == n_;
        }
        return true;
    }

    /// Makes every feature one that is rare, on no list, and whose certificate does not run out.
    void forget_all() {
        promised_ = false;
        waiting_.clear();
        counters_.set_first_left(never);
        counters_.for_each([this](FeatureId id, Record record) { counters_.set(id, record, Status::rare, 0, never); });
    }

    Counters counters_;
    /// Whether there are certificates, and they can run out.
    bool promised_ = false;
    ClassCounts of_class_{};
    Count n_ = 0;
    /// The smallest id seen, as long as all points are of one class.
    FeatureId smallest_id_ = std::numeric_limits<FeatureId>::max();
    /// How many counts of features have been changed.
    std::uint64_t touched_ = 0;
    /// The number of features seen, when they were last counted: no addition counts them.
    std::size_t features_ = 0;
    bool removals_ = false;
    /// Features whose score was computed to answer a query.
    std::uint64_t examined_ = 0;
    RemovalGuard guard_;
    /// The features whose certificate has run out.
    std::vector<FeatureId> waiting_;

private:
    /// Changes the counts of features, and notes those whose certificate has run out.
    SAPWOOD_INLINE void touch(Features features, Label label, Count change, Count uses) {
        counters_.touch(features, label, change, uses, [this](FeatureId id, Record record) { run_out(id, record); });
    }

    void run_out(FeatureId id, Record record) {
        const Status before = status(record);
        const bool waits = promised_ && (before == Status::rare || before == Status::certified);
        counters_.set(id, record, waits ? Status::waiting : before, list_of(record), never);
        if (waits) waiting_.push_back(id);
    }
};

}  // namespace sapwood
