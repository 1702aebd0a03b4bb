#include "sapwood/impurity.hpp"
#include "sapwood/search/certified/certified.hpp"
#include "sapwood/search/certified/multiclass_certificate.hpp"
#include "sapwood/search/families.hpp"

namespace sapwood {

std::unique_ptr<SplitSearch> make_multiclass_certified(Criterion criterion, std::size_t n_classes, const HashSeed& seed,
                                                       std::size_t room) {
    if (criterion == Criterion::entropy) {
        return std::make_unique<CertifiedSearch<MulticlassCertificate<Entropy>>>(n_classes, seed, room);
    }
    return std::make_unique<CertifiedSearch<MulticlassCertificate<Gini>>>(n_classes, seed, room);
}

}  // namespace sapwood
