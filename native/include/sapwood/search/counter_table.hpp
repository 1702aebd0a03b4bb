#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/search/direct_bound.hpp"
#include "sapwood/search/hash_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The counters of a certified search, a record of K + 2 words for every feature:
///     on[0], ..., on[K - 1]   the points of each class in which the feature is on
///     left                    how many more occurrences its certificate allows
///     status                  the search's own; 0 at first
///
/// Records are found by id, directly below a bound (direct_bound.hpp) and by hashing above it; there is no slot between
/// an id and its record, and a record below the bound is there before its feature is seen, because to count is all that
/// most additions do. A pointer to a record is valid until the next call of `find_or_make`.
///
/// `fixed_classes`: K where it is known when compiling, else 0.
template <std::size_t fixed_classes>
class CounterTable {
public:
    /// How many records below the bound there may be for one feature that is seen; twice as many while they are few.
    static constexpr std::size_t ids_per_feature = fixed_classes == 2 ? 8 : 4;

    explicit CounterTable(std::size_t n_classes)
        : n_classes_(n_classes), bound_(std::clamp<std::size_t>(std::bit_floor(64 / (n_classes + 2)), 1, 16)) {
        extend_direct();
    }

    std::size_t n_classes() const { return fixed_classes != 0 ? fixed_classes : n_classes_; }
    std::size_t stride() const { return n_classes() + 2; }

    static Count& left(Count* record, std::size_t n_classes) { return record[n_classes]; }
    static Count& status(Count* record, std::size_t n_classes) { return record[n_classes + 1]; }

    /// What `left` is in the record of a feature that has not been seen, from now on.
    void set_first_left(Count first_left) { first_left_ = first_left; }

    /// The records of the ids from 0 to `direct_size() - 1`, seen or not.
    Count* direct() { return direct_.data(); }
    std::size_t direct_size() const { return direct_.size() / stride(); }

    /// The record of an id, or null if there is none.
    Count* find(FeatureId id) {
        if (static_cast<std::size_t>(id) < direct_size())
            return direct_.data() + static_cast<std::size_t>(id) * stride();
        const std::int32_t position = hashed_.find(id);
        return position == HashIndex::nowhere ? nullptr
                                              : record_at(hashed_records_, static_cast<std::size_t>(position));
    }
    const Count* find(FeatureId id) const { return const_cast<CounterTable*>(this)->find(id); }

    /// The record of an id, a new one if there is none.
    Count* find_or_make(FeatureId id) {
        if (Count* record = find(id)) return record;
        append_hashed(id);
        if (bound_.count(id)) distribute();
        return find(id);
    }

    /// Calls `use(id, record)` for all records, those of features that have not been seen among them.
    template <class Use>
    void for_each(Use use) {
        for (std::size_t id = 0; id < direct_size(); ++id) use(static_cast<FeatureId>(id), record_at(direct_, id));
        for (std::size_t i = 0; i < hashed_ids_.size(); ++i) use(hashed_ids_[i], record_at(hashed_records_, i));
    }

    template <class Use>
    void for_each(Use use) const {
        const_cast<CounterTable*>(this)->for_each([&](FeatureId id, const Count* record) { use(id, record); });
    }

    /// The same in blocks of at most `block` records that follow each other: `use(records, size, id, ascending)`, where
    /// `id(i)` is that of the i-th, and `ascending` says that ids go up, in this block and from one such block to the
    /// next.
    template <std::size_t block, class Use>
    void for_each_block(Use use) const {
        const auto in_blocks = [&](const Count* records, std::size_t size, auto id, bool ascending) {
            for (std::size_t first = 0; first < size; first += block) {
                use(
                    records + first * stride(), std::min(block, size - first),
                    [&](std::size_t i) { return id(first + i); }, ascending);
            }
        };
        in_blocks(direct_.data(), direct_size(), [](std::size_t i) { return static_cast<FeatureId>(i); }, true);
        in_blocks(hashed_records_.data(), hashed_ids_.size(), [this](std::size_t i) { return hashed_ids_[i]; }, false);
    }

    std::size_t size() const { return direct_size() + hashed_ids_.size(); }

    std::size_t n_bytes() const {
        return (direct_.capacity() + hashed_records_.capacity()) * sizeof(Count) +
               hashed_ids_.capacity() * sizeof(FeatureId) + hashed_.n_bytes();
    }

private:
    Count* record_at(std::vector<Count>& records, std::size_t i) { return records.data() + i * stride(); }

    void append_record(std::vector<Count>& records) {
        records.insert(records.end(), stride(), 0);
        left(records.data() + records.size() - stride(), n_classes()) = first_left_;
    }

    void append_hashed(FeatureId id) {
        hashed_.insert(id, static_cast<std::int32_t>(hashed_ids_.size()));
        hashed_ids_.push_back(id);
        append_record(hashed_records_);
    }

    void extend_direct() {
        const std::size_t old = direct_size();
        direct_.resize(bound_.value() * stride());
        for (std::size_t id = old; id < bound_.value(); ++id) left(record_at(direct_, id), n_classes()) = first_left_;
    }

    /// Puts every record where it belongs after the bound was raised.
    void distribute() {
        extend_direct();
        const std::vector<Count> records = std::move(hashed_records_);
        const std::vector<FeatureId> ids = std::move(hashed_ids_);
        hashed_records_ = {};
        hashed_ids_ = {};
        hashed_.reset(0);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const Count* record = records.data() + i * stride();
            if (static_cast<std::size_t>(ids[i]) >= direct_size()) {
                append_hashed(ids[i]);
                bound_.count(ids[i]);
            }
            std::copy(record, record + stride(), find(ids[i]));
        }
    }

    std::size_t n_classes_;
    Count first_left_ = 0;
    DirectBound<ids_per_feature> bound_;
    std::vector<Count> direct_;
    HashIndex hashed_;
    std::vector<FeatureId> hashed_ids_;
    std::vector<Count> hashed_records_;
};

}  // namespace sapwood
