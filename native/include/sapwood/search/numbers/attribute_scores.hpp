#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "sapwood/criterion.hpp"
#include "sapwood/impurity.hpp"
#include "sapwood/search/numbers/histogram.hpp"
#include "sapwood/search/split.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Scores the thresholds of a number and the sets of a category, whatever the criterion.
class AttributeScores {
public:
    AttributeScores(Criterion criterion, std::size_t n_classes) : n_classes_(n_classes) {
        if (criterion == Criterion::gini) criterion_ = Gini();
        if (criterion == Criterion::kearns_mansour) criterion_ = KearnsMansour();
    }

    std::size_t n_classes() const { return n_classes_; }
    void set_classes(std::size_t n_classes) { n_classes_ = n_classes; }

    void cover(Count n) {
        std::visit([n](auto& criterion) { criterion.cover(n); }, criterion_);
    }

    /// How far a computed score can be from the true one, in a node of n points.
    double rounding(double n) const {
        return std::visit([&](const auto& criterion) { return criterion.rounding(n, n_classes_); }, criterion_);
    }

    /// The weighted impurity of points of each class.
    double weighted(std::span<const Count> counts) const {
        return std::visit([&](const auto& criterion) { return weighted(criterion, counts); }, criterion_);
    }

    /// The score of a test that `passed` of the points of a node pass.
    double score(std::span<const Count> passed, std::span<const Count> of_class) {
        return std::visit([&](const auto& criterion) { return score(criterion, passed, of_class); }, criterion_);
    }

    /// The most that a score can fall when `weight` of n points are taken away: for the points of one class u of n,
    /// entropy n ln n - (n - w) ln(n - w) at most, Gini 2 w, and 2 sqrt(u v) - 2 sqrt((u - w) v) <= 2 sqrt(w n).
    double most_lost(double n, double weight) const {
        struct Lost {
            double n;
            double weight;
            double operator()(const Entropy&) const { return weight * (1 + std::log(n + 1)); }
            double operator()(const Gini&) const { return 2 * weight; }
            double operator()(const KearnsMansour&) const { return 2 * std::sqrt(weight * n); }
        };
        return std::visit(Lost{n, weight}, criterion_);
    }

    /// The best threshold of a number, if it has any, and the least score of all divisions that a later threshold may
    /// have begun as: all thresholds, and what is present against what is missing.
    struct OfNumber {
        double least;
        std::optional<Split> best;
    };
    OfNumber of_number(AttributeId attribute, const Histogram& histogram, std::span<const Count> of_class) {
        return std::visit([&](const auto& criterion) { return of_number(criterion, attribute, histogram, of_class); },
                          criterion_);
    }

private:
    template <class Impurity>
    double weighted(const Impurity& criterion, std::span<const Count> counts) const {
        if (n_classes_ == 2) return criterion.weighted(counts[0], counts[1]);
        if constexpr (MulticlassCriterion<Impurity>) return criterion.weighted(counts);
        return 0;  // There are no more than two classes.
    }

    template <class Impurity>
    double score(const Impurity& criterion, std::span<const Count> passed, std::span<const Count> of_class) {
        if (n_classes_ == 2) return criterion.score(passed[0], passed[1], of_class[0], of_class[1]);
        if constexpr (MulticlassCriterion<Impurity>) {
            rest_.resize(n_classes_);
            for (std::size_t k = 0; k < n_classes_; ++k) rest_[k] = of_class[k] - passed[k];
            return criterion.weighted(passed) + criterion.weighted(std::span<const Count>(rest_));
        }
        return 0;
    }

    template <class Impurity>
    OfNumber of_number(const Impurity& criterion, AttributeId attribute, const Histogram& histogram,
                       std::span<const Count> of_class) {
        if (n_classes_ == 2) return of_binary_number(criterion, attribute, histogram, of_class);
        present_.assign(n_classes_, 0);
        for (std::size_t i = 0; i < histogram.size(); ++i) {
            for (std::size_t k = 0; k < n_classes_; ++k) present_[k] += histogram.counts(i)[k];
        }
        bool some_missing = false;
        for (std::size_t k = 0; k < n_classes_; ++k) some_missing |= present_[k] != of_class[k];
        OfNumber found{score(criterion, present_, of_class), std::nullopt};
        double least = std::numeric_limits<double>::infinity();
        std::size_t at = 0;
        bool missing_passes = false;
        above_ = present_;
        for (std::size_t i = 0; i + 1 < histogram.size(); ++i) {
            std::int64_t more_above = 0;
            for (std::size_t k = 0; k < n_classes_; ++k) {
                above_[k] -= histogram.counts(i)[k];
                more_above += 2 * std::int64_t{above_[k]} - present_[k];
            }
            const double without = score(criterion, above_, of_class);
            if (without < least) {
                least = without;
                at = i;
                // If none is missing, the first that will be goes where most points are.
                missing_passes = !some_missing && more_above > 0;
            }
            if (!some_missing) continue;
            with_.resize(n_classes_);
            for (std::size_t k = 0; k < n_classes_; ++k) with_[k] = above_[k] + (of_class[k] - present_[k]);
            const double with = score(criterion, with_, of_class);
            if (with < least) {
                least = with;
                at = i;
                missing_passes = true;
            }
        }
        if (histogram.size() > 1) {
            found.best = Split{Test::is_above(attribute, histogram.threshold(at), missing_passes), least, 0};
            found.least = std::min(found.least, least);
        }
        return found;
    }

    /// The same with two classes, all thresholds at once.
    template <class Impurity>
    OfNumber of_binary_number(const Impurity& criterion, AttributeId attribute, const Histogram& histogram,
                              std::span<const Count> of_class) {
        // The points above each threshold and, last, those below none: all that are present.
        std::array<Count, Histogram::most> above0;
        std::array<Count, Histogram::most> above1;
        std::array<double, Histogram::most> scores;
        const std::size_t size = histogram.size();
        const std::size_t n_thresholds = size == 0 ? 0 : size - 1;
        Count sum0 = 0;
        Count sum1 = 0;
        for (std::size_t i = size; i-- > 0;) {
            above0[i] = sum0;
            above1[i] = sum1;
            sum0 += histogram.counts(i)[0];
            sum1 += histogram.counts(i)[1];
        }
        OfNumber found{criterion.score(sum0, sum1, of_class[0], of_class[1]), std::nullopt};
        if (n_thresholds == 0) return found;
        criterion.scores(above0.data(), above1.data(), n_thresholds, of_class[0], of_class[1], scores.data());
        std::size_t at = first_least(scores, n_thresholds);
        double least = scores[at];
        const Count missing0 = of_class[0] - sum0;
        const Count missing1 = of_class[1] - sum1;
        // If none is missing, the first that will be goes where most points are.
        bool missing_passes = 2 * (std::int64_t{above0[at]} + above1[at]) > std::int64_t{sum0} + sum1;
        if (missing0 != 0 || missing1 != 0) {
            missing_passes = false;
            for (std::size_t i = 0; i < n_thresholds; ++i) {
                above0[i] += missing0;
                above1[i] += missing1;
            }
            criterion.scores(above0.data(), above1.data(), n_thresholds, of_class[0], of_class[1], scores.data());
            const std::size_t with = first_least(scores, n_thresholds);
            if (scores[with] < least || (scores[with] == least && with < at)) {
                at = with;
                least = scores[with];
                missing_passes = true;
            }
        }
        found.best = Split{Test::is_above(attribute, histogram.threshold(at), missing_passes), least, 0};
        found.least = std::min(found.least, least);
        return found;
    }

    static std::size_t first_least(std::span<const double> scores, std::size_t size) {
        std::size_t at = 0;
        for (std::size_t i = 1; i < size; ++i) {
            if (scores[i] < scores[at]) at = i;
        }
        return at;
    }

    std::variant<Entropy, Gini, KearnsMansour> criterion_;
    std::size_t n_classes_;
    std::vector<Count> present_;
    std::vector<Count> above_;
    std::vector<Count> with_;
    std::vector<Count> rest_;
};

}  // namespace sapwood
