#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "sapwood/criterion.hpp"
#include "sapwood/tree/node_impurity.hpp"
#include "sapwood/tree/node_statistics.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Gains below this are rounding: the sums that they are differences of have a relative error of about 1e-15, and a
/// node has at most 2^31 points.
inline constexpr double least_gain = 1e-9;

/// The gain of a split search, which measures entropy in nats, in the unit of a tree: entropy is in bits there, as in
/// the works on streaming trees and in other libraries; the other criteria are as they come.
inline double in_tree_units(Criterion criterion, double gain) {
    return criterion == Criterion::entropy ? gain * std::numbers::log2e : gain;
}

/// The largest possible gain, from the number of classes that a node has seen.
inline double gain_range(Criterion criterion, std::size_t n_classes) {
    return criterion == Criterion::entropy ? std::log2(static_cast<double>(std::max<std::size_t>(n_classes, 2))) : 1.0;
}

/// Gains of nodes in the unit of a tree.
class GainMeter {
public:
    explicit GainMeter(Criterion criterion) : impurity_(criterion), unit_(in_tree_units(criterion, 1)) {}

    double of(const Split& split) const { return split.gain * unit_; }

    double of(const NodeStatistics& node, const Test& test) {
        return impurity_.gain(node.passing(test), node.counted(), node.n()) * unit_;
    }

    /// No feature of a node has a larger gain, if its least score is known.
    double most(const NodeStatistics& node) {
        double most = impurity_.weighted(node.counted(), node.n()) - *node.least_score();
        if (node.n_removed() > 0) most += most_lowered(node);
        // What was rounded, was so by far less than the least gain.
        return most / node.n() * unit_ + least_gain;
    }

private:
    /// By how much scores may have been lowered by points that were taken back (node_statistics.hpp). Of a class there
    /// were beside at most all of the others that there are, and those taken back. Where there are more than two
    /// classes, those but the first count as one of which there is none.
    double most_lowered(const NodeStatistics& node) {
        const Count first = node.n_removed_first();
        const Count rest = node.n_removed() - first;
        const Count in_first = node.counted()[0];
        const Count beside_first = node.n() - in_first + rest;
        const Count beside_rest = (node.counted().size() == 2 ? in_first + first : node.n() + node.n_removed() - 1);
        return first * impurity_.weighted(std::array<Count, 2>{1, beside_first}, beside_first + 1) +
               rest * impurity_.weighted(std::array<Count, 2>{1, beside_rest}, beside_rest + 1);
    }

    NodeImpurity impurity_;
    /// What a gain of the searches is multiplied by.
    double unit_;
};

}  // namespace sapwood
