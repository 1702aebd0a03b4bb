#include <cstddef>
#include <vector>

#include "sapwood/tree/tree_body.hpp"

// The memory that a tree holds, how it gives some up, and the least that it can do with. Which nodes pause is decided
// by pausing.hpp.

namespace sapwood {

bool TreeBody::has_room_for_children(NodeId leaf) const {
    if (!budget_.is_limited()) return true;
    const std::size_t models = node(leaf).models ? node(leaf).models->n_bytes() : 0;
    const std::size_t places = nodes_.ids_to_make_two() * price_of_node;
    const std::size_t watches = following_ ? NodeWatch::price : 0;
    return budget_.fits_without_searches(shared_bytes(),
                                         places + 2 * (bytes_of_counts(n_classes()) + models + watches));
}

std::size_t TreeBody::n_bytes() const {
    std::size_t bytes = shared_bytes();
    for (std::size_t i = 0; i < contents_.size(); ++i) bytes += measured(static_cast<NodeId>(i)).bytes;
    return bytes;
}

void TreeBody::pause(NodeId at) {
    statistics(at).pause();
    // Points that were counted would leave the window, and could not be taken back.
    if (options_.takes_points_back()) statistics(at).forget_counted();
    ++tally_.paused;
    measure(at);
}

void TreeBody::resume(NodeId at) {
    start_statistics(at);
    ++tally_.resumed;
    measure(at);
}

void TreeBody::clear_models(NodeId leaf) {
    content(leaf).models->table = SharedTable(predictor_.pool());
    measure(leaf);
}

void TreeBody::shrink_to_root() {
    contents_.erase(contents_.begin() + 1, contents_.end());
    contents_.shrink_to_fit();
    if (following_) following_->watches.resize(1);
    nodes_.shrink_to_root();
}

std::size_t TreeBody::least_bytes(std::size_t n_classes) const {
    const ModelLayout layout = ModelLayout::of(options_.leaf_prediction, n_classes, class_room(n_classes));
    // Points that are kept can be given up.
    const std::size_t points = following_ ? following_->recent.n_bytes() : 0;
    std::size_t watches = 0;
    for (const NodeId at : following_ ? all_nodes() : std::vector<NodeId>()) watches += watch(at).n_bytes();
    return shared_bytes() - points - predictor_.n_bytes() + LeafPredictor::least_bytes(layout) + watches +
           nodes_.n_nodes() * bytes_of_counts(n_classes) +
           (nodes_.n_leaves() + nodes_.n_leaves_beside()) * LeafPredictor::least_bytes_of_models(layout);
}

std::size_t TreeBody::least_bytes_of_root(std::size_t n_classes) const {
    const ModelLayout layout = ModelLayout::of(options_.leaf_prediction, n_classes);
    return price_of_tree + price_of_node + LeafPredictor::least_bytes(layout) + bytes_of_counts(n_classes) +
           (following_ ? watch(Nodes::root).n_bytes() : 0) + LeafPredictor::least_bytes_of_models(layout);
}

}  // namespace sapwood
