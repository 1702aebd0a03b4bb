// The index of features against a map, on ids that are dense, sparse, mixed and extreme.
#include "sapwood/storage/feature_index.hpp"

#include <map>
#include <random>

#include "check.hpp"

namespace {

using sapwood::FeatureId;
using sapwood::FeatureIndex;
using sapwood::Slot;

template <class Draw>
void follows_a_map(int operations, Draw draw) {
    FeatureIndex index;
    std::map<FeatureId, Slot> expected;
    for (int i = 0; i < operations; ++i) {
        const FeatureId id = draw(i);
        const auto known = expected.find(id);
        CHECK(index.find(id) == (known == expected.end() ? sapwood::no_slot : known->second));
        const auto slot = expected.emplace(id, static_cast<Slot>(expected.size())).first->second;
        CHECK(index.find_or_insert(id) == slot);
        CHECK(index.id(slot) == id);
    }
    CHECK(index.size() == expected.size());
    for (const auto& [id, slot] : expected) CHECK(index.find(id) == slot);
    // At worst 8 direct slots for a feature or 8 buckets, and the list of ids that a vector may hold twice.
    CHECK(index.n_bytes() <= 4096 + expected.size() * (8 * 4 + 8 * 8 + 2 * 4));
}

}  // namespace

int main() {
    std::mt19937 random(1);
    follows_a_map(20000, [](int i) { return i; });
    follows_a_map(20000, [](int i) { return sapwood::max_points - i; });
    follows_a_map(20000, [&](int) { return static_cast<FeatureId>(random() % 5000); });
    follows_a_map(20000, [&](int) { return static_cast<FeatureId>(random() >> 1); });
    follows_a_map(20000, [&](int i) { return static_cast<FeatureId>(i % 2 ? random() >> 1 : random() % 3000); });
    follows_a_map(20000, [](int i) { return static_cast<FeatureId>(i * 7); });
    follows_a_map(20000, [](int i) { return static_cast<FeatureId>(i * 9); });
    follows_a_map(20000, [](int i) { return static_cast<FeatureId>(i % 16384 * 65536); });
    return sapwood::check::finish();
}
