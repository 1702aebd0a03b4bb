#pragma once

#include <cstdint>
#include <optional>

#include "sapwood/search/split.hpp"
#include "sapwood/tree/node_statistics.hpp"

namespace sapwood {

/// A split that a node is to make: its gain, and by how much that is ahead, both in the unit of the tree.
struct DueSplit {
    Split split;
    double gain = 0;
    double margin = 0;
};

/// What the best split of a leaf must be better than.
enum class Rival {
    second_best,  // the second best split, and not splitting
    no_split      // not splitting alone
};

/// What a split test is told of a node besides its statistics.
struct NodeContext {
    /// The number of the node in the order in which the nodes of its tree were made.
    std::uint64_t born = 0;
};

/// Is it time to split a node? Asked after a point, of a node that counts and has seen points of two classes.
///
/// A test may ask the search of the node, which then brings itself up to date, and changes nothing else.
class SplitTest {
public:
    virtual ~SplitTest() = default;

    /// The split that a leaf is to make now, if any. Among equally good splits the one that was seen first.
    virtual std::optional<DueSplit> due_split(NodeStatistics& leaf, const NodeContext& context, Rival rival) = 0;

    /// The split that an inner node is to make now in place of the one that it has, if any.
    virtual std::optional<DueSplit> due_revision(NodeStatistics& inner, const NodeContext& context,
                                                 const Test& current) = 0;

    /// How many points an inner node must count between two looks at whether it has the right split, of which `least`
    /// is the fewest.
    virtual Count points_before_revision(const NodeStatistics&, Count least) const { return least; }
};

}  // namespace sapwood
