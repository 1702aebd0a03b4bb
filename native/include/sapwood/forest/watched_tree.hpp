#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "sapwood/forest/error_detectors.hpp"
#include "sapwood/forest/forest_options.hpp"
#include "sapwood/forest/recent_error.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// A tree of a forest with what is noted of its answers, each made before the point was learned.
struct WatchedTree {
    WatchedTree(const ForestOptions& options, std::shared_ptr<KnownAttributes> known, std::size_t place,
                std::uint64_t number_)
        : WatchedTree(options, StreamingTree(options.of_tree(place), std::move(known)), number_) {}
    WatchedTree(const ForestOptions& options, StreamingTree made, std::uint64_t number_)
        : tree(std::move(made)), number(number_), detectors(options) {}

    StreamingTree tree;
    /// Its number among those made for its place in the forest.
    std::uint64_t number;
    /// The points that it was asked about since it answers, and those it was right about.
    std::int64_t n_asked = 0;
    std::int64_t n_right = 0;
    RecentError recent_error;
    /// Which see the errors, if the forest watches for change.
    ErrorDetectors detectors;

    void note(bool was_right) {
        ++n_asked;
        if (was_right) ++n_right;
        recent_error.note(!was_right);
    }
    /// The share of right answers; of none, 1, so that a new tree has a voice.
    double accuracy() const { return n_asked == 0 ? 1 : static_cast<double>(n_right) / static_cast<double>(n_asked); }

    std::size_t n_bytes() const {
        return sizeof(*this) + tree.n_bytes() + tree.body().bytes_of_candidates() + detectors.n_bytes();
    }
};

}  // namespace sapwood
