#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sapwood/search/certified/packed_record.hpp"
#include "sapwood/search/certified/wide_counts.hpp"
#include "sapwood/types.hpp"

namespace sapwood::detail {

/// Adds to unpacked counts what the records among them that hold only a part leave out.
template <class Id, std::size_t block>
void add_rests(const WideCounts& wide, const std::uint64_t* records, std::size_t size, Id id,
               std::array<Count, block>& on0, std::array<Count, block>& on1) {
    for (std::size_t i = 0; i < size; ++i) {
        if ((records[i] & PackedRecord::wide_mask) == 0) continue;
        const WideCounts::Counts whole = wide.whole(id(i), {on0[i], on1[i]});
        on0[i] = whole[0];
        on1[i] = whole[1];
    }
}

/// Moves the counts of features that are on in more than `limit` points to the front; returns how many there are, and
/// in `where` from which places they come.
template <std::size_t block>
std::size_t move_above_together(std::size_t size, Count limit, std::array<std::uint32_t, block>& where,
                                std::array<Count, block>& on0, std::array<Count, block>& on1) {
    // In most blocks of rare features there is none: vectors see that soon.
    unsigned any = 0;
    for (std::size_t i = 0; i < size; ++i) any |= on0[i] + on1[i] > limit ? 1u : 0u;
    if (any == 0) return 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const bool is_above = on0[i] + on1[i] > limit;
        where[kept] = static_cast<std::uint32_t>(i);
        on0[kept] = on0[i];
        on1[kept] = on1[i];
        kept += is_above ? 1 : 0;
    }
    return kept;
}

/// Computes the scores of packed records in blocks, and hands each over: see PackedCounters::scan.
/// `words(first, size)` are the records from the first-th on, `id(i)` is the id of the i-th of all, and features that
/// are on in at most `limit()` points, if that is not 0, are left out.
template <std::size_t block, class Scorer, class ClassCounts, class Words, class Id, class Use, class Limit>
std::size_t score_blocks(const Scorer& scorer, const ClassCounts& of_class, const WideCounts& wide, std::size_t size,
                         Words words, Id id, bool ascending, Use use, Limit limit) {
    std::array<Count, block> on0;
    std::array<Count, block> on1;
    std::array<double, block> scores;
    std::size_t n_seen = 0;
    for (std::size_t first = 0; first < size; first += block) {
        const std::size_t length = std::min(block, size - first);
        const auto id_here = [&](std::size_t i) { return id(first + i); };
        const std::uint64_t* records = words(first, length);
        const std::size_t seen = unpack(records, length, on0.data(), on1.data());
        if (seen == 0) continue;
        if (!wide.empty()) add_rests(wide, records, length, id_here, on0, on1);
        n_seen += seen;
        const Count most = limit();
        if (most > 0 || 2 * seen < length) {
            // Few enough to be worth moving together.
            std::array<std::uint32_t, block> where;
            std::size_t kept = seen;
            if (most > 0) {
                kept = move_above_together(length, most, where, on0, on1);
                if (kept == 0) continue;
            } else {
                move_seen_together(records, length, where.data(), on0.data(), on1.data());
            }
            scorer.scores(on0.data(), on1.data(), kept, of_class, scores.data());
            for (std::size_t i = kept; i % 8 != 0; ++i) scores[i] = std::numeric_limits<double>::infinity();
            use(scores.data(), kept, [&](std::size_t i) { return id_here(where[i]); }, ascending);
            continue;
        }
        scorer.scores(on0.data(), on1.data(), length, of_class, scores.data());
        if (seen < length) hide_unseen(records, length, scores.data());
        for (std::size_t i = length; i % 8 != 0; ++i) scores[i] = std::numeric_limits<double>::infinity();
        use(scores.data(), length, id_here, ascending);
    }
    return n_seen;
}

}  // namespace sapwood::detail
