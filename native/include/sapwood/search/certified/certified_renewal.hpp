#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sapwood/search/certified/certified_counts.hpp"
#include "sapwood/search/certified/promise.hpp"

namespace sapwood {

/// The certificates of a certified search: which features hold one, which are candidates for want of one, and how all
/// are renewed, a slice at a time or at once, when what the search has saved so far pays for it.
///
/// Certificates are renewed for a new region and a new theta. Until a renewal is complete both promises hold, each for
/// some features, and the larger theta counts. Only features that are not rare are visited, and a list says which; a
/// renewal of all features is needed only where the limit of rareness no longer holds. A review promises less instead,
/// which leaves all certificates as they are, and visits the candidates alone.
template <class Certificate>
class CertifiedRenewal : public CertifiedCounts<Certificate> {
protected:
    using Counts = CertifiedCounts<Certificate>;
    using ClassCounts = typename Counts::ClassCounts;
    using Record = typename Counts::Record;
    using Counts::counters_;
    using Counts::features_;
    using Counts::list_of;
    using Counts::n_;
    using Counts::n_classes;
    using Counts::never;
    using Counts::of_class_;
    using Counts::promised_;
    using Counts::removals_;
    using Counts::status;
    using Counts::waiting_;

    explicit CertifiedRenewal(std::size_t classes) : Counts(classes), now_(classes), next_(classes) {
        calm_ = now_.region();
        end_calm();
    }

    /// So few certificates are not worth the search for a higher limit of rareness, nor to be remembered.
    static constexpr std::size_t short_list = 64;
    /// How many records are swept for one rare feature that has run out: that costs about as much.
    static constexpr std::size_t sweep = 64;
    /// What things cost, if a score in an exhaustive scan costs 1: such a scan runs over plain arrays, with two classes
    /// in vectors. With more, a score takes so long that little else counts.
    static constexpr bool is_binary = Certificate::fixed_classes == 2;
    /// To look at a candidate, and to check a certificate.
    static constexpr std::uint64_t scan_cost = is_binary ? 2 : 1;
    static constexpr std::uint64_t check_cost = is_binary ? 10 : 6;
    /// To give a feature a certificate, beside checks.
    static constexpr std::uint64_t visit_cost = is_binary ? 10 : 1;
    /// To notice that a certificate has run out.
    static constexpr std::uint64_t run_out_cost = is_binary ? 15 : 1;
    /// What a renewal costs beyond its checks, likewise.
    static constexpr std::uint64_t renewal_overhead = 128;

    /// How many exhaustive scans renewals may cost before anything has been saved.
    static constexpr std::uint64_t credit = 8;

    /// The first renewal may wait for so many exhaustive scans.
    static constexpr std::uint64_t early_scans = 16;

    /// Between these are slack, reach and the patience with reviews (below).
    static constexpr double least_slack = 0.02;
    static constexpr double most_slack = 0.5;
    static constexpr double least_reach = 0.5;
    static constexpr double most_reach = 1000;
    static constexpr std::uint64_t least_review_patience = 4;
    static constexpr std::uint64_t most_review_patience = 64;

    /// Why certificates are renewed.
    enum class Cause { region, gain };

    struct Stats {
        std::uint64_t scans = 0;
        std::uint64_t exhaustive_scans = 0;
        std::uint64_t renewals = 0;
        std::array<std::uint64_t, 2> because{};
        std::uint64_t of_all = 0;
        std::uint64_t reviews = 0;
        std::uint64_t slices = 0;
    };

    std::uint64_t because(Cause cause) const { return stats_.because[static_cast<std::size_t>(cause)]; }

    /// Whether it is much cheaper to look at the candidates than at all features: if both must be done in the end,
    /// something of what the exhaustive search would be allowed must be left to pay for a renewal.
    bool has_few_candidates() const { return 2 * scan_cost * candidates_.size() <= features_; }

    double theta() const { return renewing_ ? std::max(now_.theta(), next_.theta()) : now_.theta(); }

    /// Examines the waiting features.
    void settle() {
        const Count limit = rare_limit();
        spent_ += run_out_cost * waiting_.size();
        for (const FeatureId id : waiting_) {
            Record record = counters_.find(id);
            if (const Count on = counters_.occurrences(id, record); on <= limit) {
                counters_.set(id, record, Status::rare, list_of(record), limit - on);
                sweep_rare();
            } else {
                certify(id, record);
            }
        }
        waiting_.clear();
        // Then the next query must decide what to do about it.
        if (is_overdrawn()) end_calm();
    }

    /// Whether so much more has been spent than the exhaustive search would have that certificates that have run out
    /// must be left alone for a while.
    bool is_overdrawn() const { return spent_ > saved_ + saved_ / 4 * 3 + credit * features_; }

    /// Whether it is time to renew: the region has less than a quarter of its room left on some side, or the gain that
    /// queries need has come close to theta.
    bool is_renewal_due(double gain) const { return !calm_.contains(of_class_) || gain < calm_gain_; }

    /// Whether it is time for a review: there are more points than at the last one, or the candidates have cost more
    /// than it would.
    bool is_review_due() const { return n_ >= calm_points_ || scanned_since_renewal_ > calm_scans_; }

    /// Promises less, which is free: what has been granted stays valid. Then looks which candidates can have a
    /// certificate now.
    void review(double gain) {
        ++stats_.reviews;
        // Balance: certificates that allow for much make renewals rare and candidates many.
        if (scanned_since_renewal_ > dear_scans_ + 2 * renewal_cost()) {
            dear_scans_ = scanned_since_renewal_;
            slack_ = std::max(slack_ * 0.7, least_slack);
            reach_ = std::max(reach_ * 0.7, least_reach);
        }
        now_.tighten(of_class_, room(), (1 - slack_) * gain);
        if (listed_.size() > short_list) {
            now_.set_rare(std::max(now_.rare(), now_.find_rare(n_)));
            counters_.set_first_left(now_.rare());
            raise_sweep();
        }
        const std::size_t before = candidates_.size();
        spent_ += renewal_overhead;
        for (const FeatureId id : candidates_) certify(id, counters_.find(id));
        drop_demoted();
        review_patience_ = 4 * candidates_.size() > 3 * before ? std::min(2 * review_patience_, most_review_patience)
                                                               : least_review_patience;
        set_calm();
    }

    /// Sets when the next review and the next renewal are due.
    void set_calm() {
        calm_ = now_.region();
        for (std::size_t k = 0; k < n_classes(); ++k) {
            const Count room = calm_.upper[k] - calm_.lower[k];
            calm_.upper[k] -= removals_ ? room / 8 : room / 4;
            if (calm_.lower[k] > 0 && removals_) calm_.lower[k] += room / 8;
        }
        calm_gain_ = now_.theta() * (1 + slack_ / 3);
        calm_points_ = n_ < max_points / 2 ? n_ + n_ / 8 + 4 : max_points;
        calm_scans_ = scanned_since_renewal_ + review_patience_ * (check_cost * candidates_.size() + renewal_overhead);
    }

    /// Sets that nothing may be taken for granted, as during a renewal.
    void end_calm() {
        for (std::size_t k = 0; k < n_classes(); ++k) calm_.upper[k] = -1;
        calm_.is_cone = false;
    }

    /// Whether the query is to be answered by an exhaustive scan, because the last renewal was in vain and few queries
    /// have gone by since.
    bool is_waiting() {
        if (waited_ == patience_) return false;
        ++waited_;
        return true;
    }

    /// Whether what has been saved so far pays for a renewal, unless the last one was in vain.
    bool may_renew() {
        // The first one is on credit; but not if it may be the only query.
        if (stats_.renewals == 0) return stats_.exhaustive_scans > 0;
        if (!judged_) {
            // By now it is known what the last one led to.
            judged_ = true;
            if (spent_ - spent_before_ > saved_ - saved_before_) {
                wait_longer();
                end_calm();
                return false;
            }
            last_patience_ = 0;
        }
        // With a little credit, so that a stream that is asked seldom need not wait long for its second.
        return spent_ + renewal_cost() <= saved_ + saved_ / 4 + credit * features_;
    }

    /// Puts the next renewal off for twice as long as the last one that was in vain, but not so much longer that the
    /// points seen by then are others.
    void wait_longer() {
        const auto longest = static_cast<std::size_t>(n_ / gap_ / 16) + 1;
        last_patience_ = std::min(2 * last_patience_ + 1, longest);
        patience_ = last_patience_;
        waited_ = 0;
    }

    /// What a renewal is expected to cost. One of all features visits each, but checks few: most are rare.
    std::uint64_t renewal_cost() const {
        if (!promised_) return features_ + renewal_overhead;
        return last_renewal_cost_ * (listed_.size() + short_list) / (renewed_ + short_list);
    }

    /// Starts to renew all certificates, for a gain that queries need. False if none could be granted.
    bool begin_renewal(double gain, Cause cause) {
        // Balance, as in a review.
        if (promised_ && 2 * scanned_since_renewal_ < last_renewal_cost_) {
            if (cause == Cause::gain) slack_ = std::min(slack_ * 1.5, most_slack);
            if (cause == Cause::region) reach_ = std::min(reach_ * 1.5, most_reach);
        }
        judged_ = false;
        patience_ = waited_;
        spent_before_ = spent_;
        saved_before_ = saved_;
        spent_ += renewal_overhead;
        next_.make(of_class_, room(), (1 - slack_) * gain, removals_);
        if (renewing_) {
            // The renewal under way is abandoned. It has listed features that the list in force does not have; and some
            // hold its certificates already, which must not outlive it.
            listed_.insert(listed_.end(), next_listed_.begin(), next_listed_.end());
            renewing_ = false;
            if (!next_.holds_for_rare(0)) forget_certificates();
        }
        if (!next_.holds_for_rare(0)) return false;
        // Where every feature would need a certificate of its own, more points are likely to change that soon.
        if (!promised_ && stats_.exhaustive_scans < early_scans && next_.find_rare(n_) == 0) return false;
        end_calm();
        renews_all_ = !promised_ || !next_.holds_for_rare(now_.rare());
        next_.set_rare(now_.rare());
        if (renews_all_ || listed_.size() > short_list) {
            const Count found = next_.find_rare(n_);
            next_.set_rare(renews_all_ ? found : std::max(found, now_.rare()));
        }
        next_.remember(renews_all_ ? features_ : listed_.size());
        ++stats_.renewals;
        ++stats_.because[static_cast<std::size_t>(cause)];
        stats_.of_all += renews_all_ ? 1 : 0;
        renewing_ = true;
        list_ = list_ % 3 + 1;
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
            features_ = counters_.make_rare(0, counters_.size(), next_.rare(), true,
                                            [this](FeatureId id, Record record) { renew_one(id, record); });
            spent_ += counters_.size() / 2;
            cursor_ = listed_.size();
            swept_ = counters_.size();
        } else {
            const std::size_t end = amount < listed_.size() - cursor_ ? cursor_ + amount : listed_.size();
            for (; cursor_ < end; ++cursor_) renew_one(listed_[cursor_], counters_.find(listed_[cursor_]));
        }
        drop_demoted();
        cost_of_renewal_ += spent_ - before;
        if (cursor_ < listed_.size()) return;
        renewing_ = false;
        idle_ = false;
        std::swap(now_, next_);
        promised_ = true;
        listed_.swap(next_listed_);
        next_listed_.clear();
        counters_.set_first_left(now_.rare());
        if (renews_all_) {
            sweep_limit_ = now_.rare();
        } else {
            raise_sweep();
        }
        next_.stop_remembering();
        if (listed_.size() < short_list) now_.stop_remembering();
        last_renewal_cost_ = cost_of_renewal_ + renewal_overhead;
        renewed_ = listed_.size();
        // A renewal that leaves many features candidates was in vain.
        if (!has_few_candidates()) wait_longer();
        scanned_since_renewal_ = 0;
        dear_scans_ = 0;
        set_calm();
    }

    void renew_one(FeatureId id, Record record) {
        if (status(record) == Status::waiting) {
            // It is put on a list when it is examined, unless it is on this one already.
            if (list_of(record) != list_) counters_.set_list(record, 0);
        } else if (const Count on = counters_.occurrences(id, record); on <= next_.rare()) {
            demoted_ |= status(record) == Status::candidate;
            counters_.set(id, record, Status::rare, list_of(record) == list_ ? list_ : 0, next_.rare() - on);
        } else {
            certify(id, record);
        }
    }

    /// How far a region is to reach from the class counts. In a cone the counts may stray from their ratio as far as
    /// they do by chance: from n points on, that of class k to the other strays by about sqrt(n c_k / c_other) / 2, and
    /// more later, but in proportion to the points it never does by more than that.
    ClassCounts room() const {
        ClassCounts room = of_class_;
        const bool is_cone = Promise<Certificate>::makes_cone(of_class_, removals_);
        const Count most = (max_points - n_) / static_cast<Count>(n_classes());
        for (std::size_t k = 0; k < n_classes(); ++k) {
            // Nor is a box worth making that has been left when the next query comes.
            const double wanted = is_cone
                                      ? reach_ * std::sqrt(static_cast<double>(n_) * of_class_[k] / of_class_[1 - k])
                                      : std::max(std::min(2.0 * gap_, 0.3 * n_), 0.035 * reach_ * n_);
            room[k] = static_cast<Count>(std::min<double>(std::max(2.0, std::min<double>(wanted, n_)), most));
        }
        return room;
    }

    void drop_demoted() {
        if (!demoted_) return;
        demoted_ = false;
        std::erase_if(candidates_, [this](FeatureId id) { return status(counters_.find(id)) != Status::candidate; });
    }

    /// Starts to sweep anew if the limit of rareness has risen much.
    void raise_sweep() {
        if (now_.rare() / 2 <= sweep_limit_) return;
        sweep_limit_ = now_.rare();
        swept_ = 0;
    }

    Count rare_limit() const {
        return renewing_ ? (promised_ ? std::min(now_.rare(), next_.rare()) : next_.rare()) : now_.rare();
    }

    /// Lets more of the rare features, seen or not, have the benefit of a limit that has risen. Without it each would
    /// run out at the limit that it was given first, and be given the new one then.
    void sweep_rare() {
        if (renewing_ || swept_ >= counters_.size()) return;
        counters_.make_rare(swept_, swept_ + sweep, now_.rare(), false, [](FeatureId, Record) {});
        swept_ += sweep;
    }

    /// Grants a feature a certificate if it can, and makes it a candidate otherwise. Both are put on the list of those
    /// that the next renewal must visit.
    void certify(FeatureId id, Record record) {
        list(id, record);
        Promise<Certificate>& promise = renewing_ ? next_ : now_;
        const std::uint64_t before = promise.checks();
        const auto on = counters_.counts(id, record);
        const Count r = promise.grant(on.data(), counters_.occurrences(id, record));
        spent_ += visit_cost + check_cost * (promise.checks() - before);
        if (r >= 0) {
            demoted_ |= status(record) == Status::candidate;
            counters_.set(id, record, Status::certified, list_, r);
        } else {
            make_candidate(id, record);
        }
    }

    void make_candidate(FeatureId id, Record record) {
        if (status(record) != Status::candidate) candidates_.push_back(id);
        counters_.set(id, record, Status::candidate, list_, never);
    }

    /// Puts a feature on the list of those that the next renewal must visit, if it is not on it.
    void list(FeatureId id, Record record) {
        if (list_of(record) != list_) (renewing_ ? next_listed_ : listed_).push_back(id);
    }

    void forget_certificates() override {
        renewing_ = false;
        idle_ = false;
        end_calm();
        candidates_.clear();
        listed_.clear();
        next_listed_.clear();
        this->forget_all();
    }

    /// The promise in force, if there is one, and the promise that a renewal makes.
    Promise<Certificate> now_;
    Promise<Certificate> next_;
    /// While the class counts are in here, the gain that queries need is at least so much, and points and scans are at
    /// most so many, a query is just a look at the candidates.
    Region<ClassCounts> calm_;
    double calm_gain_ = 0;
    Count calm_points_ = 0;
    std::uint64_t calm_scans_ = 0;

    std::vector<FeatureId> candidates_;
    /// The features that are neither rare nor waiting.
    std::vector<FeatureId> listed_;

    /// Whether certificates that have run out are left alone, and queries answered by exhaustive scans: because the
    /// candidates could not answer the last query, and a renewal was not paid for, or because too much has been spent.
    bool idle_ = false;
    bool renewing_ = false;
    bool renews_all_ = false;
    bool demoted_ = false;
    /// The number of the list that features are put on now, 1 to 3.
    std::uint32_t list_ = 1;
    /// The limit of rareness at the start of the last sweep, and how many records it has visited.
    Count sweep_limit_ = 0;
    std::size_t swept_ = 0;
    std::size_t cursor_ = 0;
    std::vector<FeatureId> next_listed_;
    /// theta is the gain that a query needs, less this share: how far that gain may fall before certificates are
    /// renewed.
    double slack_ = 0.1;
    /// How far regions reach, in proportion.
    double reach_ = 2;
    /// How many times the cost of a review candidates may cost before the next.
    std::uint64_t review_patience_ = least_review_patience;

    /// How many points came between the last two queries.
    Count gap_ = 1;
    /// The most splits that a query has asked for since the last renewal was started: the next one provides for them.
    std::size_t asked_ = 1;

    // The cost of what was done and of what the exhaustive search would have done, in computations of a score.
    std::uint64_t spent_ = 0;
    std::uint64_t saved_ = 0;
    std::uint64_t scanned_since_renewal_ = 0;
    std::uint64_t dear_scans_ = 0;
    std::uint64_t cost_of_renewal_ = 0;
    std::uint64_t last_renewal_cost_ = 0;
    // The same when the last renewal was begun, and whether it has been judged by what was spent since.
    std::uint64_t spent_before_ = 0;
    std::uint64_t saved_before_ = 0;
    bool judged_ = false;
    // How many queries to wait before the next renewal, how many have been, and the same of the last one in vain.
    std::size_t patience_ = 0;
    std::size_t waited_ = 0;
    std::size_t last_patience_ = 0;
    std::size_t renewed_ = 0;  // the certificates that the last renewal left
    Stats stats_;
};

}  // namespace sapwood
