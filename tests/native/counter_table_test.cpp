// The table of counters against a map, on ids that are dense, sparse, mixed and extreme.
#include "sapwood/search/counter_table.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "check.hpp"

namespace {

using sapwood::Count;
using sapwood::CounterTable;
using sapwood::FeatureId;

/// A table and a map of records beside it. A record is K counts, `left` and the status.
template <std::size_t fixed_classes>
class Beside {
public:
    explicit Beside(std::size_t n_classes) : table_(n_classes), n_classes_(n_classes) {
        CHECK(table_.n_classes() == n_classes);
        CHECK(table_.stride() == n_classes + 2);
    }

    std::size_t size() const { return expected_.size(); }

    void set_first_left(Count first_left) {
        table_.set_first_left(first_left);
        first_left_ = first_left;
    }

    /// Reads a record, makes it where there is none, and writes to all of its words.
    bool touch(FeatureId id, std::mt19937& random) {
        const CounterTable<fixed_classes>& constant = table_;
        const Count* before = constant.find(id);
        const auto known = expected_.find(id);
        if (known != expected_.end() && !CHECK(before != nullptr && agrees(before, known->second))) return false;
        // One that has not been seen has a record only if its id is small, and nothing is counted in it yet.
        const bool is_direct = static_cast<std::size_t>(id) < table_.direct_size();
        if (known == expected_.end() && !CHECK(is_direct == (before != nullptr))) return false;
        if (known == expected_.end() && is_direct && !CHECK(is_untouched(before))) return false;

        Count* record = table_.find_or_make(id);
        if (!CHECK(record != nullptr && record == table_.find(id))) return false;
        if (known == expected_.end()) {
            if (!CHECK(is_untouched(record))) return false;
            if (before == nullptr && !CHECK(left(record) == first_left_)) return false;
        } else if (!CHECK(agrees(record, known->second))) {
            return false;
        }
        for (std::size_t k = 0; k < n_classes_; ++k) record[k] += static_cast<Count>(1 + random() % 3);
        left(record) = static_cast<Count>(random() >> 1);
        CounterTable<fixed_classes>::status(record, n_classes_) = static_cast<Count>(1 + random() % 1000);
        expected_[id].assign(record, record + table_.stride());
        return true;
    }

    /// Every record is found and walked, once; those that no one asked for are untouched, and small ids.
    void is_complete() {
        for (const auto& [id, words] : expected_) {
            const Count* record = table_.find(id);
            if (!CHECK(record != nullptr && agrees(record, words))) return;
        }
        std::set<FeatureId> walked;
        bool right = true;
        const auto visit = [&](FeatureId id, const Count* record) {
            right &= walked.insert(id).second && record == table_.find(id);
            const auto known = expected_.find(id);
            if (known != expected_.end()) {
                right &= agrees(record, known->second);
            } else {
                right &= static_cast<std::size_t>(id) < table_.direct_size() && is_untouched(record);
            }
        };
        table_.for_each([&](FeatureId id, Count* record) { visit(id, record); });
        CHECK(right);
        CHECK(walked.size() == table_.size());
        CHECK(std::includes(walked.begin(), walked.end(), expected_.begin(), expected_.end(),
                            [](const auto& a, const auto& b) { return id_of(a) < id_of(b); }));
        walked.clear();
        const CounterTable<fixed_classes>& constant = table_;
        constant.for_each(visit);
        CHECK(right);
        CHECK(walked.size() == table_.size());
        for (std::size_t id = 0; id < table_.direct_size(); ++id) {
            right &= table_.direct() + id * table_.stride() == table_.find(static_cast<FeatureId>(id));
        }
        CHECK(right);
    }

    /// Memory is proportional to the features seen, whatever their ids: at worst so many records below the bound for
    /// each, or one record, an id and buckets that are a quarter full, in vectors that may be half empty.
    void is_small() const {
        const std::size_t record = table_.stride() * sizeof(Count);
        // A table of up to 2^14 records may be half as full as a larger one.
        const std::size_t records = (table_.direct_size() <= 1 << 14 ? 2 : 1) * table_.ids_per_feature;
        const std::size_t bytes_each = records * record + 2 * record + 2 * sizeof(FeatureId) + 8 * 8;
        CHECK(table_.n_bytes() <= 16 * record + 256 + expected_.size() * bytes_each);
        CHECK(table_.n_bytes() >= table_.size() * record);
    }

    std::size_t direct_size() const { return table_.direct_size(); }

private:
    static FeatureId id_of(FeatureId id) { return id; }
    static FeatureId id_of(const std::pair<const FeatureId, std::vector<Count>>& entry) { return entry.first; }

    Count& left(Count* record) const { return CounterTable<fixed_classes>::left(record, n_classes_); }

    bool agrees(const Count* record, const std::vector<Count>& words) const {
        return std::equal(words.begin(), words.end(), record);
    }

    /// All 0 but for `left`, of which every value that was ever the first may be there.
    bool is_untouched(const Count* record) const {
        const bool no_counts = std::all_of(record, record + n_classes_, [](Count count) { return count == 0; });
        return no_counts && record[n_classes_ + 1] == 0;
    }

    CounterTable<fixed_classes> table_;
    std::size_t n_classes_;
    Count first_left_ = 0;
    std::map<FeatureId, std::vector<Count>> expected_;
};

template <std::size_t fixed_classes, class Draw>
void follows_a_map(std::size_t n_classes, int operations, Draw draw) {
    std::mt19937 random(7);
    Beside<fixed_classes> both(n_classes);
    for (int i = 0; i < operations; ++i) {
        if (i % 1000 == 0) both.set_first_left(static_cast<Count>(random() >> 1));
        if (!both.touch(draw(i), random)) return;
        // Often while it is small, where the bound is raised every few ids; a walk takes as long as all that is held.
        if (i < 200 || i % 5000 == 0) {
            both.is_complete();
            both.is_small();
        }
    }
    both.is_complete();
    both.is_small();
}

template <std::size_t fixed_classes>
void on_all_kinds_of_ids(std::size_t n_classes, int n) {
    std::mt19937 random(1);
    const auto check = [&](auto draw) { follows_a_map<fixed_classes>(n_classes, n, draw); };
    check([](int i) { return i; });
    check([n](int i) { return n - i; });
    check([](int i) { return sapwood::max_points - i; });
    check([&](int) { return static_cast<FeatureId>(random() % 5000); });
    check([&](int) { return static_cast<FeatureId>(random() >> 1); });
    check([&](int i) { return static_cast<FeatureId>(i % 2 ? random() >> 1 : random() % 3000); });
    check([](int i) { return static_cast<FeatureId>(i * 3); });
    check([](int i) { return static_cast<FeatureId>(i * 15); });
    check([](int i) { return static_cast<FeatureId>(i * 17); });
    check([](int i) { return static_cast<FeatureId>(i % 16384 * 65536); });
    // As many ids of each number of digits: what is dense is a small part of it.
    check([&](int) { return static_cast<FeatureId>((random() >> 1) >> random() % 31); });
    // Extremes first, so that all the others are hashed for a while.
    check([&](int i) { return i < 3 ? sapwood::max_points - i : static_cast<FeatureId>(i % 2000); });
    // Single ids at both ends.
    check([](int i) { return i % 2 == 0 ? 0 : sapwood::max_points; });
}

/// What a new record holds, below the bound and above it; records that exist stay as they are.
template <std::size_t fixed_classes>
void first_left_is_for_new_records(std::size_t n_classes) {
    using Table = CounterTable<fixed_classes>;
    const FeatureId large = 1 << 30;
    Table table(n_classes);
    CHECK(table.find(large) == nullptr);
    CHECK(Table::left(table.find(0), n_classes) == 0);
    table.set_first_left(5);
    CHECK(Table::left(table.find(0), n_classes) == 0);
    CHECK(Table::left(table.find_or_make(large), n_classes) == 5);
    table.set_first_left(sapwood::max_points);
    CHECK(Table::left(table.find(large), n_classes) == 5);
    CHECK(Table::left(table.find_or_make(large + 1), n_classes) == sapwood::max_points);
    const std::size_t direct_before = table.direct_size();
    FeatureId made = 0;
    while (table.direct_size() == direct_before) table.find_or_make(made++);
    CHECK(Table::left(table.find(0), n_classes) == 0);
    for (auto id = static_cast<FeatureId>(direct_before); static_cast<std::size_t>(id) < table.direct_size(); ++id) {
        CHECK(Table::left(table.find(id), n_classes) == sapwood::max_points);
    }
    CHECK(Table::left(table.find(large), n_classes) == 5);
}

/// Ids without gaps are looked up directly, however many there are, but for the last eighth until it is full.
void dense_ids_are_direct() {
    CounterTable<2> table(2);
    for (FeatureId id = 0; id < 100000; ++id) {
        table.find_or_make(id);
        CHECK(table.direct_size() + table.direct_size() / table.ids_per_feature + 16 > static_cast<std::size_t>(id));
    }
    CHECK(table.size() <= 2 * 100000 + 16);
}

/// Ids that stay above the bound when it is raised still count when it is raised again.
void ids_above_the_bound_are_not_forgotten() {
    CounterTable<2> table(2);
    const FeatureId far = 1 << 16;
    for (FeatureId i = 0; i < 3000; ++i) table.find_or_make(far + i);
    CHECK(table.direct_size() < 2048);
    for (FeatureId id = 0; id < 2048; ++id) table.find_or_make(id);
    CHECK(table.direct_size() == 2048);
    for (FeatureId i = 3000; i < 20000; ++i) table.find_or_make(far + i);
    CHECK(table.direct_size() == 2 * far);
}

/// A copy has records of its own.
void copies_are_independent() {
    CounterTable<0> table(4);
    for (FeatureId id : {0, 5, 1 << 20, sapwood::max_points}) table.find_or_make(id)[3] = 7;
    CounterTable<0> copy(table);
    for (FeatureId id : {0, 5, 1 << 20, sapwood::max_points}) {
        copy.find_or_make(id)[3] = 8;
        CHECK(table.find(id)[3] == 7);
    }
}

}  // namespace

int main() {
    on_all_kinds_of_ids<2>(2, 20000);
    for (const std::size_t n_classes : {2, 3, 14, 20}) on_all_kinds_of_ids<0>(n_classes, 10000);
    on_all_kinds_of_ids<0>(1000, 500);
    first_left_is_for_new_records<2>(2);
    first_left_is_for_new_records<0>(2);
    first_left_is_for_new_records<0>(100);
    dense_ids_are_direct();
    ids_above_the_bound_are_not_forgotten();
    copies_are_independent();
    return sapwood::check::finish();
}
