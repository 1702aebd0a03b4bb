#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/random.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/types.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// A point by the ids that all who count agree on: of the features that are on, the values of categories among them,
/// and of its numbers with their values.
struct SharedPoint {
    // Implicit: most points have no numbers.
    SharedPoint(std::span<const SharedId> on) : ids(on) {}
    SharedPoint(std::span<const SharedId> on, std::span<const SharedId> of_numbers, std::span<const double> all_values)
        : ids(on), numbers(of_numbers), values(all_values) {}

    std::span<const SharedId> ids;
    std::span<const SharedId> numbers;
    std::span<const double> values;
};

/// The numbers of points, in compressed rows.
struct SharedNumbers {
    std::span<const std::int64_t> indptr;
    std::span<const SharedId> ids;
    std::span<const double> values;
};

/// Such points with their labels and how often each counts.
struct SharedRows {
    std::span<const std::int64_t> indptr;
    std::span<const SharedId> ids;
    std::span<const Label> labels;
    /// Empty: once each. A point of weight 0 is not counted.
    std::span<const Count> weights = {};
    /// Either as many rows, or none at all.
    SharedNumbers numbers = {};

    std::size_t size() const { return indptr.empty() ? 0 : indptr.size() - 1; }
    SharedPoint row(std::size_t i) const {
        const auto within = [i](std::span<const std::int64_t> ends, auto all) {
            return all.subspan(static_cast<std::size_t>(ends[i]), static_cast<std::size_t>(ends[i + 1] - ends[i]));
        };
        if (numbers.indptr.empty()) return within(indptr, ids);
        return {within(indptr, ids), within(numbers.indptr, numbers.ids), within(numbers.indptr, numbers.values)};
    }
    Count weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
};

namespace detail {

inline void check_ends(std::span<const std::int64_t> indptr, std::size_t n_ids) {
    const bool right = !indptr.empty() && indptr.front() == 0 && std::is_sorted(indptr.begin(), indptr.end()) &&
                       indptr.back() == static_cast<std::int64_t>(n_ids);
    if (!right) throw std::invalid_argument("indptr must ascend from 0 to the number of ids");
}

/// `sorted` is room.
inline void check_unique(std::span<const SharedId> row, const char* what, std::size_t i,
                         std::vector<SharedId>& sorted) {
    if (std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end()) return;
    sorted.assign(row.begin(), row.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return;
    throw std::invalid_argument(std::string(what) + " of a point must be unique, got " + std::to_string(*twice) +
                                " twice in row " + std::to_string(i));
}

}  // namespace detail

/// Throws std::invalid_argument unless rows can be counted in a tree of `n_classes` classes: each feature and number of
/// a point once, each number finite, each label a class, no weight below 0.
inline void check_shared_rows(const SharedRows& rows, std::size_t n_classes) {
    detail::check_ends(rows.indptr, rows.ids.size());
    if (rows.labels.size() != rows.size() || (!rows.weights.empty() && rows.weights.size() != rows.size())) {
        throw std::invalid_argument("labels and weights must be as many as the " + std::to_string(rows.size()) +
                                    " points, got others");
    }
    const SharedNumbers& numbers = rows.numbers;
    if (!numbers.indptr.empty()) {
        detail::check_ends(numbers.indptr, numbers.ids.size());
        if (numbers.indptr.size() != rows.indptr.size() || numbers.values.size() != numbers.ids.size()) {
            throw std::invalid_argument("numbers must have a row for each of the " + std::to_string(rows.size()) +
                                        " points, and a value for each id, got others");
        }
        const auto wrong = std::find_if(numbers.values.begin(), numbers.values.end(),
                                        [](double each) { return !std::isfinite(each); });
        if (wrong != numbers.values.end()) {
            throw std::invalid_argument("numbers must be finite, got " + detail::shortest(*wrong));
        }
    }
    for (const SharedId id : rows.ids) {
        if (is_bin_id(id)) throw std::invalid_argument("features must not have ids of bins, got " + std::to_string(id));
    }
    std::vector<SharedId> sorted;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows.labels[i] >= n_classes) {
            throw std::invalid_argument("labels must be from 0 to " + std::to_string(n_classes - 1) + ", got " +
                                        std::to_string(rows.labels[i]) + " in row " + std::to_string(i));
        }
        if (rows.weight(i) < 0) {
            throw std::invalid_argument("weights must be at least 0, got " + std::to_string(rows.weight(i)) +
                                        " in row " + std::to_string(i));
        }
        const SharedPoint row = rows.row(i);
        detail::check_unique(row.ids, "features", i, sorted);
        detail::check_unique(row.numbers, "numbers", i, sorted);
    }
}

/// A hash of the features, the numbers and the label of a point: the same wherever it stands.
inline std::uint64_t row_hash(const SharedPoint& row, Label label) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;
    std::uint64_t sum = Random::mixed(label);
    // A sum, because the order of the features says nothing.
    for (const SharedId id : row.ids) sum += Random::mixed(id ^ golden);
    for (std::size_t i = 0; i < row.numbers.size(); ++i) {
        // Negative zero is zero.
        const auto bits = std::bit_cast<std::uint64_t>(row.values[i] + 0.0);
        sum += Random::mixed(Random::mixed(row.numbers[i] ^ golden) + Random::mixed(bits + golden));
    }
    return Random::mixed(sum);
}

/// The part of a batch that a point belongs to, by its hash.
inline std::uint32_t part_of(const SharedPoint& row, Label label, std::uint32_t n_parts) {
    if (n_parts <= 1) return 0;
    return static_cast<std::uint32_t>(((row_hash(row, label) >> 32) * n_parts) >> 32);
}

}  // namespace sapwood
