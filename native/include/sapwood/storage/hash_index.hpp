#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// A hash of an id: 32 bits, each of which depends on all of the id and of the seed of the process (hash_seed.hpp), so
/// that regular ids are spread like random ones, and ids that collide cannot be computed beforehand.
inline std::uint32_t hash_of(FeatureId id, const HashSeed& seed = hash_seed) {
    std::uint64_t mixed = (static_cast<std::uint32_t>(id) ^ seed.mask) * seed.multiplier;
    mixed = (mixed ^ mixed >> 32) * std::uint64_t{0xD6E8FEB86659FD93u};
    return static_cast<std::uint32_t>(mixed >> 32);
}

/// Maps feature ids to positions by hashing: open addressing with linear probing, at most half full.
class HashIndex {
public:
    static constexpr std::int32_t nowhere = -1;

    /// The position stored for an id, or `nowhere`.
    std::int32_t find(FeatureId id) const { return buckets_.empty() ? nowhere : buckets_[probe(id)].position; }

    /// Stores the position of an id that is not in the index.
    void insert(FeatureId id, std::int32_t position) {
        if (2 * (size_ + 1) > buckets_.size()) grow();
        buckets_[probe(id)] = {id, position};
        ++size_;
    }

    /// Removes everything, and makes room for `expected` ids.
    void reset(std::size_t expected) {
        std::size_t capacity = expected == 0 ? 0 : 16;
        while (capacity < 2 * expected) capacity *= 2;
        std::vector<Bucket>(capacity).swap(buckets_);
        size_ = 0;
    }

    std::size_t n_bytes() const { return buckets_.capacity() * sizeof(Bucket); }

private:
    struct Bucket {
        FeatureId id = -1;
        std::int32_t position = nowhere;
    };

    /// The bucket of an id, or the empty one where it belongs. There always is an empty one.
    std::size_t probe(FeatureId id) const {
        const std::size_t mask = buckets_.size() - 1;
        std::size_t at = hash_of(id) & mask;
        while (buckets_[at].position != nowhere && buckets_[at].id != id) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        const std::vector<Bucket> old = std::move(buckets_);
        reset(std::max<std::size_t>(8, old.size()));
        for (const Bucket& bucket : old) {
            if (bucket.position == nowhere) continue;
            buckets_[probe(bucket.id)] = bucket;
            ++size_;
        }
    }

    std::vector<Bucket> buckets_;
    std::size_t size_ = 0;
};

}  // namespace sapwood
