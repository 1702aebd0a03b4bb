// Trees that follow a changing stream: after every point, every count is a recount of the points that are kept;
// alternates touch nothing before they win; and a tree that was saved goes on byte for byte.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "is_whole.hpp"
#include "sapwood/io/check_kept_points.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "streams.hpp"

namespace {

using sapwood::Count;
using sapwood::Criterion;
using sapwood::FeatureId;
using sapwood::Growth;
using sapwood::Label;
using sapwood::LeafPrediction;
using sapwood::NodeId;
using sapwood::Nodes;
using sapwood::SplitTestKind;
using sapwood::StreamingTree;
using sapwood::TreeOptions;
using sapwood::check::is_whole;
using sapwood::streams::Point;

TreeOptions kind(Growth growth, std::size_t number) {
    constexpr std::array of_predictions{LeafPrediction::majority, LeafPrediction::adaptive, LeafPrediction::mixed,
                                        LeafPrediction::naive_bayes, LeafPrediction::logistic};
    TreeOptions options;
    options.growth = growth;
    options.leaf_prediction = of_predictions[number % 5];
    options.criterion = number % 2 == 0 ? Criterion::entropy : Criterion::gini;
    options.delta = 0.2;
    options.tau = 0.2;
    options.min_samples_reevaluate = static_cast<Count>(1 + number % 3);
    options.window_size = 60 + 40 * static_cast<std::int64_t>(number % 3);
    options.drift_delta = 0.3;
    options.swap_delta = 0.3;
    options.patience = 160;
    options.half_life = 30;
    if (growth == Growth::streaming) {
        options.drift = true;
        if (number % 3 != 2) {
            options.split_test = SplitTestKind::evidence;
            options.criterion = Criterion::entropy;
            options.delta = 0.45;
        }
    }
    if (number % 7 == 6) options.max_depth = 2;
    if (number % 6 == 5) options.max_leaves = 6;
    if (number % 5 == 4) options.seed = number;
    return options;
}

/// The weight of a point: some count twice, some for nothing.
sapwood::Weight weight_of(std::size_t i) { return i % 11 == 7 ? sapwood::Weight(0, 0.25) : i % 5 == 3 ? 2 : 1; }

/// The nodes that a point reaches: those of the tree, and of the alternates beside them.
std::vector<NodeId> met_by(const StreamingTree& tree, const std::vector<FeatureId>& features) {
    const sapwood::Point point{sapwood::Features(features)};
    std::vector<NodeId> met = tree.nodes().path(point);
    for (std::size_t i = 0, end = met.size(); i < end; ++i) {
        const NodeId alternate = tree.body().watch(met[i]).alternate;
        if (alternate == sapwood::no_node) continue;
        tree.nodes().walk(point, alternate, [&](NodeId inside) { met.push_back(inside); });
    }
    return met;
}

/// What a node must have counted: its points of each class, and those of them in which each feature is on.
struct Recount {
    std::vector<Count> counted;
    std::vector<std::vector<Count>> on;
};

/// Compares every count of a tree that takes points back with a recount of the last points of a stream.
void recount(StreamingTree& tree, const std::vector<Point>& points, std::size_t n, int d) {
    if (!tree.options().takes_points_back()) return;
    const bool is_windowed = tree.options().growth == Growth::windowed;
    const auto first = static_cast<std::size_t>(tree.body().following()->recent.first());
    CHECK(first == (n > static_cast<std::size_t>(tree.options().window_size)
                        ? n - static_cast<std::size_t>(tree.options().window_size)
                        : 0));
    CHECK(tree.body().following()->recent.end() == static_cast<std::int64_t>(n));
    const std::vector<Count> none(tree.n_classes());
    std::vector<Recount> recounts(tree.nodes().n_ids());
    for (const NodeId at : tree.body().all_nodes()) {
        const std::vector<std::vector<Count>> on(static_cast<std::size_t>(d), none);
        recounts[static_cast<std::size_t>(at)] = {none, on};
    }
    for (std::size_t i = first; i < n; ++i) {
        const Count weight = weight_of(i).count;
        for (const NodeId at : met_by(tree, points[i].features)) {
            if (static_cast<std::int64_t>(i) < tree.body().watch(at).counted_since) continue;
            Recount& recount = recounts[static_cast<std::size_t>(at)];
            recount.counted[points[i].label] += weight;
            for (const FeatureId j : points[i].features) {
                recount.on[static_cast<std::size_t>(j)][points[i].label] += weight;
            }
        }
    }
    for (const NodeId at : tree.body().all_nodes()) {
        const bool is_leaf = tree.nodes().is_leaf(at);
        if (!is_leaf && !is_windowed) continue;
        if (is_windowed) CHECK(tree.body().watch(at).since <= tree.body().following()->recent.first());
        const auto& [counted, on] = recounts[static_cast<std::size_t>(at)];
        const sapwood::NodeStatistics& statistics = tree.node(at).statistics;
        if (statistics.is_counting()) {
            CHECK(statistics.counted() == counted);
            for (FeatureId j = 0; j < d; ++j) CHECK(statistics.search()->on(j) == on[static_cast<std::size_t>(j)]);
        }
        if (is_leaf && is_windowed) {
            CHECK(std::equal(counted.begin(), counted.end(), tree.node(at).of_class.begin()));
        }
    }
}

StreamingTree copy_of(StreamingTree& tree, int d) {
    const std::string bytes = sapwood::write_tree(tree);
    StreamingTree made = sapwood::read_tree(std::as_bytes(std::span(bytes.data(), bytes.size())), d);
    CHECK(sapwood::write_tree(made) == bytes);
    return made;
}

/// A stream that is another one after every 200 points, of which some come again.
std::vector<Point> changing(unsigned seed, int n_classes = 2) {
    std::vector<Point> points;
    for (unsigned phase = 0; phase < 6; ++phase) {
        for (const Point& point : sapwood::streams::make("plain", 200, 8, seed + phase % 4, n_classes)) {
            points.push_back(point);
        }
    }
    return points;
}

/// What happened in all streams together, so that none of it goes untested.
struct Seen {
    std::int64_t splits = 0, drifts = 0, started = 0, swapped = 0, dropped = 0;
};

void follows(Growth growth, std::string_view name, std::size_t number, Seen& seen) {
    const int n_classes = number % 4 == 3 ? 3 : 2;
    const auto seed = static_cast<unsigned>(number);
    const std::vector<Point> points =
        name == "changing" ? changing(seed, n_classes) : sapwood::streams::make(name, 300, 8, seed, n_classes);
    FeatureId largest = 0;
    for (const Point& point : points) {
        for (const FeatureId j : point.features) largest = std::max(largest, j);
    }
    const int n_features = largest + 1;
    StreamingTree tree(kind(growth, number));
    tree.cover_classes(static_cast<std::size_t>(n_classes));
    auto resumed = std::make_unique<StreamingTree>(copy_of(tree, n_features));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point& point = points[i];
        tree.learn(sapwood::Features(point.features), point.label, weight_of(i));
        resumed->learn(sapwood::Features(point.features), point.label, weight_of(i));
        if (n_features <= 64) recount(tree, points, i + 1, n_features);
        if (!CHECK(is_whole(tree))) {
            std::fprintf(stderr, "%s, kind %zu, after %zu points\n", name.data(), number, i + 1);
            return;
        }
        if (i % 37 != 0) continue;
        resumed = std::make_unique<StreamingTree>(copy_of(*resumed, n_features));
        CHECK(sapwood::write_tree(tree) == sapwood::write_tree(*resumed));
        if (n_features <= 64) recount(*resumed, points, i + 1, n_features);
    }
    CHECK(sapwood::write_tree(tree) == sapwood::write_tree(*resumed));
    const sapwood::ChangeTally& tally = tree.body().following()->tally;
    seen.splits += tree.tally().split;
    seen.drifts += tally.drifts;
    seen.started += tally.started;
    seen.swapped += tally.swapped;
    seen.dropped += tally.dropped;
}

std::vector<double> predicted(const StreamingTree& tree, const Point& point) {
    sapwood::Scores scores = tree.make_scores();
    tree.predict(sapwood::Features(point.features), scores);
    return scores.probabilities;
}

/// Two trees whose alternates never win, of which one has more of them, are the same trees.
std::int64_t alternates_touch_nothing(Growth growth, std::size_t number) {
    TreeOptions options = kind(growth, number);
    options.swap_delta = 1e-300;
    options.patience = 1'000'000;
    StreamingTree with(options);
    // No other split is looked for; or an alternate is dropped by the next point that reaches it.
    if (growth == Growth::windowed) {
        options.min_samples_reevaluate = sapwood::max_points;
    } else {
        options.patience = 1;
    }
    StreamingTree without(options);
    for (const Point& point : changing(static_cast<unsigned>(number))) {
        CHECK(predicted(with, point) == predicted(without, point));
        with.learn(sapwood::Features(point.features), point.label);
        without.learn(sapwood::Features(point.features), point.label);
        const std::vector<NodeId> in_with = with.nodes().in_order();
        const std::vector<NodeId> in_without = without.nodes().in_order();
        if (!CHECK(in_with.size() == in_without.size())) return 0;
        for (std::size_t i = 0; i < in_with.size(); ++i) {
            CHECK(with.nodes().test(in_with[i]) == without.nodes().test(in_without[i]));
            CHECK(with.node(in_with[i]).of_class == without.node(in_without[i]).of_class);
            CHECK(with.node(in_with[i]).statistics.counted() == without.node(in_without[i]).statistics.counted());
        }
    }
    CHECK(with.body().following()->tally.swapped == 0);
    return with.body().following()->tally.started;
}

/// Patience and the window may be for ever: then a node that has lost an alternate rests for ever.
void patience_for_ever() {
    for (std::size_t number = 0; number < 4; ++number) {
        TreeOptions options = kind(Growth::windowed, number);
        options.patience = std::numeric_limits<std::int64_t>::max();
        options.window_size = std::numeric_limits<std::int64_t>::max();
        StreamingTree tree(options);
        for (const Point& point : changing(static_cast<unsigned>(number))) {
            tree.learn(sapwood::Features(point.features), point.label);
        }
        CHECK(is_whole(tree));
        for (const NodeId at : tree.nodes().in_order()) CHECK(tree.body().watch(at).rests_until >= 0);
    }
}

/// A file whose kept points have the presence of a number and not the number, or the number of another, is refused.
void numbers_of_kept_points() {
    using sapwood::FeatureId;
    TreeOptions options = kind(Growth::windowed, 0);
    options.window_size = 20;
    StreamingTree tree(options);
    const FeatureId presence = 1;
    tree.attributes().add_number({presence, 0.5});
    tree.use_attributes();
    const std::array<FeatureId, 2> on{0, presence};
    const std::array<sapwood::NumberValue, 1> numbers{{{static_cast<sapwood::AttributeId>(0), 0.5}}};
    sapwood::Point point(sapwood::Features(on), numbers);
    point.attributes = &tree.attributes();
    CHECK((sapwood::detail::check_presence(point, tree.attributes()), true));
    const sapwood::Point without(sapwood::Features(on), {});
    CHECK_THROWS(sapwood::ModelFormatError, sapwood::detail::check_presence(without, tree.attributes()));
    const std::array<FeatureId, 2> turned{presence, 0};
    const sapwood::Point other(sapwood::Features(turned), numbers);
    CHECK_THROWS(sapwood::ModelFormatError, sapwood::detail::check_presence(other, tree.attributes()));
    const std::array<sapwood::NumberValue, 2> twice{numbers[0], numbers[0]};
    const sapwood::Point repeated(sapwood::Features(on), twice);
    CHECK_THROWS(sapwood::ModelFormatError, sapwood::detail::check_presence(repeated, tree.attributes()));
}

/// A limit of memory holds after every point, and the points get at most half of it.
void memory_holds(Growth growth, LeafPrediction prediction) {
    TreeOptions options = kind(growth, 0);
    options.leaf_prediction = prediction;
    options.max_bytes = 1 << 17;
    options.window_size = 5'000;
    StreamingTree tree(options);
    for (const std::string_view name : {"plain", "label flips", "late features"}) {
        for (const Point& point : sapwood::streams::make(name, 2'000, 60, 3)) {
            tree.learn(sapwood::Features(point.features), point.label);
            CHECK(tree.n_bytes() <= static_cast<std::size_t>(*options.max_bytes));
            CHECK(2 * tree.body().following()->recent.n_bytes() <= static_cast<std::size_t>(*options.max_bytes));
        }
        CHECK(is_whole(tree));
    }
    // A point that does not fit by itself teaches the models, and is not kept.
    std::vector<FeatureId> all(40'000);
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<FeatureId>(j);
    tree.learn(sapwood::Features(all), 1);
    CHECK(tree.n_bytes() <= static_cast<std::size_t>(*options.max_bytes));
    CHECK(tree.body().following()->recent.size() == 0);
    CHECK(is_whole(tree));
    tree.cover_classes(40);
    CHECK(tree.n_bytes() <= static_cast<std::size_t>(*options.max_bytes));
    CHECK(is_whole(tree));
}

}  // namespace

/// Of the growths, with a part and a number of parts as arguments, those whose turn it is.
int main(int argc, char** argv) {
    const auto [part, parts] = sapwood::check::part_of(argc, argv);
    if (part == 0) {
        patience_for_ever();
        numbers_of_kept_points();
    }
    constexpr std::array growths{Growth::windowed, Growth::adaptive, Growth::streaming};
    for (std::size_t i = part; i < growths.size(); i += parts) {
        const Growth growth = growths[i];
        Seen seen;
        std::size_t number = 0;
        for (const std::string_view name : sapwood::streams::names) {
            follows(growth, name, number++, seen);
        }
        for (unsigned seed = 0; seed < 12; ++seed) follows(growth, "changing", number++, seen);
        CHECK(seen.splits > 20 && seen.started > 5 && seen.swapped > 2 && seen.dropped > 2);
        CHECK(growth == Growth::windowed || seen.drifts > 10);
        std::fprintf(stderr, "splits %ld, drifts %ld, alternates %ld, swapped %ld, dropped %ld\n",
                     static_cast<long>(seen.splits), static_cast<long>(seen.drifts), static_cast<long>(seen.started),
                     static_cast<long>(seen.swapped), static_cast<long>(seen.dropped));
        std::int64_t all = 0;
        for (std::size_t each = 0; each < 7; ++each) {
            const std::int64_t started = alternates_touch_nothing(growth, each);
            CHECK(started > 0 || each > 4 || growth == Growth::streaming);
            all += started;
        }
        CHECK(all > 8);
        memory_holds(growth, LeafPrediction::majority);
        memory_holds(growth, LeafPrediction::mixed);
    }
    return sapwood::check::finish();
}
