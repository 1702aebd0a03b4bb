// The arena of a tree: routing against a walk by hand, typed tests against their definition, and what is freed is used
// again.
#include "sapwood/tree/nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using namespace sapwood;

/// A point with everything in it, as lists of its own.
struct MadePoint {
    std::vector<FeatureId> on;
    std::vector<NumberValue> numbers;
    std::vector<CategoryValue> categories;

    operator Point() const { return {on, numbers, categories}; }
};

// Features are 0 to 9, numbers 10 to 13, categories 14 to 17.
MadePoint drawn_point(std::mt19937& random) {
    MadePoint point;
    for (FeatureId id = 0; id < 10; ++id) {
        if (random() % 3 == 0) point.on.push_back(id);
    }
    for (FeatureId id = 10; id < 14; ++id) {
        if (random() % 4 != 0) point.numbers.push_back({id, static_cast<double>(random() % 7) - 3});
    }
    for (FeatureId id = 14; id < 18; ++id) {
        if (random() % 4 != 0) point.categories.push_back({id, static_cast<std::int32_t>(random() % 6)});
    }
    return point;
}

Test drawn_test(std::mt19937& random) {
    const bool missing_passes = random() % 2 == 0;
    switch (random() % 3) {
        case 0:
            return Test(static_cast<FeatureId>(random() % 10));
        case 1:
            return Test::is_above(static_cast<FeatureId>(10 + random() % 4), static_cast<double>(random() % 7) - 3,
                                  missing_passes);
        default: {
            Test::Categories some;
            for (std::int32_t value = 5; value >= 0; --value) {
                if (random() % 2 == 0) some.push_back(value);
            }
            return Test::is_among(static_cast<FeatureId>(14 + random() % 4), std::move(some), missing_passes);
        }
    }
}

/// The definition, without a look at how it is done.
bool passes(const Test& test, const MadePoint& point) {
    const auto has = [](const auto& list, auto value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    if (test.kind() == TestKind::is_on) return has(point.on, test.feature());
    if (test.kind() == TestKind::is_above) {
        for (const NumberValue& number : point.numbers) {
            if (number.attribute == test.feature()) return number.value > test.threshold();
        }
    } else {
        for (const CategoryValue& category : point.categories) {
            if (category.attribute == test.feature()) return has(test.categories(), category.value);
        }
    }
    return test.missing_passes();
}

void typed_tests_are_what_they_say() {
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        const Test test = drawn_test(random);
        const MadePoint point = drawn_point(random);
        if (!CHECK(test.passes(point) == passes(test, point))) return;
    }
    CHECK(Test().kind() == TestKind::nothing && Test(no_feature).kind() == TestKind::nothing);
    CHECK(Test(3) == Test(3) && !(Test(3) == Test(4)) && Test(3) < Test(4));
    CHECK(Test::is_above(3, 1, false) < Test::is_above(3, 2, false) && Test(3) < Test::is_above(3, 1, false));
    CHECK(Test::is_among(3, {2, 1}, true) == Test::is_among(3, {1, 2}, true));
    CHECK(!(Test::is_among(3, {1, 2}, true) == Test::is_among(3, {1, 2}, false)));
    // A value of a category that was never seen is in no set; a threshold itself is not above it.
    const std::vector<CategoryValue> unseen{{5, 99}};
    CHECK(!Test::is_among(5, {0, 1}, true).passes(Point({}, {}, unseen)));
    const std::vector<NumberValue> edge{{5, 2.5}};
    CHECK(!Test::is_above(5, 2.5, true).passes(Point({}, edge, {})));
}

/// Trees that grow and are pruned at random, with tests of every kind or of features alone.
void routing_and_pruning(bool typed, unsigned seed) {
    std::mt19937 random(seed);
    Nodes nodes;
    nodes.make(no_node);
    std::size_t most_ids = 0;
    for (int step = 0; step < 600; ++step) {
        const std::vector<NodeId> order = nodes.in_order();
        const NodeId at = order[random() % order.size()];
        if (nodes.is_leaf(at)) {
            const Test test = typed ? drawn_test(random) : Test(static_cast<FeatureId>(random() % 10));
            const NodeId off = nodes.make(at);
            const NodeId on = nodes.make(at);
            nodes.attach(at, test, off, on);
            CHECK(nodes.test(at) == test && nodes.child(at, false) == off && nodes.child(at, true) == on);
            CHECK(nodes.born(off) + 1 == nodes.born(on) && nodes.n_born() == nodes.born(on) + 1);
        } else if (random() % 6 == 0) {
            const std::size_t before = nodes.n_nodes();
            const std::vector<NodeId> freed = nodes.prune(at);
            CHECK(nodes.is_leaf(at) && nodes.n_nodes() == before - freed.size());
        }
        most_ids = std::max(most_ids, nodes.n_ids());
        std::size_t n_leaves = 0;
        for (const NodeId id : nodes.in_order()) {
            n_leaves += nodes.is_leaf(id) ? 1 : 0;
            if (nodes.is_leaf(id)) continue;
            for (const bool side : {false, true}) {
                const NodeId child = nodes.child(id, side);
                CHECK(nodes.parent(child) == id && nodes.depth(child) == nodes.depth(id) + 1);
            }
        }
        CHECK(n_leaves == nodes.n_leaves() && nodes.in_order().size() == nodes.n_nodes());
        const MadePoint point = drawn_point(random);
        std::vector<NodeId> by_hand{Nodes::root};
        while (!nodes.is_leaf(by_hand.back())) {
            by_hand.push_back(nodes.child(by_hand.back(), passes(nodes.test(by_hand.back()), point)));
        }
        if (!CHECK(nodes.path(point) == by_hand && nodes.leaf_of(point) == by_hand.back())) return;
    }
    // Ids of pruned nodes are given out again before there are new ones.
    CHECK(nodes.n_ids() == most_ids && most_ids < nodes.n_born());
    CHECK(typed || nodes.n_bytes() == nodes.free_ids().capacity() * sizeof(NodeId));
}

void shrinking() {
    Nodes nodes;
    nodes.make(no_node);
    for (int i = 0; i < 50; ++i) {
        const NodeId leaf = nodes.leaf_of(Features());
        const NodeId off = nodes.make(leaf);
        nodes.attach(leaf, Test(i), off, nodes.make(leaf));
    }
    nodes.prune(Nodes::root);
    nodes.shrink_to_root();
    CHECK(nodes.n_ids() == 1 && nodes.n_nodes() == 1 && nodes.n_leaves() == 1 && nodes.capacity() == 1);
}

}  // namespace

int main() {
    typed_tests_are_what_they_say();
    for (unsigned seed = 0; seed < 10; ++seed) routing_and_pruning(seed % 2 == 0, seed);
    shrinking();
    return check::finish();
}
