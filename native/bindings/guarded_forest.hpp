#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "guarded_tree.hpp"
#include "sapwood/forest/forest.hpp"

namespace sapwood::bindings {

/// A forest with the names of its features, safe in many threads: any number may read it, or one change it. As of a
/// tree (guarded_tree.hpp).
struct GuardedForest {
    Forest forest;
    std::shared_ptr<NamedVocabulary> names = std::make_shared<NamedVocabulary>();
    /// The threads that learn.
    std::size_t n_jobs = 1;
    FairMutex mutex;

    explicit GuardedForest(const ForestOptions& options) : forest(options) {}
    explicit GuardedForest(Forest made) : forest(std::move(made)) {}

    const Forest& learner() const { return forest; }
    Vocabulary& vocabulary() const { return names->vocabulary; }
    Keys& keys() const { return names->keys; }
    Keys& number_keys() const { return names->number_keys; }
};

// The methods of the Python class that are about bytes, and about single trees.
void bind_forest_bytes(nb::class_<GuardedForest>& forest);

}  // namespace sapwood::bindings
