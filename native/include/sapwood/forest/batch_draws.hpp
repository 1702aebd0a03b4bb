#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/forest/forest_options.hpp"
#include "sapwood/forest/poisson.hpp"
#include "sapwood/random.hpp"
#include "sapwood/tree/batch/router.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// How often a tree of a forest that learns by batches learns each point: its weight times a draw of a Poisson
/// distribution (poisson.hpp), or its weight if the mean is 0.
///
/// Guarantee: a draw is a function of the seed, the tree, the batch and what the point holds, and of nothing else: not
/// of its place or of who counts it, so that a batch that is counted again draws the same. With h = hashed(random.hpp),
/// it is draw number `row_hash` (router.hpp) of the seed h(h(h(seed) + tree) + batch). Points of one batch that are
/// equal have equal draws.
///
/// Throws std::invalid_argument if the mean is not one of a forest, or a weight times its draw is too large. The rows
/// were checked.
inline std::vector<Count> batch_draws(const SharedRows& rows, double mean, std::uint64_t seed, std::uint64_t tree,
                                      std::uint64_t batch) {
    if (!(mean >= 0 && mean <= largest_mean)) {
        throw std::invalid_argument("lambda_value must be from 0 to " + detail::shortest(largest_mean) + ", got " +
                                    detail::shortest(mean));
    }
    const PoissonDraws draws(mean);
    const std::uint64_t of_batch = hashed(hashed(hashed(seed) + tree) + batch);
    std::vector<Count> drawn;
    drawn.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Count times = draws.draw(of_batch, static_cast<std::int64_t>(row_hash(rows.row(i), rows.labels[i])));
        const std::int64_t product = std::int64_t{times} * rows.weight(i);
        if (product > max_points) {
            throw std::invalid_argument("weights must be at most " + std::to_string(max_points / draws.largest()) +
                                        " to be drawn, got " + std::to_string(rows.weight(i)));
        }
        drawn.push_back(static_cast<Count>(product));
    }
    return drawn;
}

}  // namespace sapwood
