#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/dynamic/point_store.hpp"
#include "sapwood/search/summed_counts.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What is to be taken from an entry of the store.
struct Taken {
    PointId id;
    Count weight;
};

/// The sums of points that go down a tree together, from which those that part with them are taken.
///
/// Guarantee: `counts` are those of the points summed up and not taken, and at least three quarters of its ids are on
/// in one of these. To sum up takes O(their features + all features), to take O(features), amortised.
class SumOfPoints {
public:
    SumOfPoints(const PointStore& store, std::size_t n_classes) : store_(store), places_(store.feature_end()) {
        counts_.of_class.resize(n_classes);
    }

    /// Begins anew, with the sums of these points.
    void sum_up(std::span<const Taken> points) {
        std::fill(places_.begin(), places_.end(), nowhere);
        for (const Taken& each : points) {
            for (const FeatureId id : store_.features(each.id)) places_[index(id)] = 0;
        }
        counts_.ids.clear();
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i] == nowhere) continue;
            places_[i] = static_cast<std::uint32_t>(counts_.ids.size());
            counts_.ids.push_back(static_cast<FeatureId>(i));
        }
        counts_.on.assign(counts_.ids.size() * counts_.n_classes(), 0);
        counts_.of_class.assign(counts_.n_classes(), 0);
        n_on_.assign(counts_.ids.size(), 0);
        n_gone_ = 0;
        for (const Taken& each : points) {
            const Label label = store_.label(each.id);
            counts_.of_class[label] += each.weight;
            for (const FeatureId id : store_.features(each.id)) {
                const std::size_t place = places_[index(id)];
                counts_.on[place * counts_.n_classes() + label] += each.weight;
                n_on_[place] += each.weight;
            }
        }
    }

    /// Takes some of the points out of the sums.
    void take(std::span<const Taken> points) {
        for (const Taken& each : points) {
            const Label label = store_.label(each.id);
            counts_.of_class[label] -= each.weight;
            for (const FeatureId id : store_.features(each.id)) {
                const std::size_t place = places_[index(id)];
                counts_.on[place * counts_.n_classes() + label] -= each.weight;
                n_gone_ += (n_on_[place] -= each.weight) == 0 ? 1 : 0;
            }
        }
        if (4 * n_gone_ > counts_.ids.size()) leave_out_gone();
    }

    const SummedCounts& counts() const { return counts_; }

private:
    static constexpr std::uint32_t nowhere = 0xFFFFFFFFu;

    static std::size_t index(FeatureId id) { return static_cast<std::size_t>(id); }

    void leave_out_gone() {
        const std::size_t n_classes = counts_.n_classes();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < counts_.ids.size(); ++i) {
            if (n_on_[i] == 0) continue;
            counts_.ids[kept] = counts_.ids[i];
            n_on_[kept] = n_on_[i];
            for (std::size_t k = 0; k < n_classes; ++k) {
                counts_.on[kept * n_classes + k] = counts_.on[i * n_classes + k];
            }
            places_[index(counts_.ids[i])] = static_cast<std::uint32_t>(kept++);
        }
        counts_.ids.resize(kept);
        counts_.on.resize(kept * n_classes);
        n_on_.resize(kept);
        n_gone_ = 0;
    }

    const PointStore& store_;
    SummedCounts counts_;
    /// The points that each of its ids is on in, and how many are on in none.
    std::vector<Count> n_on_;
    std::size_t n_gone_ = 0;
    /// Where each feature stands among the ids.
    std::vector<std::uint32_t> places_;
};

}  // namespace sapwood
