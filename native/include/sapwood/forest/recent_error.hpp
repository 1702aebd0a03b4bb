#pragma once

#include <algorithm>

namespace sapwood {

/// The error of a tree of late: an exponentially weighted moving average, to which the last point adds a hundredth.
///
/// What weighs the answer of the tree is the inverse of its square (Bifet et al., KDD 2009, where the share of a point
/// is the same). The average of few points is that of these points alone, not of a start that none of them is. An error
/// that is smaller than what a single wrong answer adds cannot be told from that one, and counts as that: so the weight
/// of a tree that makes no error is finite, and that of one that was never asked is 1, as is that of all trees after
/// the first point.
class RecentError {
public:
    /// The share of the last point, as in the paper.
    static constexpr double share = 0.01;

    RecentError() = default;
    RecentError(double wrong, double all) : wrong_(wrong), all_(all) {}

    void note(bool was_wrong) {
        wrong_ += share * ((was_wrong ? 1 : 0) - wrong_);
        all_ += share * (1 - all_);
    }

    /// The shares of the wrong answers, and of all answers, of which there may be few.
    double wrong() const { return wrong_; }
    double all() const { return all_; }

    double inverse_square() const {
        if (all_ == 0) return 1;
        const double inverse = all_ / std::max(wrong_, share);
        return inverse * inverse;
    }

private:
    double wrong_ = 0;
    double all_ = 0;
};

}  // namespace sapwood
