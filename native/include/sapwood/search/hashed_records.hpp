#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/search/hash_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Records of a few words each, found by hashing the ids of their features: open addressing in buckets of four places,
/// at most four fifths full.
///
/// A bucket is looked at as a whole, so that where in it an id is, which cannot be foreseen, costs no branch; and most
/// ids are in the bucket where they belong. That one is in proportion to the hash: so a larger table has its records in
/// the same order as the smaller one that it replaces, and to copy one into the other is to walk along both.
///
/// `fixed_stride`: the words of a record where that is known when compiling, else 0.
template <class Word, std::size_t fixed_stride>
class HashedRecords {
public:
    explicit HashedRecords(std::size_t stride) : stride_(stride) {}

    /// How many records there are.
    std::size_t size() const { return size_; }

    /// The places of records, empty ones among them, from 0 to `n_places() - 1`.
    std::size_t n_places() const { return ids_.size(); }

    /// The id of the record at a place, negative if that is empty.
    FeatureId id_at(std::size_t place) const { return ids_[place]; }

    /// The record at a place.
    Word* at(std::size_t place) { return records_.data() + place * stride(); }
    const Word* at(std::size_t place) const { return records_.data() + place * stride(); }

    /// The record of an id, or null if there is none.
    Word* find(FeatureId id) {
        if (size_ == 0) return nullptr;
        const std::size_t place = probe(id);
        return ids_[place] == id ? at(place) : nullptr;
    }

    /// The record of an id, and whether it is a new one: then it is a copy of `first`.
    std::pair<Word*, bool> find_or_insert(FeatureId id, const Word* first) {
        if (size_ == limit_) reset_to(std::max<std::size_t>(1, 2 * ids_.size() / bucket));
        const std::size_t place = probe(id);
        if (ids_[place] == id) return {at(place), false};
        return {put(place, id, first), true};
    }

    /// Makes room for so many records.
    void reserve(std::size_t expected) {
        std::size_t n_buckets = expected == 0 ? 0 : 1;
        while (limit_of(n_buckets) < expected) n_buckets *= 2;
        if (n_buckets * bucket > ids_.size()) reset_to(n_buckets);
    }

    /// Calls `use(id, record)` for all records.
    template <class Use>
    void for_each(Use use) {
        for (std::size_t place = 0; place < ids_.size(); ++place) {
            if (ids_[place] >= 0) use(ids_[place], at(place));
        }
    }

    std::size_t n_bytes() const { return ids_.capacity() * sizeof(FeatureId) + records_.capacity() * sizeof(Word); }

private:
    static constexpr std::size_t bucket = 4;
    static constexpr FeatureId empty = -1;

    std::size_t stride() const { return fixed_stride != 0 ? fixed_stride : stride_; }

    /// How many records there may be in so many buckets.
    static std::size_t limit_of(std::size_t n_buckets) { return n_buckets * bucket * 4 / 5; }

    /// The bucket where an id belongs.
    std::size_t home(FeatureId id) const {
        return static_cast<std::size_t>(std::uint64_t{hash_of(id)} * (ids_.size() / bucket) >> 32);
    }

    /// The place of an id, or the empty one that it should be put at. There always is an empty one.
    std::size_t probe(FeatureId id) const {
        for (std::size_t first = home(id) * bucket;;) {
            // A bucket is filled from its first place on, so that the id comes before what is empty.
            unsigned here = 0;
            for (unsigned i = 0; i < bucket; ++i) {
                const FeatureId there = ids_[first + i];
                here |= static_cast<unsigned>((there == id) | (there < 0)) << i;
            }
            if (here != 0) [[likely]]
                return first + static_cast<std::size_t>(std::countr_zero(here));
            first = first + bucket == ids_.size() ? 0 : first + bucket;
        }
    }

    Word* put(std::size_t place, FeatureId id, const Word* record) {
        ids_[place] = id;
        ++size_;
        std::copy_n(record, stride(), at(place));
        return at(place);
    }

    /// Moves all records to a table of so many buckets.
    void reset_to(std::size_t n_buckets) {
        HashedRecords larger(stride_);
        larger.ids_.resize(n_buckets * bucket, empty);
        larger.records_.resize(n_buckets * bucket * stride());
        larger.limit_ = limit_of(n_buckets);
        for_each([&](FeatureId id, const Word* record) { larger.put(larger.probe(id), id, record); });
        *this = std::move(larger);
    }

    std::size_t stride_;
    std::size_t size_ = 0;
    std::size_t limit_ = 0;
    std::vector<FeatureId> ids_;
    std::vector<Word> records_;
};

}  // namespace sapwood
