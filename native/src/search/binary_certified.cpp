#include "sapwood/impurity.hpp"
#include "sapwood/search/certified/certified.hpp"
#include "sapwood/search/families.hpp"

namespace sapwood {

std::unique_ptr<SplitSearch> make_binary_certified(Criterion criterion) {
    switch (criterion) {
        case Criterion::entropy:
            return std::make_unique<CertifiedSearch<BinaryCertificate<Entropy>>>(2);
        case Criterion::gini:
            return std::make_unique<CertifiedSearch<BinaryCertificate<Gini>>>(2);
        case Criterion::kearns_mansour:
            break;
    }
    return std::make_unique<CertifiedSearch<BinaryCertificate<KearnsMansour>>>(2);
}

}  // namespace sapwood
