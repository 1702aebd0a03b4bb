#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

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

    /// Counts a new id that is not below the bound. Says whether the bound has been raised: then the ids that are still
    /// not below it must be counted again, which cannot raise it further.
    bool count(FeatureId id) {
        ++of_width_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(id)))];
        if (++size_ < next_review_) return false;
        next_review_ = 2 * size_;
        std::size_t raised = value_;
        std::size_t below = 0;
        for (std::size_t bits = 0; bits < of_width_.size(); ++bits) {
            below += of_width_[bits];
            const std::size_t end = std::size_t{1} << bits;
            // A small array may be half as full: it takes little, and a stream reaches it early.
            const std::size_t room = (end <= small ? 2 : 1) * ids_per_feature * below;
            if (end > value_ && of_width_[bits] > 0 && end - value_ <= room) raised = end;
        }
        if (raised == value_) return false;
        value_ = raised;
        of_width_.fill(0);
        size_ = 0;
        next_review_ = first_review;
        return true;
    }

private:
    static constexpr std::size_t first_review = 4;
    static constexpr std::size_t small = 1 << 14;

    std::size_t value_;
    /// How many of the ids counted have so many binary digits.
    std::array<std::size_t, 32> of_width_{};
    std::size_t size_ = 0;
    std::size_t next_review_ = first_review;
};

}  // namespace sapwood
