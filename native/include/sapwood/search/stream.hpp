#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// Points in compressed sparse rows: row i has the features indices[indptr[i]], ..., indices[indptr[i + 1] - 1].
struct CsrView {
    std::span<const std::int64_t> indptr;
    std::span<const FeatureId> indices;

    std::size_t size() const { return indptr.empty() ? 0 : indptr.size() - 1; }

    Features row(std::size_t i) const {
        return indices.subspan(static_cast<std::size_t>(indptr[i]),
                               static_cast<std::size_t>(indptr[i + 1] - indptr[i]));
    }
};

/// Throws std::invalid_argument unless the features of a point are unique and none is negative. O(m) if they are in
/// ascending order, O(m log m) otherwise.
inline void check_features(Features features) {
    for (const FeatureId id : features) {
        if (id < 0) throw std::invalid_argument("features must not be negative, got " + std::to_string(id));
    }
    if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) == features.end()) return;
    std::vector<FeatureId> sorted(features.begin(), features.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        throw std::invalid_argument("features must be unique, got " + std::to_string(*twice) + " twice");
    }
}

/// Throws std::invalid_argument unless a matrix is what compressed sparse rows with `n_columns` columns must be.
inline void check_csr(const CsrView& csr, std::int64_t n_columns) {
    const auto stored = static_cast<std::int64_t>(csr.indices.size());
    const auto& indptr = csr.indptr;
    if (indptr.empty() || indptr.front() != 0) {
        throw std::invalid_argument("X.indptr must start with 0, got " +
                                    (indptr.empty() ? "nothing" : std::to_string(indptr.front())));
    }
    for (std::size_t i = 0; i < csr.size(); ++i) {
        if (indptr[i + 1] < indptr[i]) {
            throw std::invalid_argument("X.indptr must not decrease, got " + std::to_string(indptr[i]) + " before " +
                                        std::to_string(indptr[i + 1]) + " at row " + std::to_string(i));
        }
    }
    if (indptr.back() > stored) {
        throw std::invalid_argument("X.indptr must end within the " + std::to_string(stored) + " stored indices, got " +
                                    std::to_string(indptr.back()));
    }
    for (std::size_t i = 0; i < csr.size(); ++i) {
        std::int64_t last = -1;
        for (const FeatureId id : csr.row(i)) {
            if (id < 0 || id >= n_columns) {
                throw std::invalid_argument("X.indices must be from 0 to " + std::to_string(n_columns - 1) + ", got " +
                                            std::to_string(id) + " in row " + std::to_string(i));
            }
            if (id <= last) {
                throw std::invalid_argument("X.indices must ascend within a row (X.sort_indices() sorts them), got " +
                                            std::to_string(last) + " before " + std::to_string(id) + " in row " +
                                            std::to_string(i));
            }
            last = id;
        }
    }
}

/// Throws std::invalid_argument unless there is a label for every row, each one of the classes.
inline void check_labels(const CsrView& csr, std::span<const Label> labels, int n_classes) {
    if (labels.size() != csr.size()) {
        throw std::invalid_argument("y must have a label for each of the " + std::to_string(csr.size()) +
                                    " rows of X, got " + std::to_string(labels.size()));
    }
    const auto largest = std::max_element(labels.begin(), labels.end());
    if (largest != labels.end() && *largest >= n_classes) {
        throw std::invalid_argument("y must hold labels from 0 to " + std::to_string(n_classes - 1) + " only, got " +
                                    std::to_string(*largest));
    }
}

/// Throws std::overflow_error unless a node with n points has room for more.
inline void check_room(Count n, std::int64_t more) {
    if (more > max_points - n) {
        throw std::overflow_error("points must be at most " + std::to_string(max_points) + " in all, got " +
                                  std::to_string(more) + " more than " + std::to_string(n));
    }
}

}  // namespace sapwood
