#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/counter_table.hpp"
#include "sapwood/search/exhaustive.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

namespace detail {

/// Adds infinity to the scores of the features that have not been seen, for records of two classes. Returns how many
/// have.
SAPWOOD_WIDE_VECTORS
inline std::size_t hide_unseen(const Count* __restrict records, std::size_t size, Count seen_mark,
                               double* __restrict scores) {
    Count n_seen = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const Count* record = records + 4 * i;
        const Count is_seen = ((record[0] + record[1]) | (record[3] & seen_mark)) != 0;
        scores[i] += is_seen ? 0.0 : std::numeric_limits<double>::infinity();
        n_seen += is_seen;
    }
    return static_cast<std::size_t>(n_seen);
}

}  // namespace detail

/// The exhaustive search over a counter table: what a certified search does where certificates are of no help.
///
/// A feature has been seen if it is on in some point or its status has the `seen_mark`.
template <class Certificate>
class TableScan {
public:
    using ClassCounts = typename Certificate::ClassCounts;
    using Table = CounterTable<Certificate::fixed_classes>;

    /// A score and the feature that has it: in the order of splits.
    using Found = std::pair<double, FeatureId>;

    TableScan(const Table& table, const Certificate& scorer, const ClassCounts& counts, Count seen_mark)
        : table_(table), scorer_(scorer), counts_(counts), seen_mark_(seen_mark) {}

    /// The best of all seen features.
    Found best() {
        Found best{hidden, -1};
        for_each_block([&](const double* scores, std::size_t size, auto id, bool ascending) {
            const double smallest = detail::smallest_of(scores, block);
            if (smallest > best.first || smallest == hidden) return;
            // Among ascending ids the first of equal scores is the one.
            if (ascending && smallest == best.first) return;
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] != smallest || (smallest == best.first && id(i) > best.second)) continue;
                best = {smallest, id(i)};
                if (ascending) return;
            }
        });
        return best;
    }

    /// The best k of all seen features, best first; fewer if there are fewer.
    std::vector<Found> best(std::size_t k) {
        if (k == 1) return {best()};
        std::vector<Found> found;
        const auto keep_best = [&] {
            const std::size_t kept = std::min(k, found.size());
            std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
            found.resize(kept);
        };
        double worst = hidden;  // a greater score is none of the best k
        for_each_block([&](const double* scores, std::size_t size, auto id, bool) {
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] <= worst && scores[i] < hidden) found.emplace_back(scores[i], id(i));
            }
            if (found.size() < 2 * k + block) return;
            keep_best();
            worst = found.back().first;
        });
        keep_best();
        return found;
    }

    /// How many features the last scan found seen.
    std::size_t n_seen() const { return n_seen_; }

private:
    /// How many scores are computed at once.
    static constexpr std::size_t block = 256;
    static constexpr double hidden = std::numeric_limits<double>::infinity();

    /// Computes the scores of all features, at most a block at a time: `use(scores, size, id, ascending)`. The scores
    /// of features that have not been seen, and of a block past its end, are infinite.
    template <class Use>
    void for_each_block(Use use) {
        std::array<double, block> scores;
        n_seen_ = 0;
        table_.template for_each_block<block>([&](const Count* records, std::size_t size, auto id, bool ascending) {
            scorer_.scores(records, size, counts_, scores.data());
            n_seen_ += hide_unseen(records, size, scores.data());
            std::fill(scores.begin() + size, scores.end(), hidden);
            use(scores.data(), size, id, ascending);
        });
    }

    std::size_t hide_unseen(const Count* records, std::size_t size, double* scores) const {
        if constexpr (Certificate::fixed_classes == 2) return detail::hide_unseen(records, size, seen_mark_, scores);
        std::size_t n_seen = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const Count* record = records + i * table_.stride();
            const Count* status = record + table_.n_classes() + 1;
            const bool is_seen =
                (*status & seen_mark_) != 0 || std::any_of(record, status - 1, [](Count on) { return on > 0; });
            if (!is_seen) scores[i] = hidden;
            n_seen += is_seen ? 1 : 0;
        }
        return n_seen;
    }

    const Table& table_;
    const Certificate& scorer_;
    const ClassCounts& counts_;
    Count seen_mark_;
    std::size_t n_seen_ = 0;
};

}  // namespace sapwood
