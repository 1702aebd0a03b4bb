#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sapwood/tree/node.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/tree_options.hpp"

namespace sapwood {

/// What a tree has tried and done, for whoever wants to know why it looks as it does.
struct TreeTally {
    std::int64_t tested = 0;   // times a split was looked for
    std::int64_t split = 0;    // leaves split
    std::int64_t resplit = 0;  // inner nodes split anew
    std::int64_t pruned = 0;   // nodes given up in that
    std::int64_t paused = 0;   // times a node stopped learning for want of memory
    std::int64_t resumed = 0;  // times one began again

    /// The nodes made so far: the root, and two at every split.
    std::uint64_t n_born() const { return 1 + 2 * static_cast<std::uint64_t>(split + resplit); }
};

/// All that a tree is made of, to be put into one: from here on it learns as the tree did that the parts are of. The
/// parts must fit together; who reads them from outside checks that.
struct TreeState {
    explicit TreeState(TreeOptions chosen, std::size_t n_classes)
        : options(std::move(chosen)),
          layout(ModelLayout::of(options.leaf_prediction, n_classes)),
          pool(std::make_unique<PagePool>(layout.record_size())),
          trunk(layout.n_outputs()) {}

    TreeOptions options;
    ModelLayout layout;
    std::int64_t n = 0;
    TreeTally tally;
    // Before the nodes, whose tables give their pages back to it.
    std::unique_ptr<PagePool> pool;
    Trunk trunk;
    /// The root first. `bytes` of a node need not be set.
    std::vector<Node> nodes;
    std::vector<Route> tests;
};

}  // namespace sapwood
