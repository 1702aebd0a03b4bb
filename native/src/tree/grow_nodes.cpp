#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sapwood/tree/tree_body.hpp"

// How a node gets children, gets others, or becomes a leaf again, and what goes from one to the other. When that
// happens is decided by growth/.

namespace sapwood {

Split TreeBody::chosen_among_ties(NodeId at, const Split& best) {
    if (!options_.seed) return best;
    std::size_t tied = 1;
    std::vector<Split> top{best};
    for (std::size_t k = 2; tied == top.size(); k *= 2) {
        top = statistics(at).top(k);
        tied = static_cast<std::size_t>(
            std::count_if(top.begin(), top.end(), [&](const Split& s) { return s.score == best.score; }));
        if (top.size() < k) break;
    }
    if (tied < 2) return best;
    // What alternates do must not change what is chosen in the tree.
    const std::uint64_t number =
        following_ ? nodes_.born(at) : static_cast<std::uint64_t>(tally_.split + tally_.resplit);
    return top[mixed(*options_.seed + number) % tied];
}

void TreeBody::split(NodeId leaf, const DueSplit& due) {
    ++tally_.split;
    std::optional<LeafModels> models = std::move(content(leaf).models);
    content(leaf).models.reset();
    grow_children(leaf, due, std::move(models));
    measure(leaf);
}

void TreeBody::split_anew(NodeId inner, DueSplit due) {
    ++tally_.resplit;
    std::vector<std::int64_t> passed;
    if (options_.samples()) passed = points_through(inner);
    std::optional<LeafModels> models = give_up_below(inner);
    due.split = chosen_among_ties(inner, due.split);
    grow_children(inner, due, std::move(models));
    // The leaves begin with the sample that the node has counted, but it is no sample that has passed it.
    if (options_.samples()) content(inner).of_class = std::move(passed);
    measure(inner);
}

void TreeBody::collapse(NodeId inner) {
    std::vector<std::int64_t> of_class(n_classes());
    for (const NodeId at : nodes_.in_order(inner)) {
        if (!nodes_.is_leaf(at)) continue;
        for (std::size_t k = 0; k < of_class.size(); ++k) of_class[k] += node(at).of_class[k];
    }
    std::optional<LeafModels> models = give_up_below(inner);
    content(inner).of_class = std::move(of_class);
    content(inner).models = std::move(models);
    content(inner).split = MadeSplit();
    start_statistics(inner);
    measure(inner);
}

void TreeBody::grow_children(NodeId at, const DueSplit& due, std::optional<LeafModels> models) {
    const std::vector<Count> passed = statistics(at).passing(due.split.test);
    const NodeId off = make_node(at);
    const NodeId on = make_node(at);
    Node& here = content(at);
    const std::vector<Count>& counted = here.statistics.counted();
    for (std::size_t k = 0; k < passed.size(); ++k) {
        here.of_class[k] = counted[k];
        content(off).of_class[k] = counted[k] - passed[k];
        content(on).of_class[k] = passed[k];
    }
    here.split = {due.gain, due.margin, n_};
    here.statistics.note_test();
    nodes_.attach(at, due.split.test, off, on);
    here.statistics.keep(due.split.test);
    if (models) {
        models->forget_own_points();
        content(off).models = models;
        content(on).models = std::move(models);
    }
    for (const NodeId child : {off, on}) {
        start_statistics(child);
        measure(child);
    }
}

std::optional<LeafModels> TreeBody::give_up_below(NodeId top) {
    const auto is_fuller = [this](NodeId a, NodeId b) {
        const std::int64_t in_a = node(a).statistics.n_reached();
        const std::int64_t in_b = node(b).statistics.n_reached();
        return in_a != in_b ? in_a > in_b : nodes_.born(a) < nodes_.born(b);
    };
    NodeId fullest = no_node;
    for (const NodeId at : nodes_.in_order(top)) {
        if (at != top && nodes_.is_leaf(at) && (fullest == no_node || is_fuller(at, fullest))) fullest = at;
    }
    std::optional<LeafModels> models = std::move(content(fullest).models);
    free_below(top);
    return models;
}

void TreeBody::free_below(NodeId top) {
    if (following_) {
        for (const NodeId at : nodes_.in_order(top)) {
            if (at != top) drop_alternate(at);
        }
    }
    for (const NodeId at : nodes_.prune(top)) free_content(at);
}

void TreeBody::free_content(NodeId at) {
    ++tally_.pruned;
    budget_.release(content(at).charge);
    content(at) = Node();
    if (following_) slot_of_watch(at).reset();
}

}  // namespace sapwood
