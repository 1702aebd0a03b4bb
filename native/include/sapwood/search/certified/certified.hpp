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

#include "sapwood/compiler.hpp"
#include "sapwood/search/certified/best_few.hpp"
#include "sapwood/search/certified/certificates.hpp"
#include "sapwood/search/certified/frequent_features.hpp"
#include "sapwood/search/certified/table_scan.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

/// The certified search: the exact best split for a few times the price of counting, where features stand out.
///
/// Guarantee: `best` and `top` return what the exhaustive search returns, to the last bit and with the same ties, after
/// any additions and removals. `add` takes O(m). A query takes O(candidates), which streams with a signal keep at a
/// few; renewals wait until what was saved pays for them, so that the work of all queries together stays within
/// twice that of the exhaustive search (docs/costs.md says what was measured).
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
///
/// It has the counts (certified_counts.hpp), the certificates (certificates.hpp), whose phases are in phase.hpp, and an
/// account of work (account.hpp) that says what can be afforded; here is how queries are answered with them.
template <class Certificate>
class CertifiedSearch final : public SplitSearch {
public:
    /// `room`: the classes that records have room for, if more.
    explicit CertifiedSearch(std::size_t n_classes, const HashSeed& seed = hash_seed, std::size_t room = 0)
        : counts_(n_classes, seed, room), certificates_(n_classes), scorer_(n_classes) {}

    void add(Features features, Label label, Count weight = 1) override {
        counts_.add(features, label, weight, [this](FeatureId id, Record record) { run_out(id, record); });
    }

    void remove(Features features, Label label, Count weight = 1) override {
        counts_.check_removal(features, label, weight);
        take_back(features, label, weight);
    }

    void take_back(Features features, Label label, Count weight) override {
        // Certificates made so far do not allow for removals.
        if (!counts_.removals()) certificates_.forget(counts_.counters());
        frequent_.note_gone(weight);
        counts_.remove(features, label, weight, [this](FeatureId id, Record record) { run_out(id, record); });
    }

    void take_back_counts(const SummedCounts& gone) override {
        if (!counts_.removals()) certificates_.forget(counts_.counters());
        frequent_.note_gone(gone.n());
        counts_.remove(gone, [this](FeatureId id, Record record) { run_out(id, record); });
    }

    void add_counts(const AddedCounts& added) override {
        counts_.add_counts(added, [this](FeatureId id, Record record) { run_out(id, record); });
    }

    std::optional<Split> best() override {
        if (certificates_.is_calm(counts_.of_class()) && has_few_candidates()) [[likely]] {
            begin_query();
            if (!certificates_.waiting().empty()) certificates_.settle(counts_, account_);
            const Scored best = best_candidate();
            if (certificates_.is_calm(gain_of(best)) && !account_.is_review_due()) [[likely]]
                return split_of(best);
            return best_of_all(best);
        }
        return best_of_all();
    }

    std::vector<Split> top(std::size_t k) override {
        if (k == 0 || counts_.touched() == 0) return {};
        begin_query();
        // More than a few would need as many candidates, so they are looked for among all features.
        return k > BestFew::most ? scan_many(k) : splits_of(top_of_all(k));
    }

    std::vector<Split> scan(std::size_t k) override {
        if (k == 0 || counts_.touched() == 0) return {};
        begin_query();
        return scan_many(k);
    }

    SAPWOOD_COLD SearchState state() override {
        SearchState state = counts_.state();
        state.examined = n_examined();
        return state;
    }

    SAPWOOD_COLD void restore(SearchState state) override {
        CertifiedSearch made(counts_.n_classes(), counts_.counters().seed(), counts_.counters().room());
        made.counts_.restore(state);
        made.account_.set_features(state.ids.size());
        made.examined_before_ = state.examined;
        *this = std::move(made);
    }

    SAPWOOD_COLD bool take_classes(std::size_t n_classes) override {
        if constexpr (Certificate::fixed_classes != 0) {
            return false;
        } else {
            if (n_classes > counts_.counters().room()) return false;
            certificates_.take_classes(counts_.counters(), n_classes);
            counts_.take_classes(n_classes);
            scorer_ = Certificate(n_classes);
            return true;
        }
    }

    SAPWOOD_COLD std::unique_ptr<SplitSearch> clone() const override {
        return std::make_unique<CertifiedSearch>(*this);
    }

    SAPWOOD_COLD void validate() override;

    bool is_exact() const override { return true; }

    Count n() const override { return counts_.n(); }
    std::vector<Count> of_classes() const override { return counts_.of_classes(); }
    std::size_t n_features() const override { return counts_.n_features(); }
    std::vector<Count> on(FeatureId id) const override { return counts_.on(id); }
    void append_with(Features features, Count n, std::vector<FeatureId>& found) const override {
        counts_.append_with(features, n, found);
    }
    std::size_t n_with_at_least(Count n) const override { return counts_.n_with_at_least(n); }

    std::size_t n_bytes() const override {
        // The list of frequent features counts where there is one: the searches of most trees never have it.
        return sizeof(*this) - sizeof(frequent_) + block_overhead + counts_.n_bytes() + certificates_.n_bytes() +
               leaders_.capacity() * sizeof(FeatureId) + frequent_.n_bytes();
    }

    std::uint64_t n_examined() const override { return examined_before_ + account_.scores(); }

    SAPWOOD_COLD std::vector<std::pair<std::string, std::uint64_t>> stats() const override {
        const auto& tally = certificates_.tally();
        const auto because = [&](RenewalCause cause) { return tally.because[static_cast<std::size_t>(cause)]; };
        return {{"candidates", certificates_.candidates().size()},
                {"certificates", certificates_.listed().size()},
                {"rare_limit", static_cast<std::uint64_t>(certificates_.rare())},
                {"checks", certificates_.checks()},
                {"scans", account_.scores()},
                {"exhaustive_scans", account_.scans()},
                {"renewals", account_.renewals()},
                {"renewals_because_classes_shifted", because(RenewalCause::region)},
                {"renewals_because_gain_fell", because(RenewalCause::gain)},
                {"renewals_of_all_features", tally.of_all},
                {"slices", tally.slices},
                {"reviews", tally.reviews}};
    }

    /// What the certificates are good for now.
    Phase phase() const { return certificates_.phase(); }

private:
    using Record = typename CertifiedCounts<Certificate>::Record;

    /// The scores of so few features are computed one by one: vectors have four or eight lanes.
    static constexpr std::size_t few = 8;
    static constexpr Scored none{-1, std::numeric_limits<double>::infinity()};

    void run_out(FeatureId id, Record record) { certificates_.run_out(counts_.counters(), id, record); }

    SAPWOOD_INLINE void begin_query() {
        scorer_.cover(counts_.n());
        whole_ = scorer_.whole(counts_.of_class());
        account_.begin_query(counts_.n(), counts_.touched());
    }

    bool has_few_candidates() const { return account_.are_few(certificates_.candidates().size()); }

    /// n * gain.
    double gain_of(const Scored& scored) const { return whole_ - scored.score; }

    Split split_of(const Scored& scored) const {
        const Count n = counts_.n();
        return {scored.feature, scored.score, n == 0 ? 0 : gain_of(scored) / n};
    }

    std::vector<Split> splits_of(const BestFew& best) const {
        std::vector<Split> splits;
        splits.reserve(best.size());
        for (const Scored& each : best) splits.push_back(split_of(each));
        return splits;
    }

    /// The best where something may have to be done for it.
    SAPWOOD_NOINLINE
    std::optional<Split> best_of_all() {
        if (counts_.touched() == 0) return std::nullopt;
        begin_query();
        // With one class there is nothing to gain, whatever the feature.
        if (counts_.has_one_class() && !counts_.removals()) return Split{counts_.smallest_id(), 0, 0};
        if (account_.is_put_off()) return split_of(scan_best());
        if (certificates_.make_ready(counts_, account_) && has_few_candidates()) return best_of_all(best_candidate());
        return split_of(recovers() ? recover(1).front() : scan_best());
    }

    /// The same, where the best candidate is known, and it is the best of all if its gain reaches theta.
    SAPWOOD_NOINLINE
    std::optional<Split> best_of_all(Scored best) {
        if (gain_of(best) >= certificates_.theta()) {
            end_query(best);
        } else {
            best = recovers() ? recover(1).front() : scan_best();
        }
        return split_of(best);
    }

    /// The best k, likewise.
    BestFew top_of_all(std::size_t k) {
        if (account_.is_put_off()) return scan_all(k);
        asked_ = std::max(asked_, k);
        if (!counts_.has_one_class() && certificates_.make_ready(counts_, account_) && has_few_candidates()) {
            const BestFew best = best_candidates(k);
            if (best.size() == k && gain_of(best.back()) >= certificates_.theta()) {
                end_query(best.front());
                return best;
            }
        }
        return recovers() ? recover(k) : scan_all(k);
    }

    /// Calls `use(id, score)` for the given features, in their order.
    template <class Use>
    void for_each_score(const std::vector<FeatureId>& ids, Use use) const {
        constexpr std::size_t block = 32;  // small enough for the stack: seldom are there more candidates
        std::array<double, block> scores;
        for (std::size_t first = 0; first < ids.size(); first += block) {
            const std::size_t size = std::min(block, ids.size() - first);
            counts_.counters().scores(scorer_, counts_.of_class(), Features(ids).subspan(first, size), scores.data());
            for (std::size_t i = 0; i < size; ++i) use(ids[first + i], scores[i]);
        }
    }

    SAPWOOD_INLINE Scored best_candidate() {
        const std::vector<FeatureId>& candidates = certificates_.candidates();
        account_.pay_for_candidates(candidates.size());
        if (candidates.size() > few) return best_of_many(candidates);
        Scored best = none;
        for (const FeatureId id : candidates) {
            best = better({id, scorer_.score(counts_.counters().counts(id).data(), counts_.of_class())}, best);
        }
        return best;
    }

    SAPWOOD_NOINLINE
    Scored best_of_many(const std::vector<FeatureId>& candidates) const {
        Scored best = none;
        for_each_score(candidates, [&](FeatureId id, double score) { best = better({id, score}, best); });
        return best;
    }

    /// The best k candidates.
    BestFew best_candidates(std::size_t k) {
        account_.pay_for_candidates(certificates_.candidates().size());
        BestFew best(k);
        offer(certificates_.candidates(), best);
        return best;
    }

    void offer(const std::vector<FeatureId>& ids, BestFew& best) const {
        for_each_score(ids, [&](FeatureId id, double score) { best.offer({id, score}); });
    }

    /// The best k of all features by an exhaustive scan, which needs no certificates.
    BestFew scan_all(std::size_t k) {
        TableScan<Certificate> scan(counts_.counters(), scorer_, counts_.of_class());
        BestFew best(k);
        leaders_.clear();
        for (const auto& [score, id] : scan.best(k)) {
            best.offer({id, score});
            leaders_.push_back(id);
        }
        account_.pay_for_scan(scan.n_seen());
        if (best.size() > 0) certificates_.judge_scan(counts_, account_, gain_of(best.back()));
        return best;
    }

    /// The same for any k; it says nothing of what candidates could answer.
    std::vector<Split> scan_many(std::size_t k) {
        std::vector<Split> splits;
        leaders_.clear();
        for (const auto& [score, id] : scanned(k)) {
            splits.push_back(split_of({id, score}));
            leaders_.push_back(id);
        }
        return splits;
    }

    /// The best k of all features, by a scan of the frequent ones where these are known and enough.
    std::vector<std::pair<double, FeatureId>> scanned(std::size_t k) {
        TableScan<Certificate> scan(counts_.counters(), scorer_, counts_.of_class());
        if (frequent_.is_listed()) {
            account_.pay_for_scan_of(frequent_.ids().size());
            auto found = scan.best_of(frequent_.ids(), k);
            if (found.size() == k && frequent_.most_of_others(counts_.n()) <= scan.rare_beside(found.back().first)) {
                return found;
            }
        }
        auto found = scan.best(k);
        account_.pay_for_scan(scan.n_seen());
        // Rent or buy: to list them takes about as long as a scan, and whoever asks for one may ask for no other.
        if (account_.scans() > 2 && !found.empty()) list_frequent(scan.rare_beside(found.back().first) / 2);
        return found;
    }

    /// Lists the features that are on in more than `most` points, if they are few among all.
    void list_frequent(Count most) {
        frequent_.forget();
        if (most == 0) return;
        std::vector<FeatureId> ids = counts_.counters().above(most);
        if (4 * ids.size() <= account_.features()) frequent_.take(std::move(ids), most, counts_.n());
    }

    /// The best of all features, likewise.
    Scored scan_best() {
        TableScan<Certificate> scan(counts_.counters(), scorer_, counts_.of_class());
        const auto [score, id] = scan.best();
        leaders_.assign(1, id);
        account_.pay_for_scan(scan.n_seen());
        certificates_.judge_scan(counts_, account_, whole_ - score);
        return {id, score};
    }

    /// Whether to renew all certificates on the spot, when the candidates cannot answer, because what has been saved so
    /// far pays for it. Otherwise an exhaustive scan answers; so however useless certificates are to a stream, they
    /// never cost more than such scans do.
    bool recovers() { return !counts_.has_one_class() && certificates_.may_renew(account_); }

    /// Answers by a renewal on the spot.
    BestFew recover(std::size_t k) {
        const bool fell = certificates_.is_in_force(counts_.of_class());
        const std::size_t needed = std::max(k, asked_);
        BestFew known(needed);
        if (certificates_.is_promised() && has_few_candidates()) {
            // The waiting features are no candidates yet, but one of them may be the best.
            known = best_candidates(needed);
            offer(certificates_.waiting(), known);
        }
        if (known.size() < needed && leaders_.size() >= needed) {
            // The best of the last scan are not the best now, but their gain is as good to begin with.
            known = BestFew(needed);
            offer(leaders_, known);
        }
        const bool scanned = known.size() < needed;
        if (scanned) known = scan_all(needed);
        if (!begin_renewal(known.back(), fell ? RenewalCause::gain : RenewalCause::region)) {
            if (certificates_.is_promised()) certificates_.forget(counts_.counters());
            if (!scanned) return scan_all(k);
            known.cut(k);
            return known;
        }
        certificates_.complete_renewal(counts_, account_);
        certificates_.settle(counts_, account_);
        return best_candidates(k);
    }

    /// Begins a renewal for the gain of what queries need.
    bool begin_renewal(const Scored& needed, RenewalCause cause) {
        if (!certificates_.begin_renewal(counts_, account_, gain_of(needed), cause)) return false;
        asked_ = 1;
        return true;
    }

    /// Does a slice of a renewal, or begins one if it is due.
    void end_query(const Scored& best) {
        if (certificates_.phase() == Phase::renewing) {
            certificates_.renew_slice(counts_, account_);
            return;
        }
        const bool gain_fell = !certificates_.is_calm(gain_of(best));
        const bool renewal_due = gain_fell || !certificates_.is_calm(counts_.of_class());
        if (!renewal_due && !account_.is_review_due()) return;
        const Scored needed = asked_ == 1 ? best : best_candidates(asked_).back();
        if (!renewal_due || !certificates_.may_renew(account_)) {
            if (account_.is_review_due()) certificates_.review(counts_, account_, gain_of(needed));
            return;
        }
        // Only a renewal of what is listed can be done in slices; one of all features is as dear as a single scan.
        if (begin_renewal(needed, gain_fell ? RenewalCause::gain : RenewalCause::region) &&
            certificates_.renews_all()) {
            certificates_.complete_renewal(counts_, account_);
        }
    }

    CertifiedCounts<Certificate> counts_;
    Certificates<Certificate> certificates_;
    typename Certificates<Certificate>::CostAccount account_;
    Certificate scorer_;
    /// The scores that were computed before the state was restored.
    std::uint64_t examined_before_ = 0;
    /// The weighted impurity of the node at the query.
    double whole_ = 0;
    /// The features that the last exhaustive scan found to be the best.
    std::vector<FeatureId> leaders_;
    FrequentFeatures frequent_;
    /// The most splits that a query has asked for since the last renewal was begun: the next one provides for them.
    std::size_t asked_ = 1;
};

/// Checks against the counts: counts within their classes, candidates without repetition, every other feature with a
/// gain below theta as long as the region holds, no certificate overdrawn.
template <class Certificate>
void CertifiedSearch<Certificate>::validate() {
    const auto require = [](bool holds, FeatureId id, const char* complaint) {
        if (!holds) throw std::logic_error("feature " + std::to_string(id) + complaint);
    };
    begin_query();
    const bool in_force = certificates_.make_ready(counts_, account_);
    std::vector<FeatureId> candidates(certificates_.candidates());
    std::sort(candidates.begin(), candidates.end());
    const auto twice = std::adjacent_find(candidates.begin(), candidates.end());
    require(twice == candidates.end(), twice == candidates.end() ? -1 : *twice, " is a candidate twice");
    std::size_t n_candidates = 0;
    auto& counters = counts_.counters();
    counters.for_each([&](FeatureId id, Record record) {
        const auto on = counters.counts(id, record);
        for (std::size_t k = 0; k < counts_.n_classes(); ++k) {
            require(0 <= on[k] && on[k] <= counts_.of_class()[k], id, " is on too often");
        }
        if (!in_force) return;
        if (certificates_.status(counters, record) == Status::candidate) {
            ++n_candidates;
            require(std::binary_search(candidates.begin(), candidates.end(), id), id,
                    " is missing from the candidates");
            return;
        }
        require(counters.left(record) >= 0, id, " has overdrawn its certificate");
        const double gain = whole_ - scorer_.score(on.data(), counts_.of_class());
        require(!counters.seen(record) || gain < certificates_.theta(), id,
                " has a certificate and a gain that reaches theta");
    });
    if (in_force && n_candidates != candidates.size()) throw std::logic_error("a candidate is none");
}

}  // namespace sapwood
