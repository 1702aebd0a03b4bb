#include <cstddef>
#include <utility>
#include <vector>

#include "sapwood/tree/tree_body.hpp"

// The nodes of alternates: where they are in a tree, and how one begins, is given up, or takes the place of its node.
// When that happens is decided by growth/alternates.hpp.

namespace sapwood {

bool TreeBody::may_have_more_leaves(NodeId at) const {
    if (!options_.max_leaves) return true;
    const auto most = static_cast<std::size_t>(*options_.max_leaves);
    if (!nodes_.is_beside(at)) return nodes_.n_leaves() < most;
    NodeId top = at;
    while (nodes_.parent(top) != no_node && nodes_.is_beside(nodes_.parent(top))) top = nodes_.parent(top);
    for (const NodeId owner : nodes_.in_order()) {
        if (watch(owner).alternate == top) return n_leaves_after_swap(owner) < most;
    }
    return false;
}

std::vector<NodeId> TreeBody::all_nodes() const {
    if (!following_) return nodes_.in_order();
    std::vector<NodeId> order;
    std::vector<NodeId> waiting{Nodes::root};
    while (!waiting.empty()) {
        const NodeId at = waiting.back();
        waiting.pop_back();
        order.push_back(at);
        if (!nodes_.is_leaf(at)) {
            waiting.push_back(nodes_.child(at, true));
            waiting.push_back(nodes_.child(at, false));
        }
        if (watch(at).alternate != no_node) waiting.push_back(watch(at).alternate);
    }
    return order;
}

NodeId TreeBody::begin_alternate(NodeId at) {
    if (at == Nodes::root) predictor_.begin_beside();
    const NodeId made = make_node(at, true);
    content(made).models = predictor_.make_models();
    start_statistics(made);
    measure(made);
    watch(at).alternate = made;
    watch(at).contest = Contest();
    ++following_->tally.started;
    return made;
}

void TreeBody::drop_alternate(NodeId at) {
    const NodeId alternate = watch(at).alternate;
    if (alternate == no_node) return;
    watch(at).alternate = no_node;
    if (at == Nodes::root) predictor_.drop_beside();
    ++following_->tally.dropped;
    free_below(alternate);
    free_content(alternate);
    nodes_.free_leaf(alternate);
}

void TreeBody::swap_alternate(NodeId at) {
    const NodeId alternate = watch(at).alternate;
    watch(at).alternate = no_node;
    if (taught_beside(at) == Teaches::beside) predictor_.take_beside();
    ++following_->tally.swapped;
    free_below(at);
    free_content(at);
    content(at) = std::move(content(alternate));
    content(alternate) = Node();
    std::swap(slot_of_watch(at), slot_of_watch(alternate));
    nodes_.take_place(at, alternate);
    for (const NodeId moved : nodes_.in_order(at)) {
        if (SplitNotes* const notes = statistics(moved).notes()) notes->note_number();
    }
}

}  // namespace sapwood
