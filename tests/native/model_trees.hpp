// Trees to be written and read: a long chain, one with paused nodes, one that asks for every kind of test, and ones of
// numbers; and what checks that a tree is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/tree/growth/make_growth.hpp"
#include "sapwood/tree/learn_rows.hpp"
#include "streams.hpp"

namespace sapwood::model_trees {

inline StreamingTree read(std::string_view bytes) {
    return read_tree(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

inline void learn(StreamingTree& tree, std::span<const streams::Point> points) {
    Count weight = 0;
    for (const streams::Point& point : points)
        tree.learn(Features(point.features), point.label, weight++ % 7 == 6 ? 3 : 1);
}

/// Checks every search of a tree, and that nodes fit together.
inline void validate(const StreamingTree& tree) {
    std::size_t n_leaves = 0;
    std::size_t n_leaves_beside = 0;
    for (const NodeId at : tree.body().all_nodes()) {
        const Node& node = tree.node(at);
        if (const SplitSearch* search = node.statistics.search()) {
            search->clone()->validate();
            CHECK(search->of_classes() == node.statistics.counted());
        }
        if (tree.nodes().is_leaf(at)) {
            ++(tree.nodes().is_beside(at) ? n_leaves_beside : n_leaves);
            CHECK(node.models.has_value() == tree.body().predictor().layout().keeps_anything());
        } else {
            for (const NodeId child : tree.nodes().children(at)) {
                CHECK(tree.nodes().parent(child) == at && tree.nodes().depth(child) == tree.nodes().depth(at) + 1);
            }
        }
    }
    CHECK(n_leaves == tree.nodes().n_leaves() && n_leaves_beside == tree.nodes().n_leaves_beside());
}

/// A chain as text makes them, only longer: nothing may recurse. Each inner node has counted one point; the tree says
/// that it has learned `n`, and each leaf that it has `in_leaf`.
inline StreamingTree chain(NodeId length, std::int64_t n, std::int64_t in_leaf) {
    TreeOptions options;
    options.search = SearchKind::exhaustive;
    options.leaf_prediction = LeafPrediction::majority;
    TreeBody tree(options, 2);
    TreeTally tally;
    tally.tested = tally.split = length;
    tree.restore_counts(n, tally, static_cast<std::uint64_t>(2 * length + 1));
    // Each before its children, those for off first; the chain goes on for off and for on in turn.
    using State = NodeStatistics::State;
    const auto leaf = [&](NodeId parent, bool passes, std::uint64_t born) {
        Node node;
        node.of_class = {in_leaf, 0};
        node.statistics =
            NodeStatistics::restored(State::counting, {0, 0}, 0, 0, 0, make_search(options.search_choice(2)));
        tree.restore_node({parent, passes}, born, Test(), std::move(node), nullptr);
    };
    NodeId at = no_node;
    std::vector<std::pair<NodeId, std::uint64_t>> waiting;
    for (NodeId i = 0; i < length; ++i) {
        const bool passes = i % 2 == 0 ? i > 0 : false;
        const auto born = static_cast<std::uint64_t>(i == 0 ? 0 : 2 * i - 1 + (passes ? 1 : 0));
        if (i > 0 && passes) leaf(at, false, born - 1);
        if (i > 0 && !passes) waiting.emplace_back(at, born + 1);
        Node node;
        node.of_class = {1, 0};
        node.split = {0.5, 0, i + 1};
        node.statistics = NodeStatistics::restored(State::ended, {1, 0}, 1, 0, 0, nullptr);
        at = tree.restore_node({at, passes}, born, Test(i), std::move(node), nullptr);
    }
    const auto born = static_cast<std::uint64_t>(2 * length - 1);
    leaf(at, false, born);
    leaf(at, true, born + 1);
    for (; !waiting.empty(); waiting.pop_back()) leaf(waiting.back().first, true, waiting.back().second);
    return StreamingTree(std::move(tree), make_growth(options));
}

/// A tree whose inner nodes ask for numbers and categories.
inline StreamingTree typed_tree() {
    TreeOptions options;
    options.leaf_prediction = LeafPrediction::majority;
    TreeBody tree(options, 2);
    // The features are 0 to 7, of which 2, 5 and 7 are values of a category, and 3 and 6 say that a number is there.
    for (const FeatureId presence : {3, 6}) tree.attributes().add_number({presence, 0.5, true, 2, 5});
    for (const int category : {-1, -1, 4, -1, -1, 4, -1, 4}) tree.attributes().add_feature(category);
    tree.use_attributes();
    TreeTally tally;
    tally.tested = tally.split = 2;
    tree.restore_counts(8, tally, 5);
    using State = NodeStatistics::State;
    const auto add = [&](NodeId parent, bool passes, std::uint64_t born, const Test& test, Count n) {
        Node node;
        node.of_class = {n, 1};
        if (test.kind() == TestKind::nothing) {
            node.statistics = NodeStatistics::restored(State::counting, {0, 0}, 0, 0, 0,
                                                       make_search(options.search_choice(2), &tree.attributes()));
        } else {
            node.split = {0.25, 0.125, static_cast<std::int64_t>(5 + born)};
            node.statistics = NodeStatistics::restored(State::ended, {n, 1}, n + 1, 0, 0, nullptr);
        }
        return tree.restore_node({parent, passes}, born, test, std::move(node), nullptr);
    };
    const NodeId root = add(no_node, false, 0, Test::is_above(AttributeId{1}, 37.5, true), 4);
    const NodeId inner = add(root, false, 1, Test::is_among({5, 2, 7}), 2);
    add(inner, false, 3, Test(), 1);
    add(inner, true, 4, Test(), 0);
    add(root, true, 2, Test(), 1);
    return StreamingTree(std::move(tree), make_growth(options));
}

/// Lets a tree learn points with two numbers, a category and a flag; the vocabulary may have been used before.
inline void learn_typed(StreamingTree& tree, Vocabulary& vocabulary, int n, unsigned seed) {
    std::mt19937 random(seed);
    for (KeyId value = 10; value < 14; ++value) vocabulary.set_category(value, 0);
    Vocabulary::Writing writing(vocabulary);
    PointMaker maker;
    for (int i = 0; i < n; ++i) {
        const auto label = static_cast<Label>(random() % tree.n_classes());
        std::vector<KeyId> keys{static_cast<KeyId>(10 + (random() % 2 + 2 * label) % 4)};
        if (random() % 3 == 0) keys.push_back(1);
        std::vector<KeyId> numbers{0};
        std::vector<double> values{static_cast<double>(random() % 4) + 1.5 * label};
        if (random() % 4 != 0) {
            numbers.push_back(1);
            values.push_back(static_cast<double>(random() % 3));
        }
        learn_keys(tree, writing, {keys, numbers, values}, label, 1, maker);
    }
}

/// A small tree of points with numbers and categories.
inline StreamingTree tree_of_numbers(TreeOptions options, std::size_t n_classes, int n) {
    options.delta = 0.3;
    StreamingTree tree(std::move(options));
    tree.cover_classes(n_classes);
    Vocabulary vocabulary;
    learn_typed(tree, vocabulary, n, 3);
    return tree;
}

}  // namespace sapwood::model_trees
