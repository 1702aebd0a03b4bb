#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>
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
        Limit limit(*this);
        const auto use = [&](const double* scores, std::size_t size, auto id, bool ascending) {
            const double smallest = detail::smallest_of(scores, (size + 7) / 8 * 8);
            if (smallest > best.first || smallest == hidden) return;
            // Among ascending ids the first of equal scores is the one.
            if (ascending && smallest == best.first) return;
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] != smallest || (smallest == best.first && id(i) > best.second)) continue;
                best = {smallest, id(i)};
                limit.set_worst(smallest);
                if (ascending) return;
            }
        };
        scan(use, limit);
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
        Limit limit(*this);
        const auto use = [&](const double* scores, std::size_t size, auto id, bool) {
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] > worst || scores[i] == hidden) continue;
                found.emplace_back(scores[i], id(i));
                // Sorted when there are twice as many: O(1) for each.
                if (found.size() < 2 * k + 16) continue;
                keep_best();
                worst = found.back().first;
                limit.set_worst(worst);
            }
        };
        scan(use, limit);
        keep_best();
        return found;
    }

    /// The best k of some features, likewise.
    std::vector<Found> best_of(Features ids, std::size_t k) const {
        std::vector<Found> found;
        std::array<double, block> scores;
        for (std::size_t first = 0; first < ids.size(); first += block) {
            const Features some = ids.subspan(first, std::min(block, ids.size() - first));
            counters_.scores(scorer_, of_class_, some, scores.data());
            for (std::size_t i = 0; i < some.size(); ++i) {
                if (found.size() == k && !(Found(scores[i], some[i]) < found.back())) continue;
                found.insert(std::upper_bound(found.begin(), found.end(), Found(scores[i], some[i])),
                             Found(scores[i], some[i]));
                if (found.size() > k) found.pop_back();
            }
        }
        return found;
    }

    /// In how many points a feature may be on and be certain to have a greater score than this one; 0 if that is not
    /// known.
    Count rare_beside(double score) const {
        Limit limit(*this);
        limit.set_worst(score);
        return limit();
    }

    /// How many features the last scan found seen.
    std::size_t n_seen() const { return n_seen_; }

private:
    /// How many scores are computed at once, as in the exhaustive search.
    static constexpr std::size_t block = 256;
    static constexpr double hidden = std::numeric_limits<double>::infinity();

    /// In how many points a feature may be on and still have a greater score than one that is known, whatever the
    /// classes of these points: of text, that is most features, which need no score of their own.
    ///
    /// Of m points the best are those of one class. For W(u), the weighted impurity, is concave, and so is the score
    /// W(a) + W(c - a) in a; it is least where all m are of one class. That is W(c - m e_k), which falls as m grows.
    class Limit {
    public:
        explicit Limit(const TableScan& scan) : scan_(scan) {}

        void set_worst(double score) {
            worst_ = score;
            is_known_ = false;
        }

        Count operator()() {
            if (!is_known_) find();
            return limit_;
        }

    private:
        void find() {
            is_known_ = true;
            if constexpr (std::is_same_v<ClassCounts, std::array<Count, 2>>) {
                const ClassCounts& c = scan_.of_class_;
                // By far more than rounding.
                const double far = worst_ + 1e-10 * scan_.scorer_.whole(c);
                const auto is_beyond = [&](Count m) {
                    const ClassCounts first{m, 0};
                    const ClassCounts second{0, m};
                    return scan_.scorer_.score(first.data(), c) > far && scan_.scorer_.score(second.data(), c) > far;
                };
                // It only grows: the worst of the best gets better.
                Count most = std::min(c[0], c[1]);
                while (limit_ < most) {
                    const Count middle = limit_ + (most - limit_ + 1) / 2;
                    if (is_beyond(middle)) {
                        limit_ = middle;
                    } else {
                        most = middle - 1;
                    }
                }
            }
        }

        const TableScan& scan_;
        double worst_ = hidden;
        Count limit_ = 0;
        bool is_known_ = true;
    };

    template <class Use>
    void scan(Use use, Limit& limit) {
        n_seen_ = counters_.template scan<block>(scorer_, of_class_, use, [&] { return limit(); });
    }

    Counters& counters_;
    const Certificate& scorer_;
    const ClassCounts& of_class_;
    std::size_t n_seen_ = 0;
};

}  // namespace sapwood
