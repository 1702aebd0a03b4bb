// Trees on hostile streams: whole after every point, the same with every exact search, within their memory, however
// deep, and with classes that appear late.
#include "sapwood/tree/streaming_tree.hpp"

#include <algorithm>
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
#include "is_whole.hpp"
#include "kinds_of_tree.hpp"
#include "short_run.hpp"
#include "streams.hpp"

namespace {

using sapwood::Count;
using sapwood::Criterion;
using sapwood::FeatureId;
using sapwood::Growth;
using sapwood::Label;
using sapwood::LeafPrediction;
using sapwood::Node;
using sapwood::NodeId;
using sapwood::Nodes;
using sapwood::NodeStatistics;
using sapwood::Scores;
using sapwood::SearchKind;
using sapwood::SplitTestKind;
using sapwood::StreamingTree;
using sapwood::TreeOptions;
using sapwood::check::bold;
using sapwood::check::classes_of;
using sapwood::check::is_whole;
using sapwood::check::kind;
using sapwood::check::wide;
using sapwood::streams::Point;

constexpr int times_fewer = sapwood::check::is_short_run ? 10 : 1;
// A leaf that was paused misses a hundred points and more before it begins anew: a stream in which one does is longer.
constexpr int points_with_pauses = times_fewer == 1 ? 6000 : 3000;

// ---- comparing ---------------------------------------------------------------------------------------------------

std::vector<double> predicted(const StreamingTree& tree, const Point& point) {
    Scores scores = tree.make_scores();
    tree.predict(sapwood::Features(point.features), scores);
    return scores.probabilities;
}

/// Whether two trees are the same to the last bit, but for how their searches keep the counts.
bool are_identical(const StreamingTree& a, const StreamingTree& b, const std::vector<Point>& points) {
    const std::vector<NodeId> in_a = a.nodes().in_order();
    const std::vector<NodeId> in_b = b.nodes().in_order();
    if (in_a.size() != in_b.size() || a.nodes().n_leaves() != b.nodes().n_leaves() || a.n() != b.n()) return false;
    for (std::size_t i = 0; i < in_a.size(); ++i) {
        const Node& one = a.node(in_a[i]);
        const Node& other = b.node(in_b[i]);
        const NodeStatistics& of_one = one.statistics;
        const NodeStatistics& of_other = other.statistics;
        const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
        const bool same = a.nodes().test(in_a[i]) == b.nodes().test(in_b[i]) &&
                          a.nodes().born(in_a[i]) == b.nodes().born(in_b[i]) && one.of_class == other.of_class &&
                          of_one.counted() == of_other.counted() && of_one.tested_at() == of_other.tested_at() &&
                          one.split.at == other.split.at && bits(one.split.gain) == bits(other.split.gain) &&
                          bits(one.split.margin) == bits(other.split.margin) &&
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
void hostile_streams(Growth growth) {
    Happened happened;
    std::size_t number = 0;
    for (const std::string_view name : sapwood::streams::names) {
        for (int repeat = 0; repeat < 3; ++repeat, ++number) {
            TreeOptions options = kind(growth, number);
            const int n_classes = classes_of(options, number);
            const auto seed = static_cast<unsigned>(number);
            const std::vector<Point> points = sapwood::streams::make(name, 500 / times_fewer, 12, seed, n_classes);
            StreamingTree certified(options);
            options.search = SearchKind::exhaustive;
            StreamingTree exhaustive(options);
            std::mt19937 random(seed);
            for (std::size_t i = 0; i < points.size(); ++i) {
                const auto weight = static_cast<Count>(1 + (number % 2) * (random() % 3));
                for (StreamingTree* tree : {&certified, &exhaustive}) {
                    tree->cover_classes(points[i].label + std::size_t{1});
                    tree->learn(sapwood::Features(points[i].features), points[i].label, weight);
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
    CHECK(growth == Growth::extremely_fast ? happened.resplit > 20 / times_fewer : happened.resplit < happened.split);
    CHECK(growth != Growth::hoeffding || happened.resplit == 0);
}

/// Many points, looked at now and then. Fewer where every node on the way learns from each.
void long_streams(Growth growth) {
    const int n = (growth == Growth::hoeffding ? 40000 : 2000) / times_fewer;
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
            tree.learn(sapwood::Features(points[i].features), points[i].label);
            if (i % 1000 == 0 && !CHECK(is_whole(tree))) break;
        }
        CHECK(is_whole(tree));
        CHECK(tree.n() == static_cast<std::int64_t>(points.size()));
        ++number;
    }
}

/// Of features that tell the classes apart one after the other a chain is made, each node on the side where all those
/// before are off.
void deep_chain(Growth growth) {
    constexpr int length = 1200;
    TreeOptions options = bold(growth);
    options.tau = 1;
    options.min_samples_reevaluate = sapwood::max_points;
    StreamingTree tree(options);
    const std::vector<FeatureId> nothing;
    for (FeatureId j = 0; j < length; ++j) {
        for (int times = 0; times < 3; ++times) {
            tree.learn(sapwood::Features(std::vector<FeatureId>{j}), 1);
            tree.learn(sapwood::Features(nothing), 0);
        }
        if (j % (100 * times_fewer) == 0) CHECK(is_whole(tree));
    }
    CHECK(is_whole(tree));
    CHECK(tree.nodes().depth() >= 1000);
    CHECK(tree.nodes().path(sapwood::Features(nothing)).size() == tree.nodes().depth() + 1);
    CHECK(tree.nodes().in_order().size() == tree.nodes().n_nodes());
    CHECK(predicted(tree, {{5}, 1})[1] > 0.5 && predicted(tree, {{}, 0})[0] > 0.5);
    // And it all comes down again when the root is split anew.
    if (growth != Growth::extremely_fast) return;
    options.min_samples_reevaluate = 4000;
    StreamingTree falls(options);
    for (FeatureId j = 0; j < length / 2; ++j) {
        for (int times = 0; times < 3; ++times) {
            falls.learn(sapwood::Features(std::vector<FeatureId>{j}), 1);
            falls.learn(sapwood::Features(nothing), 0);
        }
    }
    const std::size_t before = falls.nodes().depth();
    const std::vector<FeatureId> late{length};
    for (int i = 0; i < 4000; ++i)
        falls.learn(sapwood::Features(i % 2 == 0 ? late : nothing), static_cast<Label>(i % 2 == 0));
    CHECK(before >= 500 && falls.nodes().depth() < before && falls.tally().pruned >= 1000);
    CHECK(is_whole(falls));
}

/// New classes change nothing between those that there were, and are learned from then on.
void classes_that_appear_late(Growth growth, LeafPrediction leaf_prediction) {
    TreeOptions options = bold(growth);
    options.leaf_prediction = leaf_prediction;
    StreamingTree tree(options);
    const std::vector<Point> points = sapwood::streams::make("plain", 800, 15, 5, 2);
    for (const Point& point : points) tree.learn(sapwood::Features(point.features), point.label);
    CHECK(tree.nodes().n_leaves() > 3);
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
        tree.learn(sapwood::Features(more[i].features), more[i].label);
        if (i % 20 == 0 && !CHECK(is_whole(tree))) break;
    }
    int right = 0;
    for (const Point& point : more) right += StreamingTree::label_of(predicted(tree, point)) == point.label ? 1 : 0;
    CHECK(right > static_cast<int>(more.size()) / 4);
}

/// A label that is said before all models were asked is the one that they would have agreed on.
void labels_that_are_certain() {
    for (const int n_classes : {2, 4}) {
        TreeOptions options = bold(Growth::streaming);
        options.leaf_prediction = LeafPrediction::mixed;
        StreamingTree tree(options);
        tree.cover_classes(static_cast<std::size_t>(n_classes));
        Scores scores = tree.make_scores();
        const std::vector<std::int64_t> places{3, 2, 1, 0};
        int certain = 0;
        int doubtful = 0;
        for (const Point& point : sapwood::streams::make("plain", 8000 / times_fewer, 80, 9, n_classes)) {
            const sapwood::Features features(point.features);
            (tree.body().predict_label(features, scores) ? certain : doubtful) += 1;
            const Label label = tree.predict_label(features, scores, places);
            tree.predict(features, scores);
            if (!CHECK(label == StreamingTree::label_of(scores.probabilities, places))) break;
            tree.learn(features, point.label);
        }
        CHECK(certain > 100 / times_fewer && doubtful > 100 / times_fewer);
    }
}

void too_many_classes() {
    for (const bool approximate : {false, true}) {
        TreeOptions options;
        if (approximate) options.search = SearchKind::approximate;
        if (!approximate) options.criterion = Criterion::kearns_mansour;
        StreamingTree tree(options);
        tree.learn(sapwood::Features(std::vector<FeatureId>{1, 2}), 1);
        CHECK_THROWS(std::invalid_argument, tree.cover_classes(3));
        CHECK(tree.n_classes() == 2 && is_whole(tree));
    }
}

/// The limit holds after every point, and nodes stop and begin to learn for it.
void within_memory(Growth growth) {
    Happened happened;
    std::size_t number = 0;
    for (const std::int64_t max_bytes : {std::int64_t{1} << 16, std::int64_t{1} << 18, std::int64_t{1} << 20}) {
        for (const LeafPrediction leaf_prediction :
             {LeafPrediction::adaptive, LeafPrediction::majority, LeafPrediction::logistic, LeafPrediction::naive_bayes,
              LeafPrediction::mixed}) {
            for (const SearchKind search : {SearchKind::certified, SearchKind::exhaustive}) {
                TreeOptions options = bold(growth);
                options.max_bytes = max_bytes;
                options.leaf_prediction = leaf_prediction;
                options.search = search;
                options.min_samples_reevaluate = 20;
                StreamingTree tree(options);
                const int n_classes = 2 + static_cast<int>(++number % 3);
                tree.cover_classes(static_cast<std::size_t>(n_classes));
                std::size_t most = 0;
                std::size_t i = 0;
                for (const Point& point : wide(points_with_pauses, 5000, n_classes, static_cast<unsigned>(number))) {
                    tree.learn(sapwood::Features(point.features), point.label);
                    most = std::max(most, tree.n_bytes());
                    if (i++ % 250 == 0 && !CHECK(is_whole(tree))) break;
                }
                CHECK(is_whole(tree));
                if (!CHECK(most <= static_cast<std::size_t>(max_bytes))) {
                    std::fprintf(stderr, "%d %d %zu > %ld\n", static_cast<int>(growth),
                                 static_cast<int>(leaf_prediction), most, static_cast<long>(max_bytes));
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

/// A class that comes late fits in whatever the tree has grown to, or is refused beforehand, whatever it has grown to:
/// what is below the least useful splits is given up for it.
void late_classes_within_memory(Growth growth) {
    std::int64_t pruned = 0;
    for (const LeafPrediction leaf_prediction :
         {LeafPrediction::majority, LeafPrediction::adaptive, LeafPrediction::mixed}) {
        for (const std::int64_t max_bytes : {std::int64_t{1} << 17, std::int64_t{1} << 18}) {
            TreeOptions options = bold(growth);
            options.max_bytes = max_bytes;
            options.leaf_prediction = leaf_prediction;
            options.tau = 1;
            StreamingTree tree(options);
            for (const Point& point : wide(3000 / times_fewer, 400, 2, 3)) {
                tree.learn(sapwood::Features(point.features), point.label);
            }
            CHECK(tree.nodes().n_nodes() > 20);
            for (std::size_t n_classes = 3; n_classes < 3000; n_classes = 3 * n_classes / 2) {
                tree.check_classes(n_classes);
                const std::size_t before = tree.nodes().n_nodes();
                tree.cover_classes(n_classes);
                CHECK(tree.n_classes() == n_classes && is_whole(tree));
                CHECK(tree.n_bytes() <= static_cast<std::size_t>(max_bytes));
                pruned += static_cast<std::int64_t>(before - tree.nodes().n_nodes());
                const std::vector<FeatureId> features{1, 5};
                tree.learn(sapwood::Features(features), static_cast<Label>(n_classes - 1));
                CHECK(is_whole(tree) && tree.n_bytes() <= static_cast<std::size_t>(max_bytes));
                if (sapwood::TreeBody(options).least_bytes_of_root(3 * n_classes / 2) >
                    static_cast<std::size_t>(max_bytes)) {
                    break;
                }
            }
            CHECK_THROWS(std::invalid_argument, tree.check_classes(40000));
            CHECK_THROWS(std::invalid_argument, tree.cover_classes(40000));
            CHECK(is_whole(tree));
        }
    }
    CHECK(pruned > 20);
}

/// A trunk that no pause could make room for is no reason to pause.
void what_cannot_fit_is_not_waited_for() {
    TreeOptions options = kind(Growth::hoeffding, 0);
    options.search = SearchKind::exhaustive;
    options.max_bytes = std::int64_t{1} << 18;
    StreamingTree tree(options);
    tree.cover_classes(4);
    for (const Point& point : wide(4000, 5000, 4, 1)) tree.learn(sapwood::Features(point.features), point.label);
    CHECK(tree.tally().resumed < 5);
    CHECK(is_whole(tree));
}

void refusals() {
    StreamingTree tree{TreeOptions()};
    const std::vector<FeatureId> features{0, 3};
    tree.learn(sapwood::Features(features), 1, sapwood::max_points - 1);
    CHECK_THROWS(std::overflow_error, tree.learn(sapwood::Features(features), 0, 2));
    CHECK(tree.n() == sapwood::max_points - 1 && tree.node(Nodes::root).of_class[0] == 0 && is_whole(tree));
    tree.learn(sapwood::Features(features), 0, 1);
    CHECK(is_whole(tree));

    const auto refused = [](const std::function<void(TreeOptions&)>& change) {
        TreeOptions options;
        change(options);
        CHECK_THROWS(std::invalid_argument, StreamingTree(options));
    };
    refused([](TreeOptions& options) { options.delta = 0; });
    refused([](TreeOptions& options) { options.delta = 0.5; });
    refused([](TreeOptions& options) { options.tau = -1; });
    refused([](TreeOptions& options) { options.grace_period = 0; });
    refused([](TreeOptions& options) { options.max_bytes = 1; });
    refused([](TreeOptions& options) {
        options.split_test = SplitTestKind::mcdiarmid;
        options.criterion = Criterion::kearns_mansour;
    });
}

}  // namespace

namespace sapwood {

/// Breaks what a tree keeps whole, to see that it is noticed.
class NodesBreaker {
public:
    explicit NodesBreaker(StreamingTree& tree) : tree_(tree), body_(tree.body_), nodes_(body_.nodes_) {}

    Node& at(NodeId id) { return body_.content(id); }
    NodeId leaf() const { return tree_.nodes().leaf_of(Features()); }
    Nodes::Route& route(NodeId id) { return nodes_.routes_[static_cast<std::size_t>(id)]; }
    Nodes::Family& family(NodeId id) { return nodes_.families_[static_cast<std::size_t>(id)]; }
    std::vector<NodeId>& free() { return nodes_.free_; }
    std::size_t& leaves() { return nodes_.n_leaves_[0]; }
    std::int64_t& points() { return body_.n_; }
    std::vector<Count>& counted(NodeId id) { return at(id).statistics.counted_; }
    std::unique_ptr<SplitSearch>& search(NodeId id) { return at(id).statistics.search_; }

private:
    StreamingTree& tree_;
    TreeBody& body_;
    Nodes& nodes_;
};

}  // namespace sapwood

namespace {

using sapwood::NodesBreaker;

void what_is_broken_is_noticed() {
    const std::vector<Point> points = sapwood::streams::make("taking turns", 900, 12, 1);
    const std::vector<std::function<void(NodesBreaker&)>> damages{
        [](NodesBreaker& tree) { ++tree.leaves(); },
        [](NodesBreaker& tree) { ++tree.points(); },
        [](NodesBreaker& tree) { tree.family(tree.route(0).child[1]).parent = 7; },
        [](NodesBreaker& tree) { tree.route(0).child[1] = tree.route(0).child[0]; },
        [](NodesBreaker& tree) { tree.route(0).child[1] = 1 << 20; },
        [](NodesBreaker& tree) { ++tree.family(tree.route(0).child[0]).depth; },
        [](NodesBreaker& tree) { tree.family(0).born = 1'000'000; },
        [](NodesBreaker& tree) { tree.at(0).of_class[0] = -1; },
        [](NodesBreaker& tree) { ++tree.counted(0)[1]; },
        [](NodesBreaker& tree) { tree.at(0).split.margin = tree.at(0).split.gain + 1; },
        [](NodesBreaker& tree) { tree.at(0).split.at = tree.points() + 1; },
        [](NodesBreaker& tree) { tree.search(tree.leaf()).reset(); },
        [](NodesBreaker& tree) { tree.search(tree.leaf())->add({}, 0); },
        [](NodesBreaker& tree) { tree.at(tree.leaf()).models.reset(); },
        [](NodesBreaker& tree) { tree.at(tree.leaf()).models->right[1] = -1; },
        [](NodesBreaker& tree) { ++tree.at(tree.leaf()).charge.bytes; },
        [](NodesBreaker& tree) { tree.free().push_back(tree.leaf()); },
        [](NodesBreaker& tree) { tree.free().pop_back(); },
    };
    for (const auto& damage : damages) {
        StreamingTree tree(kind(Growth::extremely_fast, 0));
        for (const Point& point : points) tree.learn(sapwood::Features(point.features), point.label);
        NodesBreaker breaker(tree);
        CHECK(!breaker.free().empty());
        CHECK(is_whole(tree));
        damage(breaker);
        CHECK_THROWS(std::logic_error, tree.validate());
    }
}

}  // namespace

int main() {
    for (const Growth growth : {Growth::hoeffding, Growth::extremely_fast, Growth::streaming}) {
        hostile_streams(growth);
        long_streams(growth);
        deep_chain(growth);
        for (const LeafPrediction prediction :
             {LeafPrediction::majority, LeafPrediction::naive_bayes, LeafPrediction::logistic, LeafPrediction::adaptive,
              LeafPrediction::mixed}) {
            classes_that_appear_late(growth, prediction);
        }
        within_memory(growth);
        late_classes_within_memory(growth);
    }
    what_cannot_fit_is_not_waited_for();
    labels_that_are_certain();
    too_many_classes();
    refusals();
    what_is_broken_is_noticed();
    return sapwood::check::finish();
}
