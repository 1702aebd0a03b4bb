#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/impurity.hpp"
#include "sapwood/search/approximate/upd_ent.hpp"
#include "sapwood/search/approximate/upd_gini.hpp"
#include "sapwood/search/certified/certified.hpp"
#include "sapwood/search/certified/multiclass_certificate.hpp"
#include "sapwood/search/exhaustive/exhaustive.hpp"
#include "sapwood/search/search_choice.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

namespace detail {

/// The exhaustive or the certified search for a criterion that is defined for any number of classes.
template <MulticlassCriterion Impurity>
std::unique_ptr<SplitSearch> make_exact(bool certified, std::size_t n_classes) {
    if (n_classes == 2) {
        if (certified) return std::make_unique<CertifiedSearch<BinaryCertificate<Impurity>>>(2);
        return std::make_unique<ExhaustiveSearch<Impurity>>();
    }
    if (certified) return std::make_unique<CertifiedSearch<MulticlassCertificate<Impurity>>>(n_classes);
    return std::make_unique<MulticlassExhaustiveSearch<Impurity>>(n_classes);
}

}  // namespace detail

/// Makes the search that a choice describes, or throws std::invalid_argument.
inline std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice) {
    check_choice(choice);
    if (const std::optional<std::string> reason = why_not(choice)) throw std::invalid_argument(*reason);
    const bool entropy = choice.criterion == Criterion::entropy;
    if (choice.search == SearchKind::approximate) {
        if (entropy) return std::make_unique<UpdEnt>(choice.alpha);
        return std::make_unique<UpdGini>(choice.alpha);
    }
    const bool certified = choice.search == SearchKind::certified;
    if (choice.criterion == Criterion::kearns_mansour) {
        if (certified) return std::make_unique<CertifiedSearch<BinaryCertificate<KearnsMansour>>>(2);
        return std::make_unique<ExhaustiveSearch<KearnsMansour>>();
    }
    const auto n_classes = static_cast<std::size_t>(choice.n_classes);
    if (entropy) return detail::make_exact<Entropy>(certified, n_classes);
    return detail::make_exact<Gini>(certified, n_classes);
}

/// The same search over more classes: a new one, of the choice given, with the same counts. The classes that it did not
/// have hold no points.
inline std::unique_ptr<SplitSearch> widened(SplitSearch& search, const SearchChoice& wider) {
    std::unique_ptr<SplitSearch> made = make_search(wider);
    SearchState state = search.state();
    const auto n_classes = static_cast<std::size_t>(wider.n_classes);
    state.of_class.resize(n_classes);
    state.on.resize(n_classes, std::vector<Count>(state.ids.size()));
    made->restore(std::move(state));
    return made;
}

}  // namespace sapwood
