#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "sapwood/search/counter_table.hpp"
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
        any_seen_ |= !features.empty();
        touch(features, label, weight, weight);
    }

    void remove(Features features, Label label, Count weight = 1) final {
        const auto on = [&](FeatureId id) {
            const Count* record = table_.find(id);
            return record == nullptr ? 0 : record[label];
        };
        guard_.check(features, label, weight, of_class_[label], on,
                     [this](auto use) { table_.for_each([&](FeatureId id, Count*) { use(id); }); });
        if (!removals_) {
            // Certificates made so far do not allow for removals.
            removals_ = true;
            forget_certificates();
        }
        for (const FeatureId id : features) status_word(table_.find(id)) |= seen_before;
        of_class_[label] -= weight;
        n_ -= weight;
        touch(features, label, -weight, weight);
    }

    SearchState state() final {
        SearchState state;
        state.of_class = of_classes();
        state.on.resize(n_classes());
        table_.for_each([&](FeatureId id, Count* record) {
            if (!seen(record)) return;
            state.ids.push_back(id);
            for (std::size_t k = 0; k < state.on.size(); ++k) state.on[k].push_back(record[k]);
        });
        state.work = work_;
        state.removes = removals_;
        return state;
    }

    void restore(SearchState state) final {
        start_afresh();
        for (std::size_t k = 0; k < n_classes(); ++k) {
            of_class_[k] = state.of_class[k];
            n_ += state.of_class[k];
        }
        for (std::size_t i = 0; i < state.ids.size(); ++i) {
            Count* record = table_.find_or_make(state.ids[i]);
            for (std::size_t k = 0; k < n_classes(); ++k) record[k] = state.on[k][i];
            status_word(record) = seen_before;
            smallest_id_ = std::min(smallest_id_, state.ids[i]);
        }
        any_seen_ = !state.ids.empty();
        features_ = state.ids.size();
        work_ = state.work;
        removals_ = state.removes;
    }

    Count n() const final { return n_; }

    std::vector<Count> of_classes() const final { return {of_class_.begin(), of_class_.end()}; }

    std::size_t n_features() const final {
        std::size_t size = 0;
        table_.for_each([&](FeatureId, const Count* record) { size += seen(record) ? 1 : 0; });
        return size;
    }

    std::vector<Count> on(FeatureId id) const final {
        const Count* record = table_.find(id);
        if (record == nullptr) return std::vector<Count>(table_.n_classes());
        return {record, record + table_.n_classes()};
    }

protected:
    static constexpr std::size_t fixed = Certificate::fixed_classes;
    static constexpr Count never = std::numeric_limits<Count>::max();

    /// The two lowest bits of the status word of a record; the next says that the feature has been seen even if it is
    /// on in no point any more; the others are the number of the renewal that listed it.
    enum Status : Count { rare, certified, candidate, waiting };
    static constexpr Count status_mask = 3;
    static constexpr Count seen_before = 4;
    static constexpr Count renewal_shift = 3;

    explicit CertifiedCounts(std::size_t n_classes) : table_(n_classes), guard_(n_classes) {
        if constexpr (fixed == 0) of_class_.resize(n_classes);
        forget_all();
    }

    /// Gives up all certificates: none runs out until new ones are made.
    virtual void forget_certificates() = 0;

    /// Becomes a search that has seen nothing.
    virtual void start_afresh() = 0;

    std::size_t n_classes() const { return table_.n_classes(); }
    Count& left(Count* record) const { return CounterTable<fixed>::left(record, n_classes()); }
    Count& status_word(Count* record) const { return CounterTable<fixed>::status(record, n_classes()); }
    Status status(Count* record) const { return static_cast<Status>(status_word(record) & status_mask); }
    void set_status(Count* record, Status status) const {
        status_word(record) = (status_word(record) & ~status_mask) | status;
    }

    bool seen(const Count* record) const {
        return (occurrences(record) | (record[n_classes() + 1] & seen_before)) != 0;
    }

    Count occurrences(const Count* record) const {
        Count sum = 0;
        for (std::size_t k = 0; k < n_classes(); ++k) sum += record[k];
        return sum;
    }

    bool has_one_class() const {
        for (std::size_t k = 0; k < n_classes(); ++k) {
            if (of_class_[k] != 0) return of_class_[k] == n_;
        }
        return true;
    }

    /// Makes every feature one that is rare, and whose certificate does not run out.
    void forget_all() {
        waiting_.clear();
        table_.set_first_left(never);
        table_.for_each([this](FeatureId, Count* record) {
            set_status(record, rare);
            left(record) = never;
        });
    }

    CounterTable<fixed> table_;
    ClassCounts of_class_{};
    Count n_ = 0;
    /// The smallest id seen, as long as all points are of one class.
    FeatureId smallest_id_ = std::numeric_limits<FeatureId>::max();
    bool any_seen_ = false;
    /// The number of features seen, when they were last counted: no addition counts them.
    std::size_t features_ = 0;
    bool removals_ = false;
    RemovalGuard guard_;
    /// The features whose certificate has run out.
    std::vector<FeatureId> waiting_;

private:
    /// Changes the counts of features, and notes those whose certificate has run out. The hot loop: nothing else is
    /// done for most features of most points.
    void touch(Features features, Label label, Count change, Count uses) {
        const std::size_t stride = table_.stride();
        Count* direct = table_.direct();
        std::size_t size = table_.direct_size();
        for (const FeatureId id : features) {
            const auto index = static_cast<std::size_t>(id);
            Count* record = direct + index * stride;
            if (index >= size) [[unlikely]] {
                record = table_.find_or_make(id);
                direct = table_.direct();
                size = table_.direct_size();
            }
            record[label] += change;
            if ((left(record) -= uses) < 0) [[unlikely]]
                run_out(id, record);
        }
    }

    void run_out(FeatureId id, Count* record) {
        left(record) = never;
        if (status(record) != rare && status(record) != certified) return;
        set_status(record, waiting);
        waiting_.push_back(id);
    }
};

}  // namespace sapwood
