#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/tree/nodes.hpp"

namespace sapwood {

/// Nodes in the order in which they were appended, such as those on the way of a point. A list that is cleared keeps
/// its room, and to append is a store and a comparison: it is done for every node that a point meets.
class NodeList {
public:
    void clear() { size_ = 0; }
    SAPWOOD_INLINE void push_back(NodeId at) {
        if (size_ == room_.size()) grow();
        room_[size_++] = at;
    }
    /// Leaves the first ones.
    void shorten(std::size_t size) { size_ = size; }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    NodeId back() const { return room_[size_ - 1]; }
    const NodeId* begin() const { return room_.data(); }
    const NodeId* end() const { return room_.data() + size_; }
    /// All of them. A span of a range that is none of its own is not yet in every standard library.
    std::span<const NodeId> span() const { return {room_.data(), size_}; }

private:
    SAPWOOD_NOINLINE void grow() { room_.resize(2 * size_ + 16); }

    std::vector<NodeId> room_;
    std::size_t size_ = 0;
};

}  // namespace sapwood
