#pragma once

#include <cstddef>
#include <utility>

#include "sapwood/search/hashed_records.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Hashed records on their way to where they will be found from now on, a few buckets at a time, so that no single
/// addition has to move them all. Where a record is, or is to be put, follows from its id alone: here if the id
/// belongs in a bucket that has not been drained (`keeps`), and in the new place otherwise.
///
/// That is so because buckets are drained in their order, beginning after one that is not full, and never up to one
/// that is full: a record is not in the bucket where it belongs only if all buckets in between are full.
template <class Word, std::size_t fixed_stride>
class DrainingRecords {
public:
    using Records = HashedRecords<Word, fixed_stride>;

    /// There must be an empty place.
    explicit DrainingRecords(Records records) : records_(std::move(records)) {
        while (records_.id_at((start_ + 1) * Records::bucket - 1) >= 0) ++start_;
        start_ = bucket_at(1);
    }

    /// What is still here. Only what this one keeps may be put here.
    Records& records() { return records_; }
    const Records& records() const { return records_; }

    /// Whether the record of an id is here, if there is one.
    bool keeps(FeatureId id) const {
        const std::size_t home = records_.home(id);
        const std::size_t distance = home >= start_ ? home - start_ : home + records_.n_buckets() - start_;
        return distance >= drained_;
    }

    /// Drains so many more buckets, or somewhat more: calls `move(id, record)` for all records in them. Returns whether
    /// that were the last.
    template <class Move>
    bool drain(std::size_t amount, Move move) {
        const std::size_t end = amount < records_.n_buckets() - drained_ ? drained_ + amount : records_.n_buckets();
        // What comes after the last bucket is the first one, to which records may have been added for want of room.
        for (bool was_full = false; drained_ < end || was_full; ++drained_) {
            was_full = records_.take(bucket_at(drained_), move) == Records::bucket;
        }
        return drained_ >= records_.n_buckets();
    }

private:
    std::size_t bucket_at(std::size_t distance) const { return (start_ + distance) % records_.n_buckets(); }

    Records records_;
    std::size_t start_ = 0;
    std::size_t drained_ = 0;
};

}  // namespace sapwood
