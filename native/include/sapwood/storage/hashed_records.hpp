#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sapwood/storage/growing_array.hpp"
#include "sapwood/storage/hash_index.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/types.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sapwood {

/// Records of a few words each, found by hashing the ids of their features: open addressing in buckets of five places,
/// of which at most four are taken on average. A table does not grow by itself: a larger one replaces it, at once or
/// gradually (draining_records.hpp).
///
/// A bucket is compared as a whole, so the position of an id in it, which cannot be predicted, costs no branch. Most
/// ids are in the bucket where they belong, whose number is proportional to the hash. A larger table therefore has its
/// records in the same order as a smaller one, and moving them walks along both.
///
/// `fixed_stride`: the words of a record where that is known when compiling, else 0.
template <class Word, std::size_t fixed_stride>
class HashedRecords {
public:
    /// How many places a bucket has: the four that are taken on the average, which one vector instruction compares, and
    /// one to spare.
    static constexpr std::size_t bucket = 5;

    explicit HashedRecords(std::size_t stride, std::size_t n_buckets = 0, const HashSeed& seed = hash_seed)
        : seed_(seed),
          stride_(stride),
          n_buckets_(n_buckets),
          ids_(n_buckets * bucket, true),
          records_(n_buckets * bucket * (fixed_stride != 0 ? fixed_stride : stride), false) {}

    /// The number of buckets for `n_records` records.
    static std::size_t buckets_for(std::size_t n_records) {
        std::size_t n_buckets = 0;
        while (limit_of(n_buckets) < n_records) n_buckets = next_size(n_buckets);
        return n_buckets;
    }

    /// The number of buckets of the table that replaces one of `n_buckets` buckets.
    static std::size_t next_size(std::size_t n_buckets) { return n_buckets == 0 ? 1 : 2 * n_buckets; }

    /// How many records there are.
    std::size_t size() const { return size_; }

    std::size_t n_buckets() const { return n_buckets_; }

    const HashSeed& seed() const { return seed_; }

    /// Whether a larger table should be made before another record is put here.
    bool is_full() const { return size_ >= limit_of(n_buckets_); }

    /// Whether there is hardly an empty place, and perhaps only one.
    bool is_crammed() const { return size_ + n_places() / 16 + 1 >= n_places(); }

    /// The places of records, empty ones among them, from 0 to `n_places() - 1`.
    std::size_t n_places() const { return n_buckets_ * bucket; }

    /// The id of the record at a place, negative if that is empty.
    FeatureId id_at(std::size_t place) const { return ~ids_.data()[place]; }

    /// The record at a place.
    Word* at(std::size_t place) { return records_.data() + place * stride(); }
    const Word* at(std::size_t place) const { return records_.data() + place * stride(); }

    /// The bucket where an id belongs. There must be one.
    std::size_t home(FeatureId id) const {
        return static_cast<std::size_t>(std::uint64_t{hash_of(id, seed_)} * n_buckets_ >> 32);
    }

    /// The record of an id, or null if there is none.
    Word* find(FeatureId id) {
        if (size_ == 0) return nullptr;
        const std::size_t place = probe(id);
        return ids_.data()[place] != empty ? at(place) : nullptr;
    }

    /// The record of an id, and whether it is a new one: then it is a copy of `first`. Not all places may be taken.
    std::pair<Word*, bool> find_or_insert(FeatureId id, const Word* first) {
        const std::size_t place = probe(id);
        Word* record = at(place);
        if (ids_.data()[place] != empty) return {record, false};
        ids_.data()[place] = ~id;
        ++size_;
        std::copy_n(first, stride(), record);
        return {record, true};
    }

    /// Puts a copy of a record where there is none of its id. Not all places may be taken.
    void insert(FeatureId id, const Word* record) {
        // What is empty in a bucket comes last.
        std::size_t index = home(id);
        while (ids_.data()[index * bucket + bucket - 1] != empty) [[unlikely]]
            index = index + 1 == n_buckets_ ? 0 : index + 1;
        const FeatureId* ids = ids_.data() + index * bucket;
        std::size_t taken = 0;
        for (std::size_t i = 0; i + 1 < bucket; ++i) taken += ids[i] != empty ? 1 : 0;
        const std::size_t place = index * bucket + taken;
        ids_.data()[place] = ~id;
        ++size_;
        std::copy_n(record, stride(), at(place));
    }

    /// Moves all records to a larger table.
    void grow() {
        HashedRecords larger(stride_, next_size(n_buckets_), seed_);
        for_each([&](FeatureId id, const Word* record) { larger.insert(id, record); });
        *this = std::move(larger);
    }

    /// Calls `use(id, record)` for all records.
    template <class Use>
    void for_each(Use use) {
        for (std::size_t place = 0; place < n_places(); ++place) {
            if (id_at(place) >= 0) use(id_at(place), at(place));
        }
    }

    struct Found {
        FeatureId id;
        Word* record;
    };

    /// Takes all records out of a bucket and writes to `out`, which has room for all places, where they are until
    /// something else is put there. Returns how many there were. Those that belong here, but are in a later bucket for
    /// want of room, are not found any more.
    std::size_t take(std::size_t index, Found* out) {
        FeatureId* ids = ids_.data() + index * bucket;
        std::size_t taken = 0;
        // How many there are cannot be foreseen, so no branch depends on it.
        for (std::size_t i = 0; i < bucket; ++i) {
            out[taken] = {~ids[i], at(index * bucket + i)};
            taken += ids[i] != empty ? 1 : 0;
            ids[i] = empty;
        }
        size_ -= taken;
        return taken;
    }

    std::size_t n_bytes() const { return ids_.size() * sizeof(FeatureId) + records_.size() * sizeof(Word); }

private:
    /// Ids are kept as their complements, so that what is zero is empty.
    static constexpr FeatureId empty = 0;

    std::size_t stride() const { return fixed_stride != 0 ? fixed_stride : stride_; }

    /// The largest number of records for `n_buckets` buckets.
    static std::size_t limit_of(std::size_t n_buckets) { return n_buckets * (bucket - 1); }

    /// A bit for each place of a bucket: whether what is there is the key, or empty.
    static unsigned which_are(const FeatureId* ids, FeatureId key) {
        unsigned which = 0;
        unsigned i = 0;
#if defined(__SSE2__)
        const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(ids));
        const __m128i equal = _mm_cmpeq_epi32(four, _mm_set1_epi32(key));
        const __m128i vacant = _mm_cmpeq_epi32(four, _mm_set1_epi32(empty));
        which = static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(_mm_or_si128(equal, vacant))));
        i = 4;
#endif
        for (; i < bucket; ++i) which |= static_cast<unsigned>((ids[i] == key) | (ids[i] == empty)) << i;
        return which;
    }

    /// The place of an id, or the empty one that it should be put at.
    std::size_t probe(FeatureId id) const {
        for (std::size_t first = home(id) * bucket;;) {
            // A bucket is filled from its first place on, so that the id comes before what is empty.
            const unsigned here = which_are(ids_.data() + first, ~id);
            if (here != 0) [[likely]]
                return first + static_cast<std::size_t>(std::countr_zero(here));
            first = first + bucket == ids_.size() ? 0 : first + bucket;
        }
    }

    HashSeed seed_;
    std::size_t stride_;
    std::size_t size_ = 0;
    std::size_t n_buckets_;
    GrowingArray<FeatureId> ids_;
    GrowingArray<Word> records_;
};

}  // namespace sapwood
