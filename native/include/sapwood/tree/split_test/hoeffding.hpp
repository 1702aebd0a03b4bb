#pragma once

#include <cmath>
#include <span>

#include "sapwood/tree/split_test/bound.hpp"
#include "sapwood/tree/split_test/gain_units.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Hoeffding's bound for the mean of n values within a range, exceeded with probability at most delta. Domingos and
/// Hulten, "Mining high-speed data streams", KDD 2000. (A gain is not such a mean, which the next test mends.)
inline double hoeffding_bound(double range, double delta, double n) {
    return range * std::sqrt(std::log(1 / delta) / (2 * n));
}

class HoeffdingBound final : public Bound {
public:
    HoeffdingBound(Criterion criterion, double delta) : criterion_(criterion), delta_(delta) {}

    bool is_uniform() const override { return true; }

    double value(std::span<const Count> of_class, std::span<const Count>, std::span<const Count>) const override {
        const ClassTotals totals(of_class);
        return hoeffding_bound(gain_range(criterion_, totals.n_classes), delta_, totals.n);
    }

private:
    Criterion criterion_;
    double delta_;
};

}  // namespace sapwood
