#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/storage/feature_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What is known of numbers as numbers: the mean and the variance of the values of each in every class.
///
/// They answer as naive Bayes does, with normal densities (John and Langley, "Estimating continuous distributions in
/// Bayesian classifiers", UAI 1995): a class is as likely as its share of the points, times the density of each number
/// there. Where the values of a class lie in one cloud, two figures tell from a few points what ranges
/// (number_ranges.hpp) tell from many; where they do not, the mixer learns to trust the others.
///
/// A leaf has those of its points: a split cuts the clouds of its numbers, so children begin with none. The trunk has
/// those of all points of the stream, which leaves that have few can go by.
///
/// Guarantee: what is answered is finite for any finite values, and depends on the points that were learned and their
/// order alone. A number costs O(1) per class.
class Gaussians {
public:
    /// The values of a number in one class: how many by weight, their mean, and the sum of their squared distances from
    /// it (Welford, 1962).
    struct Cloud {
        double n = 0;
        double mean = 0;
        double squares = 0;

        void add(double value, double weight) {
            n += weight;
            const double before = value - mean;
            mean += before * (weight / n);
            // By rounding alone the two distances may differ in sign.
            squares += std::max(0.0, weight * before * (value - mean));
        }
    };

    /// Larger values, of either sign, are not looked at: the square of one that is not, times as many points as there
    /// can be, is far from the largest double.
    static constexpr double largest_value = 1e100;

    bool empty() const { return index_.size() == 0; }
    /// The numbers, in the order in which they were met, and the classes that each has clouds of.
    std::size_t n_numbers() const { return index_.size(); }
    AttributeId number_at(std::size_t i) const { return static_cast<AttributeId>(index_.id(slot_at(i))); }
    std::span<const Cloud> clouds_at(std::size_t i) const {
        return std::span(clouds_).subspan(i * n_classes_, n_classes_);
    }

    /// Learns the numbers of a point, whose label is below `n_classes`. `may_take(bytes)` says whether so much more
    /// memory may be taken; what it refuses is not learned.
    template <class MayTake>
    void learn(const Point& point, Label label, Count weight, std::size_t n_classes, MayTake may_take) {
        if (label >= n_classes_ && !empty()) {
            if (!may_take(n_bytes() + n_classes * n_numbers() * sizeof(Cloud))) return;
            widen(n_classes);
        }
        for (const NumberValue& number : point.numbers) {
            if (!(std::abs(number.value) <= largest_value)) continue;
            Slot slot = index_.find(static_cast<FeatureId>(number.attribute));
            if (slot == no_slot) {
                // That a number is what it always was tells nothing.
                if (!point.attributes->number(number.attribute).varies) continue;
                if (!may_take(bytes_to_meet(n_classes))) continue;
                slot = meet(number.attribute, n_classes);
            }
            clouds_[index_of(slot) * n_classes_ + label].add(number.value, weight);
        }
    }

    /// Adds the logarithms of the densities of a point in every class, but for what is the same in all.
    ///
    /// Every class has one point more than it has, which is spread as all points are: a class without
    /// points says nothing. A value that is further than four standard deviations away counts as one that is four, so
    /// that one number alone can tell no more than an expert may (`clip` in mixer.hpp).
    void add_scores(const Point& point, std::span<double> scores, std::span<double> products) const {
        std::fill(products.begin(), products.end(), 1.0);
        for (const NumberValue& number : point.numbers) {
            const Slot slot = index_.find(static_cast<FeatureId>(number.attribute));
            if (slot == no_slot || !(std::abs(number.value) <= largest_value)) continue;
            const std::span<const Cloud> clouds = clouds_at(index_of(slot));
            const Cloud all = together(clouds);
            const double variance = all.squares / all.n;
            if (!(variance >= least_variance)) continue;
            for (std::size_t k = 0; k < scores.size(); ++k) {
                const Cloud own = k < clouds.size() ? clouds[k] : Cloud();
                const double n = own.n + 1;
                const double mean = all.mean + (own.mean - all.mean) * (own.n / n);
                const double from_own = own.mean - mean;
                const double from_all = all.mean - mean;
                const double spread = (own.squares + own.n * from_own * from_own + variance + from_all * from_all) / n;
                const double distance = number.value - mean;
                scores[k] -= std::min(distance * distance / spread, furthest) / 2;
                products[k] *= spread / variance;
                // A factor is between 2^-32 and 2^32.
                if (products[k] < 1e-200 || products[k] > 1e200) take_product(scores[k], products[k]);
            }
        }
        for (std::size_t k = 0; k < scores.size(); ++k) take_product(scores[k], products[k]);
    }

    /// Takes the memory of so many numbers that are to be restored, each with so many clouds.
    void reserve(std::size_t n_numbers, std::size_t n_clouds) { clouds_.reserve(n_numbers * n_clouds); }
    /// Takes over a number that was saved, with as many clouds as all others: those of the first classes.
    void restore(AttributeId number, std::span<const Cloud> clouds) {
        const Slot slot = meet(number, clouds.size());
        std::copy(clouds.begin(), clouds.end(),
                  clouds_.begin() + static_cast<std::ptrdiff_t>(index_of(slot) * n_classes_));
    }
    bool contains(AttributeId number) const { return index_.find(static_cast<FeatureId>(number)) != no_slot; }

    std::size_t n_bytes() const { return sizeof(*this) + index_.n_bytes() + clouds_.capacity() * sizeof(Cloud); }

private:
    /// That of a number which is the same in all points, but for rounding; the part of it that a single point of 2^31
    /// has is above 0.
    static constexpr double least_variance = 1e-250;
    /// The square of four standard deviations.
    static constexpr double furthest = 16;
    /// More than the next number takes: lists double, and an index may grow to 64 bytes per number.
    std::size_t bytes_to_meet(std::size_t n_classes) const {
        return 3 * n_bytes() + 2 * std::max(n_classes, n_classes_) * sizeof(Cloud);
    }

    Slot meet(AttributeId number, std::size_t n_classes) {
        if (empty()) n_classes_ = n_classes;
        clouds_.resize((n_numbers() + 1) * n_classes_);
        return index_.find_or_insert(static_cast<FeatureId>(number));
    }

    void widen(std::size_t n_classes) {
        std::vector<Cloud> wide(n_numbers() * n_classes);
        for (std::size_t i = 0; i < n_numbers(); ++i) {
            std::copy_n(clouds_at(i).begin(), n_classes_, wide.begin() + static_cast<std::ptrdiff_t>(i * n_classes));
        }
        clouds_ = std::move(wide);
        n_classes_ = n_classes;
    }

    /// The cloud of all classes. Means are added by their distances from one of them: if they are the same, so is that
    /// of all.
    static Cloud together(std::span<const Cloud> clouds) {
        Cloud all;
        for (const Cloud& each : clouds) {
            if (each.n == 0) continue;
            all.n += each.n;
            all.mean = all.n == each.n ? each.mean : all.mean + (each.mean - all.mean) * (each.n / all.n);
        }
        for (const Cloud& each : clouds) {
            const double from_all = each.mean - all.mean;
            all.squares += each.squares + each.n * from_all * from_all;
        }
        return all;
    }

    static void take_product(double& score, double& product) {
        score -= std::log(product) / 2;
        product = 1;
    }

    FeatureIndex index_;
    /// For every slot one of each class.
    std::vector<Cloud> clouds_;
    std::size_t n_classes_ = 0;
};

}  // namespace sapwood
