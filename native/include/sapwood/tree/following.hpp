#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sapwood/drift/adwin.hpp"
#include "sapwood/storage/recent_points.hpp"
#include "sapwood/tree/node_watch.hpp"
#include "sapwood/tree/tree_options.hpp"

namespace sapwood {

/// Counters of how a tree has followed its stream.
struct ChangeTally {
    std::int64_t drifts = 0;   // times the error of a node was found to have changed
    std::int64_t started = 0;  // alternates begun
    std::int64_t swapped = 0;  // alternates that took the place of their node
    std::int64_t dropped = 0;  // alternates given up, by themselves or with their node

    /// No stream is as long, and sums of counts stay in range.
    static constexpr std::int64_t largest = std::int64_t{1} << 60;

    /// Whether there is an alternate anywhere.
    bool has_alternates() const { return started > swapped + dropped; }
};

/// Calls `visit(name, count)` for every count, in the order of the file format.
template <class Tally, class Visit>
void for_each_change(Tally& tally, Visit visit) {
    visit("drifts", tally.drifts);
    visit("alternates_started", tally.started);
    visit("alternates_swapped", tally.swapped);
    visit("alternates_dropped", tally.dropped);
}

/// What a tree that follows a changing stream keeps besides what every tree does.
struct Following {
    explicit Following(const TreeOptions& options) : recent(options.window_size) {
        detector.delta = options.drift_delta;
    }

    /// The points that its nodes may forget, or learn from once more.
    RecentPoints recent;
    ChangeTally tally;
    /// How the error of a node is watched.
    AdwinOptions detector;
    /// By the id of the node; none for an id that is free.
    std::vector<std::unique_ptr<NodeWatch>> watches;
};

}  // namespace sapwood
