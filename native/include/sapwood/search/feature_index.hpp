#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// Maps feature ids to slots, in memory proportional to the features seen, whatever their ids.
///
/// Ids below a bound are looked up directly in an array; the others in a hash table with linear probing. The bound is
/// raised, at every doubling of the features seen, to the largest power of two of which at least one id in eight is in
/// use: most data number their features from 0 without gaps, and a direct look-up is several times faster than a probe.
class FeatureIndex {
public:
    std::size_t size() const { return ids_.size(); }

    FeatureId id(Slot slot) const { return ids_[static_cast<std::size_t>(slot)]; }

    const std::vector<FeatureId>& ids() const { return ids_; }

    /// The slot of a feature, or `no_slot` if it has not been seen.
    Slot find(FeatureId id) const {
        if (static_cast<std::size_t>(id) < direct_.size()) return direct_[static_cast<std::size_t>(id)];
        if (buckets_.empty()) return no_slot;
        return buckets_[probe(id)].slot;
    }

    /// The slot of a feature, a new one if it has not been seen.
    Slot find_or_insert(FeatureId id) {
        const Slot slot = find(id);
        return slot != no_slot ? slot : insert(id);
    }

    std::size_t n_bytes() const {
        return ids_.capacity() * sizeof(FeatureId) + direct_.capacity() * sizeof(Slot) +
               buckets_.capacity() * sizeof(Bucket);
    }

private:
    struct Bucket {
        FeatureId id = -1;
        Slot slot = no_slot;
    };

    static constexpr std::size_t ids_per_direct_feature = 8;
    static constexpr std::size_t smallest_direct = 256;

    /// The bucket of an id, or the empty one where it belongs. There always is an empty one.
    std::size_t probe(FeatureId id) const {
        const std::size_t mask = buckets_.size() - 1;
        const std::uint64_t mixed = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15u;
        std::size_t at = static_cast<std::size_t>(mixed >> 32) & mask;
        while (buckets_[at].slot != no_slot && buckets_[at].id != id) at = (at + 1) & mask;
        return at;
    }

    Slot insert(FeatureId id) {
        if (ids_.size() == next_review_) review();
        const Slot slot = static_cast<Slot>(ids_.size());
        ids_.push_back(id);
        ++of_width_[width(id)];
        if (static_cast<std::size_t>(id) < direct_.size()) {
            direct_[static_cast<std::size_t>(id)] = slot;
        } else {
            if (2 * (hashed_ + 1) > buckets_.size()) rehash(std::max<std::size_t>(16, 2 * buckets_.size()));
            buckets_[probe(id)] = {id, slot};
            ++hashed_;
        }
        return slot;
    }

    static std::size_t width(FeatureId id) {
        return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(id)));
    }

    /// Raises the bound of the directly looked-up ids as far as the ids in use warrant.
    void review() {
        next_review_ = std::max<std::size_t>(smallest_direct / 2, 2 * ids_.size());
        std::size_t bound = std::max(direct_.size(), smallest_direct);
        std::size_t below = 0;
        for (std::size_t bits = 0; bits < of_width_.size(); ++bits) {
            below += of_width_[bits];
            const std::size_t end = std::size_t{1} << bits;
            if (end <= ids_per_direct_feature * below) bound = std::max(bound, end);
        }
        if (bound == direct_.size()) return;
        direct_.resize(bound, no_slot);
        hashed_ = 0;
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            const auto id = static_cast<std::size_t>(ids_[i]);
            if (id < bound) {
                direct_[id] = static_cast<Slot>(i);
            } else {
                ++hashed_;
            }
        }
        std::size_t capacity = hashed_ == 0 ? 0 : 16;
        while (capacity < 4 * hashed_) capacity *= 2;
        rehash(capacity);
    }

    void rehash(std::size_t capacity) {
        buckets_.assign(capacity, Bucket{});
        buckets_.shrink_to_fit();
        if (capacity == 0) return;
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (static_cast<std::size_t>(ids_[i]) < direct_.size()) continue;
            buckets_[probe(ids_[i])] = {ids_[i], static_cast<Slot>(i)};
        }
    }

    std::vector<FeatureId> ids_;
    std::vector<Slot> direct_;
    std::vector<Bucket> buckets_;
    /// How many of the ids have so many binary digits.
    std::array<std::size_t, 32> of_width_{};
    std::size_t hashed_ = 0;
    std::size_t next_review_ = 0;
};

}  // namespace sapwood
