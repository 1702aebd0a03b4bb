#pragma once

#include <utility>

#include "sapwood/tree/tree_body.hpp"

// How a tree that has grown too large is cut: see growth/adaptive_size.hpp.

namespace sapwood {

inline void TreeBody::drop_root(NodeId kept) {
    for (const NodeId child : nodes_.children(Nodes::root)) {
        if (child == kept) continue;
        free_below(child);
        free_content(child);
    }
    free_content(Nodes::root);
    content(Nodes::root) = std::move(content(kept));
    content(kept) = Node();
    nodes_.lift_to_root(kept);
    // Leaves that were as deep as may be are so no more.
    for (const NodeId at : nodes_.in_order()) {
        const bool is_absent = statistics(at).state() == NodeStatistics::State::absent;
        if (!is_absent || !options_.may_split_at(nodes_.depth(at))) continue;
        start_statistics(at);
        measure(at);
    }
}

inline void TreeBody::start_over() {
    free_below(Nodes::root);
    free_content(Nodes::root);
    content(Nodes::root) = Node(n_classes());
    nodes_.renew_root();
    content(Nodes::root).models = predictor_.make_models();
    start_statistics(Nodes::root);
    measure(Nodes::root);
}

}  // namespace sapwood
