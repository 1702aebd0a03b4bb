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

/// What can be wrong with points. The comments say what the numbers of a PointsError mean.
enum class PointsFault {
    negative_feature,    // got
    repeated_feature,    // got
    no_rows,             // there is not even the start of a first row
    late_start,          // got: where the first row starts
    falling_rows,        // got, after `expected`, at `row`: a row ends before it starts
    rows_beyond_end,     // got, where only `expected` indices are stored
    feature_beyond_end,  // got in `row`, where features are from 0 to `expected`
    unsorted_features,   // got, after `expected`, in `row`
    unpaired_labels,     // got labels for `expected` points
    unknown_label        // got, where labels are from 0 to `expected`
};

/// Points are not what they must be. It carries what is wrong and not how to say it: what the points, their rows and
/// their labels are called is for whoever handed them over to know.
class PointsError : public std::invalid_argument {
public:
    PointsError(PointsFault fault, std::int64_t got, std::int64_t expected = 0, std::size_t row = 0)
        : std::invalid_argument("points must be well-formed, got fault " + std::to_string(static_cast<int>(fault))),
          fault_(fault),
          got_(got),
          expected_(expected),
          row_(row) {}

    PointsFault fault() const { return fault_; }
    std::int64_t got() const { return got_; }
    std::int64_t expected() const { return expected_; }
    std::size_t row() const { return row_; }

private:
    PointsFault fault_;
    std::int64_t got_;
    std::int64_t expected_;
    std::size_t row_;
};

/// Whether features ascend, each once.
inline bool do_ascend(Features features) {
    return std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) == features.end();
}

/// Throws PointsError unless the features of a point are unique and none is negative. O(m) if they are in ascending
/// order, O(m log m) otherwise.
inline void check_features(Features features) {
    if (features.empty() || (features.front() >= 0 && do_ascend(features))) return;
    for (const FeatureId id : features) {
        if (id < 0) throw PointsError(PointsFault::negative_feature, id);
    }
    std::vector<FeatureId> sorted(features.begin(), features.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) throw PointsError(PointsFault::repeated_feature, *twice);
}

/// Throws PointsError unless rows are what compressed sparse rows with `n_columns` columns must be.
inline void check_csr(const CsrView& csr, std::int64_t n_columns) {
    const auto stored = static_cast<std::int64_t>(csr.indices.size());
    const auto& indptr = csr.indptr;
    if (indptr.empty()) throw PointsError(PointsFault::no_rows, 0);
    if (indptr.front() != 0) throw PointsError(PointsFault::late_start, indptr.front());
    for (std::size_t i = 0; i < csr.size(); ++i) {
        if (indptr[i + 1] < indptr[i]) throw PointsError(PointsFault::falling_rows, indptr[i + 1], indptr[i], i);
    }
    if (indptr.back() > stored) throw PointsError(PointsFault::rows_beyond_end, indptr.back(), stored);
    for (std::size_t i = 0; i < csr.size(); ++i) {
        const Features row = csr.row(i);
        if (row.empty() || (row.front() >= 0 && row.back() < n_columns && do_ascend(row))) continue;
        // Which is the first that is wrong?
        std::int64_t last = -1;
        for (const FeatureId id : row) {
            if (id < 0 || id >= n_columns) throw PointsError(PointsFault::feature_beyond_end, id, n_columns - 1, i);
            if (id <= last) throw PointsError(PointsFault::unsorted_features, id, last, i);
            last = id;
        }
    }
}

/// Throws PointsError unless there is a label for every row, each one of the classes.
inline void check_labels(const CsrView& csr, std::span<const Label> labels, int n_classes) {
    if (labels.size() != csr.size()) {
        throw PointsError(PointsFault::unpaired_labels, static_cast<std::int64_t>(labels.size()),
                          static_cast<std::int64_t>(csr.size()));
    }
    const auto largest = std::max_element(labels.begin(), labels.end());
    if (largest != labels.end() && *largest >= n_classes) {
        throw PointsError(PointsFault::unknown_label, *largest, n_classes - 1);
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
