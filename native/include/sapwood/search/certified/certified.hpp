#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/search/certified/certified_renewal.hpp"
#include "sapwood/search/certified/table_scan.hpp"

namespace sapwood {

/// The certified search: the exact best split for a few times the price of counting, where features stand out.
///
/// Guarantee: `best` and `top` return what the exhaustive search returns, to the last bit and with the same ties, after
/// any additions and removals. `add` takes O(m). A query takes O(candidates), which streams with a signal keep at a
/// few; renewals wait until what was saved pays for them, so that the work of all queries together stays within
/// twice that of the exhaustive search (docs/guarantees.md, Time and memory, says what was measured).
///
/// How. Nearly all features hold a certificate (certificate.hpp): a proof that their gain stays below a threshold theta
/// while the class counts stay in a region and the feature occurs at most so often. `add` counts, and puts a feature
/// whose certificate has run out on a waiting list. Features without a certificate are the candidates, and the best of
/// them is the best of all if its gain reaches theta. Rare features need no certificate of their own: up to a limit of
/// occurrences, no feature can reach theta.
///
/// Before the region is left, or when the best gain has come close to theta, certificates are renewed for a new region
/// and a new theta, a slice at every query. Until the renewal is complete both promises hold, each for some features,
/// and the larger theta counts. In between, reviews narrow the region and raise theta, which leaves every certificate
/// valid. What cannot be answered in time is answered by an exhaustive scan.
template <class Certificate>
class CertifiedSearch final : public CertifiedRenewal<Certificate> {
public:
    using ClassCounts = typename Certificate::ClassCounts;

    explicit CertifiedSearch(std::size_t classes) : CertifiedRenewal<Certificate>(classes), scorer_(classes) {}

    std::optional<Split> best() override {
        if (calm_.contains(of_class_) && has_few_candidates()) [[likely]] {
            begin_query();
            if (!waiting_.empty()) settle();
            const Scored best = best_candidate();
            if (weighted_gain(best) >= calm_gain_ && !is_review_due()) [[likely]]
                return split_of(best);
            return best_of_all(best);
        }
        return best_of_all();
    }

    std::vector<Split> top(std::size_t k) override {
        if (k == 0 || touched_ == 0) return {};
        begin_query();
        if (k > most_asked || is_waiting()) return scan_all(k);
        asked_ = std::max(asked_, k);
        if (!has_one_class() && ready() && has_few_candidates()) {
            std::vector<Split> splits = candidate_splits(k);
            if (splits.size() == k && weighted_gain(splits.back()) >= theta()) {
                end_query(splits.front());
                return splits;
            }
        }
        return recovers() ? recover(k) : scan_all(k);
    }

    std::unique_ptr<SplitSearch> clone() const override { return std::make_unique<CertifiedSearch>(*this); }

    void validate() override;

    std::size_t n_bytes() const override {
        const std::size_t lists = leaders_.capacity() + candidates_.capacity() + waiting_.capacity() +
                                  listed_.capacity() + next_listed_.capacity();
        return sizeof(*this) + counters_.n_bytes() + guard_.n_bytes() + lists * sizeof(FeatureId) + now_.n_bytes() +
               next_.n_bytes();
    }

    std::vector<std::pair<std::string, std::uint64_t>> stats() const override {
        return {{"candidates", candidates_.size()},
                {"certificates", listed_.size()},
                {"rare_limit", static_cast<std::uint64_t>(now_.rare())},
                {"checks", now_.checks() + next_.checks()},
                {"scans", stats_.scans},
                {"exhaustive_scans", stats_.exhaustive_scans},
                {"renewals", stats_.renewals},
                {"renewals_because_classes_shifted", because(Cause::region)},
                {"renewals_because_gain_fell", because(Cause::gain)},
                {"renewals_of_all_features", stats_.of_all},
                {"slices", stats_.slices},
                {"reviews", stats_.reviews}};
    }

private:
    using Renewal = CertifiedRenewal<Certificate>;
    using Record = typename Renewal::Record;
    using Renewal::asked_;
    using Renewal::because;
    using Renewal::begin_renewal;
    using Renewal::calm_;
    using Renewal::calm_gain_;
    using Renewal::candidates_;
    using Renewal::counters_;
    using Renewal::cursor_;
    using Renewal::end_calm;
    using Renewal::examined_;
    using Renewal::features_;
    using Renewal::forget_certificates;
    using Renewal::gap_;
    using Renewal::guard_;
    using Renewal::has_few_candidates;
    using Renewal::has_one_class;
    using Renewal::idle_;
    using Renewal::is_overdrawn;
    using Renewal::is_renewal_due;
    using Renewal::is_review_due;
    using Renewal::is_waiting;
    using Renewal::listed_;
    using Renewal::may_renew;
    using Renewal::n_;
    using Renewal::n_classes;
    using Renewal::next_;
    using Renewal::next_listed_;
    using Renewal::now_;
    using Renewal::of_class_;
    using Renewal::promised_;
    using Renewal::removals_;
    using Renewal::renew;
    using Renewal::renewing_;
    using Renewal::renews_all_;
    using Renewal::review;
    using Renewal::saved_;
    using Renewal::scan_cost;
    using Renewal::scanned_since_renewal_;
    using Renewal::set_calm;
    using Renewal::settle;
    using Renewal::smallest_id_;
    using Renewal::spent_;
    using Renewal::stats_;
    using Renewal::status;
    using Renewal::theta;
    using Renewal::touched_;
    using Renewal::waiting_;
    using typename Renewal::Cause;

    /// A feature and its score; unlike a split, it fits into registers.
    struct Scored {
        FeatureId feature;
        double score;
    };

    /// `top` beyond this many is answered by an exhaustive scan.
    static constexpr std::size_t most_asked = 16;
    /// The scores of so few features are computed one by one.
    static constexpr std::size_t few = 8;
    static constexpr Scored none{-1, std::numeric_limits<double>::infinity()};

    SAPWOOD_INLINE void begin_query() {
        scorer_.cover(n_);
        whole_ = scorer_.whole(of_class_);
        // What the exhaustive search would have done since the last query: counted, and now looked at every feature.
        // Where there are so few that to look at them is nothing beside the counting, certificates must not cost more
        // either.
        saved_ += features_ + std::min<std::uint64_t>(touched_ - touched_at_query_, 2 * features_);
        touched_at_query_ = touched_;
        gap_ = std::max(1, n_ - n_at_query_);
        n_at_query_ = n_;
    }

    double weighted_gain(const Scored& scored) const { return whole_ - scored.score; }
    double weighted_gain(const Split& split) const { return whole_ - split.score; }

    Split split_of(FeatureId id, double score) const { return {id, score, n_ == 0 ? 0 : (whole_ - score) / n_}; }
    Split split_of(const Scored& scored) const { return split_of(scored.feature, scored.score); }

    /// The answer where something may have to be done for it.
    std::optional<Split> best_of_all() {
        if (touched_ == 0) return std::nullopt;
        begin_query();
        if (has_one_class() && !removals_) return Split{smallest_id_, 0, 0};
        if (is_waiting()) return scan_best();
        if (ready() && has_few_candidates()) return best_of_all(best_candidate());
        return recovers() ? recover(1).front() : scan_best();
    }

    /// The same, where the best candidate is known, and it is the best of all if its gain reaches theta.
    Split best_of_all(const Scored& best) {
        const Split split = split_of(best);
        if (weighted_gain(split) >= theta()) {
            end_query(split);
            return split;
        }
        return recovers() ? recover(1).front() : scan_best();
    }

    /// Whether every feature outside the candidates is certified now; examines the waiting ones.
    bool ready() {
        if (!promised_ || idle_ || is_overdrawn()) return false;
        // During a renewal some certificates are of the one promise and some of the other, so both regions must hold;
        // but where only the old one has been left, the renewal can be completed.
        if (renewing_ && !next_.region().contains(of_class_)) return false;
        if (!now_.region().contains(of_class_)) {
            if (!renewing_) return false;
            renew(std::numeric_limits<std::size_t>::max());
        }
        settle();
        return true;
    }

    /// Calls `use(id, score)` for the given features, in their order.
    template <class Use>
    void for_each_score(const std::vector<FeatureId>& ids, Use use) const {
        constexpr std::size_t block = 32;
        std::array<double, block> scores;
        for (std::size_t first = 0; first < ids.size(); first += block) {
            const std::size_t size = std::min(block, ids.size() - first);
            counters_.scores(scorer_, of_class_, Features(ids).subspan(first, size), scores.data());
            for (std::size_t i = 0; i < size; ++i) use(ids[first + i], scores[i]);
        }
    }

    SAPWOOD_INLINE Scored best_candidate() {
        count_scans(candidates_.size());
        if (candidates_.size() > few) return best_of_many();
        Scored best = none;
        for (const FeatureId id : candidates_) {
            best = better({id, scorer_.score(counters_.counts(id).data(), of_class_)}, best);
        }
        return best;
    }

#if defined(__GNUC__)
    [[gnu::noinline]]
#endif
    Scored best_of_many() const {
        Scored best = none;
        for_each_score(candidates_, [&](FeatureId id, double score) { best = better({id, score}, best); });
        return best;
    }

    static Scored better(const Scored& a, const Scored& b) {
        return a.score < b.score || (a.score == b.score && a.feature < b.feature) ? a : b;
    }

    /// The best k candidates, best first.
    std::vector<Split> candidate_splits(std::size_t k) {
        std::vector<Split> splits;
        splits.reserve(candidates_.size());
        for_each_score(candidates_, [&](FeatureId id, double score) { splits.push_back(split_of(id, score)); });
        count_scans(candidates_.size());
        return first_of(std::move(splits), k);
    }

    static std::vector<Split> first_of(std::vector<Split> splits, std::size_t k) {
        k = std::min(k, splits.size());
        std::partial_sort(splits.begin(), splits.begin() + static_cast<std::ptrdiff_t>(k), splits.end(), comes_before);
        splits.resize(k);
        return splits;
    }

    /// The best k of all features by an exhaustive scan, which needs no certificates.
    std::vector<Split> scan_all(std::size_t k) {
        TableScan<Certificate> scan(counters_, scorer_, of_class_);
        std::vector<Split> splits;
        leaders_.clear();
        for (const auto& [score, id] : scan.best(k)) {
            splits.push_back(split_of(id, score));
            leaders_.push_back(id);
        }
        count_scan(scan.n_seen());
        if (!splits.empty() && k <= most_asked) decide_idle(weighted_gain(splits.back()));
        return splits;
    }

    /// The best of all features, likewise.
    Split scan_best() {
        TableScan<Certificate> scan(counters_, scorer_, of_class_);
        const auto [score, id] = scan.best();
        leaders_.assign(1, id);
        count_scan(scan.n_seen());
        decide_idle(whole_ - score);
        return split_of(id, score);
    }

    /// After an exhaustive scan has found the gain that a query needs: whether the candidates could have done without.
    void decide_idle(double gain) {
        if (!promised_ || renewing_ || !now_.region().contains(of_class_)) return;
        const bool was_idle = std::exchange(idle_, gain < theta() || is_overdrawn());
        if (idle_) end_calm();
        if (was_idle && !idle_) set_calm();
    }

    void count_scan(std::size_t n_seen) {
        features_ = n_seen;
        ++stats_.exhaustive_scans;
        stats_.scans += features_;
        examined_ += features_;
        // The price of the exhaustive search. What unseen records cost beyond it is no reason to put a renewal off.
        spent_ += features_;
    }

    void count_scans(std::size_t scanned) {
        stats_.scans += scanned;
        examined_ += scanned;
        spent_ += scan_cost * scanned;
        scanned_since_renewal_ += scan_cost * scanned;
    }

    /// Whether to renew all certificates on the spot, when the candidates cannot answer, because what has been saved so
    /// far pays for it. Otherwise an exhaustive scan answers; so however useless certificates are to a stream, they
    /// never cost more than such scans do.
    bool recovers() { return !has_one_class() && may_renew(); }

    /// Answers by a renewal on the spot.
    std::vector<Split> recover(std::size_t k) {
        const bool fell = promised_ && now_.region().contains(of_class_);
        const std::size_t needed = std::max(k, asked_);
        std::vector<Split> known;
        if (promised_ && has_few_candidates()) {
            // The waiting features are no candidates yet, but one of them may be the best.
            known = candidate_splits(needed);
            for_each_score(waiting_, [&](FeatureId id, double score) { known.push_back(split_of(id, score)); });
            known = first_of(std::move(known), needed);
        }
        if (known.size() < needed && leaders_.size() >= needed) {
            // The best of the last scan are not the best now, but their gain is as good to begin with.
            known.clear();
            for_each_score(leaders_, [&](FeatureId id, double score) { known.push_back(split_of(id, score)); });
            known = first_of(std::move(known), needed);
        }
        const bool scanned = known.size() < needed;
        if (scanned) known = scan_all(needed);
        if (!begin_renewal(weighted_gain(known.back()), fell ? Cause::gain : Cause::region)) {
            // No certificate could be granted: a gain that rounding may have made cannot be told from no gain.
            if (promised_) forget_certificates();
            return scanned ? first_of(std::move(known), k) : scan_all(k);
        }
        renew(std::numeric_limits<std::size_t>::max());
        settle();
        return candidate_splits(k);
    }

    /// Does a slice of a renewal, or starts one if it is due.
    void end_query(const Split& best) {
        if (renewing_) {
            ++stats_.slices;
            // In at most so many queries of one point each, and in time.
            const std::size_t rest = listed_.size() - cursor_;
            const auto room = static_cast<std::size_t>(std::max(1, now_.region().room_left(of_class_, removals_)));
            const std::size_t least = listed_.size() / 64 + 16;
            renew(std::max(least, 2 * rest / room + 1) * static_cast<std::size_t>(gap_));
            return;
        }
        const bool renewal_due = is_renewal_due(weighted_gain(best));
        if (!renewal_due && !is_review_due()) return;
        const std::vector<Split> splits = asked_ == 1 ? std::vector{best} : candidate_splits(asked_);
        if (!renewal_due || !may_renew()) {
            if (is_review_due()) review(weighted_gain(splits.back()));
            return;
        }
        // Only a renewal of what is listed can be done in slices; one of all features is as dear as a single scan.
        const Cause cause = weighted_gain(best) < calm_gain_ ? Cause::gain : Cause::region;
        if (begin_renewal(weighted_gain(splits.back()), cause) && renews_all_) {
            renew(std::numeric_limits<std::size_t>::max());
        }
    }

    void start_afresh() override { *this = CertifiedSearch(n_classes()); }

    Certificate scorer_;
    /// The number of points at the last query.
    Count n_at_query_ = 0;
    std::uint64_t touched_at_query_ = 0;
    /// The weighted impurity of the node at the query.
    double whole_ = 0;
    /// The features that the last exhaustive scan found to be the best.
    std::vector<FeatureId> leaders_;
};

/// Checks against the counts: counts within their classes, candidates without repetition, every other feature with a
/// gain below theta as long as the region holds, no certificate overdrawn.
template <class Certificate>
void CertifiedSearch<Certificate>::validate() {
    const auto require = [](bool holds, FeatureId id, const char* complaint) {
        if (!holds) throw std::logic_error("feature " + std::to_string(id) + complaint);
    };
    begin_query();
    const bool in_force = promised_ && ready();
    std::vector<FeatureId> candidates(candidates_);
    std::sort(candidates.begin(), candidates.end());
    const auto twice = std::adjacent_find(candidates.begin(), candidates.end());
    require(twice == candidates.end(), twice == candidates.end() ? -1 : *twice, " is a candidate twice");
    std::size_t n_candidates = 0;
    counters_.for_each([&](FeatureId id, Record record) {
        const auto on = counters_.counts(id, record);
        for (std::size_t k = 0; k < n_classes(); ++k) {
            require(0 <= on[k] && on[k] <= of_class_[k], id, " is on too often");
        }
        if (!in_force) return;
        if (status(record) == Status::candidate) {
            ++n_candidates;
            require(std::binary_search(candidates.begin(), candidates.end(), id), id,
                    " is missing from the candidates");
            return;
        }
        require(counters_.left(record) >= 0, id, " has overdrawn its certificate");
        const double gain = whole_ - scorer_.score(on.data(), of_class_);
        require(!counters_.seen(record) || gain < theta(), id, " has a certificate and a gain that reaches theta");
    });
    if (in_force && n_candidates != candidates.size()) throw std::logic_error("a candidate is none");
}

}  // namespace sapwood
