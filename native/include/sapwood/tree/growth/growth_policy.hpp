#pragma once

#include <cstddef>
#include <cstdint>

#include "sapwood/point.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/tree_body.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What happens after a point: which nodes learn from it, when one is split, when a split is undone. A learner is a
/// growth policy and a handful of options. Each policy has its own file here, and make_growth knows them all.
///
/// A policy changes a tree through the operations of TreeBody, and keeps no state itself: what it keeps of a node is in
/// its NodeWatch, what it keeps of the stream is in Following. It saves and loads the latter.
class GrowthPolicy {
public:
    virtual ~GrowthPolicy() = default;

    /// Throws std::invalid_argument if points cannot be learned one by one.
    virtual void check_learns_points() const {}

    /// Learns from a point of a weight above 0, which may count for nothing (weight.hpp).
    virtual void learn(TreeBody& tree, const Point& point, Label label, Weight weight) = 0;

    /// Splits the leaves for which it is time since the last batch; returns how many. Others split as they learn.
    virtual std::size_t grow(TreeBody&) { return 0; }

    /// Whether an inner node goes on counting; if not, its statistics end with its split.
    virtual bool counts_inner_nodes() const = 0;

    /// Whether a node that counts does so for every point that passes it.
    virtual bool counts_all_points() const { return true; }

    /// Whether a node may come to have counted fewer points than before.
    virtual bool forgets_points() const { return false; }

    /// What a tree of this policy keeps besides its nodes, to the file and back: `n_features` are those of the model.
    /// Throws ModelFormatError if it cannot have saved it.
    virtual void save(ByteWriter&, const TreeBody&) const {}
    virtual void load(ByteReader&, TreeBody&, std::int64_t /*n_features*/) {}
};

}  // namespace sapwood
