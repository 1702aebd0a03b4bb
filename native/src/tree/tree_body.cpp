#include "sapwood/tree/tree_body.hpp"

#include <cstddef>
#include <memory>
#include <utility>

#include "sapwood/search/make_search.hpp"
#include "sapwood/tree/split_test/make_split_notes.hpp"

// How a tree, a node and what a node counts begin.

namespace sapwood {

TreeBody::TreeBody(const TreeOptions& options, std::shared_ptr<KnownAttributes> known)
    : options_((check_options(options), options)),
      known_(known ? std::move(known) : std::make_shared<KnownAttributes>()),
      uses_attributes_(!known_->attributes.empty()),
      predictor_(options.leaf_prediction, fewest_classes, options.half_life),
      budget_(options.max_bytes),
      weights_(options.seed),
      scores_(predictor_.layout()) {
    if (options_.follows_change()) following_.emplace(options_);
    const NodeId root = make_node(no_node);
    content(root).models = predictor_.make_models();
    start_statistics(root);
    measure(root);
}

TreeBody::TreeBody(const TreeOptions& options, std::size_t n_classes, std::shared_ptr<KnownAttributes> known)
    : options_(options),
      known_(known ? std::move(known) : std::make_shared<KnownAttributes>()),
      predictor_(options.leaf_prediction, n_classes, options.half_life,
                 room_for_classes(n_classes, 0, options.max_bytes)),
      budget_(options.max_bytes),
      weights_(options.seed),
      scores_(predictor_.layout()) {
    if (options_.follows_change()) following_.emplace(options_);
}

TreeBody::~TreeBody() = default;
TreeBody::TreeBody(TreeBody&&) = default;

NodeId TreeBody::make_node(NodeId at, bool beside) {
    const NodeId id = beside ? nodes_.make_beside(at) : nodes_.make(at);
    contents_.reserve(nodes_.capacity());
    if (contents_.size() < nodes_.n_ids()) contents_.emplace_back();
    content(id) = Node(n_classes());
    if (following_) {
        following_->watches.resize(nodes_.n_ids());
        slot_of_watch(id) = std::make_unique<NodeWatch>(following_->detector, following_->recent.end());
    }
    return id;
}

void TreeBody::start_statistics(NodeId at) {
    content(at).statistics = NodeStatistics(n_classes());
    if (options_.may_split_at(nodes_.depth(at))) {
        statistics(at).start(make_search(search_choice(n_classes()), used_attributes()), make_split_notes(options_));
    }
    if (following_) watch(at).counted_since = following_->recent.end();
}

void TreeBody::use_attributes() {
    uses_attributes_ = true;
    for (std::size_t i = 0; i < contents_.size(); ++i) {
        contents_[i].statistics.use_attributes(search_choice(n_classes()), attributes());
        measure(static_cast<NodeId>(i));
    }
}

}  // namespace sapwood
