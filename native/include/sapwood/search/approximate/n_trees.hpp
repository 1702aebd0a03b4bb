#pragma once

#include <cstddef>

#include "sapwood/search/split_search.hpp"

namespace sapwood {

/// The search trees of an approximate search that hold at least one feature; 0 for a search without trees.
std::size_t n_trees(SplitSearch& search);

}  // namespace sapwood
