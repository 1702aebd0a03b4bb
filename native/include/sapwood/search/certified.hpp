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

#include "sapwood/search/certified_counts.hpp"
#include "sapwood/search/promise.hpp"
#include "sapwood/search/table_scan.hpp"

namespace sapwood {

/// The certified search: the exact best split for a few times the price of counting, where features stand out.
///
/// Guarantee: `best` and `top` return what the exhaustive search returns, to the last bit and with the same ties, after
/// any additions and removals. `add` takes O(m). A query takes O(candidates), which streams with a signal keep at a
/// few; renewals wait until what was saved pays for them, so that the work of all queries together stays within about
/// twice that of the exhaustive search (docs/guarantees.md, Time and memory, says where it does not).
///
/// How. Nearly all features hold a certificate (certificate.hpp): a proof that their gain stays below a threshold theta
/// while the class counts stay in a box and the feature occurs at most so often. `add` counts, and puts a feature
/// whose certificate has run out on a waiting list. Features without a certificate are the candidates, and the best of
/// them is the best of all if its gain reaches theta. Rare features need no certificate of their own: up to a limit of
/// occurrences, no feature can reach theta.
///
/// Before the box is left, or when the best gain has come close to theta, certificates are renewed for a new box and
/// a new theta, a slice at every query. Until the renewal is complete both promises hold, each for some features, and
/// the larger theta counts. What cannot be answered in time is answered by an exhaustive scan.
template <class Certificate>
class CertifiedSearch final : public CertifiedCounts<Certificate> {
public:
    using ClassCounts = typename Certificate::ClassCounts;

    explicit CertifiedSearch(std::size_t classes)
        : CertifiedCounts<Certificate>(classes), scorer_(classes), now_(classes), next_(classes) {
        calm_ = now_.box();
        end_calm();
    }

    std::optional<Split> best() override {
        if (!any_seen_) return std::nullopt;
        begin_query();
        if (calm_.contains(of_class_) && has_few_candidates()) [[likely]] {
            settle();
            const Split best = best_candidate();
            if (weighted_gain(best) >= calm_gain_ && scanned_since_renewal_ <= calm_scans_) [[likely]]
                return best;
            if (weighted_gain(best) >= theta()) {
                end_query(best);
                return best;
            }
            return recover(1).front();
        }
        if (has_one_class() && !removals_) return Split{smallest_id_, 0, 0};
        if (ready() && has_few_candidates()) {
            const Split best = best_candidate();
            if (weighted_gain(best) >= theta()) {
                end_query(best);
                return best;
            }
        }
        return recover(1).front();
    }

    std::vector<Split> top(std::size_t k) override {
        if (k == 0 || !any_seen_) return {};
        begin_query();
        if (k > most_asked) return scan_all(k);
        asked_ = std::max(asked_, k);
        if (!has_one_class() && ready() && has_few_candidates()) {
            std::vector<Split> splits = candidate_splits(k);
            if (splits.size() == k && weighted_gain(splits.back()) >= theta()) {
                end_query(splits.front());
                return splits;
            }
        }
        return recover(k);
    }

    std::unique_ptr<SplitSearch> clone() const override { return std::make_unique<CertifiedSearch>(*this); }

    void validate() override;

    std::size_t n_bytes() const override {
        const std::size_t lists =
            candidates_.capacity() + waiting_.capacity() + listed_.capacity() + next_listed_.capacity();
        return sizeof(*this) + table_.n_bytes() + guard_.n_bytes() + lists * sizeof(FeatureId) + now_.n_bytes() +
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
                {"renewals_because_box_ended", because(Cause::box)},
                {"renewals_because_gain_fell", because(Cause::gain)},
                {"renewals_because_scans_grew", because(Cause::scans)},
                {"renewals_of_all_features", stats_.of_all},
                {"slices", stats_.slices}};
    }

private:
    using Counts = CertifiedCounts<Certificate>;
    using Counts::any_seen_;
    using Counts::candidate;
    using Counts::certified;
    using Counts::features_;
    using Counts::guard_;
    using Counts::has_one_class;
    using Counts::left;
    using Counts::n_;
    using Counts::n_classes;
    using Counts::never;
    using Counts::occurrences;
    using Counts::of_class_;
    using Counts::rare;
    using Counts::removals_;
    using Counts::renewal_shift;
    using Counts::seen;
    using Counts::seen_before;
    using Counts::set_status;
    using Counts::smallest_id_;
    using Counts::status;
    using Counts::status_mask;
    using Counts::status_word;
    using Counts::table_;
    using Counts::waiting;
    using Counts::waiting_;
    using Counts::work_;

    /// `top` beyond this many is answered by an exhaustive scan.
    static constexpr std::size_t most_asked = 16;
    /// theta is the gain that a query needs, less this share: how far that gain may fall before certificates are
    /// renewed.
    static constexpr double slack = 0.08;
    /// So few certificates are not worth the search for a higher limit of rareness.
    static constexpr std::size_t short_list = 64;
    /// From so many on, certificates are worth remembering by their counts.
    static constexpr std::size_t long_list = 1024;
    /// What it costs to look at a candidate and to check a certificate, if a score in an exhaustive scan costs 1: such
    /// a scan runs over plain arrays, in vectors.
    static constexpr std::uint64_t scan_cost = 2;
    static constexpr std::uint64_t check_cost = 10;
    /// What a renewal costs beyond its checks, likewise.
    static constexpr std::uint64_t renewal_overhead = 128;

    /// Why certificates are renewed.
    enum class Cause { box, gain, scans };

    struct Stats {
        std::uint64_t scans = 0;
        std::uint64_t exhaustive_scans = 0;
        std::uint64_t renewals = 0;
        std::array<std::uint64_t, 3> because{};
        std::uint64_t of_all = 0;
        std::uint64_t slices = 0;
    };

    // Queries.

    std::uint64_t because(Cause cause) const { return stats_.because[static_cast<std::size_t>(cause)]; }

    void begin_query() {
        scorer_.cover(n_);
        whole_ = scorer_.whole(of_class_);
        allowance_ += 2 * features_;
    }

    /// Whether it is much cheaper to look at the candidates than at all features: if both must be done in the end,
    /// something of what the exhaustive search would be allowed must be left to pay for a renewal.
    bool has_few_candidates() const { return 2 * scan_cost * candidates_.size() <= features_; }

    double theta() const { return renewing_ ? std::max(now_.theta(), next_.theta()) : now_.theta(); }

    double weighted_gain(const Split& split) const { return whole_ - split.score; }

    Split split_of(FeatureId id, double score) const { return {id, score, n_ == 0 ? 0 : (whole_ - score) / n_}; }

    /// Whether every feature outside the candidates is certified now; examines the waiting ones.
    bool ready() {
        if (!promised_) return false;
        // During a renewal some certificates are of the one promise and some of the other, so both boxes must hold; but
        // where only the old one has been left, the renewal can be completed.
        if (renewing_ && !next_.box().contains(of_class_)) return false;
        if (!now_.box().contains(of_class_)) {
            if (!renewing_) return false;
            renew(std::numeric_limits<std::size_t>::max());
        }
        settle();
        return true;
    }

    void settle() {
        for (const FeatureId id : waiting_) {
            Count* record = table_.find(id);
            if (occurrences(record) <= rare_limit()) {
                make_rare(record, rare_limit());
            } else {
                list(id, record);
                certify(id, record);
            }
        }
        waiting_.clear();
    }

    Split best_candidate() {
        FeatureId best = -1;
        double best_score = std::numeric_limits<double>::infinity();
        for (const FeatureId id : candidates_) {
            const double score = scorer_.score(table_.find(id), of_class_);
            if (score < best_score || (score == best_score && id < best)) {
                best = id;
                best_score = score;
            }
        }
        count_scans(candidates_.size());
        return split_of(best, best_score);
    }

    /// The best k candidates, best first.
    std::vector<Split> candidate_splits(std::size_t k) {
        std::vector<Split> splits;
        splits.reserve(candidates_.size());
        for (const FeatureId id : candidates_) {
            splits.push_back(split_of(id, scorer_.score(table_.find(id), of_class_)));
        }
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
        TableScan<Certificate> scan(table_, scorer_, of_class_, seen_before);
        std::vector<Split> splits;
        for (const auto& [score, id] : scan.best(k)) splits.push_back(split_of(id, score));
        features_ = scan.n_seen();
        ++stats_.exhaustive_scans;
        stats_.scans += features_;
        work_.examined += features_;
        // The price of the exhaustive search. What unseen records cost beyond it is no reason to put a renewal off.
        spent_ += features_;
        return splits;
    }

    void count_scans(std::size_t scanned) {
        stats_.scans += scanned;
        work_.examined += scanned;
        spent_ += scan_cost * scanned;
        scanned_since_renewal_ += scan_cost * scanned;
    }

    /// Answers when the candidates cannot: by a renewal on the spot, if what has been saved so far pays for it, or else
    /// by an exhaustive scan. So however useless certificates are to a stream, they never cost more than such scans do.
    std::vector<Split> recover(std::size_t k) {
        const bool fell = promised_ && now_.box().contains(of_class_);
        const std::size_t needed = std::max(k, asked_);
        const bool renews = !has_one_class() && may_renew();
        std::vector<Split> known;
        if (promised_ && renews && has_few_candidates()) {
            // The waiting features are no candidates yet, but one of them may be the best.
            known = candidate_splits(candidates_.size());
            for (const FeatureId id : waiting_) {
                known.push_back(split_of(id, scorer_.score(table_.find(id), of_class_)));
            }
            known = first_of(std::move(known), needed);
        }
        const bool scanned = known.size() < needed;
        if (scanned) known = scan_all(needed);
        if (!renews) return first_of(std::move(known), k);
        if (!begin_renewal(weighted_gain(known.back()), fell ? Cause::gain : Cause::box)) {
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
            const std::size_t rest = listed_.size() - cursor_;
            renew(std::max<std::size_t>(16, 2 * rest / static_cast<std::size_t>(std::max(1, room_left())) + 1));
        } else if (is_due(weighted_gain(best)) && may_renew()) {
            const std::vector<Split> splits = asked_ == 1 ? std::vector{best} : candidate_splits(asked_);
            // Only a renewal of what is listed can be done in slices; one of all features is as dear as a single scan.
            const Cause cause = weighted_gain(best) < calm_gain_       ? Cause::gain
                                : scanned_since_renewal_ > calm_scans_ ? Cause::scans
                                                                       : Cause::box;
            if (begin_renewal(weighted_gain(splits.back()), cause) && renews_all_) {
                renew(std::numeric_limits<std::size_t>::max());
            }
        }
    }

    // Renewal.

    /// How many points may come before the box can be left.
    Count room_left() const {
        Count room = never;
        for (std::size_t k = 0; k < n_classes(); ++k) {
            room = std::min(room, now_.box().upper[k] - of_class_[k]);
            if (removals_) room = std::min(room, of_class_[k] - now_.box().lower[k]);
        }
        return room;
    }

    /// Whether it is time to renew: the box has less than a quarter of its room left on some side, the gain that
    /// queries need has come close to theta, or the candidates have cost more than new certificates would.
    bool is_due(double gain) const {
        return !calm_.contains(of_class_) || gain < calm_gain_ || scanned_since_renewal_ > calm_scans_;
    }

    /// Sets when the next renewal is due.
    void set_calm() {
        calm_ = now_.box();
        const Count quarter = now_.room() / 4;
        for (std::size_t k = 0; k < n_classes(); ++k) {
            calm_.upper[k] -= quarter;
            if (calm_.lower[k] > 0 && removals_) calm_.lower[k] += quarter;
        }
        calm_gain_ = now_.theta() * (1 + slack / 3);
        calm_scans_ = 4 * renewal_cost();
    }

    /// Sets that nothing may be taken for granted, as during a renewal.
    void end_calm() {
        for (std::size_t k = 0; k < n_classes(); ++k) calm_.upper[k] = -1;
    }

    /// Whether what has been saved so far pays for a renewal, and enough queries have gone by since one was in vain.
    bool may_renew() {
        if (stats_.renewals == 0) return true;  // the first one is on credit
        if (patience_ > 0 && ++waited_ < patience_) return false;
        return spent_ + renewal_cost() <= allowance_;
    }

    /// What a renewal is expected to cost. One of all features visits each, but checks few: most are rare.
    std::uint64_t renewal_cost() const {
        if (!promised_) return features_ + renewal_overhead;
        return last_renewal_cost_ * (listed_.size() + short_list) / (renewed_ + short_list);
    }

    /// Starts to renew all certificates, for a gain that queries need. False if none could be granted.
    bool begin_renewal(double gain, Cause cause) {
        // Balance: a wide box makes renewals rare and candidates many.
        if (promised_ && scanned_since_renewal_ > 2 * last_renewal_cost_) width_ = std::max(width_ * 0.7, 0.01);
        if (promised_ && 2 * scanned_since_renewal_ < last_renewal_cost_) width_ = std::min(width_ * 1.4, 0.5);
        const double wanted = std::max(2.0, width_ * n_);
        const Count most = (max_points - n_) / static_cast<Count>(n_classes());
        spent_ += renewal_overhead;
        next_.make(of_class_, wanted < most ? static_cast<Count>(wanted) : most, (1 - slack) * gain, removals_);
        if (renewing_) {
            // The renewal under way is abandoned. It has listed features that the list in force does not have; and some
            // hold its certificates already, which must not outlive it.
            listed_.insert(listed_.end(), next_listed_.begin(), next_listed_.end());
            renewing_ = false;
            if (!next_.holds_for_rare(0)) forget_certificates();
        }
        if (!next_.holds_for_rare(0)) return false;
        end_calm();
        renews_all_ = !promised_ || !next_.holds_for_rare(now_.rare());
        next_.set_rare(now_.rare());
        if (renews_all_ || listed_.size() > short_list) {
            const Count found = next_.find_rare(n_);
            next_.set_rare(renews_all_ ? found : std::max(found, now_.rare()));
        }
        if (listed_.size() >= long_list) next_.remember();
        ++stats_.renewals;
        ++stats_.because[static_cast<std::size_t>(cause)];
        stats_.of_all += renews_all_ ? 1 : 0;
        renewing_ = true;
        if (++renewal_ > (never >> renewal_shift)) {
            // The numbers of renewals are used up: start them again, and let no record have an old one.
            renewal_ = 1;
            table_.for_each([this](FeatureId, Count* record) { status_word(record) &= status_mask | seen_before; });
        }
        cursor_ = 0;
        next_listed_.clear();
        cost_of_renewal_ = 0;
        asked_ = 1;
        return true;
    }

    /// Renews the certificates of so many more features; of all, if the renewal is one of all features.
    void renew(std::size_t amount) {
        const std::uint64_t before = spent_;
        if (renews_all_) {
            features_ = 0;
            table_.for_each([this](FeatureId id, Count* record) {
                features_ += seen(record) ? 1 : 0;
                renew_one(id, record);
            });
            spent_ += table_.size() / 2;
            cursor_ = listed_.size();
            swept_rare_ = next_.rare();
        } else {
            const std::size_t end = amount < listed_.size() - cursor_ ? cursor_ + amount : listed_.size();
            for (; cursor_ < end; ++cursor_) renew_one(listed_[cursor_], table_.find(listed_[cursor_]));
        }
        if (demoted_) {
            demoted_ = false;
            std::erase_if(candidates_, [this](FeatureId id) { return status(table_.find(id)) != candidate; });
        }
        cost_of_renewal_ += spent_ - before;
        if (cursor_ < listed_.size()) return;
        renewing_ = false;
        std::swap(now_, next_);
        promised_ = true;
        listed_.swap(next_listed_);
        next_listed_.clear();
        table_.set_first_left(now_.rare());
        if (now_.rare() >= 4 * (swept_rare_ + 1)) sweep_rare();
        last_renewal_cost_ = cost_of_renewal_ + renewal_overhead;
        renewed_ = listed_.size();
        // A renewal that leaves many features candidates was in vain; the next one is tried after twice as long, but
        // not so much later that the points seen by then are others.
        const auto longest = static_cast<std::size_t>(n_) / 16 + 1;
        patience_ = has_few_candidates() ? 0 : std::min(2 * patience_ + 1, longest);
        waited_ = 0;
        scanned_since_renewal_ = 0;
        set_calm();
    }

    void renew_one(FeatureId id, Count* record) {
        if (status(record) == waiting) return;
        if (occurrences(record) <= next_.rare()) {
            make_rare(record, next_.rare());
        } else {
            spent_ += scan_cost;
            list(id, record);
            certify(id, record);
        }
    }

    Count rare_limit() const {
        return renewing_ ? (promised_ ? std::min(now_.rare(), next_.rare()) : next_.rare()) : now_.rare();
    }

    /// Lets all rare features, seen or not, have the benefit of a limit that has risen. Without it each would run out
    /// at the limit that it was given first, and be given the new one then.
    void sweep_rare() {
        swept_rare_ = now_.rare();
        table_.for_each([this](FeatureId, Count* record) {
            if (status(record) == rare) left(record) = now_.rare() - occurrences(record);
        });
    }

    void make_rare(Count* record, Count limit) {
        demoted_ |= status(record) == candidate;
        set_status(record, rare);
        left(record) = limit - occurrences(record);
    }

    /// Puts a feature on the list of those that the next renewal must visit.
    void list(FeatureId id, Count* record) {
        if (status_word(record) >> renewal_shift == renewal_) return;
        status_word(record) = (renewal_ << renewal_shift) | (status_word(record) & (status_mask | seen_before));
        (renewing_ ? next_listed_ : listed_).push_back(id);
    }

    /// Grants a feature a certificate if it can, and makes it a candidate otherwise.
    void certify(FeatureId id, Count* record) {
        Promise<Certificate>& promise = renewing_ ? next_ : now_;
        const std::uint64_t before = promise.checks();
        const Count r = promise.grant(record, occurrences(record), n_);
        spent_ += check_cost * (promise.checks() - before);
        if (r >= 0) {
            demoted_ |= status(record) == candidate;
            set_status(record, certified);
            left(record) = r;
        } else {
            left(record) = never;
            if (status(record) != candidate) candidates_.push_back(id);
            set_status(record, candidate);
        }
    }

    void forget_certificates() override {
        renewing_ = false;
        promised_ = false;
        end_calm();
        candidates_.clear();
        listed_.clear();
        next_listed_.clear();
        this->forget_all();
    }

    void start_afresh() override { *this = CertifiedSearch(n_classes()); }

    Certificate scorer_;
    /// The promise in force, if there is one, and the promise that a renewal makes.
    bool promised_ = false;
    Promise<Certificate> now_;
    Promise<Certificate> next_;
    /// While the class counts are in here, the gain that queries need is at least so much and scans are at most so
    /// many, a query is just a look at the candidates.
    Box<ClassCounts> calm_;
    double calm_gain_ = 0;
    std::uint64_t calm_scans_ = 0;

    std::vector<FeatureId> candidates_;
    /// The features that are neither rare nor waiting.
    std::vector<FeatureId> listed_;

    bool renewing_ = false;
    bool renews_all_ = false;
    bool demoted_ = false;
    Count renewal_ = 0;
    Count swept_rare_ = 0;
    std::size_t cursor_ = 0;
    std::vector<FeatureId> next_listed_;
    double width_ = 0.07;

    double whole_ = 0;
    /// The most splits that a query has asked for since the last renewal was started: the next one provides for them.
    std::size_t asked_ = 1;

    // The cost of what was done and of what the exhaustive search would have done, in computations of a score.
    std::uint64_t spent_ = 0;
    std::uint64_t allowance_ = 0;
    std::uint64_t scanned_since_renewal_ = 0;
    std::uint64_t cost_of_renewal_ = 0;
    std::uint64_t last_renewal_cost_ = 0;
    std::size_t patience_ = 0;
    std::size_t waited_ = 0;
    std::size_t renewed_ = 0;  // the certificates that the last renewal left
    Stats stats_;
};

/// Checks every invariant against the counts: counts within their classes, candidates without repetition, every other
/// feature with a gain below theta as long as the box holds, certificates listed and not overdrawn.
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
    table_.for_each([&](FeatureId id, Count* record) {
        for (std::size_t k = 0; k < n_classes(); ++k) {
            require(0 <= record[k] && record[k] <= of_class_[k], id, " is on too often");
        }
        if (!in_force) return;
        if (status(record) == candidate) {
            ++n_candidates;
            require(std::binary_search(candidates.begin(), candidates.end(), id), id,
                    " is missing from the candidates");
            return;
        }
        require(left(record) >= 0, id, " has overdrawn its certificate");
        const double gain = whole_ - scorer_.score(record, of_class_);
        require(!seen(record) || gain < theta(), id, " has a certificate and a gain that reaches theta");
    });
    if (in_force && n_candidates != candidates.size()) throw std::logic_error("a candidate is none");
}

}  // namespace sapwood
