#pragma once

#include <cstdint>
#include <span>

#include "sapwood/tree/cut_tree.hpp"
#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/hoeffding.hpp"
#include "sapwood/tree/pausing.hpp"

namespace sapwood {

/// ASHT, a Hoeffding tree of adaptive size: when a split makes it larger than it may be, its root is given up with all
/// below it but the subtree of the split, or the whole tree is. Bifet, Holmes, Pfahringer, Kirkby and Gavaldà, "New
/// ensemble methods for evolving data streams", KDD 2009.
///
/// The size is the number of inner nodes that there are, one less than the leaves: it is not counted apart, and so does
/// not drift from what the tree is when a root is given up.
class AdaptiveSizeGrowth final : public GrowthPolicy {
public:
    explicit AdaptiveSizeGrowth(const TreeOptions& options) : hoeffding_(options) {}

    void learn(TreeBody& tree, const Point& point, Label label, Weight weight) override {
        hoeffding_.learn(tree, point, label, weight);
        if (static_cast<std::int64_t>(tree.nodes().n_leaves()) - 1 <= tree.options().max_size) return;
        if (tree.options().when_full == WhenFull::reset) {
            tree.start_over();
        } else {
            // The point was on its way through the leaf that was split, so that it still tells the subtree of it.
            tree.drop_root(tree.nodes().path(point)[1]);
        }
        const NodeId root = Nodes::root;
        if (tree.budget().is_limited()) Pausing(tree).keep_within(std::span(&root, 1));
    }

    bool counts_inner_nodes() const override { return false; }

private:
    HoeffdingGrowth hoeffding_;
};

}  // namespace sapwood
