#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sapwood/search/certified/certificate.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a set of certificates promises: that the n * gain of a feature stays below theta while the class counts stay in
/// a region and the feature is touched at most so often; and how often, which is found out by checks.
template <class Certificate>
class Promise {
public:
    using ClassCounts = typename Certificate::ClassCounts;

    explicit Promise(std::size_t n_classes) : certificate_(n_classes), nothing_(n_classes) {
        if constexpr (Certificate::fixed_classes == 0) {
            region_.lower.resize(n_classes);
            region_.upper.resize(n_classes);
        }
    }

    const Region<ClassCounts>& region() const { return region_; }
    double theta() const { return theta_; }

    /// Features with at most this number of occurrences need no certificate of their own.
    Count rare() const { return rare_; }
    void set_rare(Count rare) { rare_ = rare; }

    /// Whether the region for such counts would be a cone.
    static bool makes_cone(const ClassCounts& counts, bool removals) {
        return Certificate::fixed_classes == 2 && !removals && counts[0] > 0 && counts[1] > 0;
    }

    /// Promises theta for a region around the class counts that reaches so far from them; a box reaches on the upper
    /// side only if no point is ever removed. All that was promised before is void.
    void make(const ClassCounts& counts, const ClassCounts& room, double theta, bool removals) {
        Count n = 0;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            region_.lower[k] = removals ? std::max(0, counts[k] - room[k]) : counts[k];
            region_.upper[k] = counts[k] + room[k];
            n += counts[k];
        }
        region_.is_cone = makes_cone(counts, removals);
        // A cone has no end, so that certificates are examined when occurrences have doubled. In a box they grow in
        // proportion to the points, and four times that is seldom reached before it ends.
        enough_ = region_.is_cone ? 1.0 : 4.0 * room[0] / std::max(1, n);
        // Rounding grows with the points, and must be allowed for from the start.
        region_.most = n < max_points / most_growth ? std::max(least_most, n * most_growth) : max_points;
        theta_ = theta;
        removals_ = removals;
        certificate_.promise(region_, theta, removals);
        ++number_;
    }

    /// Promises less: a theta that is no smaller, for a region narrowed to what is around the class counts. What was
    /// granted before is still valid; what is granted from now on allows more.
    void tighten(const ClassCounts& counts, const ClassCounts& room, double theta) {
        region_.narrow(counts, room, removals_);
        theta_ = std::max(theta_, theta);
        certificate_.promise(region_, theta_, removals_);
        ++number_;
    }

    /// Whether no feature with at most r occurrences can reach theta.
    bool holds_for_rare(Count r) const { return certificate_.holds(nothing_.data(), r); }

    /// The largest r, but for a factor below 2, for which that is so with half of theta: so theta can fall by half
    /// before the rare features must be looked at. 0 if there is none.
    Count find_rare(Count n) {
        certificate_.promise(region_, theta_ / 2, removals_);
        Count r = 0;
        for (Count step = 1; step <= n && holds_for_rare(step); step = 2 * step + 1) {
            r = step;
            if (step > max_points / 4) break;
        }
        if (r > 1 && holds_for_rare(r + r / 2)) r += r / 2;
        certificate_.promise(region_, theta_, removals_);
        return r;
    }

    /// Remembers what is granted from now on, for this number of features. Sparse features share few distinct counts,
    /// so remembering pays where there are many features and two classes.
    void remember(std::size_t features) {
        if (Certificate::fixed_classes != 2 || features < fewest_remembered) return;
        const std::size_t size = std::min(std::bit_floor(features), most_remembered);
        if (size > memory_.size()) memory_.assign(size, {});
    }

    /// Remembers nothing any more, and holds no memory for it.
    void stop_remembering() { std::vector<Remembered>().swap(memory_); }

    /// The number of further occurrences that a certificate allows a feature that is on in `on` points, -1 if there is
    /// none. A number that makes examinations rare is tried first: as many as there have been, or as are to be
    /// expected, with much to spare, before a box ends.
    Count grant(const Count* on, Count occurrences) {
        if (memory_.empty()) return find_grant(on, occurrences);
        Remembered& same = memory_[hash(on)];
        if (same.promise != number_ || same.on[0] != on[0] || same.on[1] != on[1]) {
            same = {{on[0], on[1]}, number_, find_grant(on, occurrences)};
        }
        return same.granted;
    }

    /// How many checks were made so far.
    std::uint64_t checks() const { return checks_; }

    std::size_t n_bytes() const { return memory_.capacity() * sizeof(Remembered); }

private:
    /// So many grants are remembered: a table of 16 kB, which stays in the first cache, and none where it would hardly
    /// be used.
    static constexpr std::size_t fewest_remembered = 64;
    static constexpr std::size_t most_remembered = 1024;
    /// How many times the points of now a cone reaches, and how many it reaches at least. Rounding must be allowed for
    /// up to there, which hardly ever costs a certificate: 4 times takes as many instructions.
    static constexpr Count most_growth = 16;
    static constexpr Count least_most = 1 << 20;
    /// Of what the guess says, to be on the safe side of it: a refused guess costs another check. On noise the whole of
    /// it takes 2 % more instructions, and 0.85 takes 3 % less.
    static constexpr double safe_share = 0.95;

    /// What was granted to features with certain counts.
    struct Remembered {
        std::array<Count, 2> on{};
        std::uint32_t promise = 0;
        Count granted = 0;
    };

    std::size_t hash(const Count* on) const {
        // Multiples of two irrational-like constants: pairs of small numbers, which most counts are, hardly collide.
        const std::uint32_t mixed =
            static_cast<std::uint32_t>(on[0]) * 0x9E3779B1u ^ static_cast<std::uint32_t>(on[1]) * 0x85EBCA6Bu;
        return std::uint64_t{mixed} * memory_.size() >> 32;
    }

    Count find_grant(const Count* on, Count occurrences) {
        // Four more, so that a feature that has hardly been seen is not examined at each occurrence.
        Count refused = static_cast<Count>(std::min(enough_ * occurrences + 4, max_points / 2.0));
        const double limit = certificate_.limit();
        const double high = bound(on, refused);
        if (high < limit) return refused;
        const double low = bound(on, 0);
        if (!(low < limit)) return -1;
        if (high < std::numeric_limits<double>::infinity()) {
            // The root of a gain grows about evenly with the occurrences of one class.
            const double root = std::sqrt(std::max(0.0, low));
            const double share = (std::sqrt(limit) - root) / (std::sqrt(high) - root);
            const Count guess = static_cast<Count>(safe_share * share * refused);
            if (guess <= 0 || bound(on, guess) < limit) return guess;
            refused = guess;
        }
        while (refused > 1) {
            refused /= 2;
            if (bound(on, refused) < limit) return refused;
        }
        return 0;
    }

    double bound(const Count* on, Count r) {
        ++checks_;
        return certificate_.bound(on, r);
    }

    Certificate certificate_;
    Region<ClassCounts> region_{};
    double theta_ = 0;
    /// How many more occurrences are enough for a certificate, for each that there has been.
    double enough_ = 1;
    Count rare_ = 0;
    bool removals_ = false;
    std::uint32_t number_ = 0;
    std::uint64_t checks_ = 0;
    std::vector<Count> nothing_;  // the counts of a feature that is never on
    std::vector<Remembered> memory_;
};

}  // namespace sapwood
