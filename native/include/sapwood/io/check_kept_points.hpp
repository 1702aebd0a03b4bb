#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/forgetting.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

namespace detail {

/// Throws ModelFormatError unless the features of a point that are on end with the presence of each of its numbers, in
/// their order, and have that of no other: as a point is made (point_maker.hpp). The counts of a number would no longer
/// be those of its presence otherwise.
inline void check_presence(const Point& point, const Attributes& attributes) {
    bool agree = point.numbers.size() <= point.on.size();
    const std::size_t n_flags = agree ? point.on.size() - point.numbers.size() : 0;
    for (std::size_t i = 0; agree && i < point.numbers.size(); ++i) {
        agree = point.on[n_flags + i] == attributes.number(point.numbers[i].attribute).presence;
    }
    for (std::size_t i = 0; agree && i < n_flags; ++i) agree = !attributes.is_presence(point.on[i]);
    if (!agree) {
        throw ModelFormatError("a point that is kept must have the presence of its numbers, and of no other, got " +
                               std::to_string(point.numbers.size()) + " numbers");
    }
}

}  // namespace detail

/// Throws ModelFormatError unless a tree that was read, whose nodes were checked, can learn and take back every point
/// that it keeps: its numbers must be among its features, and if points are taken back, the nodes that it reaches must
/// have counted it. They are not asked again then.
///
/// Takes the time of learning the points that are kept, and the memory of the searches once more.
inline void check_kept_points(const TreeBody& tree) {
    if (!tree.following()) return;
    const RecentPoints& recent = tree.following()->recent;
    for (std::int64_t number = recent.first(); number < recent.end(); ++number) {
        detail::check_presence(recent.at(number).point, tree.attributes());
    }
    if (!tree.options().takes_points_back()) return;
    const std::size_t n_ids = tree.nodes().n_ids();
    std::vector<std::unique_ptr<SplitSearch>> searches(n_ids);
    std::vector<std::vector<std::int64_t>> of_class(n_ids);
    std::vector<std::int64_t> missed(n_ids);
    for (std::size_t i = 0; i < n_ids; ++i) {
        const Node& node = tree.node(static_cast<NodeId>(i));
        if (node.statistics.search() != nullptr) searches[i] = node.statistics.search()->clone();
        of_class[i] = node.of_class;
        missed[i] = node.statistics.n_missed();
    }
    const auto require = [](bool holds) {
        if (!holds) throw ModelFormatError("a point that is kept must be among those of the nodes that it reaches");
    };
    std::vector<NodeId> reached;
    for (std::int64_t number = recent.first(); number < recent.end(); ++number) {
        const RecentPoint kept = recent.at(number);
        reached.clear();
        for_each_reached(tree, kept.point, reached, [&](NodeId at) {
            const auto i = static_cast<std::size_t>(at);
            const NodeStatistics& statistics = tree.node(at).statistics;
            if (tree.watch(at).counted_since <= number && kept.count > 0) {
                if (searches[i]) {
                    try {
                        searches[i]->remove_point(kept.point, kept.label, kept.count);
                    } catch (const std::invalid_argument&) {
                        require(false);
                    }
                } else if (statistics.state() == NodeStatistics::State::absent) {
                    require((missed[i] -= kept.count) >= 0);
                }
            }
            if (tree.nodes().is_leaf(at) && tree.watch(at).since <= number) {
                require((of_class[i][kept.label] -= kept.count) >= 0);
            }
        });
    }
}

}  // namespace sapwood
