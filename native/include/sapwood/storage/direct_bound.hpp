#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "sapwood/types.hpp"

namespace sapwood {

/// Decides which ids are looked up directly in an array, and which by hashing: those below a bound, which is raised to
/// a power of two when at least one in `ids_per_feature` of the ids that it would add is in use. Most data number their
/// features from 0 without gaps, and a direct look-up is several times faster than a probe; the rule keeps memory
/// proportional to the features seen, whatever their ids.
template <std::size_t ids_per_feature>
class DirectBound {
public:
    /// `smallest`: the bound at first, a power of two.
    explicit DirectBound(std::size_t smallest = 16) : value_(smallest) {}

    std::size_t value() const { return value_; }

    /// Counts a new id that is not below the bound. Says whether it is time for a review: to raise the bound if more
    /// can be afforded, and to say `reviewed` in any case.
    bool count(FeatureId id) {
        ++of_width_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(id)))];
        return ++size_ >= next_review_;
    }

    /// The bound that could be afforded if there were `times` as many of the ids counted; the present one if no other.
    std::size_t affordable(std::size_t times = 1) const {
        std::size_t raised = value_;
        std::size_t below = 0;
        for (std::size_t bits = 0; bits < of_width_.size(); ++bits) {
            below += times * of_width_[bits];
            const std::size_t end = std::size_t{1} << bits;
            // A small array may be half as full: it takes little, and a stream reaches it early.
            const std::size_t room = (end <= small ? 2 : 1) * ids_per_feature * below;
            if (end > value_ && of_width_[bits] > 0 && end - value_ <= room) raised = end;
        }
        return raised;
    }

    /// Raises the bound to a power of two. The ids counted that are not below it stay counted.
    void raise(std::size_t value) {
        value_ = value;
        std::fill_n(of_width_.begin(), std::bit_width(value), std::size_t{0});
        size_ = std::accumulate(of_width_.begin(), of_width_.end(), std::size_t{0});
    }

    /// The next review is due when the ids counted have become twice as many. Returns how many more that are.
    std::size_t reviewed() {
        next_review_ = std::max(first_review, std::bit_ceil(size_ + 1));
        return next_review_ - size_;
    }

    /// How many ids are counted, and how many of them are below a power of two.
    std::size_t size() const { return size_; }
    std::size_t n_below(std::size_t end) const {
        return std::accumulate(of_width_.begin(), of_width_.begin() + std::bit_width(end), std::size_t{0});
    }

    /// Up to here an array is so small (128 kB of records of eight bytes) that it makes no difference when it is made.
    static constexpr std::size_t small = 1 << 14;

private:
    /// The ids that are hashed before the first review; few, so that a small stream soon needs no hashing.
    static constexpr std::size_t first_review = 4;

    std::size_t value_;
    /// `of_width_[w]`: the number of counted ids with w binary digits.
    std::array<std::size_t, 32> of_width_{};
    std::size_t size_ = 0;
    std::size_t next_review_ = first_review;
};

}  // namespace sapwood
