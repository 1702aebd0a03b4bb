#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/dynamic/dynamic_tree.hpp"

namespace sapwood {

inline void DynamicTree::validate() {
    const auto require = [](bool holds, const std::string& what) {
        if (!holds) throw std::logic_error("dynamic tree is broken: " + what);
    };
    std::size_t n_listed = 0;
    for (const NodeId at : nodes_.in_order()) {
        const DynamicNode& here = node(at);
        require(nodes_.is_leaf(at) || here.points.empty(), "an inner node has points of its own");
        NodeTotals totals{std::vector<Count>(n_classes_), 0, 0};
        const std::unique_ptr<SplitSearch> counted = make_search(options_.search_choice(n_classes_));
        for (const PointId id : points_below(at)) {
            require(points_.holds(id), "a leaf lists a point that is not held");
            totals.add(points_.features(id).size(), points_.label(id), points_.weight(id));
            counted->add(points_.features(id), points_.label(id), points_.weight(id));
        }
        require(totals.of_class == here.totals.of_class && totals.n == here.totals.n &&
                    totals.nonzeros == here.totals.nonzeros,
                "the totals of a node are not those of its points");
        if (here.search) {
            require(here.search->of_classes() == here.totals.of_class, "a search has other classes than its node");
            for (const FeatureId id : counted->state().ids) {
                require(here.search->on(id) == counted->on(id), "a search has other counts than its node");
            }
            content(at).search->validate();
        }
        for (std::size_t i = 0; i < here.points.size(); ++i) {
            const PointId id = here.points[i];
            require(position_[id] == i, "a point does not stand where it is said to");
            require(nodes_.leaf_of(points_.features(id)) == at, "a point stands in a leaf that it does not reach");
            ++n_listed;
        }
    }
    require(n_listed == points_.n_points(), "not every point that is held is in a leaf");
}

}  // namespace sapwood
