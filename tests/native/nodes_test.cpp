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

    operator Point() const { return {on, numbers}; }
};

// Features are 0 to 9, of which 6 to 9 are the values of a category; numbers are 0 to 3.
MadePoint drawn_point(std::mt19937& random) {
    MadePoint point;
    for (FeatureId id = 0; id < 10; ++id) {
        if (random() % 3 == 0) point.on.push_back(id);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        if (random() % 4 != 0) point.numbers.push_back({attribute_at(i), static_cast<double>(random() % 7) - 3});
    }
    return point;
}

Test drawn_test(std::mt19937& random) {
    const bool missing_passes = random() % 2 == 0;
    switch (random() % 3) {
        case 0:
            return Test(static_cast<FeatureId>(random() % 10));
        case 1:
            return Test::is_above(attribute_at(random() % 4), static_cast<double>(random() % 7) - 3, missing_passes);
        default: {
            Test::Categories some{9};
            for (FeatureId value = 8; value >= 6; --value) {
                if (random() % 2 == 0) some.push_back(value);
            }
            return Test::is_among(std::move(some));
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
            if (number.attribute == test.attribute()) return number.value > test.threshold();
        }
        return test.missing_passes();
    }
    return std::any_of(point.on.begin(), point.on.end(), [&](FeatureId id) { return has(test.categories(), id); });
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
    constexpr AttributeId third{3};
    CHECK(Test::is_above(third, 1, false) < Test::is_above(third, 2, false));
    // A feature is preferred to a number, and that to a set, whatever their ids.
    CHECK(Test(9) < Test::is_above(third, 1, false) && Test::is_above(third, 1, false) < Test::is_among({1, 2}));
    CHECK(Test::is_above(third, 1, false) < Test::is_above(third, 1, true));
    CHECK(Test::is_among({2, 1}) == Test::is_among({1, 2}) && !(Test::is_among({1, 2}) == Test::is_among({1, 3})));
    // What is missing is in no set; a threshold itself is not above it.
    CHECK(!Test::is_among({0, 1}).passes(Point(Features())));
    const std::vector<NumberValue> edge{{third, 2.5}};
    CHECK(!Test::is_above(third, 2.5, true).passes(Point({}, edge)));
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
