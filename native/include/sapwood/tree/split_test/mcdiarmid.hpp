#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "sapwood/tree/split_test/bound.hpp"
#include "sapwood/tree/split_test/gain_units.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The bound for a difference of gains that follows from McDiarmid's inequality, for information gain (in bits) and for
/// the Gini gain. Rutkowski, Pietruczuk, Duda and Jaworski, "Decision trees for mining data streams based on the
/// McDiarmid's bound", IEEE TKDE 25(6), 2013.
inline double mcdiarmid_bound(Criterion criterion, std::size_t n_classes, double delta, double n) {
    const double k = static_cast<double>(std::max<std::size_t>(n_classes, 2));
    const double range = criterion == Criterion::entropy
                             ? 6 * (k * std::log2(std::numbers::e * n) + std::log2(2 * n)) + 2 * std::log2(k)
                             : 8;
    return range * std::sqrt(std::log(1 / delta) / (2 * n));
}

class McDiarmidBound final : public Bound {
public:
    McDiarmidBound(Criterion criterion, double delta) : criterion_(criterion), delta_(delta) {}

    bool is_uniform() const override { return true; }

    double value(std::span<const Count> of_class, std::span<const Count>, std::span<const Count>) const override {
        const ClassTotals totals(of_class);
        return mcdiarmid_bound(criterion_, totals.n_classes, delta_, totals.n);
    }

private:
    Criterion criterion_;
    double delta_;
};

}  // namespace sapwood
