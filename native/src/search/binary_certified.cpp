#include "sapwood/impurity.hpp"
#include "sapwood/search/certified/certified.hpp"
#include "sapwood/search/families.hpp"

namespace sapwood {

std::unique_ptr<SplitSearch> make_binary_certified(Criterion criterion, const HashSeed& seed) {
    switch (criterion) {
        case Criterion::entropy:
            return std::make_unique<CertifiedSearch<BinaryCertificate<Entropy>>>(2, seed);
        case Criterion::gini:
            return std::make_unique<CertifiedSearch<BinaryCertificate<Gini>>>(2, seed);
        case Criterion::kearns_mansour:
            break;
    }
    return std::make_unique<CertifiedSearch<BinaryCertificate<KearnsMansour>>>(2, seed);
}

}  // namespace sapwood
