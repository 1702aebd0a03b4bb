#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/storage/direct_bound.hpp"
#include "sapwood/storage/draining_records.hpp"
#include "sapwood/storage/growing_array.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/storage/hashed_records.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Records of a few words each, found by feature id: directly below a bound (direct_bound.hpp) and by hashing above it.
/// There is no slot between an id and its record, and a record below the bound exists before its feature is seen,
/// because most additions only count. A pointer to a record is valid until the next call of
/// `find_or_make`.
///
/// It grows gradually. A full hash table is drained into a larger one, a few buckets at each look-up of `find_or_make`
/// above the bound. A rise of the bound is expected once half of the ids that it takes are there. From then on the
/// array is extended with each new id, so that it is complete when three quarters of the others have come; then the
/// hashed records are drained into it, and the bound rises. Work is done at once only while everything is small, and
/// where ids come otherwise than expected.
///
/// `fixed_stride`: the words of a record where that is known when compiling, else 0. `ids_per_feature`: how many
/// records below the bound there may be for one feature that is seen; twice as many while they are few.
template <class Word, std::size_t fixed_stride, std::size_t ids_per_feature>
class RecordTable {
public:
    using Hashed = HashedRecords<Word, fixed_stride>;

    /// `first`: the record of a feature that has not been seen; `smallest`: the bound at first, a power of two.
    RecordTable(std::vector<Word> first, std::size_t smallest, const HashSeed& seed = hash_seed)
        : first_(std::move(first)), bound_(smallest), hashed_(first_.size(), 0, seed) {
        foresee(smallest);
        finish();
    }

    std::size_t stride() const { return fixed_stride != 0 ? fixed_stride : first_.size(); }

    const HashSeed& seed() const { return hashed_.seed(); }

    /// What a record holds until its feature is seen; those that there are stay as they are.
    std::vector<Word>& first() { return first_; }

    /// The records of the ids from 0 to `direct_size() - 1`, a power of two, seen or not.
    Word* direct() { return direct_.data(); }
    const Word* direct() const { return direct_.data(); }
    std::size_t direct_size() const { return bound_.value(); }

    /// In the same array, up to here, are the records of more ids, for when the bound rises. That of an id which has
    /// been seen may be elsewhere yet: what is here is as if it had not been.
    std::size_t n_direct() const { return direct_.size() / stride(); }

    /// From here on none is of a feature that has been seen.
    std::size_t n_in_use() const { return std::max(direct_size(), drained_to_); }

    /// The places of the other records, empty ones among them, from 0 to `n_places() - 1`.
    std::size_t n_places() const { return n_draining() + hashed_.n_places(); }

    /// The id of the record at a place, negative if that is empty.
    FeatureId id_at(std::size_t place) const {
        const std::size_t before = n_draining();
        return place < before ? draining_->records().id_at(place) : hashed_.id_at(place - before);
    }

    /// The record at a place.
    Word* at(std::size_t place) {
        const std::size_t before = n_draining();
        return place < before ? draining_->records().at(place) : hashed_.at(place - before);
    }
    const Word* at(std::size_t place) const { return const_cast<RecordTable*>(this)->at(place); }

    /// How many of the places are not empty.
    std::size_t n_hashed() const { return (draining_ ? draining_->records().size() : 0) + hashed_.size(); }

    /// The record of an id, or null if there is none.
    Word* find(FeatureId id) {
        if (static_cast<std::size_t>(id) < direct_size()) [[likely]]
            return direct_at(id);
        if (draining_) [[unlikely]]
            return find_while_draining(id);
        return hashed_.find(id);
    }
    const Word* find(FeatureId id) const { return const_cast<RecordTable*>(this)->find(id); }

    /// The record of an id, a new one if there is none.
    Word* find_or_make(FeatureId id) {
        if (static_cast<std::size_t>(id) < direct_size()) return direct_at(id);
        return find_or_make_above(id);
    }

    /// Calls `use(id, record)` for all records, those of features that have not been seen among them.
    template <class Use>
    void for_each(Use use) {
        for (std::size_t id = 0; id < direct_size(); ++id) use(static_cast<FeatureId>(id), direct() + id * stride());
        for_each_above(use);
    }

    /// The same from `direct_size()` on.
    template <class Use>
    void for_each_above(Use use) {
        for (std::size_t i = direct_size(); i < drained_to_; ++i) {
            const auto id = static_cast<FeatureId>(i);
            if (Word* record = find_while_draining(id); record == direct_at(id)) use(id, record);
        }
        if (draining_) draining_->records().for_each(use);
        hashed_.for_each(use);
    }

    /// How many records there are, one for an id.
    std::size_t size() const { return n_in_use() + n_hashed() - n_to_drain_; }

    /// Whether something has been begun that later calls of `find_or_make` will complete.
    bool is_growing() const { return draining_ || direct_size() < foreseen_; }

    /// What has been set aside and not been written to is not counted.
    std::size_t n_bytes() const {
        return (first_.capacity() + direct_.size()) * sizeof(Word) + hashed_.n_bytes() +
               (draining_ ? draining_->records().n_bytes() : 0);
    }

private:
    using Draining = DrainingRecords<Word, fixed_stride>;

    /// So many buckets are drained at once, at every second look-up into an array, which must be complete before the
    /// bound rises, and at every fourth into a larger table. Trade-off: eight buckets of cache misses can be waited for
    /// together, and what is drained is empty long before the next is full (draining_records_test.cpp).
    static constexpr std::size_t some_buckets = 8;
    static constexpr unsigned turns_to_array = 2;
    static constexpr unsigned turns_to_table = 4;
    /// A table of so few buckets, a thousand records, is moved at once: both tables are in the cache then.
    static constexpr std::size_t few_buckets = 256;

    Word* direct_at(FeatureId id) { return direct_.data() + static_cast<std::size_t>(id) * stride(); }
    const Word* direct_at(FeatureId id) const { return direct_.data() + static_cast<std::size_t>(id) * stride(); }

    std::size_t n_draining() const { return draining_ ? draining_->records().n_places() : 0; }

    Word* find_while_draining(FeatureId id) {
        const bool is_kept = draining_->keeps(id);
        if (Word* record = is_kept ? draining_->records().find(id) : nullptr) return record;
        if (static_cast<std::size_t>(id) < drained_to_) return direct_at(id);
        return is_kept ? nullptr : hashed_.find(id);
    }

    Word* find_or_make_above(FeatureId id) {
        go_on();
        if (static_cast<std::size_t>(id) < direct_size()) return direct_at(id);
        Hashed* hashed = &hashed_;
        if (draining_) {
            if (static_cast<std::size_t>(id) < drained_to_) return find_while_draining(id);
            if (draining_->keeps(id)) {
                hashed = &draining_->records();
            } else if (hashed_.is_full()) {
                hashed_.grow();
            }
        }
        const auto [record, is_new] = hashed->find_or_insert(id, first_.data());
        if (!is_new) return record;
        if (n_direct() < foreseen_) extend_direct(std::min(foreseen_, n_direct() + pace_));
        if (!bound_.count(id)) return record;
        review();
        return find(id);
    }

    /// Does a part of what there is to do, and makes room for another record.
    void go_on() {
        if (draining_) {
            // Few are added to what is being drained, unless somebody chooses them so.
            if (draining_->records().is_crammed()) {
                drain(draining_->records().n_buckets());
            } else if (++turn_ % (drained_to_ > 0 ? turns_to_array : turns_to_table) == 0) {
                drain(some_buckets);
            }
            if (draining_) return;
        }
        // Also where the last has just been drained: what it was drained into may be full, or have no place at all.
        if (direct_size() < foreseen_ && n_direct() == foreseen_) drain_to_array();
        if (draining_ || !hashed_.is_full()) return;
        if (hashed_.n_buckets() <= few_buckets) return hashed_.grow();
        Hashed larger(stride(), Hashed::next_size(hashed_.n_buckets()), seed());
        draining_.emplace(std::exchange(hashed_, std::move(larger)));
    }

    /// Raises the bound if it is due, and else finds out whether it will be.
    void review() {
        finish();
        const std::size_t now = bound_.affordable();
        // A rise that would concern few of the ids is left to the one that is to come.
        if (now > direct_size() && 8 * bound_.n_below(now) >= bound_.n_below(bound_.affordable(2))) {
            foresee(now);
            finish();
        }
        const std::size_t next = bound_.affordable(2);
        const std::size_t horizon = bound_.reviewed();
        if (next > direct_size() && next > bound_.small) {
            foresee(next);
            pace_ = (next - n_direct()) * 4 / (horizon * 3) + 1;
        }
    }

    /// Begins to make the array ready for a larger bound.
    void foresee(std::size_t bound) {
        direct_.reserve(bound * stride());
        foreseen_ = bound;
    }

    /// Completes what was foreseen, if anything.
    void finish() {
        if (n_direct() >= foreseen_ && direct_size() >= foreseen_) return;
        if (draining_ && drained_to_ == 0) drain(draining_->records().n_buckets());
        if (!draining_) {
            extend_direct(foreseen_);
            drain_to_array();
        }
        if (draining_) drain(draining_->records().n_buckets());
    }

    /// Adds records that have not been seen to the array.
    void extend_direct(std::size_t size) {
        const std::size_t before = direct_.size();
        direct_.extend(size * stride());
        Word* const end = direct_.data() + direct_.size();
        if constexpr (fixed_stride == 1) {
            std::fill(direct_.data() + before, end, first_.front());
        } else {
            for (Word* at = direct_.data() + before; at != end; at += stride()) {
                std::copy(first_.begin(), first_.end(), at);
            }
        }
    }

    /// Begins to move what is hashed to the array, which is complete.
    void drain_to_array() {
        if (hashed_.size() == 0) return bound_.raise(foreseen_);
        Hashed left(stride(), Hashed::buckets_for(bound_.size() - bound_.n_below(foreseen_)), seed());
        draining_.emplace(std::exchange(hashed_, std::move(left)));
        drained_to_ = foreseen_;
        n_to_drain_ = bound_.n_below(foreseen_);
    }

    void drain(std::size_t n_buckets) {
        const auto prepare = [this](FeatureId id) {
            if (static_cast<std::size_t>(id) < drained_to_) prefetch_to_change(direct_at(id));
        };
        const auto move = [this](FeatureId id, const Word* record) {
            if (static_cast<std::size_t>(id) < drained_to_) {
                std::copy_n(record, stride(), direct_at(id));
                --n_to_drain_;
            } else {
                if (hashed_.is_full()) hashed_.grow();
                hashed_.insert(id, record);
            }
        };
        if (!draining_->drain(n_buckets, prepare, move)) return;
        draining_.reset();
        if (drained_to_ > 0) bound_.raise(drained_to_);
        drained_to_ = 0;
    }

    std::vector<Word> first_;
    DirectBound<ids_per_feature> bound_;
    GrowingArray<Word> direct_;
    Hashed hashed_;

    /// What was hashed, while it is being moved; below what id it goes to the array, 0 if none does; and how many will.
    std::optional<Draining> draining_;
    std::size_t drained_to_ = 0;
    std::size_t n_to_drain_ = 0;
    unsigned turn_ = 0;
    /// The bound that the array is made ready for, and how many records are added to it with each new id.
    std::size_t foreseen_ = 0;
    std::size_t pace_ = 0;
};

}  // namespace sapwood
