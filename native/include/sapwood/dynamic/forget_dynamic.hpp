#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/dynamic/dynamic_tree_body.hpp"
#include "sapwood/dynamic/sum_of_points.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

inline void DynamicTree::forget(std::span<const Taken> gone) {
    std::optional<SumOfPoints> sum;
    std::vector<Leaving> waiting;
    waiting.push_back({Nodes::root, {gone.begin(), gone.end()}});
    while (!waiting.empty()) {
        Leaving group = std::move(waiting.back());
        waiting.pop_back();
        if (!are_many(group.points)) {
            take_one_by_one(group, waiting);
            continue;
        }
        if (!sum) sum.emplace(points_, n_classes_);
        sum->sum_up(group.points);
        // Down the larger side, as long as that is many: what goes to the smaller side is taken from the sums.
        while (true) {
            take_from(group.at, group.points, &sum->counts());
            if (nodes_.is_leaf(group.at)) {
                drop_from(group.at, group.points);
                break;
            }
            std::array<Leaving, 2> sides = parted(group);
            const bool smaller = sides[1].points.size() <= sides[0].points.size();
            group = std::move(sides[!smaller]);
            if (!are_many(group.points)) {
                waiting.push_back(std::move(group));
                waiting.push_back(std::move(sides[smaller]));
                break;
            }
            sum->take(sides[smaller].points);
            waiting.push_back(std::move(sides[smaller]));
        }
    }
}

/// Whether points are so many that to sum them up takes less than to take each of them from a node.
inline bool DynamicTree::are_many(std::span<const Taken> points) const {
    std::size_t nonzeros = 0;
    for (const Taken& each : points) nonzeros += points_.features(each.id).size();
    return points.size() >= few_taken && nonzeros * summed_per_counted >= points_.feature_end();
}

inline void DynamicTree::take_one_by_one(const Leaving& group, std::vector<Leaving>& waiting) {
    if (group.points.empty()) return;
    take_from(group.at, group.points, nullptr);
    if (nodes_.is_leaf(group.at)) return drop_from(group.at, group.points);
    for (Leaving& side : parted(group)) waiting.push_back(std::move(side));
}

/// Takes points from what a node has counted; `sums` are theirs, if they are known.
inline void DynamicTree::take_from(NodeId at, std::span<const Taken> gone, const SummedCounts* sums) {
    DynamicNode& here = content(at);
    for (const Taken& each : gone) {
        const Features features = points_.features(each.id);
        here.note_change(features.size(), each.weight);
        here.totals.add(features.size(), points_.label(each.id), -each.weight);
        if (here.search && sums == nullptr) here.search->take_back(features, points_.label(each.id), each.weight);
    }
    if (here.search && sums != nullptr) here.search->take_back_counts(*sums);
}

/// Points that leave a node, on each side of its test.
inline std::array<DynamicTree::Leaving, 2> DynamicTree::parted(const Leaving& group) const {
    std::array<Leaving, 2> sides{Leaving{nodes_.child(group.at, false), {}}, Leaving{nodes_.child(group.at, true), {}}};
    const Test test = nodes_.test(group.at);
    for (const Taken& each : group.points) sides[passes(test, each.id)].points.push_back(each);
    return sides;
}

/// Takes points from the store, and those that are gone from the list of their leaf.
inline void DynamicTree::drop_from(NodeId leaf, std::span<const Taken> gone) {
    for (const Taken& each : gone) {
        if (points_.take(each.id, each.weight)) drop(leaf, each.id);
    }
}

}  // namespace sapwood
