#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "sapwood/storage/hashed_records.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Hashed records on their way to where they will be found from now on, a few buckets at a time, so that no single
/// addition has to move them all. Where a record is, or is to be put, follows from its id alone: here if the id
/// belongs in a bucket that has not been drained (`keeps`), and in the new place otherwise.
///
/// That is so because buckets are drained in their order, beginning after one that is not full, and never up to one
/// that is full: a record is not in the bucket where it belongs only if all buckets in between are full. Where to
/// begin is decided when that is done, because what is put here before may fill a bucket.
template <class Word, std::size_t fixed_stride>
class DrainingRecords {
public:
    using Records = HashedRecords<Word, fixed_stride>;

    explicit DrainingRecords(Records records) : records_(std::move(records)) {}

    /// What is still here. Only what this one keeps may be put here, and an empty place must be left.
    Records& records() { return records_; }
    const Records& records() const { return records_; }

    /// Whether the record of an id is here, if there is one.
    bool keeps(FeatureId id) const {
        const std::size_t home = records_.home(id);
        const std::size_t distance = home >= start_ ? home - start_ : home + records_.n_buckets() - start_;
        return distance >= drained_;
    }

    /// Drains a number of further buckets, or somewhat more: calls `move(id, record)` for all records in them, and
    /// `prepare(id)` somewhat earlier. Returns whether those were the last.
    template <class Prepare, class Move>
    bool drain(std::size_t amount, Prepare prepare, Move move) {
        if (drained_ == 0) begin();
        const std::size_t end = amount < records_.n_buckets() - drained_ ? drained_ + amount : records_.n_buckets();
        std::array<typename Records::Found, batch * Records::bucket> found;
        // What comes after the last bucket is the first one, to which records may have been added for want of room.
        for (bool was_full = false; drained_ < end || was_full;) {
            std::size_t n_found = 0;
            for (std::size_t i = 0; i < batch && (drained_ < end || was_full); ++i, ++drained_) {
                const std::size_t taken = records_.take(next_, found.data() + n_found);
                was_full = taken == Records::bucket;
                n_found += taken;
                next_ = after(next_);
            }
            for (std::size_t i = 0; i < n_found; ++i) prepare(found[i].id);
            for (std::size_t i = 0; i < n_found; ++i) move(found[i].id, found[i].record);
        }
        return drained_ >= records_.n_buckets();
    }

private:
    /// So many buckets are emptied before what was in them is moved, so that the cache misses of all can be waited for
    /// together.
    static constexpr std::size_t batch = 8;

    void begin() {
        std::size_t not_full = 0;
        while (records_.id_at((not_full + 1) * Records::bucket - 1) >= 0) ++not_full;
        start_ = after(not_full);
        next_ = start_;
    }

    std::size_t after(std::size_t index) const { return index + 1 == records_.n_buckets() ? 0 : index + 1; }

    Records records_;
    /// The bucket that was drained first, the one that is drained next, and how many have been.
    std::size_t start_ = 0;
    std::size_t next_ = 0;
    std::size_t drained_ = 0;
};

}  // namespace sapwood
