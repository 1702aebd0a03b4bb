#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "sapwood/points.hpp"
#include "sapwood/types.hpp"

namespace sapwood::bench {

template <typename T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <typename T>
std::span<const T> span_of(const Array<T>& array) {
    return {array.data(), array.size()};
}

/// The points of a stream, checked once, before any clock runs.
struct Points {
    CsrView csr;
    std::span<const Label> labels;

    Points(const Array<std::int64_t>& indptr, const Array<FeatureId>& indices, const Array<Label>& y,
           std::size_t n_features, int n_classes)
        : csr{span_of(indptr), span_of(indices)}, labels(span_of(y)) {
        check_csr(csr, static_cast<std::int64_t>(n_features));
        check_labels(csr, labels, n_classes);
    }

    std::size_t size() const { return labels.size(); }
};

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Throws std::invalid_argument with the constraint that does not hold, which must start with a parameter's name.
inline void require(bool holds, const std::string& constraint) {
    if (!holds) throw std::invalid_argument(constraint);
}

void bind_counting(nanobind::module_& module);
void bind_scalar(nanobind::module_& module);
void bind_window(nanobind::module_& module);

}  // namespace sapwood::bench
