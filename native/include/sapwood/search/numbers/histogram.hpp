#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/numbers/first_not_below.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

namespace detail {

/// The first two neighbours of a list with the least sum: the place of the first of them.
SAPWOOD_WIDE_VECTORS
inline std::size_t lightest_neighbours(const Count* list, std::size_t size) {
    Count least = std::numeric_limits<Count>::max();
    for (std::size_t i = 0; i + 1 < size; ++i) {
        const Count sum = list[i] + list[i + 1];
        least = sum < least ? sum : least;
    }
    std::size_t at = 0;
    while (list[at] + list[at + 1] != least) ++at;
    return at;
}

}  // namespace detail

/// The values of one number at one node: intervals that do not overlap, ascending, each with its points of each class.
///
/// Guarantee: every point that was counted is in the one interval that holds its value. So the points on both sides of
/// a threshold between two intervals are known exactly, whatever came and in whatever order. As long as there are at
/// most `most` distinct values, each has an interval of its own, and every threshold is known. A further value between
/// two intervals, or beyond them, gets one too, and the two neighbours with the fewest points become one, which has at
/// most 1/32 of the points then. The intervals depend on values and weights, and not on labels.
///
/// A **gap**, which is what a threshold is put in, is the range between two intervals. A value in it divides it: the
/// part below goes on as the gap that it was, the part above is a new one. So a gap only ever shrinks, and on which
/// side of it a point is never changes. Gaps are numbered from 1 as they come.
class Histogram {
public:
    /// On elec, weather and adult the trees were as good with 32 intervals and with 128.
    static constexpr std::size_t most = 64;

    explicit Histogram(std::size_t n_classes) : n_classes_(n_classes) {}

    /// Of points of each class that all have one value.
    Histogram(double value, std::span<const Count> counts) : n_classes_(counts.size()) {
        insert(0, value);
        for (std::size_t k = 0; k < n_classes_; ++k) add_to(0, k, counts[k]);
    }

    std::size_t size() const { return low_.size(); }
    /// The least and the largest value that an interval stands for.
    double low(std::size_t i) const { return low_[i]; }
    double high(std::size_t i) const { return high_[i]; }
    /// The points of each class in an interval.
    std::span<const Count> counts(std::size_t i) const {
        return std::span(counts_).subspan(i * n_classes_, n_classes_);
    }

    // ---- points -------------------------------------------------------------------------------------------------

    /// O(log most) where the value is in an interval, O(most) otherwise.
    void add(double value, Label label, Count weight) {
        const std::size_t i = place_of(value);
        if (i == size() || value < low_[i]) {
            if (size() == most) return add_to_full(i, value, label, weight);
            insert(i, value);
        }
        add_to(i, label, weight);
    }

    /// The points of each class whose values are from `low` to `high`.
    struct Bin {
        double low;
        double high;
        std::span<const Count> counts;
    };

    /// Counts the points of bins that ascend and do not overlap. Intervals that a bin overlaps become one with it; all
    /// bins are counted before neighbours with few points become one.
    void add_bins(std::span<const Bin> bins) {
        for (const Bin& bin : bins) {
            const std::size_t i = place_of(bin.low);
            if (i == size() || bin.high < low_[i]) insert(i, bin.low);
            high_[i] = std::max(high_[i], bin.high);
            while (i + 1 < size() && low_[i + 1] <= high_[i]) {
                const double high = std::max(high_[i], high_[i + 1]);
                unite(i, i + 1);
                high_[i] = high;
                erase(i + 1);
            }
            low_[i] = std::min(low_[i], bin.low);
            for (std::size_t k = 0; k < n_classes_; ++k) add_to(i, k, bin.counts[k]);
        }
        while (size() > most) merge_lightest();
    }

    /// Whether so many points of a class can have this value.
    bool may_remove(double value, Label label, Count weight) const {
        const std::size_t i = place_of(value);
        return i < size() && low_[i] <= value && counts_[i * n_classes_ + label] >= weight;
    }

    /// Takes a counted point back. An interval without points is no more.
    void remove(double value, Label label, Count weight) {
        const std::size_t i = place_of(value);
        add_to(i, label, -weight);
        if (total_[i] == 0) erase(i);
    }

    /// Counts what another histogram has counted. Intervals that overlap become one.
    void merge(const Histogram& other) {
        Histogram both(n_classes_);
        both.pin_ = pin_;
        std::size_t mine = 0;
        std::size_t theirs = 0;
        while (mine < size() || theirs < other.size()) {
            const bool takes_mine = theirs == other.size() || (mine < size() && low_[mine] <= other.low_[theirs]);
            both.append(takes_mine ? *this : other, takes_mine ? mine++ : theirs++);
        }
        while (both.size() > most) both.merge_lightest();
        *this = std::move(both);
    }

    void widen(std::size_t n_classes) {
        std::vector<Count> wide(size() * n_classes);
        for (std::size_t i = 0; i < size(); ++i) {
            for (std::size_t k = 0; k < n_classes_; ++k) wide[i * n_classes + k] = counts_[i * n_classes_ + k];
        }
        counts_ = std::move(wide);
        n_classes_ = n_classes;
    }

    // ---- thresholds ---------------------------------------------------------------------------------------------

    /// A number in the gap above an interval that is not the last: the one that is kept, or else the middle.
    double threshold(std::size_t i) const {
        const double below = high_[i];
        const double above = low_[i + 1];
        return below <= pin_ && pin_ < above ? pin_ : middle(below, above);
    }

    /// A number in the middle of two, of which the second is larger: below that, and not below the first.
    static double middle(double below, double above) {
        double middle = below + (above - below) / 2;
        // From one end of all numbers to the other the difference is infinite.
        if (!std::isfinite(middle)) middle = below / 2 + above / 2;
        return below <= middle && middle < above ? middle : below;
    }

    /// Keeps a threshold: intervals on both sides of it are not made one. NaN for none; one is kept at most.
    void keep(double threshold) { pin_ = threshold; }

    /// The number of the gap that a threshold is in; 0 if it is in none.
    std::uint32_t gap_of(double threshold) const {
        const std::size_t i = first_above(threshold);
        return i > 0 && i < size() && high_[i - 1] <= threshold ? gap_[i] : 0;
    }

    /// The number of the gap below an interval that is not the first.
    std::uint32_t gap_below(std::size_t i) const { return gap_[i]; }

    /// How many gaps there have been.
    std::uint32_t n_gaps() const { return n_gaps_; }

    /// The points of each class above a threshold; exact if it is in a gap.
    std::vector<Count> above(double threshold) const {
        std::vector<Count> sums(n_classes_);
        for (std::size_t i = first_above(threshold); i < size(); ++i) {
            for (std::size_t k = 0; k < n_classes_; ++k) sums[k] += counts_[i * n_classes_ + k];
        }
        return sums;
    }

    // ---- kept and continued -------------------------------------------------------------------------------------

    void save(ByteWriter& out) const {
        out.put(static_cast<std::uint32_t>(size()));
        out.put(n_gaps_);
        out.put_all(std::span<const double>(low_));
        out.put_all(std::span<const double>(high_));
        out.put_all(std::span<const std::uint32_t>(gap_));
        out.put_all(std::span<const Count>(counts_));
    }

    /// Throws ModelFormatError unless some histogram can have been saved so.
    void load(ByteReader& in) {
        const auto size = in.get<std::uint32_t>("the intervals of a number");
        if (size > most) throw ModelFormatError("intervals must be at most 64, got " + std::to_string(size));
        n_gaps_ = in.get<std::uint32_t>("the gaps of a number");
        if (size == 0 && n_gaps_ == 0) throw ModelFormatError("a number must have had intervals, got none");
        if (n_gaps_ > static_cast<std::uint32_t>(max_points)) {
            throw ModelFormatError("gaps must be at most as many as points can be, got " + std::to_string(n_gaps_));
        }
        low_ = in.get_list<double>(size, "the intervals of a number");
        high_ = in.get_list<double>(size, "the intervals of a number");
        gap_ = in.get_list<std::uint32_t>(size, "the gaps of a number");
        counts_ = in.get_list<Count>(size * n_classes_, "the points of an interval");
        total_.assign(size, 0);
        if (const char* fault = why_broken()) throw ModelFormatError(std::string("a number must have ") + fault);
    }

    /// What a histogram must have and this one has not; null if it has everything.
    const char* why_broken() {
        std::vector<std::uint32_t> gaps;
        for (std::size_t i = 0; i < size(); ++i) {
            std::int64_t n = 0;
            for (const Count count : counts(i)) {
                if (count < 0) return "no interval with a negative count";
                n += count;
            }
            if (n == 0 || n > max_points) return "intervals with points, and not too many";
            total_[i] = static_cast<Count>(n);
            if (!std::isfinite(low_[i]) || !std::isfinite(high_[i]) || !(low_[i] <= high_[i]))
                return "finite intervals";
            if (i == 0) continue;
            if (!(high_[i - 1] < low_[i])) return "intervals that ascend";
            if (gap_[i] == 0 || gap_[i] > n_gaps_) return "gaps that are numbered";
            gaps.push_back(gap_[i]);
        }
        if (size() > 0 && gap_[0] != 0) return "no gap below all intervals";
        std::sort(gaps.begin(), gaps.end());
        if (std::adjacent_find(gaps.begin(), gaps.end()) != gaps.end()) return "gaps with numbers of their own";
        return nullptr;
    }

    std::size_t n_bytes() const {
        return (low_.capacity() + high_.capacity()) * sizeof(double) +
               (counts_.capacity() + total_.capacity()) * sizeof(Count) + gap_.capacity() * sizeof(std::uint32_t);
    }

private:
    /// The first interval that does not end below a value.
    std::size_t place_of(double value) const { return first_not_below(high_, value); }

    /// The first interval that begins above a value.
    std::size_t first_above(double value) const {
        return static_cast<std::size_t>(std::upper_bound(low_.begin(), low_.end(), value) - low_.begin());
    }

    void add_to(std::size_t i, std::size_t label, Count weight) {
        counts_[i * n_classes_ + label] += weight;
        total_[i] += weight;
    }

    /// Makes an interval of one value, without points, before the i-th.
    void insert(std::size_t i, double value) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        low_.insert(low_.begin() + at, value);
        high_.insert(high_.begin() + at, value);
        total_.insert(total_.begin() + at, 0);
        counts_.insert(counts_.begin() + at * static_cast<std::ptrdiff_t>(n_classes_), n_classes_, 0);
        gap_.insert(gap_.begin() + at, 0);
        if (size() == 1) return;
        // The gap below the new interval, if there was one, is what was below the next; that is a new one then.
        const bool is_last = i + 1 == size();
        if (!is_last) gap_[i] = gap_[i + 1];
        gap_[is_last ? i : i + 1] = ++n_gaps_;
    }

    void erase(std::size_t i) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        low_.erase(low_.begin() + at);
        high_.erase(high_.begin() + at);
        total_.erase(total_.begin() + at);
        const auto first = counts_.begin() + at * static_cast<std::ptrdiff_t>(n_classes_);
        counts_.erase(first, first + static_cast<std::ptrdiff_t>(n_classes_));
        gap_.erase(gap_.begin() + at);
        if (!gap_.empty()) gap_[0] = 0;
    }

    /// As if an interval of the value were put before the i-th, and the two neighbours with the fewest points made one,
    /// the lowest of several, but not across what is kept: all in one go.
    void add_to_full(std::size_t i, double value, Label label, Count weight) {
        if (!std::isnan(pin_)) {
            insert(i, value);
            add_to(i, label, weight);
            merge_lightest();
            return;
        }
        std::array<Count, most + 1> totals;
        std::copy_n(total_.begin(), i, totals.begin());
        totals[i] = weight;
        std::copy(total_.begin() + static_cast<std::ptrdiff_t>(i), total_.end(),
                  totals.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        const std::size_t lightest = detail::lightest_neighbours(totals.data(), totals.size());
        const std::uint32_t new_gap = ++n_gaps_;
        if (lightest == i) {
            low_[i] = value;
            add_to(i, label, weight);
            return;
        }
        if (lightest + 1 == i) {
            high_[i - 1] = value;
            add_to(i - 1, label, weight);
            if (i < size()) gap_[i] = new_gap;
            return;
        }
        // Two others become one, and those between them and the new one move by one place.
        const bool is_below = lightest < i;
        const std::size_t one = is_below ? lightest : lightest - 1;
        unite(one, one + 1);
        const std::uint32_t gap = i < size() ? gap_[i] : new_gap;
        const auto move = [&](auto& list, std::size_t width) {
            const auto place = [&](std::size_t at) { return list.begin() + static_cast<std::ptrdiff_t>(at * width); };
            if (is_below) std::move(place(one + 2), place(i), place(one + 1));
            if (!is_below) std::move_backward(place(i), place(one + 1), place(one + 2));
        };
        if (i < size()) gap_[i] = new_gap;
        move(low_, 1);
        move(high_, 1);
        move(total_, 1);
        move(counts_, n_classes_);
        move(gap_, 1);
        const std::size_t at = is_below ? i - 1 : i;
        low_[at] = high_[at] = value;
        total_[at] = 0;
        std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(at * n_classes_), n_classes_, 0);
        gap_[at] = gap;
        add_to(at, label, weight);
    }

    /// Lets an interval have what the next one has, which is to go.
    void unite(std::size_t i, std::size_t next) {
        for (std::size_t k = 0; k < n_classes_; ++k) counts_[i * n_classes_ + k] += counts_[next * n_classes_ + k];
        total_[i] += total_[next];
        high_[i] = high_[next];
    }

    /// Makes one of the two neighbours with the fewest points, the lowest of several, but not across what is kept.
    void merge_lightest() {
        std::size_t lightest = size();
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i + 1 < size(); ++i) {
            const std::int64_t n = std::int64_t{total_[i]} + total_[i + 1];
            if (n < fewest && !(high_[i] <= pin_ && pin_ < low_[i + 1])) {
                fewest = n;
                lightest = i;
            }
        }
        unite(lightest, lightest + 1);
        erase(lightest + 1);
    }

    /// Puts an interval of another histogram at the end, or unites it with the last one.
    void append(const Histogram& other, std::size_t i) {
        if (size() == 0 || high_.back() < other.low_[i]) {
            insert(size(), other.low_[i]);
        }
        high_.back() = std::max(high_.back(), other.high_[i]);
        for (std::size_t k = 0; k < n_classes_; ++k) add_to(size() - 1, k, other.counts_[i * n_classes_ + k]);
    }

    std::size_t n_classes_;
    std::vector<double> low_;
    std::vector<double> high_;
    /// A row of classes for each interval, and its sum.
    std::vector<Count> counts_;
    std::vector<Count> total_;
    /// The number of the gap below each interval; 0 below the first.
    std::vector<std::uint32_t> gap_;
    std::uint32_t n_gaps_ = 0;
    double pin_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace sapwood
