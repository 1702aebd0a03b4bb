#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

}  // namespace sapwood
