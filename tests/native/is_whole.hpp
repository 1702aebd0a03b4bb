// Whether a tree holds together.
#pragma once

#include <cstdio>
#include <stdexcept>

#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood::check {

/// Whether a tree agrees with itself; if not, says where.
inline bool is_whole(const StreamingTree& tree) {
    try {
        tree.validate();
        return true;
    } catch (const std::logic_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return false;
    }
}

}  // namespace sapwood::check
