#pragma once

#include <cstddef>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// The list of the seen features whose records are found directly, kept only where it pays.
///
/// Where ids have gaps, most records of the array may be of features that have not been seen, and a scan would spend
/// its time on them. Once scans have visited many of them, the seen features are listed; and the others are given
/// certificates that run out at once, so that each is noticed and listed when it is first seen. That costs more than to
/// count does, and so is not done before there is a need.
class SeenWatch {
public:
    bool is_on() const { return is_on_; }

    /// The features seen, in no order; none while it is off.
    const std::vector<FeatureId>& seen() const { return seen_; }

    /// A scan has visited so many records of features that have not been seen.
    void spend(std::size_t n_unseen) {
        if (!is_on_) wasted_ += n_unseen;
    }

    /// Whether it is time to begin, with an array of so many records. Rent or buy: by then more has been wasted than it
    /// costs to begin, which is a walk over the array and, later, a detour for each feature that is first seen.
    bool is_worth(std::size_t size) const { return !is_on_ && wasted_ > 4 * size; }

    void begin() { is_on_ = true; }

    /// The array has become longer.
    void end() { *this = SeenWatch(); }

    void list(FeatureId id) { seen_.push_back(id); }

    std::size_t n_bytes() const { return seen_.capacity() * sizeof(FeatureId); }

private:
    bool is_on_ = false;
    std::size_t wasted_ = 0;
    std::vector<FeatureId> seen_;
};

}  // namespace sapwood
