#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// The features that are on in many points, as a scan of all features has found them: the next scan can do with these
/// alone as long as one that is on in fewer cannot be among the best (table_scan.hpp).
///
/// Of text these are few, and as points go their number does not grow: a tree that forgets, or whose nodes begin with a
/// part of the points of others, looks at all features once.
class FrequentFeatures {
public:
    /// Whether there is a list. Without one nothing is known.
    bool is_listed() const { return is_listed_; }
    const std::vector<FeatureId>& ids() const { return ids_; }

    /// In how many points a feature that is not listed may be on, after `n` points: in so many it was, and in all that
    /// have come since.
    std::int64_t most_of_others(Count n) const { return most_ + (n - n_listed_) + n_gone_; }

    /// Notes that points go.
    void note_gone(Count weight) { n_gone_ += weight; }

    /// Takes a list, after `n` points: all others are on in at most `most`.
    void take(std::vector<FeatureId> ids, Count most, Count n) {
        ids_ = std::move(ids);
        most_ = most;
        n_listed_ = n;
        n_gone_ = 0;
        is_listed_ = true;
    }

    /// Gives the list up.
    void forget() { *this = FrequentFeatures(); }

    /// What a list takes, with this; nothing without one.
    std::size_t n_bytes() const { return is_listed_ ? sizeof(*this) + ids_.capacity() * sizeof(FeatureId) : 0; }

private:
    std::vector<FeatureId> ids_;
    std::int64_t most_ = 0;
    std::int64_t n_listed_ = 0;
    std::int64_t n_gone_ = 0;
    bool is_listed_ = false;
};

}  // namespace sapwood
