#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Refuses to remove a point that cannot have been added, as far as the counts can tell: there must be points of its
/// class, each of its features must be on in some of them, and no other feature may be on in all of them.
///
/// The last of these concerns features that the point does not have. Few can be on in nearly all points of a class: if
/// a point has m features on the average, at most 2 m are on in half of the points or more. These are kept in a list,
/// which is complete until enough points have been removed for another feature to have come close. A check
/// takes amortised O(m log m + d / c) for d features seen and c points of the class, and additions need no care.
class RemovalGuard {
public:
    explicit RemovalGuard(std::size_t n_classes) : near_(n_classes) {}

    /// Throws std::invalid_argument unless the point may be removed `weight` times. `on(id)` is the number of points of
    /// the class in which a feature is on; `for_each_seen(use)` calls `use(id)` for all seen features.
    template <class On, class ForEachSeen>
    void check(Features features, Label label, Count weight, Count of_class, On on, ForEachSeen for_each_seen) {
        if (of_class < weight) refuse_class(label, weight, of_class);
        for (const FeatureId id : features) {
            if (on(id) < weight) refuse_feature(id, label, weight, on(id));
        }
        std::vector<FeatureId> sorted(features.begin(), features.end());
        std::sort(sorted.begin(), sorted.end());
        const auto require_room = [&](FeatureId id) {
            if (of_class - on(id) < weight && !std::binary_search(sorted.begin(), sorted.end(), id)) {
                refuse_absence(id, label, weight, on(id), of_class);
            }
        };
        Near& near = near_[label];
        if (near.slack < weight) {
            near = {};
            if (weight > of_class / 2) {
                // So much at once halves the class: all features are looked at, and a list would soon be outdated.
                for_each_seen(require_room);
                return;
            }
            std::vector<FeatureId> found;
            for_each_seen([&](FeatureId id) {
                if (of_class - on(id) < of_class / 2) found.push_back(id);
            });
            near = {of_class / 2, std::move(found)};
        }
        for (const FeatureId id : near.features) require_room(id);
        near.slack -= weight;
    }

    void take_classes(std::size_t n_classes) { near_.resize(n_classes); }

    std::size_t n_bytes() const {
        std::size_t bytes = near_.capacity() * sizeof(Near);
        for (const Near& near : near_) bytes += near.features.capacity() * sizeof(FeatureId);
        return bytes;
    }

private:
    /// All features that are off in fewer than `slack` points of a class.
    struct Near {
        Count slack = 0;
        std::vector<FeatureId> features;
    };

    // What is wrong is said in functions of their own, so that it is not compiled again for every search.

    static std::string must(Count weight) {
        return "the point must have been added" + (weight == 1 ? "" : " " + std::to_string(weight) + " times") +
               ", got ";
    }

    [[noreturn]] SAPWOOD_COLD static void refuse_class(Label label, Count weight, Count of_class) {
        throw std::invalid_argument(must(weight) + "label " + std::to_string(label) + ", which " +
                                    std::to_string(of_class) + " points have");
    }

    [[noreturn]] SAPWOOD_COLD static void refuse_feature(FeatureId id, Label label, Count weight, Count on) {
        throw std::invalid_argument(must(weight) + "feature " + std::to_string(id) + ", which is on in " +
                                    std::to_string(on) + " points with label " + std::to_string(label));
    }

    [[noreturn]] SAPWOOD_COLD static void refuse_absence(FeatureId id, Label label, Count weight, Count on,
                                                         Count of_class) {
        throw std::invalid_argument(must(weight) + "one without feature " + std::to_string(id) + ", which is on in " +
                                    std::to_string(on) + " of " + std::to_string(of_class) + " points with label " +
                                    std::to_string(label));
    }

    std::vector<Near> near_;
};

}  // namespace sapwood
