#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/search/certificate.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a set of certificates promises: that the n * gain of a feature stays below theta while the class counts stay in
/// a box and the feature is touched at most so often; and how often, which is found out by checks.
template <class Certificate>
class Promise {
public:
    using ClassCounts = typename Certificate::ClassCounts;

    explicit Promise(std::size_t n_classes) : certificate_(n_classes), nothing_(n_classes) {
        if constexpr (Certificate::fixed_classes == 0) {
            box_.lower.resize(n_classes);
            box_.upper.resize(n_classes);
        }
    }

    const Box<ClassCounts>& box() const { return box_; }
    double theta() const { return theta_; }

    /// How far the box reaches from the class counts for which it was made.
    Count room() const { return room_; }

    /// Features with at most so many occurrences need no certificate of their own.
    Count rare() const { return rare_; }
    void set_rare(Count rare) { rare_ = rare; }

    /// Promises theta for a box around the class counts, `room` wide on each side, or on the upper one only if no point
    /// is ever removed. All that was promised before is void.
    void make(const ClassCounts& counts, Count room, double theta, bool removals) {
        room_ = room;
        theta_ = theta;
        removals_ = removals;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            box_.lower[k] = removals ? std::max(0, counts[k] - room) : counts[k];
            box_.upper[k] = counts[k] + room;
        }
        certificate_.promise(box_, theta, removals);
        ++number_;
    }

    /// Whether no feature with at most r occurrences can reach theta.
    bool holds_for_rare(Count r) const { return certificate_.holds(nothing_.data(), r); }

    /// The largest r, but for a factor below 2, for which that is so with half of theta: so theta can fall by half
    /// before the rare features must be looked at. 0 if there is none.
    Count find_rare(Count n) {
        certificate_.promise(box_, theta_ / 2, removals_);
        Count r = 0;
        for (Count step = 1; step <= n && holds_for_rare(step); step = 2 * step + 1) {
            r = step;
            if (step > max_points / 4) break;
        }
        if (r > 1 && holds_for_rare(r + r / 2)) r += r / 2;
        certificate_.promise(box_, theta_, removals_);
        return r;
    }

    /// Remembers what is granted from now on. Sparse features share few distinct counts; so it is worth it where there
    /// are many features, and two classes.
    void remember() {
        if (memory_.empty() && Certificate::fixed_classes == 2) memory_.resize(std::size_t{1} << memory_bits);
    }

    /// How many more occurrences a certificate allows a feature that is on in so many of n points, -1 if there is none.
    /// Tried first are as many as are to be expected, with much to spare, before the box ends: more would be of no use.
    Count grant(const Count* on, Count occurrences, Count n) {
        if (memory_.empty()) return find_grant(on, occurrences, n);
        Remembered& same = memory_[hash(on)];
        if (same.promise != number_ || same.on[0] != on[0] || same.on[1] != on[1]) {
            same = {{on[0], on[1]}, number_, find_grant(on, occurrences, n)};
        }
        return same.granted;
    }

    /// How many checks were made so far.
    std::uint64_t checks() const { return checks_; }

    std::size_t n_bytes() const { return memory_.capacity() * sizeof(Remembered); }

private:
    static constexpr int memory_bits = 10;

    /// What was granted to features with certain counts.
    struct Remembered {
        std::array<Count, 2> on{};
        std::uint32_t promise = 0;
        Count granted = 0;
    };

    static std::size_t hash(const Count* on) {
        // Multiples of two irrational-like constants: pairs of small numbers, which most counts are, hardly collide.
        const std::uint32_t mixed =
            static_cast<std::uint32_t>(on[0]) * 0x9E3779B1u ^ static_cast<std::uint32_t>(on[1]) * 0x85EBCA6Bu;
        return mixed >> (32 - memory_bits);
    }

    Count find_grant(const Count* on, Count occurrences, Count n) {
        const double expected = 2.0 * room_ / std::max(1, n) * occurrences;
        Count r = static_cast<Count>(std::min(2 * expected + 4, 1e9));
        if (holds(on, r)) return r;
        if (!holds(on, 0)) return -1;
        if (memory_.empty()) {
            for (r /= 4; r > 0 && !holds(on, r);) r /= 4;
            return r;
        }
        // What is remembered is worth more checks: the largest that holds, but for a fifth.
        Count granted = 0;
        for (Count refused = r; refused - granted > 1 + granted / 4;) {
            const Count middle = granted + (refused - granted) / 2;
            (holds(on, middle) ? granted : refused) = middle;
        }
        return granted;
    }

    bool holds(const Count* on, Count r) {
        ++checks_;
        return certificate_.holds(on, r);
    }

    Certificate certificate_;
    Box<ClassCounts> box_{};
    double theta_ = 0;
    Count room_ = 0;
    Count rare_ = 0;
    bool removals_ = false;
    std::uint32_t number_ = 0;
    std::uint64_t checks_ = 0;
    std::vector<Count> nothing_;  // the counts of a feature that is never on
    std::vector<Remembered> memory_;
};

}  // namespace sapwood
