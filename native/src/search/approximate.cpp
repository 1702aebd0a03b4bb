#include "sapwood/search/approximate/n_trees.hpp"
#include "sapwood/search/approximate/upd_ent.hpp"
#include "sapwood/search/approximate/upd_gini.hpp"
#include "sapwood/search/families.hpp"

namespace sapwood {

std::unique_ptr<SplitSearch> make_approximate(Criterion criterion, double alpha) {
    if (criterion == Criterion::entropy) return std::make_unique<UpdEnt>(alpha);
    return std::make_unique<UpdGini>(alpha);
}

std::size_t n_trees(SplitSearch& search) {
    if (auto* upd_ent = dynamic_cast<UpdEnt*>(&search)) return upd_ent->n_trees();
    if (auto* upd_gini = dynamic_cast<UpdGini*>(&search)) return upd_gini->n_trees();
    return 0;
}

}  // namespace sapwood
