#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/forgetting.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// Throws ModelFormatError unless a tree that was read, whose nodes were checked, can take back every point that it
/// keeps: the nodes that a point reaches must have counted it. They are not asked again when it is taken back.
///
/// Takes the time of learning the points that are kept, and the memory of the searches once more.
inline void check_kept_points(const TreeBody& tree) {
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
    const RecentPoints& recent = tree.following()->recent;
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
