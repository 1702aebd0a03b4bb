#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

inline void TreeBody::take_classes(std::size_t n_classes) {
    const SearchChoice choice = search_choice(n_classes);
    predictor_.take_classes(n_classes);
    for (std::size_t i = 0; i < contents_.size(); ++i) {
        Node& here = contents_[i];
        // A node that is free has no counts, and is to have none.
        if (here.of_class.empty()) continue;
        here.of_class.resize(n_classes);
        here.statistics.take_classes(n_classes, choice);
        if (here.models) here.models->take_classes(predictor_.layout());
        measure(static_cast<NodeId>(i));
    }
}

inline void TreeBody::widen(std::size_t n_classes) {
    const SearchChoice choice = search_choice(n_classes);
    LeafPredictor::Widened wider(predictor_, n_classes, class_room(n_classes));
    ++n_rewrites_;
    std::vector<std::unique_ptr<SplitSearch>> searches(contents_.size());
    std::vector<std::optional<LeafModels>> models(contents_.size());
    for (std::size_t i = 0; i < contents_.size(); ++i) {
        searches[i] = contents_[i].statistics.widened_search(choice);
        if (contents_[i].models) models[i] = wider.models(*contents_[i].models);
        // A node that is free has no counts, and is to have none.
        if (contents_[i].of_class.empty()) continue;
        contents_[i].of_class.reserve(n_classes);
        contents_[i].statistics.reserve_classes(n_classes);
    }
    // From here on nothing fails.
    for (std::size_t i = 0; i < contents_.size(); ++i) {
        contents_[i].models = std::move(models[i]);
        if (contents_[i].of_class.empty()) continue;
        contents_[i].of_class.resize(n_classes);
        contents_[i].statistics.widen(n_classes, std::move(searches[i]));
    }
    predictor_.adopt(std::move(wider));
    for (std::size_t i = 0; i < contents_.size(); ++i) measure(static_cast<NodeId>(i));
}

}  // namespace sapwood
