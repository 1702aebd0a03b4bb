#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/certified/block_scores.hpp"
#include "sapwood/search/certified/packed_record.hpp"
#include "sapwood/search/certified/record_flags.hpp"
#include "sapwood/search/certified/seen_watch.hpp"
#include "sapwood/search/certified/wide_counts.hpp"
#include "sapwood/search/summed_counts.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/storage/record_table.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The counters of a certified search for two classes: eight bytes a feature, as many as its counts alone would take.
///
/// Counts that outgrow their 22 bits are continued in a table of their own (wide_counts.hpp), and a certificate that
/// allows more than 14 bits can say runs out early and is renewed. Both are rare, and are seen to when a certificate
/// runs out: between two such moments no count can change by more than `max_left + max_step`.
class PackedCounters {
public:
    using Word = std::uint64_t;
    using Record = Word*;
    using Counts = WideCounts::Counts;

    /// Trade-off: ids with gaps take up to 128 bytes for a feature, and are found directly, without a probe.
    static constexpr std::size_t ids_per_feature = 16;

    explicit PackedCounters(std::size_t, const HashSeed& seed = hash_seed, std::size_t = 0) : table_({0}, 64, seed) {}
    /// There is never room for a third class.
    static constexpr std::size_t room() { return 2; }

    const HashSeed& seed() const { return table_.seed(); }

    static constexpr std::size_t n_classes() { return 2; }

    /// Counts a point with the given features `change` times more, which uses up `uses` steps of their certificates;
    /// calls `run_out(id, record)` for each of which more are used up than there were. That must call `set_left`.
    template <class RunOut>
    SAPWOOD_INLINE void touch(Features features, Label label, Count change, Count uses, RunOut run_out) {
        if (uses > max_step) [[unlikely]]
            return touch_slowly(features, label, change, uses, run_out);
        if (features.empty()) return;
        // Four at a time, because what a point costs beyond counting is the branches. Those beyond a multiple of four
        // come first and without a branch on how many there are, which could not be foreseen: in place of those that
        // there are not, nothing is added to the first one. And nothing is called here, so that no register need be
        // saved: where there is more to do than to count, the rest of the point is left to another function.
        const Word delta = delta_of(label, change, uses);
        Word* const direct = table_.direct();
        const std::size_t size = table_.direct_size();  // a power of two
        const FeatureId* at = features.data();
        const FeatureId* const end = at + features.size();
        const std::size_t odd = features.size() % 4;
        const auto index = [&](std::size_t i) { return static_cast<std::size_t>(at[i]); };
        const std::size_t first = index(0);
        const std::size_t second = index(odd > 1 ? 1 : 0);
        const std::size_t third = index(odd > 2 ? 2 : 0);
        if ((first | second | third) >= size) [[unlikely]]
            return touch_rest({at, end}, delta, {0, uses}, run_out);
        const auto delta_if = [delta](bool holds) { return delta & (Word{0} - Word{holds}); };
        Word any = direct[first] += delta_if(odd > 0);
        any |= direct[second] += delta_if(odd > 1);
        any |= direct[third] += delta_if(odd > 2);
        if (is_negative(any)) [[unlikely]]
            return touch_rest({at, end}, delta, {static_cast<Count>(odd), uses}, run_out);
        for (at += odd; at != end; at += 4) {
            if (are_direct(at, size)) [[likely]] {
                if (!is_negative(add_four(direct, at, delta))) [[likely]]
                    continue;
                return touch_rest({at, end}, delta, {4, uses}, run_out);
            }
            return touch_rest({at, end}, delta, {0, uses}, run_out);
        }
    }

    /// Takes back points that were counted, by their sums, as `touch` does with one, and notes that their features have
    /// been seen.
    template <class RunOut>
    void take(const SummedCounts& gone, RunOut run_out) {
        Word* const direct = table_.direct();
        const std::size_t size = table_.direct_size();
        for (std::size_t i = 0; i < gone.ids.size(); ++i) {
            const Count* counts_gone = gone.row(i);
            const Count uses = counts_gone[0] + counts_gone[1];
            if (uses == 0) continue;
            const FeatureId id = gone.ids[i];
            const auto index = static_cast<std::size_t>(id);
            if (index >= size || uses > max_step) [[unlikely]] {
                take_slowly(id, counts_gone, run_out);
                continue;
            }
            const Word word = (direct[index] | Word{RecordFlags::seen_before} << Packed::flags_shift) +
                              delta_of(0, -counts_gone[0], counts_gone[0]) +
                              delta_of(1, -counts_gone[1], counts_gone[1]);
            direct[index] = word;
            if (is_negative(word)) [[unlikely]]
                end_of_left(id, direct + index, uses, run_out);
        }
    }

    Record find(FeatureId id) { return table_.find(id); }

    Record find_or_make(FeatureId id) {
        const std::size_t before = table_.direct_size();
        Record record = table_.find_or_make(id);
        if (table_.direct_size() != before) watch_.end();
        return record;
    }

    /// Appends those of the features that are on in exactly n points, which must be few: where a record holds only a
    /// part of the counts they are many.
    void append_with(Features features, Count n, std::vector<FeatureId>& found) const {
        const Word* const direct = table_.direct();
        const std::size_t size = table_.direct_size();
        for (const FeatureId id : features) {
            if (static_cast<std::size_t>(id) < size) [[likely]] {
                const Word word = direct[id];
                // The two counts are added where they lie, and only a sum that looks right is taken apart.
                const Word sum = (word + (word >> Packed::count_bits)) & Packed::count_mask;
                if (sum != static_cast<Word>(n)) [[likely]]
                    continue;
            }
            const auto [on0, on1] = counts(id);
            if (on0 + on1 == n) found.push_back(id);
        }
    }

    /// The features that are on in more than `most` points, in no order.
    std::vector<FeatureId> above(Count most) const {
        std::vector<FeatureId> found;
        const auto look_at = [&](FeatureId id, const Word* record) {
            if (occurrences(id, record) > most) found.push_back(id);
        };
        // In most blocks there is none: vectors see that soon. The size is a power of two, and no less.
        constexpr std::size_t block = 64;
        for (std::size_t first = 0; first < table_.direct_size(); first += block) {
            if (!detail::has_above(table_.direct() + first, block, most)) continue;
            for (std::size_t i = first; i < first + block; ++i) look_at(static_cast<FeatureId>(i), table_.direct() + i);
        }
        const_cast<PackedCounters*>(this)->table_.for_each_above(look_at);
        return found;
    }

    /// Counts of a feature, all 0 if it has no record.
    SAPWOOD_INLINE Counts counts(FeatureId id) const {
        const Word* record = table_.find(id);
        return record == nullptr ? Counts{} : counts(id, record);
    }

    SAPWOOD_INLINE Counts counts(FeatureId id, const Word* record) const {
        const Counts low{Packed::on0(*record), Packed::on1(*record)};
        if ((*record & Packed::wide_mask) == 0) [[likely]]
            return low;
        return wide_.whole(id, low);
    }

    Count occurrences(FeatureId id, const Word* record) const {
        const auto [on0, on1] = counts(id, record);
        return on0 + on1;
    }

    void set_counts(FeatureId id, Record record, const Counts& counts) {
        *record &= ~Packed::counts_mask;
        if (std::max(counts[0], counts[1]) >= wide_from || (*record & Packed::wide_mask) != 0) {
            *record |= Packed::wide_mask;
            Counts& rest = wide_.rest_of(id);
            for (std::size_t k = 0; k < 2; ++k) {
                const Count low = std::min(counts[k], low_part);
                rest[k] = counts[k] - low;
                *record |= static_cast<Word>(low) << (k * Packed::count_bits);
            }
        } else {
            *record |= static_cast<Word>(counts[0]) | static_cast<Word>(counts[1]) << Packed::count_bits;
        }
    }

    static bool seen(const Word* record) { return Packed::is_seen(*record); }

    /// How many more occurrences the certificate of a feature allows.
    static Count left(const Word* record) {
        return static_cast<Count>(static_cast<std::int64_t>(*record) >> Packed::left_shift);
    }

    /// The same is set; more than can be said is set as less.
    void set_left(FeatureId id, Record record, Count left) {
        set(id, record, RecordFlags::status(flags(record)), RecordFlags::list(flags(record)), left);
    }

    /// The same, with a status and the number of a list.
    void set(FeatureId id, Record record, Status status, std::uint32_t list, Count left) {
        const Word word = *record;
        const Word large = (word | word >> Packed::count_bits) & static_cast<Word>(wide_from);
        if ((large | (word & Packed::wide_mask)) != 0) [[unlikely]]
            set_counts(id, record, counts(id, record));
        *record = (*record & (Packed::seen_mask | Packed::wide_mask)) |
                  static_cast<Word>(status) << Packed::flags_shift |
                  Word{list} << (Packed::flags_shift + RecordFlags::list_shift) |
                  static_cast<Word>(std::min(left, max_left)) << Packed::left_shift;
    }

    /// What `left` is for a feature that has not been seen, from now on.
    void set_first_left(Count left) {
        first_left_ = left;
        table_.first().front() = 0;
        write_left(table_.first().data(), std::min(left, max_left));
    }

    static std::uint32_t flags(const Word* record) {
        return static_cast<std::uint32_t>(*record >> Packed::flags_shift) & RecordFlags::all;
    }
    static void set_list(Record record, std::uint32_t list) {
        set_flags(record, RecordFlags::with_list(flags(record), list));
    }
    static void set_flags(Record record, std::uint32_t flags) {
        *record = (*record & ~(Word{RecordFlags::all} << Packed::flags_shift)) | Word{flags} << Packed::flags_shift;
    }

    /// Calls `use(id, record)` for all features that have been seen, and for some that have not: for those that would
    /// otherwise not be noticed when they are seen.
    template <class Use>
    void for_each(Use use) {
        if (!watch_.is_on()) return table_.for_each(use);
        for (const FeatureId id : watch_.seen()) use(id, table_.direct() + id);
        table_.for_each_above(use);
    }

    template <class Use>
    void for_each(Use use) const {
        const_cast<PackedCounters*>(this)->for_each([&](FeatureId id, const Word* record) { use(id, record); });
    }

    /// Makes features with at most `limit` occurrences rare and lets them have as many, unless they are candidates or
    /// waiting; calls `use(id, record)` for those that it leaves as they are. Visits the places that `size`
    /// counts, from the `begin`-th to before the `end`-th. Returns how many of the features have been seen. `unlists`:
    /// whether those that it makes rare are on no list any more.
    template <class Use>
    std::size_t make_rare(std::size_t begin, std::size_t end, Count limit, bool unlists, Use use) {
        const Word kept = Packed::seen_mask | (unlists ? 0 : Packed::list_mask);
        std::size_t n_seen = 0;
        // `id(i)`: that of the i-th record.
        const auto visit = [&](Word* records, std::size_t size, auto id) {
            const auto [seen, others] = detail::make_rare(records, size, limit, max_left, kept);
            n_seen += seen;
            if (others == 0) return;
            for (std::size_t i = 0; i < size; ++i) {
                if (!Packed::can_be_rare(records[i], limit)) use(id(i), records + i);
            }
        };
        // The same for a record alone, which is not worth a call.
        const auto visit_one = [&](FeatureId id, Record record) {
            const Word word = *record;
            n_seen += Packed::is_seen(word) ? 1 : 0;
            if (!Packed::can_be_rare(word, limit)) return use(id, record);
            const Count left = limit - Packed::on0(word) - Packed::on1(word);
            *record = (word & kept) | static_cast<Word>(std::min(left, max_left)) << Packed::left_shift;
        };
        Word* direct = table_.direct();
        std::size_t i = begin;
        const std::vector<FeatureId>& listed = watch_.seen();
        for (; i < std::min(end, listed.size()); ++i) visit_one(listed[i], direct + listed[i]);
        // The records of the array that are not watched; also those that wait for the bound to rise.
        const std::size_t skipped = n_watched_over() - listed.size();
        const std::size_t n_before_hashed = table_.n_direct() - skipped;
        constexpr std::size_t block = 64;
        for (; i < std::min(end, n_before_hashed); i = std::min({i + block, end, n_before_hashed})) {
            visit(direct + skipped + i, std::min({block, end - i, n_before_hashed - i}),
                  [&](std::size_t k) { return static_cast<FeatureId>(skipped + i + k); });
        }
        for (; i < std::min(end, size()); ++i) {
            const FeatureId id = table_.id_at(i - n_before_hashed);
            if (id >= 0) visit_one(id, table_.at(i - n_before_hashed));
        }
        return n_seen;
    }

    /// Computes the scores of all seen features by `scorer.scores(on0, on1, size, of_class, out)`, and hands them over,
    /// at most `block` at a time: `use(scores, size, id, ascending)`, where `id(i)` is that of the i-th, and
    /// `ascending` says that ids go up, in this block and from one such block to the next. The scores of features that
    /// have not been seen, and of a block past its end up to a multiple of 8, are infinite. Features that are on in at
    /// most `limit()` points, which is asked before every block, are left out, unless it is 0. Returns how many
    /// features have been seen.
    template <std::size_t block, class Scorer, class ClassCounts, class Use, class Limit>
    std::size_t scan(const Scorer& scorer, const ClassCounts& of_class, Use use, Limit limit) {
        const auto score_all = [&](std::size_t size, auto words, auto id, bool ascending) {
            return detail::score_blocks<block>(scorer, of_class, wide_, size, words, id, ascending, use, limit);
        };
        const Word* direct = table_.direct();
        std::size_t n_seen = 0;
        std::array<Word, block> gathered;
        if (watch_.is_on()) {
            const std::vector<FeatureId>& listed = watch_.seen();
            const auto gather = [&](std::size_t first, std::size_t size) {
                for (std::size_t i = 0; i < size; ++i) gathered[i] = direct[listed[first + i]];
                return gathered.data();
            };
            n_seen += score_all(listed.size(), gather, [&](std::size_t i) { return listed[i]; }, false);
        }
        const std::size_t begin = n_watched_over();
        n_seen += score_all(
            table_.n_in_use() - begin, [&](std::size_t first, std::size_t) { return direct + begin + first; },
            [begin](std::size_t i) { return static_cast<FeatureId>(begin + i); }, true);
        watch_.spend(table_.n_in_use() - n_seen);
        std::array<FeatureId, block> ids;
        std::size_t place = 0;
        const auto gather_hashed = [&](std::size_t, std::size_t size) {
            for (std::size_t i = 0; i < size; ++place) {
                // What an empty place holds is overwritten by the next.
                gathered[i] = *table_.at(place);
                ids[i] = table_.id_at(place);
                i += ids[i] >= 0 ? 1 : 0;
            }
            return gathered.data();
        };
        n_seen += score_all(table_.n_hashed(), gather_hashed, [&](std::size_t i) { return ids[i % block]; }, false);
        if (watch_.is_worth(table_.direct_size())) begin_watch();
        return n_seen;
    }

    /// Computes the scores of the given features.
    template <class Scorer, class ClassCounts>
    void scores(const Scorer& scorer, const ClassCounts& of_class, Features ids, double* out) const {
        constexpr std::size_t block = 32;
        std::array<Count, block> on0;
        std::array<Count, block> on1;
        for (std::size_t first = 0; first < ids.size(); first += block) {
            const std::size_t size = std::min(block, ids.size() - first);
            for (std::size_t i = 0; i < size; ++i) {
                const Counts on = counts(ids[first + i]);
                on0[i] = on[0];
                on1[i] = on[1];
            }
            scorer.scores(on0.data(), on1.data(), size, of_class, out + first);
        }
    }

    /// How many places of records a walk over all features visits.
    std::size_t size() const {
        return watch_.seen().size() + (table_.n_direct() - n_watched_over()) + table_.n_places();
    }

    std::size_t n_bytes() const { return table_.n_bytes() + wide_.n_bytes() + watch_.n_bytes(); }

private:
    using Packed = detail::PackedRecord;

    static constexpr Count max_left = (1 << (63 - Packed::left_shift)) - 1;
    /// The heaviest point that is counted by plain additions: a count stays in its 22 bits, and the countdown in its
    /// 14, until `max_left` and one step more have been used.
    static constexpr Count max_step = 2048;
    /// From here on a count is continued in the table of rests, and is this much in its record at first: far from both
    /// ends of what a record can hold.
    static constexpr Count wide_from = 1 << (Packed::count_bits - 1);
    static constexpr Count low_part = wide_from / 2;

    static bool is_negative(Word word) { return static_cast<std::int64_t>(word) < 0; }

    static void write_left(Record record, Count left) {
        *record = (*record & ((Word{1} << Packed::left_shift) - 1)) | static_cast<Word>(std::int64_t{left})
                                                                          << Packed::left_shift;
    }

    static Word delta_of(Label label, Count change, Count uses) {
        return (static_cast<Word>(std::int64_t{change}) << (label * Packed::count_bits)) -
               (static_cast<Word>(uses) << Packed::left_shift);
    }

    /// Whether four ids are below the bound of direct look-ups, a power of two.
    static bool are_direct(const FeatureId* ids, std::size_t bound) {
        const auto index = [ids](std::size_t i) { return static_cast<std::size_t>(ids[i]); };
        return (index(0) | index(1) | index(2) | index(3)) < bound;
    }

    /// Adds to the records of four ids. The result is negative if one of them is.
    static Word add_four(Word* direct, const FeatureId* ids, Word delta) {
        Word any = direct[ids[0]] += delta;
        any |= direct[ids[1]] += delta;
        any |= direct[ids[2]] += delta;
        any |= direct[ids[3]] += delta;
        return any;
    }

    /// How many features of a point have been counted, and how many steps of its certificate that uses up for each.
    struct Progress {
        Count counted;
        Count uses;
    };

    /// Sees to the features that have run out among those that have been counted, and counts the others.
    template <class RunOut>
    SAPWOOD_NOINLINE void touch_rest(Features features, Word delta, Progress progress, RunOut run_out) {
        const Count uses = progress.uses;
        const FeatureId* at = features.data();
        const FeatureId* const end = at + features.size();
        const auto end_those_of = [&](std::size_t some) {
            // Which of them it is could not be foreseen, so no branch asks each.
            unsigned ended = 0;
            for (std::size_t i = 0; i < some; ++i) {
                ended |= static_cast<unsigned>(table_.direct()[at[i]] >> 63) << i;
            }
            for (; ended != 0; ended &= ended - 1) {
                const FeatureId id = at[std::countr_zero(ended)];
                end_of_left(id, table_.direct() + id, uses, run_out);
            }
            at += some;
        };
        end_those_of(static_cast<std::size_t>(progress.counted));
        Word* direct = table_.direct();
        std::size_t size = table_.direct_size();
        for (; at != end; ++at) {
            const auto index = static_cast<std::size_t>(*at);
            if (index < size) [[likely]] {
                const Word word = direct[index] + delta;
                direct[index] = word;
                if (is_negative(word)) [[unlikely]]
                    end_of_left(*at, direct + index, uses, run_out);
            } else {
                Record record = find_or_make(*at);
                direct = table_.direct();
                size = table_.direct_size();
                *record += delta;
                if (is_negative(*record)) end_of_left(*at, record, uses, run_out);
            }
        }
    }

    template <class RunOut>
    SAPWOOD_NOINLINE void touch_slowly(Features features, Label label, Count change, Count uses, RunOut run_out) {
        for (const FeatureId id : features) {
            Record record = find_or_make(id);
            const bool is_new = !seen(record);
            Counts now = counts(id, record);
            now[label] += change;
            set_counts(id, record, now);
            if (is_new) notice(id, record);
            if (left(record) >= uses) {
                set_left(id, record, left(record) - uses);
            } else {
                run_out(id, record);
            }
        }
    }

    template <class RunOut>
    SAPWOOD_NOINLINE void take_slowly(FeatureId id, const Count* counts_gone, RunOut run_out) {
        Record record = find(id);
        set_flags(record, flags(record) | RecordFlags::seen_before);
        for (const Label label : {Label{0}, Label{1}}) {
            if (const Count gone = counts_gone[label]; gone > 0) touch_slowly({&id, 1}, label, -gone, gone, run_out);
        }
    }

    /// A certificate was used up beyond its end; or a feature was seen that had been watched for.
    template <class RunOut>
    SAPWOOD_NOINLINE void end_of_left(FeatureId id, Record record, Count uses, RunOut run_out) {
        if (watch_.is_on() && occurrences(id, record) == uses &&
            (*record & Packed::seen_mask & ~Packed::counts_mask) == 0) {
            notice(id, record);
            if (left(record) >= uses) return set_left(id, record, left(record) - uses);
        }
        run_out(id, record);
    }

    /// How many records of the array are watched, or listed because their features have been seen.
    std::size_t n_watched_over() const { return watch_.is_on() ? table_.direct_size() : 0; }

    void begin_watch() {
        watch_.begin();
        for (std::size_t id = 0; id < table_.direct_size(); ++id) {
            Record record = table_.direct() + id;
            if (seen(record)) {
                watch_.list(static_cast<FeatureId>(id));
            } else {
                *record = 0;
            }
        }
    }

    /// A feature that had not been seen has been; what it was given to be noticed is replaced.
    void notice(FeatureId id, Record record) {
        if (!watch_.is_on() || static_cast<std::size_t>(id) >= table_.direct_size()) return;
        watch_.list(id);
        write_left(record, std::min(first_left_, max_left));
    }

    RecordTable<Word, 1, ids_per_feature> table_;
    Count first_left_ = 0;
    WideCounts wide_;
    SeenWatch watch_;
};

}  // namespace sapwood
