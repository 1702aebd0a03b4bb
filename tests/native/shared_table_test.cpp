// Tables that share their pages against plain maps: random writes, copies, moves, and the memory of all of them.
#include "sapwood/storage/shared_table.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using sapwood::Count;
using sapwood::FeatureId;
using sapwood::PagePool;
using sapwood::SharedTable;
using sapwood::Word;

/// A table and a map of its records beside it.
struct Pair {
    SharedTable table;
    std::map<FeatureId, std::vector<Count>> expected;
};

bool agrees(const Pair& pair, FeatureId slot, std::size_t record_size) {
    const Word* found = pair.table.find(slot);
    const auto known = pair.expected.find(slot);
    for (std::size_t w = 0; w < record_size; ++w) {
        if (found[w].count != (known == pair.expected.end() ? 0 : known->second[w])) return false;
    }
    return true;
}

/// Writes to a record; memory is taken only if the table does not own it, and never more than was said.
void write(Pair& pair, FeatureId slot, PagePool& pool, Count value) {
    const bool owned = pair.table.owns(slot);
    const std::size_t most = pair.table.bytes_to_own(slot);
    const std::size_t before = pool.n_bytes() + pair.table.n_bytes();
    Word* record = pair.table.own(slot);
    const std::size_t after = pool.n_bytes() + pair.table.n_bytes();
    CHECK(owned ? after == before : after > before && after <= before + most);
    CHECK(pair.table.owns(slot));
    CHECK(record == pair.table.find(slot));
    std::vector<Count>& expected = pair.expected[slot];
    expected.resize(pool.record_size());
    for (std::size_t w = 0; w < pool.record_size(); ++w) record[w].count = expected[w] = value + static_cast<Count>(w);
}

/// Writes to many records, found at once.
void write_all(Pair& pair, const std::set<FeatureId>& slots, PagePool& pool, Count value) {
    const std::vector<FeatureId> features(slots.begin(), slots.end());
    std::vector<Word*> records;
    const std::size_t most = pair.table.bytes_to_own(features);
    const std::size_t before = pool.n_bytes() + pair.table.n_bytes();
    pair.table.prefetch(features);
    pair.table.own(features, records);
    CHECK(pool.n_bytes() + pair.table.n_bytes() <= before + most);
    CHECK(records.size() == features.size());
    for (std::size_t i = 0; i < features.size(); ++i) {
        CHECK(pair.table.owns(features[i]));
        CHECK(records[i] == pair.table.find(features[i]));
        std::vector<Count>& expected = pair.expected[features[i]];
        expected.resize(pool.record_size());
        for (std::size_t w = 0; w < pool.record_size(); ++w) {
            records[i][w].count = expected[w] = value + static_cast<Count>(i + w);
        }
    }
}

/// Writes to many records one by one: none asks for more than was said of all of them before the first.
void write_each(Pair& pair, const std::set<FeatureId>& slots, PagePool& pool, Count value) {
    const std::size_t most = pair.table.bytes_to_own(std::vector<FeatureId>(slots.begin(), slots.end()));
    const std::size_t before = pool.n_bytes();
    for (const FeatureId slot : slots) {
        CHECK(pool.n_bytes() - before + pair.table.n_bytes() + pair.table.bytes_to_own(slot) <= most);
        write(pair, slot, pool, value);
    }
}

/// The memory of the pool is that of the distinct pages, each as often shared as its tables say, and of folders.
void check_memory(const std::vector<Pair>& pairs, const PagePool& pool) {
    std::set<const PagePool::Page*> pages;
    for (const Pair& pair : pairs) {
        std::size_t last = 0;
        bool ascending = true;
        pair.table.for_each_page([&](std::size_t number, const PagePool::Page* page) {
            ascending = ascending && (last <= number);
            last = number + 1;
            pages.insert(page);
        });
        CHECK(ascending);
    }
    const std::size_t in_pages = pages.size() * pool.page_bytes();
    CHECK(in_pages <= pool.n_bytes());
    CHECK((pool.n_bytes() - in_pages) % sizeof(PagePool::Folder) == 0);
}

void random_operations(std::size_t record_size, int n_operations, FeatureId n_slots, unsigned seed) {
    std::mt19937 random(seed);
    PagePool pool(record_size);
    CHECK(pool.n_bytes() == 0);
    {
        std::vector<Pair> pairs;
        pairs.push_back({SharedTable(pool), {}});
        const auto any = [&] { return static_cast<std::size_t>(random() % pairs.size()); };
        const auto any_slot = [&] {
            // Small slots more often, as frequent features have them.
            const double u = static_cast<double>(random() % 1000) / 1000;
            return static_cast<FeatureId>(u * u * n_slots);
        };
        for (int i = 0; i < n_operations; ++i) {
            const auto operation = random() % 100;
            if (operation < 10) {
                std::set<FeatureId> slots;
                for (auto times = random() % 150; times > 0; --times) slots.insert(any_slot());
                const auto value = static_cast<Count>(random() % 1000);
                if (random() % 2 == 0) {
                    write_all(pairs[any()], slots, pool, value);
                } else {
                    write_each(pairs[any()], slots, pool, value);
                }
            } else if (operation < 70) {
                write(pairs[any()], any_slot(), pool, static_cast<Count>(random() % 1000));
            } else if (operation < 78 && pairs.size() < 24) {
                const Pair& from = pairs[any()];
                const std::size_t before = pool.n_bytes();
                Pair copy = from;
                CHECK(pool.n_bytes() == before);
                pairs.push_back(std::move(copy));
            } else if (operation < 84 && pairs.size() > 1) {
                pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(any()));
            } else if (operation < 90) {
                Pair& to = pairs[any()];
                const Pair copy = pairs[any()];
                to = copy;
            } else if (operation < 93) {
                Pair& moved = pairs[any()];
                const Pair taken = std::move(moved);
                moved.expected.clear();
                CHECK(agrees(taken, any_slot(), record_size));
            } else {
                for (int times = 0; times < 20; ++times) CHECK(agrees(pairs[any()], any_slot(), record_size));
            }
            if (i % 64 == 0) check_memory(pairs, pool);
        }
        for (const Pair& pair : pairs) {
            bool all = true;
            for (FeatureId slot = 0; slot < n_slots; ++slot) all = all && agrees(pair, slot, record_size);
            CHECK(all);
        }
        check_memory(pairs, pool);
        CHECK(pool.n_bytes() > 0);
    }
    CHECK(pool.n_bytes() == 0);
}

/// What a split does: two copies that change in one record each have one page of their own, and share all others.
void copies_share() {
    PagePool pool(3);
    SharedTable parent(pool);
    for (FeatureId slot = 0; slot < 5000; ++slot) parent.own(slot)[2].count = slot;
    const std::size_t full = pool.n_bytes();
    SharedTable child = parent;
    SharedTable other = std::move(parent);
    CHECK(pool.n_bytes() == full);
    CHECK(!child.owns(77) && !other.owns(77));
    child.own(77)[0].count = 1;
    CHECK(pool.n_bytes() == full + pool.page_bytes() + sizeof(PagePool::Folder));
    CHECK(child.find(77)[0].count == 1 && child.find(77)[2].count == 77);
    CHECK(other.find(77)[0].count == 0 && other.find(77)[2].count == 77);
    // The other one is the only owner of what the first has left.
    CHECK(other.owns(77) && !other.owns(4999));
    CHECK(child.find(1'000'000) == pool.nothing() && pool.nothing()[2].count == 0);
}

/// A page that is put into two tables belongs to both, until one of them changes it.
void pages_put() {
    PagePool pool(1);
    {
        SharedTable first(pool);
        SharedTable second(pool);
        PagePool::Page* page = pool.make_page();
        page->words()[5].count = 9;
        first.put_page(3, page);
        second.put_page(3, page);
        pool.release(page);
        const FeatureId slot = 3 * static_cast<FeatureId>(PagePool::records_per_page) + 5;
        CHECK(first.find(slot)[0].count == 9 && second.find(slot) == first.find(slot));
        CHECK(!first.owns(slot));
        first.own(slot)[0].count = 8;
        CHECK(second.find(slot)[0].count == 9 && second.owns(slot));
    }
    CHECK(pool.n_bytes() == 0);
}

}  // namespace

int main() {
    unsigned seed = 0;
    for (const std::size_t record_size : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{15}}) {
        for (const FeatureId n_slots : {1, 16, 17, 300, 5000}) random_operations(record_size, 3000, n_slots, ++seed);
    }
    copies_share();
    pages_put();
    return sapwood::check::finish();
}
