// Trees on hostile streams: whole after every point, the same with every exact search, within their memory, however
// deep, and with classes that appear late.
#include "sapwood/tree/streaming_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/tree/validate_tree.hpp"
#include "streams.hpp"

namespace {

using sapwood::Count;
using sapwood::FeatureId;
using sapwood::Label;
using sapwood::Node;
using sapwood::NodeId;
using sapwood::Scores;
using sapwood::StreamingTree;
using sapwood::Route;
using sapwood::TreeOptions;
using sapwood::streams::Point;

#ifdef __SANITIZE_ADDRESS__
constexpr int times_fewer = 10;
#else
constexpr int times_fewer = 1;
#endif

// ---- options and streams -----------------------------------------------------------------------------------------

/// Bold options, so that few points suffice to split; another kind of tree for every number.
TreeOptions kind(std::string_view growth, std::size_t number) {
    constexpr std::array<std::string_view, 3> of_criteria{"entropy", "gini", "kearns_mansour"};
    constexpr std::array<std::string_view, 4> of_predictions{"adaptive", "majority", "naive_bayes", "logistic"};
    TreeOptions options;
    options.growth = growth;
    options.criterion = of_criteria[number % 3];
    options.leaf_prediction = of_predictions[number / 3 % 4];
    options.split_test = number % 2 == 0 ? "hoeffding" : "gaussian";
    options.delta = 0.2;
    options.tau = 0.2;
    options.min_samples_reevaluate = static_cast<Count>(1 + number % 7);
    if (number % 5 == 4) options.seed = number;
    if (number % 7 == 6) options.max_depth = 3;
    if (number % 11 == 5) options.max_leaves = 6;
    return options;
}

int classes_of(const TreeOptions& options, std::size_t number) {
    return options.criterion == "kearns_mansour" ? 2 : 2 + static_cast<int>(number % 4);
}

/// Thousands of features, most of them rare, and a few that tell of the class, ever others of them.
std::vector<Point> wide(int n, int d, int n_classes, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<Point> points;
    for (int i = 0; i < n; ++i) {
        Point point{{}, static_cast<Label>(random() % static_cast<unsigned>(n_classes))};
        for (int j = 0; j < 12; ++j) {
            const double u = uniform(random);
            point.features.push_back(static_cast<FeatureId>(d * u * u * u));
        }
        for (int j = 0; j < 40; ++j) {
            const bool speaks = (j + i / 2000) % n_classes == point.label;
            if (uniform(random) < (speaks ? 0.08 : 0.02)) point.features.push_back(7 * j);
        }
        std::sort(point.features.begin(), point.features.end());
        point.features.erase(std::unique(point.features.begin(), point.features.end()), point.features.end());
        points.push_back(std::move(point));
    }
    return points;
}

// ---- comparing ---------------------------------------------------------------------------------------------------

bool is_whole(const StreamingTree& tree) {
    try {
        tree.validate();
        return true;
    } catch (const std::logic_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return false;
    }
}

std::vector<double> predicted(const StreamingTree& tree, const Point& point) {
    Scores scores(tree.layout());
    tree.predict(point.features, scores);
    return scores.probabilities;
}

/// Whether two trees are the same to the last bit, but for how their searches keep the counts.
bool are_identical(const StreamingTree& a, const StreamingTree& b, const std::vector<Point>& points) {
    const std::vector<NodeId> in_a = a.in_order();
    const std::vector<NodeId> in_b = b.in_order();
    if (in_a.size() != in_b.size() || a.n_leaves() != b.n_leaves() || a.n() != b.n()) return false;
    for (std::size_t i = 0; i < in_a.size(); ++i) {
        const Node& one = a.node(in_a[i]);
        const Node& other = b.node(in_b[i]);
        const bool same = a.test(in_a[i]).feature == b.test(in_b[i]).feature && one.born == other.born &&
                          one.of_class == other.of_class && one.counted == other.counted &&
                          one.tested_at == other.tested_at && one.split_at == other.split_at &&
                          std::bit_cast<std::uint64_t>(one.gain) == std::bit_cast<std::uint64_t>(other.gain) &&
                          std::bit_cast<std::uint64_t>(one.margin) == std::bit_cast<std::uint64_t>(other.margin) &&
                          one.models.has_value() == other.models.has_value() &&
                          (!one.models || one.models->right == other.models->right);
        if (!same) return false;
    }
    return std::all_of(points.begin(), points.end(),
                       [&](const Point& point) { return predicted(a, point) == predicted(b, point); });
}

// ---- tests -------------------------------------------------------------------------------------------------------

struct Happened {
    std::int64_t split = 0;
    std::int64_t resplit = 0;
    std::int64_t paused = 0;
    std::int64_t resumed = 0;

    void add(const StreamingTree& tree) {
        split += tree.tally().split;
        resplit += tree.tally().resplit;
        paused += tree.tally().paused;
        resumed += tree.tally().resumed;
    }
};

/// Every point of every stream: the tree is whole, and does not depend on the search.
void hostile_streams(std::string_view growth) {
    Happened happened;
    std::size_t number = 0;
    for (const std::string_view name : sapwood::streams::names) {
        for (int repeat = 0; repeat < 3; ++repeat, ++number) {
            TreeOptions options = kind(growth, number);
            const int n_classes = classes_of(options, number);
            const auto seed = static_cast<unsigned>(number);
            const std::vector<Point> points = sapwood::streams::make(name, 500 / times_fewer, 12, seed, n_classes);
            StreamingTree certified(options);
            options.search = "exhaustive";
            StreamingTree exhaustive(options);
            std::mt19937 random(seed);
            for (std::size_t i = 0; i < points.size(); ++i) {
                const auto weight = static_cast<Count>(1 + (number % 2) * (random() % 3));
                for (StreamingTree* tree : {&certified, &exhaustive}) {
                    tree->cover_classes(points[i].label + std::size_t{1});
                    tree->learn(points[i].features, points[i].label, weight);
                }
                if (!CHECK(is_whole(certified))) break;
                if (i % 40 == 0 && !CHECK(is_whole(exhaustive) && are_identical(certified, exhaustive, points))) break;
            }
            if (!CHECK(are_identical(certified, exhaustive, points))) {
                std::fprintf(stderr, "%.*s %zu\n", static_cast<int>(name.size()), name.data(), number);
            }
            happened.add(certified);
        }
    }
    CHECK(happened.split > 100 / times_fewer);
    CHECK(growth == "hoeffding" ? happened.resplit == 0 : happened.resplit > 20 / times_fewer);
}

/// Many points, looked at now and then. Fewer where every node on the way learns from each.
void long_streams(std::string_view growth) {
    const int n = (growth == "hoeffding" ? 40000 : 2000) / times_fewer;
    std::size_t number = 0;
    for (const std::string_view name : sapwood::streams::names) {
        TreeOptions options = kind(growth, 3 * number);
        options.delta = 0.01;
        options.tau = 0.05;
        options.min_samples_reevaluate = 50;
        options.max_leaves = 300;
        StreamingTree tree(options);
        const std::vector<Point> points = sapwood::streams::make(name, n, 20, static_cast<unsigned>(number));
        for (std::size_t i = 0; i < points.size(); ++i) {
            tree.learn(points[i].features, points[i].label);
            if (i % 1000 == 0 && !CHECK(is_whole(tree))) break;
        }
        CHECK(is_whole(tree));
        CHECK(tree.n() == static_cast<std::int64_t>(points.size()));
        ++number;
    }
}

/// Of features that tell the classes apart one after the other a chain is made, each node on the side where all those
/// before are off.
void deep_chain(std::string_view growth) {
    constexpr int length = 1200;
    TreeOptions options = kind(growth, 0);
    options.tau = 1;
    options.min_samples_reevaluate = sapwood::max_points;
    StreamingTree tree(options);
    const std::vector<FeatureId> nothing;
    for (FeatureId j = 0; j < length; ++j) {
        for (int times = 0; times < 3; ++times) {
            tree.learn(std::vector<FeatureId>{j}, 1);
            tree.learn(nothing, 0);
        }
        if (j % (100 * times_fewer) == 0) CHECK(is_whole(tree));
    }
    CHECK(is_whole(tree));
    CHECK(tree.depth() >= 1000);
    CHECK(tree.path(nothing).size() == tree.depth() + 1);
    CHECK(tree.in_order().size() == tree.n_nodes());
    CHECK(predicted(tree, {{5}, 1})[1] > 0.5 && predicted(tree, {{}, 0})[0] > 0.5);
    // And it all comes down again when the root is split anew.
    if (growth == "hoeffding") return;
    TreeOptions bold = options;
    bold.min_samples_reevaluate = 4000;
    StreamingTree falls(bold);
    for (FeatureId j = 0; j < length / 2; ++j) {
        for (int times = 0; times < 3; ++times) {
            falls.learn(std::vector<FeatureId>{j}, 1);
            falls.learn(nothing, 0);
        }
    }
    const std::size_t before = falls.depth();
    const std::vector<FeatureId> late{length};
    for (int i = 0; i < 4000; ++i) falls.learn(i % 2 == 0 ? late : nothing, static_cast<Label>(i % 2 == 0));
    CHECK(before >= 500 && falls.depth() < before && falls.tally().pruned >= 1000);
    CHECK(is_whole(falls));
}

/// New classes change nothing between those that there were, and are learned from then on.
void classes_that_appear_late(std::string_view growth, std::string_view leaf_prediction) {
    TreeOptions options = kind(growth, 0);
    options.leaf_prediction = leaf_prediction;
    StreamingTree tree(options);
    const std::vector<Point> points = sapwood::streams::make("plain", 800, 15, 5, 2);
    for (const Point& point : points) tree.learn(point.features, point.label);
    CHECK(tree.n_leaves() > 3);
    std::vector<std::vector<double>> before;
    for (const Point& point : points) before.push_back(predicted(tree, point));
    tree.cover_classes(2);
    CHECK(tree.n_classes() == 2);
    tree.cover_classes(5);
    CHECK(tree.n_classes() == 5 && is_whole(tree));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::vector<double> after = predicted(tree, points[i]);
        const double known = after[0] + after[1];
        if (!CHECK(std::abs(after[0] / known - before[i][0]) < 1e-12)) break;
    }
    const std::vector<Point> more = sapwood::streams::make("plain", 1500, 15, 6, 5);
    for (std::size_t i = 0; i < more.size(); ++i) {
        tree.learn(more[i].features, more[i].label);
        if (i % 20 == 0 && !CHECK(is_whole(tree))) break;
    }
    int right = 0;
    for (const Point& point : more) right += StreamingTree::label_of(predicted(tree, point)) == point.label ? 1 : 0;
    CHECK(right > static_cast<int>(more.size()) / 4);
}

void too_many_classes() {
    for (const bool approximate : {false, true}) {
        TreeOptions options;
        if (approximate) options.search = "approximate";
        if (!approximate) options.criterion = "kearns_mansour";
        StreamingTree tree(options);
        tree.learn(std::vector<FeatureId>{1, 2}, 1);
        CHECK_THROWS(std::invalid_argument, tree.cover_classes(3));
        CHECK(tree.n_classes() == 2 && is_whole(tree));
    }
}

/// The limit holds after every point, and nodes stop and begin to learn for it.
void within_memory(std::string_view growth) {
    Happened happened;
    std::size_t number = 0;
    for (const std::int64_t max_bytes : {std::int64_t{1} << 16, std::int64_t{1} << 18, std::int64_t{1} << 20}) {
        for (const std::string_view leaf_prediction : {"adaptive", "majority", "logistic", "naive_bayes"}) {
            for (const std::string_view search : {"certified", "exhaustive"}) {
                TreeOptions options = kind(growth, 0);
                options.max_bytes = max_bytes;
                options.leaf_prediction = leaf_prediction;
                options.search = search;
                options.min_samples_reevaluate = 20;
                StreamingTree tree(options);
                const int n_classes = 2 + static_cast<int>(++number % 3);
                tree.cover_classes(static_cast<std::size_t>(n_classes));
                std::size_t most = 0;
                std::size_t i = 0;
                for (const Point& point : wide(6000 / times_fewer, 5000, n_classes, static_cast<unsigned>(number))) {
                    tree.learn(point.features, point.label);
                    most = std::max(most, tree.n_bytes());
                    if (i++ % 250 == 0 && !CHECK(is_whole(tree))) break;
                }
                CHECK(is_whole(tree));
                if (!CHECK(most <= static_cast<std::size_t>(max_bytes))) {
                    std::fprintf(stderr, "%.*s %.*s %zu > %ld\n", static_cast<int>(growth.size()), growth.data(),
                                 static_cast<int>(leaf_prediction.size()), leaf_prediction.data(), most,
                                 static_cast<long>(max_bytes));
                }
                // No search is begun anew at every other point, to be given up before it has learned anything.
                CHECK(tree.tally().resumed < tree.n() / 4);
                happened.add(tree);
            }
        }
    }
    CHECK(happened.split > 100 / times_fewer);
    CHECK(happened.paused > 100 / times_fewer);
    CHECK(happened.resumed > 10);
}

/// A trunk that no pause could make room for is no reason to pause.
void what_cannot_fit_is_not_waited_for() {
    TreeOptions options = kind("hoeffding", 0);
    options.search = "exhaustive";
    options.max_bytes = std::int64_t{1} << 18;
    StreamingTree tree(options);
    tree.cover_classes(4);
    for (const Point& point : wide(4000, 5000, 4, 1)) tree.learn(point.features, point.label);
    CHECK(tree.tally().resumed < 5);
    CHECK(is_whole(tree));
}

void refusals() {
    StreamingTree tree{TreeOptions()};
    const std::vector<FeatureId> features{0, 3};
    tree.learn(features, 1, sapwood::max_points - 1);
    CHECK_THROWS(std::overflow_error, tree.learn(features, 0, 2));
    CHECK(tree.n() == sapwood::max_points - 1 && std::as_const(tree).node(StreamingTree::root).of_class[0] == 0 &&
          is_whole(tree));
    tree.learn(features, 0, 1);
    CHECK(is_whole(tree));

    const auto refused = [](const std::function<void(TreeOptions&)>& change) {
        TreeOptions options;
        change(options);
        CHECK_THROWS(std::invalid_argument, StreamingTree(options));
    };
    refused([](TreeOptions& options) { options.growth = "fast"; });
    refused([](TreeOptions& options) { options.delta = 0; });
    refused([](TreeOptions& options) { options.delta = 0.5; });
    refused([](TreeOptions& options) { options.tau = -1; });
    refused([](TreeOptions& options) { options.grace_period = 0; });
    refused([](TreeOptions& options) { options.max_bytes = 1; });
    refused([](TreeOptions& options) { options.leaf_prediction = "best"; });
    refused([](TreeOptions& options) {
        options.split_test = "mcdiarmid";
        options.criterion = "kearns_mansour";
    });
}

/// A tree that can be broken, to see that it is noticed.
class Breakable : public StreamingTree {
public:
    using StreamingTree::StreamingTree;
    Node& at(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
    Route& test_of(NodeId id) { return tests_[static_cast<std::size_t>(id)]; }
    std::vector<NodeId>& free() { return free_; }
    std::size_t& leaves() { return n_leaves_; }
    std::int64_t& points() { return n_; }
};

void what_is_broken_is_noticed() {
    const std::vector<Point> points = sapwood::streams::make("taking turns", 900, 12, 1);
    const std::vector<std::function<void(Breakable&)>> damages{
        [](Breakable& tree) { ++tree.leaves(); },
        [](Breakable& tree) { ++tree.points(); },
        [](Breakable& tree) { tree.at(tree.test_of(0).child[1]).parent = 7; },
        [](Breakable& tree) { tree.test_of(0).child[1] = tree.test_of(0).child[0]; },
        [](Breakable& tree) { tree.test_of(0).child[1] = 1 << 20; },
        [](Breakable& tree) { ++tree.at(tree.test_of(0).child[0]).depth; },
        [](Breakable& tree) { tree.at(0).born = 1'000'000; },
        [](Breakable& tree) { tree.at(0).of_class[0] = -1; },
        [](Breakable& tree) { ++tree.at(0).counted[1]; },
        [](Breakable& tree) { tree.at(0).margin = tree.at(0).gain + 1; },
        [](Breakable& tree) { tree.at(0).split_at = tree.n() + 1; },
        [](Breakable& tree) { tree.at(tree.leaf_of({})).search.reset(); },
        [](Breakable& tree) { tree.at(tree.leaf_of({})).search->add({}, 0); },
        [](Breakable& tree) { tree.at(tree.leaf_of({})).models.reset(); },
        [](Breakable& tree) { tree.at(tree.leaf_of({})).models->right[1] = -1; },
        [](Breakable& tree) { ++tree.at(tree.leaf_of({})).bytes; },
        [](Breakable& tree) { tree.free().push_back(tree.leaf_of({})); },
        [](Breakable& tree) { tree.free().pop_back(); },
    };
    for (const auto& damage : damages) {
        Breakable tree(kind("extremely_fast", 0));
        for (const Point& point : points) tree.learn(point.features, point.label);
        CHECK(!tree.free().empty());
        CHECK(is_whole(tree));
        damage(tree);
        CHECK_THROWS(std::logic_error, tree.validate());
    }
}

}  // namespace

int main() {
    for (const std::string_view growth : sapwood::growths) {
        hostile_streams(growth);
        long_streams(growth);
        deep_chain(growth);
        for (const std::string_view prediction : sapwood::leaf_predictions) {
            classes_that_appear_late(growth, prediction);
        }
        within_memory(growth);
    }
    what_cannot_fit_is_not_waited_for();
    too_many_classes();
    refusals();
    what_is_broken_is_noticed();
    return sapwood::check::finish();
}
