#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/search/direct_bound.hpp"
#include "sapwood/search/hashed_records.hpp"
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
    RecordTable(std::vector<Word> first, std::size_t smallest)
        : first_(std::move(first)), bound_(smallest), hashed_(first_.size()) {
        extend_direct();
    }

    std::size_t stride() const { return fixed_stride != 0 ? fixed_stride : first_.size(); }

    /// What a record holds until its feature is seen; those that there are stay as they are.
    std::vector<Word>& first() { return first_; }

    /// The records of the ids from 0 to `direct_size() - 1`, seen or not.
    Word* direct() { return direct_.data(); }
    const Word* direct() const { return direct_.data(); }
    std::size_t direct_size() const { return direct_.size() / stride(); }

    /// The other records.
    HashedRecords<Word, fixed_stride>& hashed() { return hashed_; }
    const HashedRecords<Word, fixed_stride>& hashed() const { return hashed_; }

    /// The record of an id, or null if there is none.
    Word* find(FeatureId id) {
        if (static_cast<std::size_t>(id) < direct_size()) [[likely]]
            return direct_.data() + static_cast<std::size_t>(id) * stride();
        return hashed_.find(id);
    }
    const Word* find(FeatureId id) const { return const_cast<RecordTable*>(this)->find(id); }

    /// The record of an id, a new one if there is none.
    Word* find_or_make(FeatureId id) {
        if (static_cast<std::size_t>(id) < direct_size()) return direct() + static_cast<std::size_t>(id) * stride();
        const auto [record, is_new] = hashed_.find_or_insert(id, first_.data());
        if (!is_new || !bound_.count(id)) return record;
        distribute();
        return find(id);
    }

    /// Calls `use(id, record)` for all records, those of features that have not been seen among them.
    template <class Use>
    void for_each(Use use) {
        for (std::size_t id = 0; id < direct_size(); ++id) use(static_cast<FeatureId>(id), direct() + id * stride());
        hashed_.for_each(use);
    }

    std::size_t size() const { return direct_size() + hashed_.size(); }

    std::size_t n_bytes() const { return (first_.capacity() + direct_.capacity()) * sizeof(Word) + hashed_.n_bytes(); }

private:
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
        HashedRecords<Word, fixed_stride> before = std::exchange(hashed_, HashedRecords<Word, fixed_stride>(stride()));
        const auto is_direct = [this](FeatureId id) { return static_cast<std::size_t>(id) < direct_size(); };
        std::size_t n_left = 0;
        before.for_each([&](FeatureId id, const Word*) { n_left += is_direct(id) ? 0 : 1; });
        hashed_.reserve(n_left);
        before.for_each([&](FeatureId id, const Word* record) {
            if (is_direct(id)) {
                std::copy_n(record, stride(), direct() + static_cast<std::size_t>(id) * stride());
            } else {
                hashed_.find_or_insert(id, record);
                bound_.count(id);
            }
        });
    }

    std::vector<Word> first_;
    DirectBound<ids_per_feature> bound_;
    std::vector<Word> direct_;
    HashedRecords<Word, fixed_stride> hashed_;
};

}  // namespace sapwood
