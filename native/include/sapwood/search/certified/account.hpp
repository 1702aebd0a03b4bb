#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sapwood/compiler.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What things cost the certified search with two classes, in scores of an exhaustive scan, which runs over plain
/// arrays in vectors. Rounded, and set so that the clock agrees with the account on the streams of `benchmarks.micro
/// hostile`.
struct BinaryPrices {
    /// To look at a candidate.
    static constexpr std::uint64_t candidate = 2;
    /// To check whether a certificate can be granted.
    static constexpr std::uint64_t check = 10;
    /// To give a feature a certificate, beside checks.
    static constexpr std::uint64_t grant = 10;
    /// To notice that a certificate has run out.
    static constexpr std::uint64_t run_out = 15;
};

/// The same with more classes, where a score takes so long (no vectors) that little else counts. Set on the twenty
/// classes of `benchmarks.micro multiclass`.
struct MulticlassPrices {
    static constexpr std::uint64_t candidate = 1;
    static constexpr std::uint64_t check = 6;
    static constexpr std::uint64_t grant = 1;
    static constexpr std::uint64_t run_out = 1;
};

/// The account of a certified search: what it has spent, what the exhaustive search would have spent on the same stream
/// ("saved"), and what can be afforded by that. Arithmetic alone: it knows neither counts nor certificates.
///
/// Guarantee, in computations of a score: renewals are begun while at most 1 1/4 of what was saved is spent, and
/// certificates that have run out are examined while at most 1 3/4 is; with eight exhaustive scans as a credit. What a
/// renewal really costs is known only afterwards, so that the account can be overdrawn by one.
template <class Prices>
class Account {
public:
    /// So few certificates are not worth an effort to have fewer, and their number says little about what the next
    /// renewal costs. A matter of scale: visiting 64 is little beside the points between two renewals.
    static constexpr std::size_t few_certificates = 64;

    /// What a renewal or a review costs beyond its visits and checks. An estimate: it counts only where there are few
    /// features, and keeps renewals rare there.
    static constexpr std::uint64_t overhead = 128;

    // The query.

    /// Begins a query, after `n` points and `touched` changed counts in all.
    SAPWOOD_INLINE void begin_query(Count n, std::uint64_t touched) {
        // What the exhaustive search would have done since the last query: counted, and now looked at every feature.
        // Where there are so few that to look at them is nothing beside the counting, certificates must not cost more
        // either.
        saved_ += features_ + std::min<std::uint64_t>(touched - touched_, 2 * features_);
        touched_ = touched;
        gap_ = std::max(1, n - n_);
        n_ = n;
    }

    /// The points that came between the last two queries, at least 1.
    Count gap() const { return gap_; }

    /// The features seen, when they were last counted: that is the price of an exhaustive scan.
    void set_features(std::size_t features) { features_ = features; }
    std::size_t features() const { return features_; }

    /// Whether looking at this number of candidates is much cheaper than looking at all features. If both must be done
    /// in the end, part of what the exhaustive search would be allowed must be left to pay for a renewal.
    SAPWOOD_INLINE bool are_few(std::size_t candidates) const {
        return 2 * Prices::candidate * candidates <= features_;
    }

    // Expenses.

    void pay(std::uint64_t cost) { spent_ += cost; }
    void pay_for_run_out(std::size_t certificates) { spent_ += Prices::run_out * certificates; }
    void pay_for_grant(std::uint64_t checks) { spent_ += Prices::grant + Prices::check * checks; }

    SAPWOOD_INLINE void pay_for_candidates(std::size_t candidates) {
        scores_ += candidates;
        spent_ += Prices::candidate * candidates;
        on_candidates_ += Prices::candidate * candidates;
    }

    /// An exhaustive scan, which has counted the features seen. What unseen records cost beyond them is no reason to
    /// put a renewal off.
    void pay_for_scan(std::size_t features) {
        features_ = features;
        ++scans_;
        scores_ += features;
        spent_ += features;
    }

    /// A scan of so many features and no others.
    void pay_for_scan_of(std::size_t some) {
        scores_ += some;
        spent_ += some;
    }

    /// Whether so much more has been spent than the exhaustive search would have that certificates that have run out
    /// must be left alone for a while. 1 3/4: so that the clock stays within twice the exhaustive search, which is the
    /// limit of `benchmarks.micro hostile`.
    bool is_overdrawn() const { return spent_ > saved_ + saved_ / 4 * 3 + credit * features_; }

    // Reviews.

    /// Sets when the next review is due: after an eighth more points, or when candidates have cost several times what
    /// it would.
    void schedule_review(std::size_t candidates) {
        // An eighth: a review costs little beside looking at the candidates in that number of queries.
        review_at_points_ = n_ < max_points / 2 ? n_ + n_ / 8 + 4 : max_points;
        review_at_cost_ = on_candidates_ + review_patience_ * (Prices::check * candidates + overhead);
    }

    SAPWOOD_INLINE bool is_review_due() const { return n_ >= review_at_points_ || on_candidates_ > review_at_cost_; }

    /// Notes what a review has led to: one that leaves more than three quarters of the candidates makes the next wait
    /// for twice as long.
    void reviewed(std::size_t candidates_before, std::size_t candidates_after) {
        review_patience_ = 4 * candidates_after > 3 * candidates_before
                               ? std::min(2 * review_patience_, most_review_patience)
                               : least_review_patience;
    }

    /// Whether candidates have cost more than twice a renewal since they last did, so that certificates should allow
    /// for less: rent or buy.
    bool are_candidates_dear(std::uint64_t price_of_renewal) {
        if (on_candidates_ <= dear_at_ + 2 * price_of_renewal) return false;
        dear_at_ = on_candidates_;
        return true;
    }

    // Renewals.

    enum class Verdict : std::uint8_t { affordable, too_dear, last_was_in_vain };

    /// What a renewal is expected to cost: one of all features visits each, but checks few, since most are rare.
    std::uint64_t price_of_all() const { return features_ + overhead; }
    /// One of what is listed costs as much as the last one, in proportion.
    std::uint64_t price_of_listed(std::size_t listed) const {
        return last_price_ * (listed + few_certificates) / (last_listed_ + few_certificates);
    }

    /// Whether what has been saved so far pays for a renewal, unless the last one turns out to have been in vain. Then
    /// the next is put off.
    Verdict judge_renewal(std::uint64_t price) {
        // The first one is on credit; but not if it may be the only query.
        if (renewals_ == 0) return scans_ > 0 ? Verdict::affordable : Verdict::too_dear;
        if (unjudged_) {
            // By now it is known what the last one led to.
            const bool in_vain = spent_ - unjudged_->spent > saved_ - unjudged_->saved;
            unjudged_.reset();
            if (in_vain) {
                put_off();
                return Verdict::last_was_in_vain;
            }
            patience_in_vain_ = 0;
        }
        // 1 1/4: what is left up to `is_overdrawn` is for the certificates that it grants.
        return spent_ + price <= saved_ + saved_ / 4 + credit * features_ ? Verdict::affordable : Verdict::too_dear;
    }

    /// Whether the query is to be answered by an exhaustive scan, because a renewal was in vain and few queries have
    /// gone by since. Counts the query.
    bool is_put_off() {
        if (waited_ == patience_) return false;
        ++waited_;
        return true;
    }

    /// Whether candidates have cost less than half of the last renewal since then: certificates should allow for more.
    bool was_renewal_dear() const { return 2 * on_candidates_ < last_price_; }

    /// Prepares a renewal, which may turn out to be impossible.
    void open_renewal() {
        unjudged_ = Balance{spent_, saved_};
        patience_ = waited_;
        spent_ += overhead;
    }

    /// Begins it.
    void begin_renewal() {
        ++renewals_;
        price_ = 0;
    }

    /// Counts what has been spent since as a part of it.
    void charge_to_renewal(std::uint64_t spent_before) { price_ += spent_ - spent_before; }

    /// Closes it. One that leaves many features candidates was in vain.
    void end_renewal(std::size_t listed, std::size_t candidates) {
        last_price_ = price_ + overhead;
        last_listed_ = listed;
        if (!are_few(candidates)) put_off();
        on_candidates_ = 0;
        dear_at_ = 0;
    }

    // What has been done.

    std::uint64_t spent() const { return spent_; }
    std::uint64_t saved() const { return saved_; }
    /// The scores computed to answer queries.
    std::uint64_t scores() const { return scores_; }
    std::uint64_t scans() const { return scans_; }
    std::uint64_t renewals() const { return renewals_; }

private:
    struct Balance {
        std::uint64_t spent;
        std::uint64_t saved;
    };

    /// How many exhaustive scans certificates may cost before anything has been saved. Trade-off: a stream that is
    /// asked seldom need not wait long for its second renewal, and eight scans soon count for nothing.
    static constexpr std::uint64_t credit = 8;
    /// How many times the price of a review candidates may cost before the next. The least is rent or buy with
    /// something to spare, the most what keeps reviews without effect below two per cent of the candidates' cost.
    static constexpr std::uint64_t least_review_patience = 4;
    static constexpr std::uint64_t most_review_patience = 64;

    /// Puts the next renewal off for twice as long as the last one that was in vain, but for no more than a sixteenth
    /// of the points so far: in so few more a stream hardly changes.
    void put_off() {
        const auto longest = static_cast<std::size_t>(n_ / gap_ / 16) + 1;
        patience_in_vain_ = std::min(2 * patience_in_vain_ + 1, longest);
        patience_ = patience_in_vain_;
        waited_ = 0;
    }

    std::size_t features_ = 0;
    std::uint64_t spent_ = 0;
    std::uint64_t saved_ = 0;
    std::uint64_t scores_ = 0;
    std::uint64_t scans_ = 0;
    std::uint64_t renewals_ = 0;

    // At the last query.
    Count n_ = 0;
    std::uint64_t touched_ = 0;

    /// The cost of candidates since the last renewal, and what it was when they were last found to be dear.
    std::uint64_t on_candidates_ = 0;
    std::uint64_t dear_at_ = 0;
    std::uint64_t review_at_cost_ = 0;
    Count review_at_points_ = 0;
    Count gap_ = 1;
    std::uint64_t review_patience_ = least_review_patience;

    /// The price so far of the renewal under way, that of the last one, and the certificates that it left.
    std::uint64_t price_ = 0;
    std::uint64_t last_price_ = 0;
    std::size_t last_listed_ = 0;
    /// Where the account stood when the last renewal was opened, until it is judged by what was spent since.
    std::optional<Balance> unjudged_;
    // How many queries to wait before the next renewal, how many have been, and the same of the last one in vain.
    std::size_t patience_ = 0;
    std::size_t waited_ = 0;
    std::size_t patience_in_vain_ = 0;
};

}  // namespace sapwood
