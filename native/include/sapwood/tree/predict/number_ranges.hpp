#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sapwood/search/numbers/first_not_below.hpp"
#include "sapwood/search/numbers/histogram.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What the models of leaves see of numbers: features that are on where a number is in a range. They are of the whole
/// model, so that all leaves and the trunk mean the same by one.
///
/// A number is divided three times, into ranges of about as many values each. The 5 edges of the coarse division have
/// two features each, of which one is on: the number is above the edge, or it is not; so that what holds for all high
/// values is learned at once. The 18 and the 54 ranges of the others have one feature each. With few values the coarse
/// division tells something early, with many the fine ones tell more.
///
/// The divisions are made after 8, 64 and 512 values, from all values until then. One is made anew, with features that
/// have learned nothing, when it no longer divides: when between two powers of two one of its ranges had more than four
/// times its share of the values, and twice what a new division would leave in one. What was before stays in the
/// models, and is on no more.
///
/// Rough edges that tell something from the eighth value on are worth more than good ones later (docs/benchmarks.md,
/// Short streams). The fine division alone lost by that: made of 128 values, 0.2 points on weather.
///
/// What matters is that there are coarse and fine ranges: on 27 synthetic streams (docs/benchmarks.md, Ranges) 6, 18
/// and 54, each three times as fine as the last, were right as often, within 0.2 points, as 3, 9 and 27, as 4, 16 and
/// 64 and as 8 and 32, while one division alone lost more than one. The finest must be within what a histogram tells
/// apart.
class NumberRanges {
public:
    static constexpr std::array<std::size_t, 3> divisions{6, 18, 54};
    static_assert(divisions.back() <= Histogram::most);
    /// The values after which each is made: powers of two, at which divisions are reviewed.
    static constexpr std::array<std::int64_t, divisions.size()> made_after{8, 64, 512};

    /// One way to divide a number: range b, from 0 on, is above edges[b - 1] and up to edges[b].
    struct Division {
        /// Which of `divisions`.
        std::uint8_t kind;
        FeatureId first;
        std::vector<double> edges;

        std::size_t range_of(double value) const { return first_not_below(edges, value); }

        /// The coarse division has the features first + b for above edges[b], and then as many for not above; the
        /// others have first + b for range b.
        bool is_of_edges() const { return kind == 0; }
        std::size_t n_features() const { return is_of_edges() ? 2 * edges.size() : edges.size() + 1; }

        void append(double value, std::vector<FeatureId>& features) const {
            const std::size_t range = range_of(value);
            if (!is_of_edges()) {
                features.push_back(first + static_cast<FeatureId>(range));
                return;
            }
            for (std::size_t b = 0; b < edges.size(); ++b) {
                features.push_back(first + static_cast<FeatureId>(b < range ? b : edges.size() + b));
            }
        }
    };

    /// The features of every value, by all divisions in use at once: between two edges of any of them they are the
    /// same.
    struct Lookup {
        /// All edges, ascending, and the features from each to the next, a row of `width` for each.
        std::vector<double> edges;
        std::vector<FeatureId> features;
        std::size_t width = 0;

        /// Writes the features of a value, `width` of them, and returns where they end.
        FeatureId* write(double value, FeatureId* to) const {
            const FeatureId* row = features.data() + first_not_below(edges, value) * width;
            for (std::size_t i = 0; i < width; ++i) to[i] = row[i];
            return to + width;
        }
    };

    struct Number {
        /// The values since the number first differed.
        std::int64_t n = 0;
        /// All of them until every division has been made that can be, then those since the last power of two.
        Histogram recent{1};
        /// All that were made, and where the one in use is, by kind, or -1.
        std::vector<Division> made;
        std::array<std::int32_t, divisions.size()> used{-1, -1, -1};
        /// Of the divisions in use.
        Lookup lookup;
    };

    const std::vector<Number>& numbers() const { return numbers_; }

    /// Notes a value that is to be learned, of a number that has differed. `reserve()` gives the next feature.
    template <class Reserve>
    void meet(AttributeId attribute, double value, Reserve reserve) {
        if (index_of(attribute) >= numbers_.size()) numbers_.resize(index_of(attribute) + 1);
        Number& number = numbers_[index_of(attribute)];
        number.recent.add(value, 0, 1);
        ++number.n;
        if (!std::has_single_bit(static_cast<std::uint64_t>(number.n))) return;
        const std::size_t n_made = number.made.size();
        for (std::size_t kind = 0; kind < divisions.size(); ++kind) review(number, kind, reserve);
        if (number.made.size() > n_made) make_lookup(number);
        if (number.n >= made_after.back()) number.recent = Histogram(1);
    }

    /// In a tree that grows by batches: reviews the divisions after a batch, when all n values since the number first
    /// differed are known by the bins of `values`. Edges are between bins, so that all values of a bin are in one
    /// range.
    template <class Reserve>
    void review_bins(AttributeId attribute, Histogram values, std::int64_t n, Reserve reserve) {
        if (index_of(attribute) >= numbers_.size()) numbers_.resize(index_of(attribute) + 1);
        Number& number = numbers_[index_of(attribute)];
        number.n = n;
        number.recent = std::move(values);
        for (std::size_t kind = 0; kind < divisions.size(); ++kind) review(number, kind, reserve);
        make_lookup(number);
        number.recent = Histogram(1);
    }

    /// The most features that a value has.
    static constexpr std::size_t most_features = divisions.size() - 1 + divisions.front() - 1;

    /// Writes the features of a value, and returns where they end.
    FeatureId* write(AttributeId attribute, double value, FeatureId* to) const {
        if (index_of(attribute) >= numbers_.size()) return to;
        return numbers_[index_of(attribute)].lookup.write(value, to);
    }

    void restore(std::vector<Number> numbers) {
        numbers_ = std::move(numbers);
        for (Number& number : numbers_) make_lookup(number);
    }

    std::size_t n_bytes() const {
        std::size_t bytes = numbers_.capacity() * sizeof(Number);
        for (const Number& number : numbers_) {
            bytes += number.recent.n_bytes() + number.made.capacity() * sizeof(Division) +
                     number.lookup.edges.capacity() * sizeof(double) +
                     number.lookup.features.capacity() * sizeof(FeatureId);
            for (const Division& each : number.made) bytes += each.edges.capacity() * sizeof(double);
        }
        return bytes;
    }

private:
    /// Times its share of the values that a range may have, and by what a new division must be better.
    static constexpr double most_shares = 4;
    static constexpr double times_better = 2;

    template <class Reserve>
    static void review(Number& number, std::size_t kind, Reserve reserve) {
        if (number.n < made_after[kind]) return;
        const std::size_t n_ranges = divisions[kind];
        const Histogram& recent = number.recent;
        // No more values than a coarser division has ranges: it tells them all apart.
        if (recent.size() <= (kind == 0 ? 1 : divisions[kind - 1])) return;
        Division division{static_cast<std::uint8_t>(kind), 0, edges_of(recent, n_ranges)};
        if (number.used[kind] >= 0) {
            const double largest = largest_share(number.made[static_cast<std::size_t>(number.used[kind])], recent);
            if (largest * static_cast<double>(n_ranges) <= most_shares ||
                largest < times_better * largest_share(division, recent)) {
                return;
            }
        }
        for (std::size_t i = 0; i < division.n_features(); ++i) {
            const FeatureId feature = reserve();
            if (i == 0) division.first = feature;
        }
        number.used[kind] = static_cast<std::int32_t>(number.made.size());
        number.made.push_back(std::move(division));
    }

    static void make_lookup(Number& number) {
        Lookup made;
        for (const std::int32_t at : number.used) {
            if (at < 0) continue;
            const Division& division = number.made[static_cast<std::size_t>(at)];
            made.edges.insert(made.edges.end(), division.edges.begin(), division.edges.end());
            made.width += division.is_of_edges() ? division.edges.size() : 1;
        }
        std::sort(made.edges.begin(), made.edges.end());
        made.edges.erase(std::unique(made.edges.begin(), made.edges.end()), made.edges.end());
        made.features.reserve((made.edges.size() + 1) * made.width);
        for (std::size_t i = 0; i <= made.edges.size(); ++i) {
            // The last value of each stretch stands for all of it.
            const double value = i < made.edges.size() ? made.edges[i] : std::numeric_limits<double>::infinity();
            for (const std::int32_t at : number.used) {
                if (at >= 0) number.made[static_cast<std::size_t>(at)].append(value, made.features);
            }
        }
        number.lookup = std::move(made);
    }

    /// The share of the values of a histogram that are in the fullest range of a division; an interval counts where its
    /// lower end is.
    static double largest_share(const Division& division, const Histogram& values) {
        std::vector<std::int64_t> in_range(division.edges.size() + 1);
        std::int64_t n = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            in_range[division.range_of(values.low(i))] += values.counts(i)[0];
            n += values.counts(i)[0];
        }
        return static_cast<double>(*std::max_element(in_range.begin(), in_range.end())) / static_cast<double>(n);
    }

    /// Thresholds that divide the values of a histogram into ranges of about as many each; all of them if they are few.
    static std::vector<double> edges_of(const Histogram& values, std::size_t n_ranges) {
        std::int64_t n = 0;
        for (std::size_t i = 0; i < values.size(); ++i) n += values.counts(i)[0];
        std::vector<double> edges;
        std::int64_t below = 0;
        for (std::size_t i = 0; i + 1 < values.size() && edges.size() + 1 < n_ranges; ++i) {
            below += values.counts(i)[0];
            const auto wanted = static_cast<std::int64_t>(edges.size() + 1) * n;
            if (values.size() <= n_ranges || below * static_cast<std::int64_t>(n_ranges) >= wanted) {
                edges.push_back(values.threshold(i));
            }
        }
        return edges;
    }

    /// By attribute.
    std::vector<Number> numbers_;
};

}  // namespace sapwood
