#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sapwood/dynamic/point_store.hpp"
#include "sapwood/dynamic/split_chooser.hpp"
#include "sapwood/search/split_search.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a dynamic tree keeps of a node.
struct DynamicNode {
    NodeTotals totals;
    /// The counts of all points below the node; nothing where they are few, and are counted when that is needed.
    std::unique_ptr<SplitSearch> search;
    /// The points of a leaf.
    std::vector<PointId> points;
    /// The points that the node had when it was split.
    Count n_split = 0;
    /// How many more points may come or go before its regret can exceed what is allowed.
    Count safe = 0;
    /// About how many features the search has seen: those that it had when they were last counted.
    std::int64_t n_seen = 0;
    /// The features that came or went, over all points: since the node was last looked at, and since `n_seen` was
    /// counted.
    std::int64_t changed = 0;
    std::int64_t changed_since_seen = 0;
    /// Whether the last look came after so few changes that certificates may be worth their price.
    bool is_asked_often = false;
    /// Whether points came or went since the node was last settled.
    bool is_stale = false;

    /// Takes a search, which has not been asked yet.
    void take(std::unique_ptr<SplitSearch> counted) {
        search = std::move(counted);
        n_seen = static_cast<std::int64_t>(search->n_features());
        changed = n_seen;
        changed_since_seen = 0;
    }

    /// Takes a copy of the search of another node, from which or to which so many features came or went.
    void take(std::unique_ptr<SplitSearch> copied, const DynamicNode& other, std::int64_t n_changed) {
        search = std::move(copied);
        n_seen = other.n_seen;
        changed = n_seen;
        changed_since_seen = other.changed_since_seen + n_changed;
    }

    /// Lets the search give back the room for features that no point has any more, once they may be most of them: a
    /// window that moves on would leave ever more behind. O(1) per feature that came or went, amortised.
    void forget_gone() {
        if (changed_since_seen <= 2 * totals.nonzeros + n_seen) return;
        if (search->n_features() > 2 * search->n_with_at_least(1)) search->forget_gone();
        n_seen = static_cast<std::int64_t>(search->n_features());
        changed_since_seen = 0;
    }

    /// Notes that a point comes or goes.
    void note_change(std::size_t n_features, Count weight) {
        is_stale = true;
        changed += static_cast<std::int64_t>(n_features);
        changed_since_seen += static_cast<std::int64_t>(n_features);
        safe = safe > weight ? safe - weight : 0;
    }

    std::size_t n_bytes() const {
        return sizeof(DynamicNode) + totals.of_class.capacity() * sizeof(Count) + points.capacity() * sizeof(PointId) +
               (search ? search->n_bytes() + block_overhead : 0);
    }
};

/// Counters of what a dynamic tree has done.
struct DynamicTally {
    std::int64_t looked = 0;          // nodes whose best split was asked for
    std::int64_t split = 0;           // leaves split
    std::int64_t pruned = 0;          // nodes given up
    std::int64_t kept = 0;            // subtrees that were found again below a node built anew
    std::int64_t rebuilt = 0;         // subtrees built anew
    std::int64_t rebuilt_points = 0;  // the points below them
    std::int64_t counted = 0;         // features counted in building
};

}  // namespace sapwood
