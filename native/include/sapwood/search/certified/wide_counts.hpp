#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/storage/hash_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What the counts of a few features are beyond the part of them that a packed record holds.
class WideCounts {
public:
    using Counts = std::array<Count, 2>;

    bool empty() const { return rests_.empty(); }

    /// The counts of a feature that has a rest, of which its record holds the low parts.
    SAPWOOD_NOINLINE
    Counts whole(FeatureId id, Counts low) const {
        const Counts& rest = rests_[static_cast<std::size_t>(index_.find(id))];
        return {low[0] + rest[0], low[1] + rest[1]};
    }

    /// The rest of a feature, 0 and 0 if it had none. Valid until the next call.
    Counts& rest_of(FeatureId id) {
        std::int32_t position = index_.find(id);
        if (position == HashIndex::nowhere) {
            position = static_cast<std::int32_t>(rests_.size());
            index_.insert(id, position);
            rests_.push_back({});
        }
        return rests_[static_cast<std::size_t>(position)];
    }

    std::size_t n_bytes() const { return index_.n_bytes() + rests_.capacity() * sizeof(Counts); }

private:
    HashIndex index_;
    std::vector<Counts> rests_;
};

}  // namespace sapwood
