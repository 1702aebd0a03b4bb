#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "sapwood/compiler.hpp"
#include "sapwood/storage/shared_table.hpp"
#include "sapwood/tree/predict/mixer.hpp"
#include "sapwood/tree/predict/naive_bayes.hpp"
#include "sapwood/types.hpp"

/// What leaves that mix do with the records of a point where there are two classes: each record is read once when they
/// are asked and once when they learn, for all models that are in it, and what follows is computed in vectors. Sums are
/// added, and products made, in the order in which one model after the other would, so that the bits are the same.
namespace sapwood::binary_records {

/// How the words of a record stand where there are two classes.
struct InTrunk {
    static constexpr std::size_t squares = n_trunks;
    static constexpr std::size_t counts = n_trunks + 1;
};
struct InLeaf {
    static constexpr std::size_t counts = 0;
    static constexpr std::size_t weight = 2;
    static constexpr std::size_t squares = 3;
};

/// So many records are read before anything is computed of them: what is written word by word must have reached memory
/// before it is read in vectors. A multiple of the factors of a product.
inline constexpr std::size_t chunk = 4 * detail::factors_in_product;

/// What naive Bayes says by features alone: the logarithm of the ratio of the products, and how many features spoke.
struct BayesSum {
    double log_ratio = 0;
    double n_on = 0;
};

/// The points of each class in which each of a chunk of features is on; 0 behind the last one, up to a whole product.
struct Counts {
    alignas(32) std::array<Count, chunk> of_first;
    alignas(32) std::array<Count, chunk> of_second;

    SAPWOOD_INLINE void end_at(std::size_t size) {
        for (std::size_t i = size; i % detail::factors_in_product != 0; ++i) of_first[i] = of_second[i] = 0;
    }

    SAPWOOD_INLINE void add_to(BayesSum& bayes, std::size_t size, double per_point) const {
        std::array<double, 2 * chunk / detail::factors_in_product> products;
        std::size_t n = 0;
        for (std::size_t first = 0; first < size; first += detail::factors_in_product, n += 2) {
            bayes.n_on += detail::multiply_shares(of_first.data() + first, of_second.data() + first, per_point,
                                                  products.data() + n);
        }
        for (std::size_t i = 0; i < n; i += 2) bayes.log_ratio += std::log(products[i + 1] / products[i]);
    }
};

/// Adds what the records of the trunk say to the three sums and, where it is asked, to what naive Bayes says.
/// `per_point`: 1 / (n + 1) for n points, times the strength of the prior.
SAPWOOD_WIDE_VECTORS
inline void ask_trunk(const Word* const* records, std::size_t size, double* sums, double per_point, BayesSum& bayes) {
    // The squares stand beside the weights, so that four numbers are added at once and three are used.
    std::array<double, n_trunks + 1> all{sums[0], sums[1], sums[2], 0};
    Counts counts;
    for (std::size_t first = 0; first < size; first += chunk) {
        const std::size_t here = std::min(chunk, size - first);
        for (std::size_t i = 0; i < here; ++i) {
            const Word* record = records[first + i];
            for (std::size_t t = 0; t < all.size(); ++t) all[t] += static_cast<double>(record[t].weight);
            counts.of_first[i] = record[InTrunk::counts].count;
            counts.of_second[i] = record[InTrunk::counts + 1].count;
        }
        counts.end_at(here);
        counts.add_to(bayes, here, per_point);
    }
    std::copy_n(all.begin(), n_trunks, sums);
}

/// The same of the records of a leaf and its one sum.
SAPWOOD_WIDE_VECTORS
inline void ask_leaf(const Word* const* records, std::size_t size, double& sum, double per_point, BayesSum& bayes) {
    double all = sum;
    Counts counts;
    for (std::size_t first = 0; first < size; first += chunk) {
        const std::size_t here = std::min(chunk, size - first);
        for (std::size_t i = 0; i < here; ++i) {
            const Word* record = records[first + i];
            all += static_cast<double>(record[InLeaf::weight].weight);
            counts.of_first[i] = record[InLeaf::counts].count;
            counts.of_second[i] = record[InLeaf::counts + 1].count;
        }
        counts.end_at(here);
        counts.add_to(bayes, here, per_point);
    }
    sum = all;
}

/// A step of the three regressions in each record of the trunk: `change` for each, to be divided by the root of the sum
/// of squares, which `square` is added to before. The point is counted.
SAPWOOD_WIDE_VECTORS
inline void teach_trunk(Word* const* records, std::size_t size, const std::array<float, n_trunks>& change, float square,
                        std::size_t label, Count weight) {
    for (std::size_t first = 0; first < size; first += chunk) {
        const std::size_t here = std::min(chunk, size - first);
        alignas(32) std::array<float, chunk> sums;
        alignas(32) std::array<float, chunk> per;
        for (std::size_t i = 0; i < here; ++i) sums[i] = records[first + i][InTrunk::squares].weight + square;
        for (std::size_t i = 0; i < here; ++i) {
            per[i] = 1 / std::sqrt(static_cast<float>(mixing::first_square) + sums[i]);
        }
        for (std::size_t i = 0; i < here; ++i) {
            Word* record = records[first + i];
            record[0].weight += change[0] * per[i];
            record[1].weight += change[1] * per[i];
            record[2].weight += change[2] * per[i];
            record[InTrunk::squares].weight = sums[i];
            record[InTrunk::counts + label].count += weight;
        }
    }
}

/// A step of the correction in each record of a leaf, and the point is counted.
SAPWOOD_WIDE_VECTORS
inline void teach_leaf(Word* const* records, std::size_t size, double gradient, double rate, std::size_t label,
                       Count weight) {
    const double square = gradient * gradient;
    const double length = rate * gradient;
    for (std::size_t first = 0; first < size; first += chunk) {
        const std::size_t here = std::min(chunk, size - first);
        alignas(32) std::array<float, chunk> weights;
        alignas(32) std::array<float, chunk> squares;
        for (std::size_t i = 0; i < here; ++i) {
            const Word* record = records[first + i];
            weights[i] = record[InLeaf::weight].weight;
            squares[i] = record[InLeaf::squares].weight;
        }
        for (std::size_t i = 0; i < here; ++i) {
            squares[i] = static_cast<float>(squares[i] + square);
            weights[i] = static_cast<float>(weights[i] - length / std::sqrt(mixing::first_square + squares[i]));
        }
        for (std::size_t i = 0; i < here; ++i) {
            Word* record = records[first + i];
            record[InLeaf::weight].weight = weights[i];
            record[InLeaf::squares].weight = squares[i];
            record[InLeaf::counts + label].count += weight;
        }
    }
}

}  // namespace sapwood::binary_records
