#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "sapwood/search/certified/account.hpp"
#include "sapwood/search/certified/certified_counts.hpp"
#include "sapwood/search/certified/feature_lists.hpp"
#include "sapwood/search/certified/margins.hpp"
#include "sapwood/search/certified/phase.hpp"
#include "sapwood/search/certified/promise.hpp"

namespace sapwood {

/// The certificates of a certified search: the promise in force and the one in the making, which features hold a
/// certificate and which are candidates for want of one, and how all are renewed.
///
/// Certificates are renewed for a new region and a new theta. Until a renewal is complete both promises hold, each for
/// some features, and the larger theta counts. Only features that are not rare are visited, and a list says which; a
/// renewal of all features is needed only where the limit of rareness no longer holds, and is done at once. A review
/// promises less instead, which leaves all certificates as they are, and visits the candidates alone.
///
/// Invariant: while `is_in_force` says so, every feature that is neither a candidate nor waiting has n * gain < theta.
template <class Certificate>
class Certificates {
public:
    using Counts = CertifiedCounts<Certificate>;
    using ClassCounts = typename Counts::ClassCounts;
    using Counters = typename Counts::Counters;
    using Record = typename Counts::Record;
    using CostAccount = Account<std::conditional_t<Certificate::fixed_classes == 2, BinaryPrices, MulticlassPrices>>;

    /// How often things were done.
    struct Tally {
        std::array<std::uint64_t, 2> because{};  // renewals, by cause
        std::uint64_t of_all = 0;
        std::uint64_t reviews = 0;
        std::uint64_t slices = 0;
    };

    explicit Certificates(std::size_t n_classes) : now_(n_classes), next_(n_classes), calm_(now_.region()) {}

    Phase phase() const { return phase_; }
    bool is_promised() const { return phase_ != Phase::unpromised; }

    const std::vector<FeatureId>& candidates() const { return lists_.candidates(); }
    const std::vector<FeatureId>& waiting() const { return lists_.waiting(); }
    const std::vector<FeatureId>& listed() const { return lists_.listed(); }
    const Tally& tally() const { return tally_; }
    std::uint64_t checks() const { return now_.checks() + next_.checks(); }
    /// Features with at most this number of occurrences need no certificate of their own.
    Count rare() const { return now_.rare(); }

    static Status status(const Counters& counters, Record record) {
        return FeatureLists<Counters>::status(counters, record);
    }

    /// What every feature outside the candidates stays below.
    double theta() const { return phase_ == Phase::renewing ? std::max(now_.theta(), next_.theta()) : now_.theta(); }

    /// Whether nothing has to be done for the class counts, and for a gain that queries need: the region has a quarter
    /// of its room left on every side, and the gain is not close to theta.
    SAPWOOD_INLINE bool is_calm(const ClassCounts& of_class) const {
        return phase_ == Phase::calm && calm_.contains(of_class);
    }
    SAPWOOD_INLINE bool is_calm(double gain) const { return gain >= calm_gain_; }

    /// Whether the promise in force holds for the class counts.
    bool is_in_force(const ClassCounts& of_class) const { return is_promised() && now_.region().contains(of_class); }

    /// A record has run out.
    void run_out(Counters& counters, FeatureId id, Record record) {
        if (is_promised()) {
            lists_.make_waiting(counters, id, record);
        } else {
            counters.set_left(id, record, never_runs_out);
        }
    }

    /// Whether every feature outside the candidates is certified now; examines the waiting ones.
    bool make_ready(Counts& counts, CostAccount& account) {
        if (!is_promised() || phase_ == Phase::idle || account.is_overdrawn()) return false;
        // During a renewal some certificates are of the one promise and some of the other, so both regions must hold;
        // but where only the old one has been left, the renewal can be completed.
        const bool renewing = phase_ == Phase::renewing;
        if (renewing && !next_.region().contains(counts.of_class())) return false;
        if (!now_.region().contains(counts.of_class())) {
            if (!renewing) return false;
            complete_renewal(counts, account);
        }
        settle(counts, account);
        return true;
    }

    /// Examines the waiting features.
    void settle(Counts& counts, CostAccount& account) {
        Counters& counters = counts.counters();
        const Count limit = phase_ == Phase::renewing ? std::min(now_.rare(), next_.rare()) : now_.rare();
        account.pay_for_run_out(waiting().size());
        for (const FeatureId id : waiting()) {
            Record record = counters.find(id);
            if (const Count on = counters.occurrences(id, record); on <= limit) {
                lists_.make_rare(counters, id, record, limit - on);
                sweep_rare(counters);
            } else {
                certify(counters, account, id, record);
            }
        }
        lists_.end_waiting();
        // Then the next query must decide what to do about it.
        if (account.is_overdrawn()) end_calm();
    }

    /// After an exhaustive scan has found the gain that a query needs: whether the candidates could have done without.
    void judge_scan(const Counts& counts, CostAccount& account, double gain) {
        if (phase_ == Phase::renewing || !is_in_force(counts.of_class())) return;
        if (gain < theta() || account.is_overdrawn()) {
            if (phase_ != Phase::idle) move_to(Phase::idle);
        } else if (phase_ == Phase::idle) {
            begin_calm(counts, account);
        }
    }

    /// Promises less, which is free: what has been granted stays valid. Then looks which candidates can have a
    /// certificate now. `gain`: what queries need.
    void review(Counts& counts, CostAccount& account, double gain) {
        Counters& counters = counts.counters();
        ++tally_.reviews;
        if (account.are_candidates_dear(price_of_renewal(account))) margins_.narrow();
        now_.tighten(counts.of_class(), room(counts, account), margins_.theta(gain));
        if (listed().size() > CostAccount::few_certificates) {
            now_.set_rare(std::max(now_.rare(), now_.find_rare(counts.n())));
            counters.set_first_left(now_.rare());
            raise_sweep();
        }
        const std::size_t before = candidates().size();
        account.pay(CostAccount::overhead);
        bool demoted = false;
        for (const FeatureId id : candidates()) demoted |= certify(counters, account, id, counters.find(id));
        if (demoted) lists_.drop_demoted(counters);
        account.reviewed(before, candidates().size());
        begin_calm(counts, account);
    }

    /// Whether what has been saved so far pays for a renewal.
    bool may_renew(CostAccount& account) {
        const auto verdict = account.judge_renewal(price_of_renewal(account));
        if (verdict == CostAccount::Verdict::last_was_in_vain) end_calm();
        return verdict == CostAccount::Verdict::affordable;
    }

    /// Begins to renew all certificates, for a gain that queries need. False if none could be granted: a gain that
    /// rounding may have made cannot be told from no gain.
    bool begin_renewal(Counts& counts, CostAccount& account, double gain, RenewalCause cause);

    /// Does all that is left of the renewal under way.
    void complete_renewal(Counts& counts, CostAccount& account) {
        renew(counts, account, std::numeric_limits<std::size_t>::max());
    }

    /// Does a slice of it: so much that it takes at most 64 queries of one point each, and is complete in half of the
    /// points after which the region may be left. If it is one of all features, that is all of it: such a renewal is as
    /// dear as a single scan, and cannot be done in parts.
    void renew_slice(Counts& counts, CostAccount& account) {
        ++tally_.slices;
        const std::size_t rest = listed().size() - visited_;
        const Count left = now_.region().room_left(counts.of_class(), counts.removals());
        const auto room = static_cast<std::size_t>(std::max(1, left));
        const std::size_t least = listed().size() / slices + least_slice;
        renew(counts, account, std::max(least, 2 * rest / room + 1) * static_cast<std::size_t>(account.gap()));
    }

    /// Whether the renewal under way is one of all features.
    bool renews_all() const { return scope_ == Scope::all; }

    /// Gives all certificates up, if there are any.
    void forget(Counters& counters) {
        if (!is_promised()) return;
        move_to(Phase::unpromised);
        lists_.forget(counters);
    }

    /// The certificates of a search over more classes: those that there were are given up, since they are proofs about
    /// the classes of then.
    void take_classes(Counters& counters, std::size_t n_classes) {
        forget(counters);
        now_ = Promise<Certificate>(n_classes);
        next_ = Promise<Certificate>(n_classes);
        calm_ = now_.region();
    }

    std::size_t n_bytes() const { return lists_.n_bytes() + now_.n_bytes() + next_.n_bytes(); }

private:
    /// What a renewal visits.
    enum class Scope : std::uint8_t { listed, all };

    /// How many records are swept for one rare feature that has run out: in vectors that costs about as much.
    static constexpr std::size_t sweep = 64;
    /// The first renewal may wait for this number of exhaustive scans, which is little beside what it may cost later.
    static constexpr std::uint64_t early_scans = 16;
    /// A renewal takes at most `slices` slices of at least `least_slice` features, which bounds the time that it adds
    /// to one query.
    static constexpr std::size_t slices = 64;
    static constexpr std::size_t least_slice = 16;

    void move_to(Phase phase) {
        assert(may_follow(phase_, phase));
        phase_ = phase;
    }

    /// Sets when the next review and the next renewal are due: that before less than a quarter of the region's room is
    /// left, which is what a renewal in slices needs (renew_slice).
    void begin_calm(const Counts& counts, CostAccount& account) {
        move_to(Phase::calm);
        calm_ = now_.region();
        for (std::size_t k = 0; k < counts.n_classes(); ++k) {
            const Count room = calm_.upper[k] - calm_.lower[k];
            calm_.upper[k] -= counts.removals() ? room / 8 : room / 4;
            if (calm_.lower[k] > 0 && counts.removals()) calm_.lower[k] += room / 8;
        }
        calm_gain_ = margins_.calm_gain(now_.theta());
        account.schedule_review(candidates().size());
    }

    /// Nothing may be taken for granted until something has been done.
    void end_calm() {
        if (phase_ == Phase::calm) move_to(Phase::alert);
    }

    ClassCounts room(const Counts& counts, const CostAccount& account) const {
        const bool is_cone = Promise<Certificate>::makes_cone(counts.of_class(), counts.removals());
        return margins_.room(counts.of_class(), counts.n(), account.gap(), is_cone);
    }

    std::uint64_t price_of_renewal(const CostAccount& account) const {
        return is_promised() ? account.price_of_listed(listed().size()) : account.price_of_all();
    }

    void renew(Counts& counts, CostAccount& account, std::size_t amount);

    /// Renews the certificate of a feature. Returns whether it is a candidate no more.
    bool renew_one(Counters& counters, CostAccount& account, FeatureId id, Record record) {
        if (status(counters, record) == Status::waiting) {
            lists_.unlist_waiting(counters, record);
            return false;
        }
        if (const Count on = counters.occurrences(id, record); on <= next_.rare()) {
            return lists_.make_rare_again(counters, id, record, next_.rare() - on);
        }
        return certify(counters, account, id, record);
    }

    /// Grants a feature a certificate if it can, and makes it a candidate otherwise. Returns whether it is a candidate
    /// no more.
    bool certify(Counters& counters, CostAccount& account, FeatureId id, Record record) {
        Promise<Certificate>& promise = phase_ == Phase::renewing ? next_ : now_;
        const std::uint64_t before = promise.checks();
        const auto on = counters.counts(id, record);
        const Count granted = promise.grant(on.data(), counters.occurrences(id, record));
        account.pay_for_grant(promise.checks() - before);
        return lists_.make_certified(counters, id, record, granted);
    }

    /// Begins to sweep anew if the limit of rareness has more than doubled.
    void raise_sweep() {
        if (now_.rare() / 2 <= sweep_limit_) return;
        sweep_limit_ = now_.rare();
        swept_ = 0;
    }

    /// Lets more of the rare features, seen or not, have the benefit of a limit that has risen. Without it each would
    /// run out at the limit that it was given first, and be given the new one then.
    void sweep_rare(Counters& counters) {
        if (phase_ == Phase::renewing || swept_ >= counters.size()) return;
        counters.make_rare(swept_, swept_ + sweep, now_.rare(), false, [](FeatureId, Record) {});
        swept_ += sweep;
    }

    Phase phase_ = Phase::unpromised;
    /// What the renewal under way visits.
    Scope scope_ = Scope::listed;
    /// The limit of rareness at the start of the last sweep, and how many records it has visited.
    Count sweep_limit_ = 0;
    std::size_t swept_ = 0;
    /// How many of the listed features the renewal under way has visited.
    std::size_t visited_ = 0;
    /// The promise in force, if there is one, and the promise that a renewal makes.
    Promise<Certificate> now_;
    Promise<Certificate> next_;
    /// While the class counts are in here, and the gain that queries need is at least so much, nothing is due.
    Region<ClassCounts> calm_;
    double calm_gain_ = 0;
    FeatureLists<Counters> lists_;
    Margins margins_;
    Tally tally_;
};

template <class Certificate>
bool Certificates<Certificate>::begin_renewal(Counts& counts, CostAccount& account, double gain, RenewalCause cause) {
    if (is_promised() && account.was_renewal_dear()) margins_.widen(cause);
    account.open_renewal();
    next_.make(counts.of_class(), room(counts, account), margins_.theta(gain), counts.removals());
    const bool can_grant = next_.holds_for_rare(0);
    if (phase_ == Phase::renewing) {
        // The renewal under way is abandoned. Some features hold its certificates already, which must not outlive it.
        lists_.abandon_renewal();
        if (!can_grant) forget(counts.counters());
    }
    if (!can_grant) return false;
    // Where every feature would need a certificate of its own, more points are likely to change that soon.
    if (!is_promised() && account.scans() < early_scans && next_.find_rare(counts.n()) == 0) return false;
    scope_ = is_promised() && next_.holds_for_rare(now_.rare()) ? Scope::listed : Scope::all;
    next_.set_rare(now_.rare());
    if (renews_all() || listed().size() > CostAccount::few_certificates) {
        const Count found = next_.find_rare(counts.n());
        next_.set_rare(renews_all() ? found : std::max(found, now_.rare()));
    }
    next_.remember(renews_all() ? account.features() : listed().size());
    ++tally_.because[static_cast<std::size_t>(cause)];
    tally_.of_all += renews_all() ? 1 : 0;
    account.begin_renewal();
    lists_.begin_renewal();
    visited_ = 0;
    move_to(Phase::renewing);
    return true;
}

/// Renews the certificates of `amount` more features; of all, if the renewal is one of all features.
template <class Certificate>
void Certificates<Certificate>::renew(Counts& counts, CostAccount& account, std::size_t amount) {
    Counters& counters = counts.counters();
    const std::uint64_t before = account.spent();
    bool demoted = false;
    if (renews_all()) {
        const auto visit = [&](FeatureId id, Record record) { demoted |= renew_one(counters, account, id, record); };
        account.set_features(counters.make_rare(0, counters.size(), next_.rare(), true, visit));
        account.pay(counters.size() / 2);  // to make a record rare costs half a score: both are done in vectors
        visited_ = listed().size();
        swept_ = counters.size();
    } else {
        const std::size_t end = amount < listed().size() - visited_ ? visited_ + amount : listed().size();
        for (; visited_ < end; ++visited_) {
            const FeatureId id = listed()[visited_];
            demoted |= renew_one(counters, account, id, counters.find(id));
        }
    }
    if (demoted) lists_.drop_demoted(counters);
    account.charge_to_renewal(before);
    if (visited_ < listed().size()) return;
    std::swap(now_, next_);
    lists_.end_renewal();
    counters.set_first_left(now_.rare());
    if (renews_all()) {
        sweep_limit_ = now_.rare();
    } else {
        raise_sweep();
    }
    next_.stop_remembering();
    if (listed().size() < CostAccount::few_certificates) now_.stop_remembering();
    account.end_renewal(listed().size(), candidates().size());
    begin_calm(counts, account);
}

}  // namespace sapwood
