#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// The place of a point in its store, which it keeps while it is there.
using PointId = std::uint32_t;
inline constexpr PointId no_point = 0xFFFFFFFFu;

/// The points that a tree holds, each stored once: equal points, of one label, are one entry with a weight.
///
/// Features lie in one array, row behind row; the room of points that left is given back once it is half of the array.
/// A part of the weight of an entry may be *named*: kept for points that are known by a name of their own, which only
/// whoever knows the name takes back.
///
/// Guarantee: `find`, `add` and `take` cost O(m), amortised. What is stored is a function of the points held;
/// where they are stored is not, and nobody outside the process sees that.
class PointStore {
public:
    /// The entry of a point; `no_point` if it is not held. The features ascend.
    PointId find(Features features, Label label) const {
        if (buckets_.empty()) return no_point;
        return buckets_[probe(features, label, hash_of_point(features, label))];
    }

    /// Adds weight to a point, whose features ascend; returns its entry.
    PointId add(Features features, Label label, Count weight) {
        if (2 * (n_points_ + 1) > buckets_.size()) grow();
        const std::uint32_t hash = hash_of_point(features, label);
        PointId& bucket = buckets_[probe(features, label, hash)];
        if (bucket == no_point) bucket = make(features, label, hash);
        entries_[bucket].weight += weight;
        n_ += weight;
        return bucket;
    }

    /// Takes weight from an entry that has as much. With the last of it the entry is gone; returns whether it is.
    bool take(PointId id, Count weight) {
        Entry& entry = entries_[id];
        entry.weight -= weight;
        n_ -= weight;
        if (entry.weight > 0) return false;
        remove(id);
        return true;
    }

    Features features(PointId id) const {
        const Entry& entry = entries_[id];
        return {features_.data() + entry.first, entry.size};
    }
    Label label(PointId id) const { return entries_[id].label; }
    Count weight(PointId id) const { return entries_[id].weight; }
    Count named(PointId id) const { return entries_[id].named; }
    void add_named(PointId id, Count weight) { entries_[id].named += weight; }

    /// The number of entries, and the weight of all.
    std::size_t n_points() const { return n_points_; }
    std::int64_t n() const { return n_; }
    /// The number of entries in which a feature is on.
    std::uint32_t n_with(FeatureId feature) const {
        return static_cast<std::size_t>(feature) < n_with_.size() ? n_with_[static_cast<std::size_t>(feature)] : 0;
    }
    /// Features that are on in a point are below this.
    std::size_t feature_end() const { return n_with_.size(); }
    /// Entries are below this; some may be free.
    std::size_t end() const { return entries_.size(); }
    bool holds(PointId id) const { return id < entries_.size() && entries_[id].weight > 0; }

    /// Gives every label another number.
    void renumber(std::span<const Label> numbers) {
        for (PointId id = 0; id < end(); ++id) {
            if (!holds(id)) continue;
            entries_[id].label = numbers[entries_[id].label];
            entries_[id].hash = hash_of_point(features(id), entries_[id].label);
        }
        fill(buckets_.size());
    }

    std::size_t n_bytes() const {
        return features_.capacity() * sizeof(FeatureId) + entries_.capacity() * sizeof(Entry) +
               free_.capacity() * sizeof(PointId) + buckets_.capacity() * sizeof(PointId) +
               n_with_.capacity() * sizeof(std::uint32_t);
    }

private:
    struct Entry {
        std::size_t first = 0;
        std::uint32_t size = 0;
        std::uint32_t hash = 0;
        Count weight = 0;
        Count named = 0;
        Label label = 0;
    };

    static std::uint32_t hash_of_point(Features features, Label label) {
        std::uint64_t mixed = label + std::uint64_t{0x9E3779B97F4A7C15u};
        for (const FeatureId id : features) {
            mixed = (mixed ^ static_cast<std::uint32_t>(id)) * std::uint64_t{0xD6E8FEB86659FD93u};
            mixed ^= mixed >> 32;
        }
        return static_cast<std::uint32_t>(mixed ^ mixed >> 29);
    }

    /// The bucket of a point, or the empty one where it belongs. There always is an empty one.
    std::size_t probe(Features features, Label label, std::uint32_t hash) const {
        const std::size_t mask = buckets_.size() - 1;
        std::size_t at = hash & mask;
        while (buckets_[at] != no_point && !is(buckets_[at], features, label, hash)) at = (at + 1) & mask;
        return at;
    }

    bool is(PointId id, Features features, Label label, std::uint32_t hash) const {
        const Entry& entry = entries_[id];
        return entry.hash == hash && entry.label == label && entry.size == features.size() &&
               std::equal(features.begin(), features.end(),
                          features_.begin() + static_cast<std::ptrdiff_t>(entry.first));
    }

    PointId make(Features features, Label label, std::uint32_t hash) {
        PointId id = static_cast<PointId>(entries_.size());
        if (free_.empty()) {
            entries_.emplace_back();
        } else {
            id = free_.back();
            free_.pop_back();
        }
        entries_[id] = {features_.size(), static_cast<std::uint32_t>(features.size()), hash, 0, 0, label};
        features_.insert(features_.end(), features.begin(), features.end());
        for (const FeatureId feature : features) {
            const auto at = static_cast<std::size_t>(feature);
            if (at >= n_with_.size()) n_with_.resize(at + 1);
            ++n_with_[at];
        }
        ++n_points_;
        return id;
    }

    void remove(PointId id) {
        const Entry& entry = entries_[id];
        for (const FeatureId feature : features(id)) --n_with_[static_cast<std::size_t>(feature)];
        empty_bucket(probe(features(id), entry.label, entry.hash));
        n_unused_ += entry.size;
        entries_[id] = Entry();
        free_.push_back(id);
        --n_points_;
        if (2 * n_unused_ > features_.size()) compact();
    }

    /// Empties a bucket, and moves those behind it that would not be found past the gap (Knuth, 6.4, algorithm R).
    void empty_bucket(std::size_t gap) {
        const std::size_t mask = buckets_.size() - 1;
        for (std::size_t at = (gap + 1) & mask; buckets_[at] != no_point; at = (at + 1) & mask) {
            const std::size_t home = entries_[buckets_[at]].hash & mask;
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                buckets_[gap] = buckets_[at];
                gap = at;
            }
        }
        buckets_[gap] = no_point;
    }

    void grow() { fill(std::max<std::size_t>(16, 2 * buckets_.size())); }

    /// Puts all points into this number of buckets.
    void fill(std::size_t n_buckets) {
        std::vector<PointId>(n_buckets, no_point).swap(buckets_);
        for (PointId id = 0; id < end(); ++id) {
            if (holds(id)) buckets_[probe(features(id), label(id), entries_[id].hash)] = id;
        }
    }

    void compact() {
        std::vector<FeatureId> kept;
        kept.reserve(features_.size() - n_unused_);
        for (Entry& entry : entries_) {
            if (entry.weight == 0) continue;
            const auto first = features_.begin() + static_cast<std::ptrdiff_t>(entry.first);
            entry.first = kept.size();
            kept.insert(kept.end(), first, first + entry.size);
        }
        features_ = std::move(kept);
        n_unused_ = 0;
    }

    std::vector<FeatureId> features_;
    /// Those of `features_` that are of no point any more.
    std::size_t n_unused_ = 0;
    std::vector<Entry> entries_;
    std::vector<PointId> free_;
    /// Entries by the hash of their points: open addressing with linear probing, at most half full.
    std::vector<PointId> buckets_;
    std::vector<std::uint32_t> n_with_;
    std::size_t n_points_ = 0;
    std::int64_t n_ = 0;
};

}  // namespace sapwood
