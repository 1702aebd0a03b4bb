#include "sapwood/search/exhaustive/exhaustive.hpp"

#include "sapwood/impurity.hpp"
#include "sapwood/search/families.hpp"

namespace sapwood {

std::unique_ptr<SplitSearch> make_exhaustive(Criterion criterion, std::size_t n_classes) {
    const bool binary = n_classes == 2;
    switch (criterion) {
        case Criterion::entropy:
            if (binary) return std::make_unique<ExhaustiveSearch<Entropy>>();
            return std::make_unique<MulticlassExhaustiveSearch<Entropy>>(n_classes);
        case Criterion::gini:
            if (binary) return std::make_unique<ExhaustiveSearch<Gini>>();
            return std::make_unique<MulticlassExhaustiveSearch<Gini>>(n_classes);
        case Criterion::kearns_mansour:
            break;
    }
    return std::make_unique<ExhaustiveSearch<KearnsMansour>>();
}

}  // namespace sapwood
