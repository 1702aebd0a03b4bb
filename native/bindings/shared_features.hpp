#pragma once

#include <span>
#include <vector>

#include "guarded_tree.hpp"
#include "sapwood/tree/batch/shared_id.hpp"

namespace sapwood::bindings {

/// The ids on which all who count agree of the features of a tree, by their numbers. Throws unless it grows by batches.
std::vector<SharedId> ids_of_features(GuardedTree& self);

/// The keys of ids. Throws std::invalid_argument if one is that of a name that the tree was not told.
std::vector<KeyId> keys_of_ids(GuardedTree& self, std::span<const SharedId> ids);

}  // namespace sapwood::bindings
