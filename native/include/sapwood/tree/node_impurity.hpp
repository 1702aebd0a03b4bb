#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "sapwood/criterion.hpp"
#include "sapwood/impurity.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The weighted impurity (impurity.hpp) of points of each class, by the criterion, in the unit of the searches.
class NodeImpurity {
public:
    explicit NodeImpurity(Criterion criterion) {
        if (criterion == Criterion::gini) criterion_ = Gini();
        if (criterion == Criterion::kearns_mansour) criterion_ = KearnsMansour();
    }

    /// Of points of each class, n in all.
    double weighted(std::span<const Count> counts, Count n) {
        return std::visit(
            [&](auto& criterion) {
                criterion.cover(n);
                return of(criterion, counts);
            },
            criterion_);
    }

    /// The gain per point of a feature that is on in `on[k]` of the points of each class k.
    double gain(std::span<const Count> on, std::span<const Count> of_class, Count n) {
        std::vector<Count> off(of_class.begin(), of_class.end());
        for (std::size_t k = 0; k < on.size(); ++k) off[k] -= on[k];
        return (weighted(of_class, n) - (weighted(on, n) + weighted(off, n))) / n;
    }

private:
    template <class Criterion>
    static double of(const Criterion& criterion, std::span<const Count> counts) {
        if (counts.size() == 2) return criterion.weighted(counts[0], counts[1]);
        if constexpr (MulticlassCriterion<Criterion>) return criterion.weighted(counts);
        return 0;  // There are no more than two classes.
    }

    std::variant<Entropy, Gini, KearnsMansour> criterion_;
};

}  // namespace sapwood
