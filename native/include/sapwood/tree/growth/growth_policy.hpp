#pragma once

#include "sapwood/point.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/tree_body.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What happens after a point: which nodes learn from it, when one is split, when a split is undone. A learner is a
/// growth policy and a handful of options. Each policy has its own file here, and make_growth.hpp knows them all.
///
/// A policy changes a tree through the operations of TreeBody, and keeps no state of nodes itself. It saves and loads
/// the state that it keeps of the stream.
class GrowthPolicy {
public:
    virtual ~GrowthPolicy() = default;

    /// Learns from a point of a weight above 0, which may count for nothing (weight.hpp).
    virtual void learn(TreeBody& tree, const Point& point, Label label, Weight weight) = 0;

    /// Whether an inner node goes on counting; if not, its statistics end with its split.
    virtual bool counts_inner_nodes() const = 0;

    /// Whether a node that counts does so for every point that passes it.
    virtual bool counts_all_points() const { return true; }

    /// What the policy keeps besides the tree, to the file and back. Throws ModelFormatError if it cannot have saved
    /// it.
    virtual void save(ByteWriter&) const {}
    virtual void load(ByteReader&, const TreeBody&) {}
};

}  // namespace sapwood
