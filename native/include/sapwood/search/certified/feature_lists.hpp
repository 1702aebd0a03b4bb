#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/search/certified/record_flags.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Who is what among the features of a certified search: the only place where a feature's status changes, so that lists
/// and records agree.
///
/// Three lists: the candidates; the waiting, whose certificates have run out; and the listed, which are all that are
/// neither rare nor waiting, and maybe others: they are what a renewal must visit. A renewal fills a list of its own
/// while it goes over the one in force. A record tells the number of the list that its feature is on.
template <class Counters>
class FeatureLists {
public:
    using Record = typename Counters::Record;

    const std::vector<FeatureId>& candidates() const { return candidates_; }
    const std::vector<FeatureId>& waiting() const { return waiting_; }
    const std::vector<FeatureId>& listed() const { return listed_[in_force_]; }

    static Status status(const Counters& counters, Record record) {
        return RecordFlags::status(counters.flags(record));
    }

    /// A certificate has run out: its feature waits for another.
    void make_waiting(Counters& counters, FeatureId id, Record record) {
        const Status before = status(counters, record);
        const bool waits = before == Status::rare || before == Status::certified;
        counters.set(id, record, waits ? Status::waiting : before, list_of(counters, record), never_runs_out);
        if (waits) waiting_.push_back(id);
    }

    /// All that waited have been seen to.
    void end_waiting() { waiting_.clear(); }

    /// A feature that waited needs no certificate of its own for `left` more occurrences.
    void make_rare(Counters& counters, FeatureId id, Record record, Count left) {
        counters.set(id, record, Status::rare, list_of(counters, record), left);
    }

    /// The same, of one that a renewal visits: it is on no list but that of the renewal. Returns whether it was a
    /// candidate: `drop_demoted` must follow.
    bool make_rare_again(Counters& counters, FeatureId id, Record record, Count left) {
        const bool is_demoted = status(counters, record) == Status::candidate;
        counters.set(id, record, Status::rare, list_of(counters, record) == number_ ? number_ : 0, left);
        return is_demoted;
    }

    /// A renewal visits one that is waiting: it is put on a list when it is examined, unless it is on this one already.
    void unlist_waiting(Counters& counters, Record record) {
        if (list_of(counters, record) != number_) counters.set_list(record, 0);
    }

    /// A feature has been granted `granted` more occurrences; if that is negative, none, and it is a candidate. Returns
    /// whether it is no longer a candidate: `drop_demoted` must follow.
    bool make_certified(Counters& counters, FeatureId id, Record record, Count granted) {
        if (list_of(counters, record) != number_) listed_[filled_].push_back(id);
        const bool was_candidate = status(counters, record) == Status::candidate;
        if (granted >= 0) {
            counters.set(id, record, Status::certified, number_, granted);
            return was_candidate;
        }
        if (!was_candidate) candidates_.push_back(id);
        counters.set(id, record, Status::candidate, number_, never_runs_out);
        return false;
    }

    /// Removes from the candidates those that are none any more.
    void drop_demoted(Counters& counters) {
        std::erase_if(candidates_,
                      [&](FeatureId id) { return status(counters, counters.find(id)) != Status::candidate; });
    }

    /// A renewal begins, with a new list and number.
    void begin_renewal() {
        number_ = number_ % 3 + 1;
        filled_ = 1 - in_force_;
        listed_[filled_].clear();
    }

    /// It has visited all that were listed: its list is in force.
    void end_renewal() {
        listed_[in_force_].clear();
        in_force_ = filled_;
    }

    /// It is given up. What only its list has must be visited by the next one too.
    void abandon_renewal() {
        std::vector<FeatureId>& list = listed_[in_force_];
        list.insert(list.end(), listed_[filled_].begin(), listed_[filled_].end());
        filled_ = in_force_;
    }

    /// Makes every feature one that is rare, on no list, and does not run out.
    void forget(Counters& counters) {
        candidates_.clear();
        waiting_.clear();
        for (auto& list : listed_) list.clear();
        filled_ = in_force_;
        counters.set_first_left(never_runs_out);
        counters.for_each(
            [&](FeatureId id, Record record) { counters.set(id, record, Status::rare, 0, never_runs_out); });
    }

    std::size_t n_bytes() const {
        return (candidates_.capacity() + waiting_.capacity() + listed_[0].capacity() + listed_[1].capacity()) *
               sizeof(FeatureId);
    }

private:
    static std::uint32_t list_of(const Counters& counters, Record record) {
        return RecordFlags::list(counters.flags(record));
    }

    std::vector<FeatureId> candidates_;
    std::vector<FeatureId> waiting_;
    std::array<std::vector<FeatureId>, 2> listed_;
    /// Which of the two is in force, and which is added to: the other one during a renewal.
    std::size_t in_force_ = 0;
    std::size_t filled_ = 0;
    /// The number of the list that is added to, 1 to 3: so that a record of one list is not taken for one of the next.
    std::uint32_t number_ = 1;
};

}  // namespace sapwood
