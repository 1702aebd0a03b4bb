#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/dynamic/dynamic_tree.hpp"
#include "sapwood/dynamic/feature_order.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The features and the points of a tree in an order that does not tell when they came: features that are on in a point
/// by the order of features, and points by the ranks of their features, then by label.
class Canonical {
public:
    Canonical(const DynamicTree& tree, const FeatureOrder& order)
        : store_(tree.points()), rank_(store_.feature_end(), -1) {
        for (std::size_t id = 0; id < store_.feature_end(); ++id) {
            if (store_.n_with(static_cast<FeatureId>(id)) > 0) features_.push_back(static_cast<FeatureId>(id));
        }
        std::sort(features_.begin(), features_.end(),
                  [&](FeatureId a, FeatureId b) { return order.comes_before(a, b); });
        for (std::size_t i = 0; i < features_.size(); ++i) {
            rank_[static_cast<std::size_t>(features_[i])] = static_cast<std::int32_t>(i);
        }
    }

    /// The features, by rank.
    const std::vector<FeatureId>& features() const { return features_; }

    /// The rank of a feature; -1 for none, and for one that is on in no point.
    std::int32_t rank(FeatureId id) const {
        return id < 0 || static_cast<std::size_t>(id) >= rank_.size() ? -1 : rank_[static_cast<std::size_t>(id)];
    }

    /// The ranks of the features of a point, ascending.
    std::vector<std::int32_t> ranks(PointId point) const {
        std::vector<std::int32_t> ranks;
        for (const FeatureId id : store_.features(point)) ranks.push_back(rank(id));
        std::sort(ranks.begin(), ranks.end());
        return ranks;
    }

    std::vector<PointId> points() const {
        struct Ranked {
            std::vector<std::int32_t> ranks;
            Label label;
            PointId id;
            bool operator<(const Ranked& other) const {
                return ranks != other.ranks ? ranks < other.ranks : label < other.label;
            }
        };
        std::vector<Ranked> all;
        for (PointId id = 0; id < store_.end(); ++id) {
            if (store_.holds(id)) all.push_back({ranks(id), store_.label(id), id});
        }
        std::sort(all.begin(), all.end());
        std::vector<PointId> points;
        for (const Ranked& each : all) points.push_back(each.id);
        return points;
    }

private:
    const PointStore& store_;
    std::vector<FeatureId> features_;
    std::vector<std::int32_t> rank_;
};

}  // namespace sapwood
