#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/search/direct_bound.hpp"
#include "sapwood/search/hash_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Records of a few words each, found by feature id: directly below a bound (direct_bound.hpp) and by hashing above it.
/// There is no slot between an id and its record, and a record below the bound is there before its feature is seen,
/// because to count is all that most additions do. A pointer to a record is valid until the next call of
/// `find_or_make`.
///
/// `fixed_stride`: the words of a record where that is known when compiling, else 0. `ids_per_feature`: how many
/// records below the bound there may be for one feature that is seen; twice as many while they are few.
template <class Word, std::size_t fixed_stride, std::size_t ids_per_feature>
class RecordTable {
public:
    /// `first`: the record of a feature that has not been seen; `smallest`: the bound at first, a power of two.
    RecordTable(std::vector<Word> first, std::size_t smallest) : first_(std::move(first)), bound_(smallest) {
        extend_direct();
    }

    std::size_t stride() const { return fixed_stride != 0 ? fixed_stride : first_.size(); }

    /// What a record holds until its feature is seen; those that there are stay as they are.
    std::vector<Word>& first() { return first_; }

    /// The records of the ids from 0 to `direct_size() - 1`, seen or not.
    Word* direct() { return direct_.data(); }
    const Word* direct() const { return direct_.data(); }
    std::size_t direct_size() const { return direct_.size() / stride(); }

    /// The other records and their ids, in the order in which they were made.
    const std::vector<FeatureId>& hashed_ids() const { return hashed_ids_; }
    Word* hashed() { return hashed_records_.data(); }
    const Word* hashed() const { return hashed_records_.data(); }

    /// The record of an id, or null if there is none.
    Word* find(FeatureId id) {
        if (static_cast<std::size_t>(id) < direct_size()) [[likely]]
            return direct_.data() + static_cast<std::size_t>(id) * stride();
        const std::int32_t position = hashed_.find(id);
        if (position == HashIndex::nowhere) return nullptr;
        return hashed_records_.data() + static_cast<std::size_t>(position) * stride();
    }
    const Word* find(FeatureId id) const { return const_cast<RecordTable*>(this)->find(id); }

    /// The record of an id, a new one if there is none.
    Word* find_or_make(FeatureId id) {
        if (Word* record = find(id)) return record;
        append_hashed(id, first_.data());
        if (!bound_.count(id)) return hashed_records_.data() + hashed_records_.size() - stride();
        distribute();
        return find(id);
    }

    /// Calls `use(id, record)` for all records, those of features that have not been seen among them.
    template <class Use>
    void for_each(Use use) {
        for (std::size_t id = 0; id < direct_size(); ++id) use(static_cast<FeatureId>(id), direct() + id * stride());
        for_each_hashed(use);
    }

    /// The same for the records that are found by hashing.
    template <class Use>
    void for_each_hashed(Use use) {
        for (std::size_t i = 0; i < hashed_ids_.size(); ++i) use(hashed_ids_[i], hashed() + i * stride());
    }

    std::size_t size() const { return direct_size() + hashed_ids_.size(); }

    std::size_t n_bytes() const {
        return (first_.capacity() + direct_.capacity() + hashed_records_.capacity()) * sizeof(Word) +
               hashed_ids_.capacity() * sizeof(FeatureId) + hashed_.n_bytes();
    }

private:
    void append_hashed(FeatureId id, const Word* record) {
        hashed_.insert(id, static_cast<std::int32_t>(hashed_ids_.size()));
        hashed_ids_.push_back(id);
        hashed_records_.insert(hashed_records_.end(), record, record + stride());
    }

    void extend_direct() {
        if constexpr (fixed_stride == 1) {
            direct_.resize(bound_.value(), first_.front());
        } else {
            direct_.reserve(bound_.value() * stride());
            while (direct_size() < bound_.value()) direct_.insert(direct_.end(), first_.begin(), first_.end());
        }
    }

    /// Puts every record where it belongs after the bound was raised.
    void distribute() {
        extend_direct();
        const std::vector<Word> records = std::move(hashed_records_);
        const std::vector<FeatureId> ids = std::move(hashed_ids_);
        hashed_records_ = {};
        hashed_ids_ = {};
        const auto is_direct = [this](FeatureId id) { return static_cast<std::size_t>(id) < direct_size(); };
        hashed_.reset(ids.size() - static_cast<std::size_t>(std::count_if(ids.begin(), ids.end(), is_direct)));
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const Word* record = records.data() + i * stride();
            if (is_direct(ids[i])) {
                std::copy_n(record, stride(), direct() + static_cast<std::size_t>(ids[i]) * stride());
            } else {
                append_hashed(ids[i], record);
                bound_.count(ids[i]);
            }
        }
    }

    std::vector<Word> first_;
    DirectBound<ids_per_feature> bound_;
    std::vector<Word> direct_;
    HashIndex hashed_;
    std::vector<FeatureId> hashed_ids_;
    std::vector<Word> hashed_records_;
};

}  // namespace sapwood
