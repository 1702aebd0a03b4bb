#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// Tells whether a feature is on in a point, which routing asks at every node.
///
/// The first few questions are answered by a look at all features of the point, several at once. Then a bit is set for
/// each feature, in O(m), and further questions take O(1). Each thread keeps one bit per feature, all zero between
/// points, so a point does not pay for the features that it lacks, and threads that read the same tree do not contend.
/// Only one object per thread may exist at a time.
class ActiveFeatures {
public:
    explicit ActiveFeatures(Features features) : features_(features) {}
    ~ActiveFeatures() {
        if (bits_ == nullptr) return;
        for (const FeatureId id : features_) (*bits_)[word_of(id)] = 0;
    }
    ActiveFeatures(const ActiveFeatures&) = delete;
    ActiveFeatures& operator=(const ActiveFeatures&) = delete;

    bool contains(FeatureId id) {
        if (bits_ == nullptr) {
            if (++asked_ <= few) return is_among(id);
            set_bits();
        }
        return word_of(id) < bits_->size() && ((*bits_)[word_of(id)] & bit_of(id)) != 0;
    }

private:
    static constexpr int few = 12;

    static std::size_t word_of(FeatureId id) { return static_cast<std::size_t>(id) / 64; }
    static std::uint64_t bit_of(FeatureId id) { return std::uint64_t{1} << (static_cast<std::uint32_t>(id) % 64); }

    static std::vector<std::uint64_t>& bits_of_thread() {
        thread_local std::vector<std::uint64_t> bits;
        return bits;
    }

    bool is_among(FeatureId id) const {
        // Without a way out, so that several are compared at once.
        int found = 0;
        for (const FeatureId active : features_) found |= active == id ? 1 : 0;
        return found != 0;
    }

    void set_bits() {
        std::vector<std::uint64_t>& bits = bits_of_thread();
        FeatureId largest = -1;
        for (const FeatureId id : features_) largest = id > largest ? id : largest;
        const std::size_t words = static_cast<std::size_t>(largest + 1) / 64 + 1;
        if (bits.size() < words) bits.resize(words + words / 2);
        for (const FeatureId id : features_) bits[word_of(id)] |= bit_of(id);
        bits_ = &bits;
    }

    Features features_;
    int asked_ = 0;
    /// Those of the thread, once they are set.
    std::vector<std::uint64_t>* bits_ = nullptr;
};

}  // namespace sapwood
