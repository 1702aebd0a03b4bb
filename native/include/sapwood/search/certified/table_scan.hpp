#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "sapwood/search/exhaustive/exhaustive.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The exhaustive search over the counters of a certified search: what that does where certificates are of no help.
template <class Certificate>
class TableScan {
public:
    using ClassCounts = typename Certificate::ClassCounts;
    using Counters = typename Certificate::Counters;

    /// A score and the feature that has it: in the order of splits.
    using Found = std::pair<double, FeatureId>;

    TableScan(Counters& counters, const Certificate& scorer, const ClassCounts& of_class)
        : counters_(counters), scorer_(scorer), of_class_(of_class) {}

    /// The best of all seen features.
    Found best() {
        Found best{hidden, -1};
        scan([&](const double* scores, std::size_t size, auto id, bool ascending) {
            const double smallest = detail::smallest_of(scores, (size + 7) / 8 * 8);
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
        scan([&](const double* scores, std::size_t size, auto id, bool) {
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] > worst || scores[i] == hidden) continue;
                found.emplace_back(scores[i], id(i));
                // Sorted when there are twice as many: O(1) for each.
                if (found.size() < 2 * k + 16) continue;
                keep_best();
                worst = found.back().first;
            }
        });
        keep_best();
        return found;
    }

    /// How many features the last scan found seen.
    std::size_t n_seen() const { return n_seen_; }

private:
    /// How many scores are computed at once, as in the exhaustive search.
    static constexpr std::size_t block = 256;
    static constexpr double hidden = std::numeric_limits<double>::infinity();

    template <class Use>
    void scan(Use use) {
        n_seen_ = counters_.template scan<block>(scorer_, of_class_, use);
    }

    Counters& counters_;
    const Certificate& scorer_;
    const ClassCounts& of_class_;
    std::size_t n_seen_ = 0;
};

}  // namespace sapwood
