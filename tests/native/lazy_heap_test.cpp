// The lazy heap against an ordered set, after every operation.
#include "sapwood/storage/lazy_heap.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "check.hpp"

int main() {
    using sapwood::LazyHeap;
    using sapwood::Slot;
    using Entry = LazyHeap::Entry;
    std::mt19937 random(3);
    const std::size_t slots = 40;
    LazyHeap heap;
    std::vector<std::uint32_t> stamps(slots, 0);
    std::vector<double> keys(slots, 0);
    std::set<std::pair<double, Slot>> expected;
    const auto first = [](const Entry& x, const Entry& y) { return x.key != y.key ? x.key < y.key : x.slot < y.slot; };
    const auto live = [&](const Entry& entry) { return stamps[static_cast<std::size_t>(entry.slot)] == entry.stamp; };
    for (int step = 0; step < 200000; ++step) {
        const std::size_t i = random() % slots;
        const Slot slot = static_cast<Slot>(i);
        if (expected.erase({keys[i], slot}) > 0) heap.forget();
        ++stamps[i];
        if (random() % 4 != 0) {
            keys[i] = static_cast<double>(random() % 100);
            heap.push({keys[i], slot, stamps[i]}, first, live);
            expected.emplace(keys[i], slot);
        }
        CHECK(heap.size() == expected.size());
        CHECK(heap.entries().size() <= 2 * expected.size() + 64);
        const std::size_t k = random() % 5;
        std::vector<Entry> found;
        heap.first_k(k, first, live, found);
        CHECK(found.size() == std::min(k, expected.size()));
        auto at = expected.begin();
        for (const Entry& entry : found) CHECK(std::pair(entry.key, entry.slot) == *at++);
        const Entry* front = heap.first(first, live);
        CHECK((front == nullptr) == expected.empty());
        if (front != nullptr) CHECK(std::pair(front->key, front->slot) == *expected.begin());
    }
    return sapwood::check::finish();
}
