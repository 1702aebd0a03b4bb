#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sapwood/search/certified/record_flags.hpp"
#include "sapwood/search/summed_counts.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/storage/record_table.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The counters of a certified search for K classes with room for R >= K, a record of R + 2 words for every feature:
///     on[0], ..., on[R - 1]   the points of each class in which the feature is on; 0 from K on
///     left                    how many more occurrences its certificate allows
///     flags                   (record_flags.hpp)
///
/// What the functions promise is said where there are two classes (packed_counters.hpp).
class PlainCounters {
public:
    using Record = Count*;
    using Counts = std::span<const Count>;

    /// Fewer than with two classes, because records are larger.
    static constexpr std::size_t ids_per_feature = 4;

    explicit PlainCounters(std::size_t n_classes, const HashSeed& seed = hash_seed, std::size_t room = 0)
        : n_classes_(n_classes),
          nothing_(n_classes),
          table_(std::vector<Count>(std::max(n_classes, room) + 2),
                 std::clamp<std::size_t>(std::bit_floor(64 / (std::max(n_classes, room) + 2)), 1, 16), seed) {}

    const HashSeed& seed() const { return table_.seed(); }

    std::size_t n_classes() const { return n_classes_; }
    std::size_t room() const { return table_.stride() - 2; }
    /// Has more classes from now on, for which there is room.
    void take_classes(std::size_t n_classes) {
        nothing_.resize(n_classes);
        n_classes_ = n_classes;
    }

    template <class RunOut>
    void touch(Features features, Label label, Count change, Count uses, RunOut run_out) {
        const std::size_t left_at = room();
        for (const FeatureId id : features) {
            Record record = table_.find_or_make(id);
            record[label] += change;
            if ((record[left_at] -= uses) < 0) [[unlikely]]
                run_out(id, record);
        }
    }

    template <class RunOut>
    void take(const SummedCounts& gone, RunOut run_out) {
        for (std::size_t i = 0; i < gone.ids.size(); ++i) {
            Count uses = 0;
            for (std::size_t k = 0; k < n_classes_; ++k) uses += gone.row(i)[k];
            if (uses == 0) continue;
            Record record = find(gone.ids[i]);
            set_flags(record, flags(record) | RecordFlags::seen_before);
            for (std::size_t k = 0; k < n_classes_; ++k) record[k] -= gone.row(i)[k];
            if ((record[room()] -= uses) < 0) run_out(gone.ids[i], record);
        }
    }

    Record find(FeatureId id) { return table_.find(id); }
    Record find_or_make(FeatureId id) { return table_.find_or_make(id); }

    void append_with(Features features, Count n, std::vector<FeatureId>& found) const {
        for (const FeatureId id : features) {
            Count n_on = 0;
            for (const Count count : counts(id)) n_on += count;
            if (n_on == n) found.push_back(id);
        }
    }

    std::vector<FeatureId> above(Count most) const {
        std::vector<FeatureId> found;
        for_each([&](FeatureId id, const Count* record) {
            if (occurrences(id, record) > most) found.push_back(id);
        });
        return found;
    }

    Counts counts(FeatureId id) const {
        const Count* record = table_.find(id);
        return record == nullptr ? Counts(nothing_) : counts(id, record);
    }
    Counts counts(FeatureId, const Count* record) const { return {record, n_classes_}; }

    Count occurrences(FeatureId, const Count* record) const {
        Count sum = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) sum += record[k];
        return sum;
    }

    void set_counts(FeatureId, Record record, Counts counts) { std::copy(counts.begin(), counts.end(), record); }

    bool seen(const Count* record) const {
        if ((flags(record) & RecordFlags::seen_before) != 0) return true;
        return std::any_of(record, record + n_classes_, [](Count on) { return on > 0; });
    }

    Count left(const Count* record) const { return record[room()]; }
    void set_left(FeatureId, Record record, Count left) { record[room()] = left; }
    void set(FeatureId, Record record, Status status, std::uint32_t list, Count left) {
        set_flags(record, RecordFlags::with_list(RecordFlags::with_status(flags(record), status), list));
        record[room()] = left;
    }
    void set_first_left(Count left) { table_.first()[room()] = left; }

    std::uint32_t flags(const Count* record) const { return static_cast<std::uint32_t>(record[room() + 1]); }
    void set_list(Record record, std::uint32_t list) { set_flags(record, RecordFlags::with_list(flags(record), list)); }
    void set_flags(Record record, std::uint32_t flags) { record[room() + 1] = static_cast<Count>(flags); }

    template <class Use>
    void for_each(Use use) {
        table_.for_each(use);
    }

    template <class Use>
    void for_each(Use use) const {
        const_cast<PlainCounters*>(this)->for_each([&](FeatureId id, const Count* record) { use(id, record); });
    }

    template <class Use>
    std::size_t make_rare(std::size_t begin, std::size_t end, Count limit, bool unlists, Use use) {
        std::size_t n_seen = 0;
        for (std::size_t i = begin; i < std::min(end, size()); ++i) {
            const bool is_direct = i < table_.n_direct();
            const std::size_t at = is_direct ? i : i - table_.n_direct();
            const FeatureId id = is_direct ? static_cast<FeatureId>(at) : table_.id_at(at);
            if (id < 0) continue;
            Record record = is_direct ? table_.direct() + at * table_.stride() : table_.at(at);
            n_seen += seen(record) ? 1 : 0;
            const Status status = RecordFlags::status(flags(record));
            const Count on = occurrences(id, record);
            if (on > limit || (status != Status::rare && status != Status::certified)) {
                use(id, record);
            } else {
                set_flags(record, RecordFlags::with_status(flags(record), Status::rare));
                if (unlists) set_flags(record, RecordFlags::with_list(flags(record), 0));
                set_left(id, record, limit - on);
            }
        }
        return n_seen;
    }

    /// Nothing is left out: the scores are computed one by one, which takes longer than to compare.
    template <std::size_t block, class Scorer, class ClassCounts, class Use, class Limit>
    std::size_t scan(const Scorer& scorer, const ClassCounts& of_class, Use use, Limit) {
        std::array<double, block> scores;
        std::size_t n_seen = 0;
        const auto score_all = [&](std::size_t size, auto id, auto record_at, bool ascending) {
            for (std::size_t first = 0; first < size; first += block) {
                const std::size_t length = std::min(block, size - first);
                scores.fill(std::numeric_limits<double>::infinity());
                for (std::size_t i = 0; i < length; ++i) {
                    const Count* record = record_at(first + i);
                    if (id(first + i) < 0 || !seen(record)) continue;
                    scores[i] = scorer.score(record, of_class);
                    ++n_seen;
                }
                use(scores.data(), length, [&](std::size_t i) { return id(first + i); }, ascending);
            }
        };
        score_all(
            table_.n_in_use(), [](std::size_t i) { return static_cast<FeatureId>(i); },
            [this](std::size_t i) { return table_.direct() + i * table_.stride(); }, true);
        score_all(
            table_.n_places(), [this](std::size_t i) { return table_.id_at(i); },
            [this](std::size_t i) { return table_.at(i); }, false);
        return n_seen;
    }

    template <class Scorer, class ClassCounts>
    void scores(const Scorer& scorer, const ClassCounts& of_class, Features ids, double* out) const {
        for (std::size_t i = 0; i < ids.size(); ++i) out[i] = scorer.score(table_.find(ids[i]), of_class);
    }

    std::size_t size() const { return table_.n_direct() + table_.n_places(); }

    std::size_t n_bytes() const { return table_.n_bytes() + nothing_.capacity() * sizeof(Count); }

private:
    std::size_t n_classes_;
    std::vector<Count> nothing_;
    RecordTable<Count, 0, ids_per_feature> table_;
};

}  // namespace sapwood
