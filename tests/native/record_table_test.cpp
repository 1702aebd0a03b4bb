// The table of records against a map, on ids that are dense, sparse, mixed and extreme.
#include "sapwood/storage/record_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "check.hpp"

namespace {

using sapwood::FeatureId;
using sapwood::RecordTable;

/// A table and a map of records beside it.
template <class Word, std::size_t fixed_stride, std::size_t ids_per_feature>
class Beside {
public:
    Beside(std::size_t stride, std::size_t smallest)
        : table_(std::vector<Word>(stride), smallest), smallest_(smallest) {
        CHECK(table_.stride() == stride);
        CHECK(table_.direct_size() == smallest);
    }

    void set_first(std::uint32_t word) { table_.first().back() = static_cast<Word>(word); }

    /// Reads a record, makes it where there is none, and writes to all of its words.
    bool touch(FeatureId id, std::mt19937& random) {
        const auto& constant = table_;
        const Word* before = constant.find(id);
        const auto known = expected_.find(id);
        if (known != expected_.end() && !CHECK(before != nullptr && agrees(before, known->second))) return false;
        // One that has not been seen has a record only if its id is small.
        const bool is_direct = static_cast<std::size_t>(id) < table_.n_in_use();
        if (known == expected_.end() && !CHECK(is_direct == (before != nullptr))) return false;
        if (known == expected_.end() && is_direct && !CHECK(is_untouched(before))) return false;

        const bool was_there = static_cast<std::size_t>(id) < table_.n_direct();
        Word* record = table_.find_or_make(id);
        if (!CHECK(record != nullptr && record == table_.find(id))) return false;
        if (known == expected_.end()) {
            const bool is_old = was_there && is_in_array_at(id, record);
            if (!CHECK(is_old ? is_untouched(record) : agrees(record, table_.first()))) return false;
        } else if (!CHECK(agrees(record, known->second))) {
            return false;
        }
        for (std::size_t k = 0; k < table_.stride(); ++k) record[k] = static_cast<Word>(1 + (random() >> 2));
        expected_[id].assign(record, record + table_.stride());
        return true;
    }

    /// Every record is found and walked, once; those that no one asked for are untouched, and small ids.
    void is_complete() {
        for (const auto& [id, words] : expected_) {
            const Word* record = table_.find(id);
            if (!CHECK(record != nullptr && agrees(record, words))) return;
        }
        std::set<FeatureId> walked;
        std::size_t n_hashed = 0;
        bool right = true;
        table_.for_each([&](FeatureId id, Word* record) {
            right &= walked.insert(id).second && record == table_.find(id);
            const auto known = expected_.find(id);
            const bool is_in_array = is_in_array_at(id, record);
            right &= known != expected_.end() ? agrees(record, known->second) : is_in_array && is_untouched(record);
            if (static_cast<std::size_t>(id) < table_.direct_size()) right &= is_in_array;
            if (is_in_array) right &= static_cast<std::size_t>(id) < table_.n_in_use();
            n_hashed += is_in_array ? 0 : 1;
        });
        CHECK(right);
        CHECK(walked.size() == table_.size());
        CHECK(n_hashed == table_.n_hashed());
        for (std::size_t place = 0; place < table_.n_places(); ++place) {
            const FeatureId id = table_.id_at(place);
            if (id < 0) continue;
            right &= table_.at(place) == table_.find(id);
            --n_hashed;
        }
        CHECK(n_hashed == 0);
        // What waits for the bound to rise is as if it had not been seen.
        for (std::size_t id = table_.n_in_use(); id < table_.n_direct(); ++id) {
            right &= is_untouched(table_.direct() + id * table_.stride());
        }
        for (const auto& entry : expected_) right &= walked.count(entry.first) == 1;
        CHECK(right);
    }

    bool is_growing() const { return table_.is_growing(); }

    /// Memory is proportional to the features seen, whatever their ids: at worst so many records below the bound for
    /// each, or one record, an id and buckets that are a quarter full, in vectors that may be half empty.
    void is_small() const {
        const std::size_t record = table_.stride() * sizeof(Word);
        // A table of up to 2^14 records may be half as full as a larger one.
        const std::size_t records = (table_.direct_size() <= 1 << 14 ? 2 : 1) * ids_per_feature;
        const std::size_t bytes_each = records * record + 2 * record + 2 * sizeof(FeatureId) + 8 * 8;
        CHECK(table_.n_bytes() <= (smallest_ + 1) * record + 256 + expected_.size() * bytes_each);
        CHECK(table_.n_bytes() >= table_.size() * record);
    }

private:
    /// Past the end of the array is memory of others, where a hashed record may happen to be.
    bool is_in_array_at(FeatureId id, const Word* record) const {
        const auto index = static_cast<std::size_t>(id);
        return index < table_.n_direct() && record == table_.direct() + index * table_.stride();
    }

    bool agrees(const Word* record, const std::vector<Word>& words) const {
        return std::equal(words.begin(), words.end(), record);
    }

    /// All 0 but for the last word, which may be any that was ever the first.
    bool is_untouched(const Word* record) const {
        return std::all_of(record, record + table_.stride() - 1, [](Word word) { return word == 0; });
    }

    RecordTable<Word, fixed_stride, ids_per_feature> table_;
    std::size_t smallest_;
    std::map<FeatureId, std::vector<Word>> expected_;
};

template <class Both, class Draw>
void follows_a_map(Both both, int operations, Draw draw) {
    std::mt19937 random(7);
    for (int i = 0; i < operations; ++i) {
        if (i % 1000 == 0) both.set_first(static_cast<std::uint32_t>(random() >> 1));
        if (!both.touch(draw(i), random)) return;
        // Often while it is small, where the bound is raised every few ids; a walk takes as long as all that is held.
        if (i < 200 || i % 5000 == 0 || (both.is_growing() && i % 701 == 0)) {
            both.is_complete();
            both.is_small();
        }
    }
    both.is_complete();
    both.is_small();
}

template <class Both>
void on_all_kinds_of_ids(const Both& both, int n) {
    std::mt19937 random(1);
    const auto check = [&](auto draw) { follows_a_map(both, n, draw); };
    check([](int i) { return i; });
    check([n](int i) { return n - i; });
    check([](int i) { return sapwood::max_points - i; });
    check([&](int) { return static_cast<FeatureId>(random() % 5000); });
    check([&](int) { return static_cast<FeatureId>(random() >> 1); });
    check([&](int i) { return static_cast<FeatureId>(i % 2 ? random() >> 1 : random() % 3000); });
    check([](int i) { return static_cast<FeatureId>(i * 3); });
    check([](int i) { return static_cast<FeatureId>(i * 15); });
    check([](int i) { return static_cast<FeatureId>(i * 17); });
    check([](int i) { return static_cast<FeatureId>(i * 33); });
    check([](int i) { return static_cast<FeatureId>(i % 16384 * 65536); });
    // As many ids of each number of digits: what is dense is a small part of it.
    check([&](int) { return static_cast<FeatureId>((random() >> 1) >> random() % 31); });
    // Extremes first, so that all the others are hashed for a while.
    check([&](int i) { return i < 3 ? sapwood::max_points - i : static_cast<FeatureId>(i % 2000); });
    // Single ids at both ends.
    check([](int i) { return i % 2 == 0 ? 0 : sapwood::max_points; });
}

/// Ids without gaps are looked up directly, however many there are, but for the last part until it is full enough.
void dense_ids_are_direct() {
    RecordTable<std::uint64_t, 1, 16> table({0}, 64);
    for (FeatureId id = 0; id < 100000; ++id) {
        table.find_or_make(id);
        CHECK(table.direct_size() + table.direct_size() / 16 + 16 > static_cast<std::size_t>(id));
    }
    CHECK(table.size() <= 2 * 100000 + 16);
}

/// Ids that stay above the bound when it is raised still count when it is raised again.
void ids_above_the_bound_are_not_forgotten() {
    RecordTable<std::uint64_t, 1, 8> table({0}, 16);
    const FeatureId far = 1 << 16;
    for (FeatureId i = 0; i < 3000; ++i) table.find_or_make(far + i);
    CHECK(table.direct_size() < 2048);
    for (FeatureId id = 0; id < 2048; ++id) table.find_or_make(id);
    CHECK(table.direct_size() == 2048);
    for (FeatureId i = 3000; i < 20000; ++i) table.find_or_make(far + i);
    CHECK(table.direct_size() == 2 * far);
}

/// Large enough to grow by and by: all of the kinds of growth happen, at once and not; the table is like a map after
/// every operation, and a copy made on the way goes on like the original.
template <class Draw>
void grows_like_a_map(std::size_t n, Draw draw) {
    using Table = RecordTable<std::uint64_t, 1, 16>;
    Table table({0}, 64);
    std::unordered_map<FeatureId, std::uint64_t> expected;
    std::optional<Table> copy;
    std::unordered_map<FeatureId, std::uint64_t> expected_of_copy;
    std::size_t growing = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const FeatureId id = draw(i);
        const auto count = [id](Table& counted, auto& twin) {
            return (*counted.find_or_make(id) += 3) == (twin[id] += 3);
        };
        if (!CHECK(count(table, expected))) return;
        if (!CHECK(*table.find(id) == expected[id])) return;
        growing += table.is_growing() ? 1 : 0;
        if (copy && !CHECK(count(*copy, expected_of_copy))) return;
        if (table.is_growing() && growing % 9973 == 1) {
            copy = table;
            expected_of_copy = expected;
            // All others too, and nothing but those.
            std::size_t n_seen = 0;
            bool right = true;
            copy->for_each([&](FeatureId each, const std::uint64_t* record) {
                if (*record == 0) return;
                ++n_seen;
                const auto known = expected.find(each);
                right &= known != expected.end() && *record == known->second && *table.find(each) == *record;
            });
            if (!CHECK(right && n_seen == expected.size())) return;
        }
    }
    for (const auto& [id, counted] : expected) {
        if (!CHECK(table.find(id) != nullptr && *table.find(id) == counted)) return;
    }
    for (const auto& [id, counted] : expected_of_copy) {
        if (!CHECK(*copy->find(id) == counted)) return;
    }
    CHECK(growing > 0);
}

void grows_on_all_kinds_of_ids() {
    std::mt19937 random(3);
    const auto check = [](std::size_t n, auto draw) { grows_like_a_map(n, draw); };
    check(120000, [&](std::size_t) { return static_cast<FeatureId>(random() % 1000000); });
    check(60000, [&](std::size_t) { return static_cast<FeatureId>(random() >> 1); });
    check(60000, [&](std::size_t i) { return static_cast<FeatureId>(i % 3 == 0 ? random() >> 1 : random() % 300000); });
    check(300000, [](std::size_t i) { return static_cast<FeatureId>(i); });
    check(40000, [](std::size_t i) { return static_cast<FeatureId>(i % 16384 << 17); });
    check(60000, [](std::size_t i) { return static_cast<FeatureId>(sapwood::max_points - i); });
    // Those that have been foreseen do not come, but larger ones, or smaller ones.
    check(100000, [&](std::size_t i) {
        return static_cast<FeatureId>(i < 35000 ? random() % 1000000 : i < 60000 ? random() >> 1 : random() % 20000);
    });
}

/// Ids that belong in one bucket and come when a table has just become full, so that they fill that bucket and are put
/// into the next one before anything is drained, are found as long as it is drained.
void ids_of_one_bucket_are_found_while_it_grows() {
    using Table = RecordTable<std::uint64_t, 1, 16>;
    constexpr std::size_t n_buckets = 512;
    const Table::Hashed buckets(1, n_buckets);
    // Four in each bucket, which makes it full, and some more that belong in the first one.
    std::vector<FeatureId> ids;
    std::vector<FeatureId> more;
    std::vector<int> in_bucket(n_buckets);
    for (FeatureId id = 1 << 30; ids.size() < 4 * n_buckets || more.size() < 3; ++id) {
        const std::size_t home = buckets.home(id);
        if (in_bucket[home] < 4) {
            ++in_bucket[home];
            ids.push_back(id);
        } else if (home == 0 && more.size() < 3) {
            more.push_back(id);
        }
    }
    // Whenever it is that buckets are drained.
    for (std::size_t turn = 0; turn < 4; ++turn) {
        Table table({0}, 64);
        for (const FeatureId id : ids) *table.find_or_make(id) = static_cast<std::uint64_t>(id);
        *table.find_or_make(more[0]) = static_cast<std::uint64_t>(more[0]);
        CHECK(table.is_growing());
        for (std::size_t i = 0; i < turn; ++i) table.find_or_make(ids[i]);
        for (const FeatureId id : more) *table.find_or_make(id) = static_cast<std::uint64_t>(id);
        for (const FeatureId other : ids) {
            table.find_or_make(other);
            for (const FeatureId id : more) {
                const std::uint64_t* record = table.find(id);
                if (!CHECK(record != nullptr && *record == static_cast<std::uint64_t>(id))) return;
            }
        }
        CHECK(!table.is_growing());
        CHECK(table.n_hashed() == ids.size() + more.size());
    }
}

/// An id far beyond all others, which are to be found directly, may come at any step of their way to the array, also
/// with the last: then nothing has been hashed.
void a_far_id_may_come_while_others_become_direct() {
    const FeatureId far = 1 << 30;
    std::mt19937 random(9);
    RecordTable<std::uint64_t, 1, 16> table({0}, 64);
    int steps = 0;
    for (int i = 0; i < 20000; ++i) {
        *table.find_or_make(static_cast<FeatureId>(random() % 200000)) += 1;
        if (table.n_in_use() == table.direct_size()) continue;
        ++steps;
        RecordTable<std::uint64_t, 1, 16> copy(table);
        *copy.find_or_make(far) = 5;
        const std::uint64_t* record = copy.find(far);
        if (!CHECK(record != nullptr && *record == 5 && copy.find(far - 1) == nullptr)) return;
    }
    CHECK(steps > 10);
}

/// A copy has records of its own.
void copies_are_independent() {
    RecordTable<std::int32_t, 0, 4> table(std::vector<std::int32_t>(6), 8);
    for (FeatureId id : {0, 5, 1 << 20, sapwood::max_points}) table.find_or_make(id)[3] = 7;
    RecordTable<std::int32_t, 0, 4> copy(table);
    for (FeatureId id : {0, 5, 1 << 20, sapwood::max_points}) {
        copy.find_or_make(id)[3] = 8;
        CHECK(table.find(id)[3] == 7);
    }
}

}  // namespace

int main() {
    on_all_kinds_of_ids(Beside<std::uint64_t, 1, 16>(1, 64), 20000);
    for (const std::size_t stride : {4u, 5u, 16u, 22u}) {
        on_all_kinds_of_ids(Beside<std::int32_t, 0, 4>(stride, 16), 10000);
    }
    on_all_kinds_of_ids(Beside<std::int32_t, 0, 4>(1002, 1), 500);
    grows_on_all_kinds_of_ids();
    ids_of_one_bucket_are_found_while_it_grows();
    a_far_id_may_come_while_others_become_direct();
    dense_ids_are_direct();
    ids_above_the_bound_are_not_forgotten();
    copies_are_independent();
    return sapwood::check::finish();
}
