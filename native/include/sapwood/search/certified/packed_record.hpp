#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "sapwood/compiler.hpp"
#include "sapwood/search/certified/record_flags.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

namespace detail {

/// A word that holds the record of a feature of two classes; from its low end
///     22 bits    the points of class 0 in which the feature is on
///     22 bits    those of class 1
///      6 bits    flags (record_flags.hpp)
///     14 bits    how many more occurrences its certificate allows, with a sign
/// so that one addition counts a point and uses up a step of the certificate, and the sign says that it has run out.
struct PackedRecord {
    static constexpr int count_bits = 22;
    static constexpr int flags_shift = 2 * count_bits;
    static constexpr int left_shift = flags_shift + RecordFlags::bits;
    static constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
    static constexpr std::uint64_t counts_mask = (std::uint64_t{1} << flags_shift) - 1;
    static constexpr std::uint64_t seen_mask = counts_mask | std::uint64_t{RecordFlags::seen_before} << flags_shift;
    /// Set if the feature is a candidate or waiting.
    static constexpr std::uint64_t no_certificate_mask = std::uint64_t{2} << flags_shift;
    static constexpr std::uint64_t list_mask = std::uint64_t{3} << (flags_shift + RecordFlags::list_shift);
    static constexpr std::uint64_t wide_mask = std::uint64_t{RecordFlags::wide} << flags_shift;

    static Count on0(std::uint64_t word) { return static_cast<Count>(word & count_mask); }
    static Count on1(std::uint64_t word) { return static_cast<Count>(word >> count_bits & count_mask); }
    static bool is_seen(std::uint64_t word) { return (word & seen_mask) != 0; }

    /// Whether the feature is neither a candidate nor waiting and occurs at most `limit` times.
    static bool can_be_rare(std::uint64_t word, Count limit) {
        return (word & (wide_mask | no_certificate_mask)) == 0 && on0(word) + on1(word) <= limit;
    }
};

/// Unpacks the counts of records that follow each other. Returns how many of the features have been seen.
SAPWOOD_WIDE_VECTORS
inline std::size_t unpack(const std::uint64_t* __restrict words, std::size_t size, Count* __restrict on0,
                          Count* __restrict on1) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < size; ++i) {
        on0[i] = PackedRecord::on0(words[i]);
        on1[i] = PackedRecord::on1(words[i]);
        seen += (words[i] & PackedRecord::seen_mask) != 0;
    }
    return static_cast<std::size_t>(seen);
}

/// Whether a record among those that follow each other is, or may be, of a feature that is on in more than `most`
/// points.
SAPWOOD_WIDE_VECTORS
inline bool has_above(const std::uint64_t* words, std::size_t size, Count most) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t on0 = words[i] & PackedRecord::count_mask;
        const std::uint64_t on1 = words[i] >> PackedRecord::count_bits & PackedRecord::count_mask;
        any |= on0 + on1 > static_cast<std::uint64_t>(most) ? 1u : 0u;
        any |= words[i] & PackedRecord::wide_mask;
    }
    return any != 0;
}

struct Rare {
    std::size_t seen;
    std::size_t others;
};

/// Makes those that can be rare so, in records that follow each other: of their words is kept what is in `kept`, and
/// they are allowed `limit` occurrences, or `max_left` more. Returns how many of the features have been seen, and of
/// how many the records are as they were.
SAPWOOD_WIDE_VECTORS
inline Rare make_rare(std::uint64_t* words, std::size_t size, Count limit, Count max_left, std::uint64_t kept) {
    std::int64_t seen = 0;
    std::int64_t others = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t word = words[i];
        const auto on0 = static_cast<std::int64_t>(word & PackedRecord::count_mask);
        const auto on1 = static_cast<std::int64_t>(word >> PackedRecord::count_bits & PackedRecord::count_mask);
        const std::int64_t left = limit - on0 - on1;
        const auto other =
            static_cast<std::int64_t>(word & (PackedRecord::wide_mask | PackedRecord::no_certificate_mask));
        const std::int64_t capped = left < max_left ? left : max_left;
        const std::uint64_t rare = (word & kept) | static_cast<std::uint64_t>(capped) << PackedRecord::left_shift;
        // Negative if it cannot be rare.
        const std::int64_t sign = left | -other;
        words[i] = sign < 0 ? word : rare;
        others += sign < 0;
        seen += (word & PackedRecord::seen_mask) != 0;
    }
    return {static_cast<std::size_t>(seen), static_cast<std::size_t>(others)};
}

/// Moves the counts of the features that have been seen to the front, in their order. `where`: where each of them was.
inline void move_seen_together(const std::uint64_t* words, std::size_t size, std::uint32_t* where, Count* on0,
                               Count* on1) {
    std::size_t n_seen = 0;
    for (std::size_t i = 0; i < size; ++i) {
        // What is written for one that has not been seen is overwritten by the next.
        where[n_seen] = static_cast<std::uint32_t>(i);
        on0[n_seen] = on0[i];
        on1[n_seen] = on1[i];
        n_seen += PackedRecord::is_seen(words[i]) ? 1 : 0;
    }
}

/// Adds infinity to the scores of the features that have not been seen.
SAPWOOD_WIDE_VECTORS
inline void hide_unseen(const std::uint64_t* __restrict words, std::size_t size, double* __restrict scores) {
    for (std::size_t i = 0; i < size; ++i) {
        scores[i] += PackedRecord::is_seen(words[i]) ? 0.0 : std::numeric_limits<double>::infinity();
    }
}

}  // namespace detail

}  // namespace sapwood
