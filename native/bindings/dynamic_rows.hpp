#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "guarded_dynamic_tree.hpp"

namespace sapwood::bindings {

/// A weight as a count. Throws std::invalid_argument if it is no whole number: rounding at random would remember the
/// order of the points.
inline Count whole_of(double weight) {
    if (weight >= 0 && weight <= static_cast<double>(max_points) && weight == std::floor(weight)) {
        return static_cast<Count>(weight);
    }
    throw std::invalid_argument("weights must be whole numbers from 0 to " + std::to_string(max_points) +
                                " for a tree that forgets, got " + sapwood::detail::shortest(weight));
}

/// Points as rows of keys, with labels and weights, checked.
class Rows {
public:
    Rows(const Array<std::int64_t>& indptr, const Array<KeyId>& keys, const Array<Label>& labels,
         const std::optional<Array<double>>& weights)
        : keys_{span_of(indptr), span_of(keys)}, labels_(span_of(labels)) {
        check_rows(keys_);
        check_labels(keys_, labels_, max_classes);
        if (!weights) return;
        if (weights->size() != size()) {
            throw std::invalid_argument("sample_weight must have a weight for each of the " + std::to_string(size()) +
                                        " rows of X, got " + std::to_string(weights->size()));
        }
        for (const double weight : span_of(*weights)) weights_.push_back(whole_of(weight));
    }

    std::size_t size() const { return labels_.size(); }
    std::span<const KeyId> keys() const { return keys_.indices; }
    std::span<const KeyId> row(std::size_t i) const { return keys_.row(i); }
    Label label(std::size_t i) const { return labels_[i]; }
    Count weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }
    std::int64_t weight() const {
        std::int64_t sum = weights_.empty() ? static_cast<std::int64_t>(size()) : 0;
        for (const Count weight : weights_) sum += weight;
        return sum;
    }
    std::size_t n_classes() const {
        return labels_.empty() ? 0 : std::size_t{*std::max_element(labels_.begin(), labels_.end())} + 1;
    }

private:
    CsrView keys_;
    std::span<const Label> labels_;
    std::vector<Count> weights_;
};

}  // namespace sapwood::bindings
