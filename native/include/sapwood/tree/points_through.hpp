#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/tree/node.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The points of each class that have passed a node since it was made: those that had when its split was made, and
/// those that came to its children since. Where leaves have not counted, those that are in leaves are the least that
/// there were. As inspect/view.py shows them. `contents` are those of the nodes, by their ids.
inline std::vector<std::int64_t> points_through(const Nodes& nodes, std::span<const Node> contents, NodeId top) {
    struct Points {
        std::vector<std::int64_t> since;
        std::vector<std::int64_t> in_leaves;
    };
    // From the last node to the first, so that the last two that were found are the children of the next inner node.
    std::vector<Points> found;
    const std::vector<NodeId> order = nodes.in_order(top);
    for (std::size_t i = order.size(); i-- > 0;) {
        const Node& here = contents[static_cast<std::size_t>(order[i])];
        if (nodes.is_leaf(order[i])) {
            const std::vector<Count>& counted = here.statistics.counted();
            found.push_back({{counted.begin(), counted.end()}, here.of_class});
            continue;
        }
        const Points off = std::move(found.back());
        found.pop_back();
        Points& all = found.back();
        const auto is_none = [](std::int64_t n) { return n == 0; };
        const bool is_copy = std::all_of(here.of_class.begin(), here.of_class.end(), is_none);
        for (std::size_t k = 0; k < here.of_class.size(); ++k) {
            all.in_leaves[k] += off.in_leaves[k];
            all.since[k] += off.since[k] + here.of_class[k];
            // The leaves of a copy (restructuring.hpp) have points that came before it was made.
            if (!is_copy) all.since[k] = std::max(all.since[k], all.in_leaves[k]);
        }
    }
    return std::move(found.front().since);
}

}  // namespace sapwood
