#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/storage/direct_bound.hpp"
#include "sapwood/storage/hash_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Maps feature ids to slots, in memory proportional to the features seen, whatever their ids: directly below a bound
/// (direct_bound.hpp), by hashing above it.
class FeatureIndex {
public:
    std::size_t size() const { return ids_.size(); }

    FeatureId id(Slot slot) const { return ids_[index_of(slot)]; }

    const std::vector<FeatureId>& ids() const { return ids_; }

    /// The slot of a feature, or `no_slot` if it has not been seen.
    Slot find(FeatureId id) const {
        if (static_cast<std::size_t>(id) < direct_.size()) return direct_[static_cast<std::size_t>(id)];
        return Slot{hashed_.find(id)};
    }

    /// Begins to bring close what says where features are.
    void prefetch(Features ids) const {
        for (const FeatureId id : ids) {
            if (static_cast<std::size_t>(id) < direct_.size())
                prefetch_to_change(&direct_[static_cast<std::size_t>(id)]);
        }
    }

    /// The slot of a feature, a new one if it has not been seen.
    Slot find_or_insert(FeatureId id) {
        const Slot slot = find(id);
        return slot != no_slot ? slot : insert(id);
    }

    /// The next slot, for something that has no id.
    Slot reserve() {
        ids_.push_back(no_id);
        return slot_at(ids_.size() - 1);
    }
    static constexpr FeatureId no_id = -1;

    std::size_t n_bytes() const {
        return ids_.capacity() * sizeof(FeatureId) + direct_.capacity() * sizeof(Slot) + hashed_.n_bytes();
    }

private:
    Slot insert(FeatureId id) {
        const Slot slot = slot_at(ids_.size());
        ids_.push_back(id);
        if (direct_.empty()) direct_.resize(bound_.value(), no_slot);
        if (static_cast<std::size_t>(id) < direct_.size()) {
            direct_[static_cast<std::size_t>(id)] = slot;
            return slot;
        }
        const bool is_due = bound_.count(id);
        const std::size_t bound = is_due ? bound_.affordable() : direct_.size();
        if (bound > direct_.size()) {
            bound_.raise(bound);
            distribute();
        } else {
            hashed_.insert(id, static_cast<std::int32_t>(slot));
        }
        if (is_due) bound_.reviewed();
        return slot;
    }

    /// Puts every id where it belongs after the bound was raised.
    void distribute() {
        direct_.resize(bound_.value(), no_slot);
        hashed_.reset(0);
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (ids_[i] == no_id) continue;
            const auto id = static_cast<std::size_t>(ids_[i]);
            if (id < direct_.size()) {
                direct_[id] = slot_at(i);
            } else {
                hashed_.insert(ids_[i], static_cast<std::int32_t>(i));
            }
        }
    }

    std::vector<FeatureId> ids_;
    std::vector<Slot> direct_;
    HashIndex hashed_;
    DirectBound<8> bound_;
};

}  // namespace sapwood
