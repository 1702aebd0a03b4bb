#pragma once

#include <cstdint>
#include <limits>

#include "sapwood/types.hpp"

namespace sapwood {

/// What a record is allowed that is not to run out.
inline constexpr Count never_runs_out = std::numeric_limits<Count>::max();

/// What a certified search has to say about a feature: nothing more than its counts, that it holds a certificate, that
/// it is a candidate, or that its certificate has run out.
enum class Status : std::uint8_t { rare, certified, candidate, waiting };

/// The small numbers of a feature's record beside its counts and its countdown, and where they are in six bits.
struct RecordFlags {
    static constexpr int bits = 6;
    static constexpr std::uint32_t all = (1u << bits) - 1;

    /// The two lowest bits are the status.
    static constexpr std::uint32_t status_mask = 3;
    /// The feature has been seen even if it is on in no point any more.
    static constexpr std::uint32_t seen_before = 4;
    /// The record holds only a part of the counts (packed_counters.hpp).
    static constexpr std::uint32_t wide = 8;
    /// The two highest bits are the number of the list that the feature is on, 0 if it is on none.
    static constexpr int list_shift = 4;

    static Status status(std::uint32_t flags) { return static_cast<Status>(flags & status_mask); }
    static std::uint32_t with_status(std::uint32_t flags, Status status) {
        return (flags & ~status_mask) | static_cast<std::uint32_t>(status);
    }
    static std::uint32_t list(std::uint32_t flags) { return flags >> list_shift; }
    static std::uint32_t with_list(std::uint32_t flags, std::uint32_t list) {
        return (flags & ((1u << list_shift) - 1)) | (list << list_shift);
    }
};

}  // namespace sapwood
