#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/search/numbers/first_not_below.hpp"
#include "sapwood/search/numbers/histogram.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The bins of one number in a tree that grows by batches: all who count put a value into the same one, and counts of
/// bins can be added, wherever they come from.
///
/// Guarantee: the edges are a function of which values each batch has, and how often; where they were, and in which
/// order, leaves no trace. Edges are only ever added, so that what was counted in a bin is in bins that it is divided
/// into later, or in the same one. As long as there are at most 64 distinct values, every two neighbours have an edge
/// between them; then a bin with 1/32 of the values or more is divided into ranges of about 1/64 each. That goes on
/// until the number is settled: after 1024 values, 16 for each range, or after 65536 if they are few that differ; one
/// that has never differed never is.
///
/// The values are kept until then: at most 1023 that differ.
class NumberGrid {
public:
    static constexpr std::size_t n_ranges = Histogram::most;
    static constexpr std::int64_t settled_after = 16 * std::int64_t{n_ranges};
    /// A value that is rarer than one in so many needs no threshold of its own.
    static constexpr std::int64_t few_settled_after = 1024 * std::int64_t{n_ranges};
    /// Every edge is between two of the values that are kept, but for those of the last division.
    static constexpr std::size_t most_edges = static_cast<std::size_t>(settled_after) + n_ranges;

    /// A value, and how many points have it.
    struct Value {
        double value;
        std::int64_t n;

        bool operator==(const Value&) const = default;
    };

    NumberGrid() = default;
    /// One that was kept.
    NumberGrid(std::vector<double> edges, std::vector<Value> values, bool is_settled)
        : edges_(std::move(edges)), values_(std::move(values)), is_settled_(is_settled) {}

    bool operator==(const NumberGrid&) const = default;

    const std::vector<double>& edges() const { return edges_; }
    /// Those so far, ascending; none once it is settled.
    const std::vector<Value>& values() const { return values_; }
    bool is_settled() const { return is_settled_; }

    std::size_t n_bins() const { return edges_.size() + 1; }
    std::size_t bin_of(double value) const { return first_not_below(edges_, value); }
    /// The least and the largest number that is in a bin.
    double low(std::size_t bin) const {
        return bin == 0 ? std::numeric_limits<double>::lowest()
                        : std::nextafter(edges_[bin - 1], std::numeric_limits<double>::infinity());
    }
    double high(std::size_t bin) const {
        return bin == edges_.size() ? std::numeric_limits<double>::max() : edges_[bin];
    }

    /// Notes the values of a batch, ascending, each once; for one that is not settled.
    void meet(std::span<const Value> more) {
        std::vector<Value> all;
        all.reserve(values_.size() + more.size());
        std::merge(values_.begin(), values_.end(), more.begin(), more.end(), std::back_inserter(all),
                   [](const Value& a, const Value& b) { return a.value < b.value; });
        values_.clear();
        for (const Value& each : all) {
            if (!values_.empty() && values_.back().value == each.value) {
                values_.back().n += each.n;
            } else {
                values_.push_back(each);
            }
        }
        divide();
    }

    std::int64_t n() const { return sum_of(values_); }

    /// The values that are kept, by bin.
    Histogram in_bins() const {
        Histogram made(1);
        std::vector<Count> counts(n_bins());
        for (const Value& each : values_) {
            counts[bin_of(each.value)] += static_cast<Count>(std::min<std::int64_t>(each.n, max_points));
        }
        std::vector<Histogram::Bin> bins;
        for (std::size_t b = 0; b < counts.size(); ++b) {
            if (counts[b] > 0) bins.push_back({low(b), high(b), {&counts[b], 1}});
        }
        made.add_bins(bins);
        return made;
    }

    /// Keeps the values no longer, if they are enough.
    void settle_if_due() {
        if (!is_enough()) return;
        is_settled_ = true;
        values_ = {};
    }

    /// Whether values can have led to this: there is one in every bin, and they are too few to settle it.
    bool is_possible() const {
        if (is_settled_) return true;
        std::vector<bool> is_met(n_bins());
        for (const Value& each : values_) is_met[bin_of(each.value)] = true;
        return std::find(is_met.begin(), is_met.end(), false) == is_met.end() && !is_enough();
    }

    std::size_t n_bytes() const { return edges_.capacity() * sizeof(double) + values_.capacity() * sizeof(Value); }

private:
    bool is_enough() const {
        return values_.size() > 1 && n() >= (values_.size() > n_ranges ? settled_after : few_settled_after);
    }

    static std::int64_t sum_of(std::span<const Value> values) {
        std::int64_t sum = 0;
        for (const Value& each : values) sum += each.n;
        return sum;
    }

    void divide() {
        std::vector<double> more;
        if (values_.size() <= n_ranges) {
            for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
                if (bin_of(values_[i].value) == bin_of(values_[i + 1].value)) append_edge(values_, i, more);
            }
        } else {
            const std::int64_t n = this->n();
            std::size_t first = 0;
            while (first < values_.size()) {
                std::size_t last = first;
                const std::size_t bin = bin_of(values_[first].value);
                while (last < values_.size() && bin_of(values_[last].value) == bin) ++last;
                const std::span<const Value> here = std::span(values_).subspan(first, last - first);
                append_edges(here, static_cast<std::size_t>(share_of(sum_of(here), n)), more);
                first = last;
            }
        }
        edges_.insert(edges_.end(), more.begin(), more.end());
        std::sort(edges_.begin(), edges_.end());
    }

    /// How many ranges of 1/64 some of the values make.
    static std::int64_t share_of(std::int64_t some, std::int64_t all) {
        return some * static_cast<std::int64_t>(n_ranges) / all;
    }

    static void append_edge(std::span<const Value> values, std::size_t i, std::vector<double>& edges) {
        edges.push_back(Histogram::middle(values[i].value, values[i + 1].value));
    }

    /// Edges that divide values into ranges of about as many each; all of them if they are few.
    static void append_edges(std::span<const Value> values, std::size_t ranges, std::vector<double>& edges) {
        if (ranges < 2) return;
        const std::int64_t n = sum_of(values);
        std::size_t made = 0;
        std::int64_t below = 0;
        for (std::size_t i = 0; i + 1 < values.size() && made + 1 < ranges; ++i) {
            below += values[i].n;
            const std::int64_t wanted = static_cast<std::int64_t>(made + 1) * n;
            if (values.size() <= ranges || below * static_cast<std::int64_t>(ranges) >= wanted) {
                append_edge(values, i, edges);
                ++made;
            }
        }
    }

    std::vector<double> edges_;
    std::vector<Value> values_;
    bool is_settled_ = false;
};

}  // namespace sapwood
