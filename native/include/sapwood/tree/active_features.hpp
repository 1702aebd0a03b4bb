#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// Says of a feature whether it is on in a point, in O(1), after O(m) to set up: what routing asks at every node.
///
/// One bit a feature is kept by each thread, all zero between points, so that a point does not pay for the features
/// that it lacks, and threads that read the same tree do not meet. Only one object a thread may exist at a time.
class ActiveFeatures {
public:
    explicit ActiveFeatures(Features features) : features_(features), bits_(bits_of_thread()) {
        FeatureId largest = -1;
        for (const FeatureId id : features) largest = id > largest ? id : largest;
        const std::size_t words = static_cast<std::size_t>(largest + 1) / 64 + 1;
        if (bits_.size() < words) bits_.resize(words + words / 2);
        for (const FeatureId id : features) bits_[word_of(id)] |= bit_of(id);
    }
    ~ActiveFeatures() {
        for (const FeatureId id : features_) bits_[word_of(id)] = 0;
    }
    ActiveFeatures(const ActiveFeatures&) = delete;
    ActiveFeatures& operator=(const ActiveFeatures&) = delete;

    bool contains(FeatureId id) const { return word_of(id) < bits_.size() && (bits_[word_of(id)] & bit_of(id)) != 0; }

private:
    static std::size_t word_of(FeatureId id) { return static_cast<std::size_t>(id) / 64; }
    static std::uint64_t bit_of(FeatureId id) { return std::uint64_t{1} << (static_cast<std::uint32_t>(id) % 64); }

    static std::vector<std::uint64_t>& bits_of_thread() {
        thread_local std::vector<std::uint64_t> bits;
        return bits;
    }

    Features features_;
    std::vector<std::uint64_t>& bits_;
};

}  // namespace sapwood
