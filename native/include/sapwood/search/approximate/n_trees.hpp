#pragma once

#include <cstddef>

#include "sapwood/search/approximate/upd_ent.hpp"
#include "sapwood/search/approximate/upd_gini.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

/// The search trees of an approximate search that hold at least one feature; 0 for a search without trees.
inline std::size_t n_trees(SplitSearch& search) {
    if (auto* upd_ent = dynamic_cast<UpdEnt*>(&search)) return upd_ent->n_trees();
    if (auto* upd_gini = dynamic_cast<UpdGini*>(&search)) return upd_gini->n_trees();
    return 0;
}

}  // namespace sapwood
