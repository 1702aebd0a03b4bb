// Splits made anew without loss: a restructured tree is the one that is rebuilt from the tests of the old one, every
// point reaches the leaf that it would there, what moves stays as it is, what is merged was counted; and a tree that
// was saved goes on byte for byte.
#include "sapwood/tree/restructuring.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "is_whole.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "streams.hpp"

namespace {

using sapwood::Count;
using sapwood::Criterion;
using sapwood::FeatureId;
using sapwood::Growth;
using sapwood::LeafPrediction;
using sapwood::no_feature;
using sapwood::NodeId;
using sapwood::Nodes;
using sapwood::NodeStatistics;
using sapwood::Revision;
using sapwood::SplitTestKind;
using sapwood::StreamingTree;
using sapwood::TreeOptions;
using sapwood::check::is_whole;
using sapwood::streams::Point;

constexpr int n_points = 900;

TreeOptions kind(Growth growth, std::size_t number) {
    constexpr std::array of_predictions{LeafPrediction::majority, LeafPrediction::mixed, LeafPrediction::adaptive,
                                        LeafPrediction::naive_bayes, LeafPrediction::logistic};
    TreeOptions options;
    options.growth = growth;
    options.revision = Revision::restructure;
    options.leaf_prediction = of_predictions[number % 5];
    options.criterion = number % 3 == 2 ? Criterion::gini : Criterion::entropy;
    options.delta = 0.2;
    options.tau = 0.2;
    options.min_samples_reevaluate = static_cast<Count>(1 + number % 5);
    if (number % 4 == 1) {
        options.criterion = Criterion::entropy;
        options.split_test = SplitTestKind::evidence;
        options.delta = 0.45;
    }
    if (growth == Growth::streaming && number % 2 == 1) {
        options.drift = true;
        options.window_size = 100;
        options.drift_delta = 0.3;
        options.swap_delta = 0.3;
        options.patience = 80;
    }
    if (number % 7 == 3) options.max_depth = 3;
    return options;
}

// ---- a tree that anybody can read ---------------------------------------------------------------------------------

using Counts = std::vector<std::int64_t>;

/// A tree by value, of what a rebuild needs to know.
struct Plain {
    FeatureId feature = no_feature;
    std::shared_ptr<Plain> child[2];
    Counts of_class;  // of a leaf
    // What was counted, of each class, and what of that has each feature on.
    std::vector<Count> counted;
    std::vector<std::vector<Count>> on;
    bool counts = false;
    bool is_moved = false;

    bool is_leaf() const { return feature == no_feature; }
    Counts points() const {
        if (is_leaf()) return of_class;
        Counts sum = child[0]->points();
        const Counts more = child[1]->points();
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += more[k];
        return sum;
    }
};
using Tree = std::shared_ptr<Plain>;

Tree plain(const StreamingTree& tree, NodeId at, FeatureId n_features) {
    auto made = std::make_shared<Plain>();
    const NodeStatistics& statistics = tree.node(at).statistics;
    made->counted = statistics.counted();
    made->counts = statistics.is_counting();
    for (FeatureId j = 0; made->counts && j < n_features; ++j) made->on.push_back(statistics.search()->on(j));
    if (tree.nodes().is_leaf(at)) {
        made->of_class = tree.node(at).of_class;
    } else {
        made->feature = tree.nodes().test(at).feature();
        for (const bool passes : {false, true}) {
            made->child[passes] = plain(tree, tree.nodes().child(at, passes), n_features);
        }
    }
    return made;
}

double sum_of(const Counts& counts) {
    double sum = 0;
    for (const std::int64_t count : counts) sum += static_cast<double>(count);
    return sum;
}

/// n times the entropy of points, in nats.
double weighted_entropy(const Counts& counts) {
    double sum = 0;
    for (const std::int64_t count : counts) {
        if (count > 0) sum -= static_cast<double>(count) * std::log(static_cast<double>(count) / sum_of(counts));
    }
    return sum;
}

/// One side of a tree of which a feature is pulled up, by definition: `revised` is the node that takes it.
Tree rebuilt(const Tree& old, const Plain& revised, FeatureId feature, bool side, int depth,
             const TreeOptions& options) {
    if (old->feature == feature) {
        old->child[side]->is_moved = true;
        return old->child[side];
    }
    auto made = std::make_shared<Plain>();
    const auto j = static_cast<std::size_t>(feature);
    if (old->is_leaf()) {
        for (std::size_t k = 0; k < old->of_class.size(); ++k) {
            const std::int64_t counted = old->counts ? old->counted[k] : 0;
            std::int64_t on = old->counts ? old->on[j][k] : 0;
            const std::int64_t others = old->of_class[k] - counted;
            if (counted > 0) {
                on += others * on / counted;
            } else if (revised.counted[k] > 0) {
                on += others * revised.on[j][k] / revised.counted[k];
            }
            made->of_class.push_back(side ? on : old->of_class[k] - on);
        }
        return made;
    }
    const Tree off = rebuilt(old->child[0], revised, feature, side, depth + 1, options);
    const Tree on = rebuilt(old->child[1], revised, feature, side, depth + 1, options);
    const Counts in_off = off->points();
    const Counts in_on = on->points();
    Counts all = in_off;
    int n_classes = 0;
    for (std::size_t k = 0; k < all.size(); ++k) n_classes += (all[k] += in_on[k]) > 0 ? 1 : 0;
    const bool both_leaves = off->is_leaf() && on->is_leaf() && !off->is_moved && !on->is_moved;
    const double won = weighted_entropy(all) - weighted_entropy(in_off) - weighted_entropy(in_on);
    const bool tells = n_classes > 1 && won > 0.5 * (n_classes - 1) * std::log(sum_of(all));
    if ((both_leaves && !tells) || (options.max_depth && depth + 1 >= *options.max_depth)) {
        made->of_class = all;
        return made;
    }
    if (sum_of(in_off) == 0 || sum_of(in_on) == 0) return sum_of(in_off) >= sum_of(in_on) ? off : on;
    made->feature = old->feature;
    made->child[0] = off;
    made->child[1] = on;
    return made;
}

/// Whether a tree is the rebuilt one, node for node: its tests, and the points of its leaves.
bool is_rebuilt(const Tree& found, const Tree& expected) {
    if (found->feature != expected->feature) return false;
    if (expected->is_moved) {
        // What moves stays as it is.
        if (found->counted != expected->counted && !expected->counted.empty()) return false;
    }
    if (found->is_leaf()) return found->of_class == expected->of_class;
    return is_rebuilt(found->child[0], expected->child[0]) && is_rebuilt(found->child[1], expected->child[1]);
}

/// What the statistics of a copied node are: those of its children together.
bool is_merged(const Tree& found, const Tree& expected) {
    if (expected->is_moved || found->is_leaf()) return true;
    for (std::size_t k = 0; k < found->counted.size(); ++k) {
        Count sum = 0;
        for (const Tree& child : found->child) sum += child->counted[k];
        if (found->counted[k] != sum) return false;
        for (std::size_t j = 0; j < found->on.size(); ++j) {
            Count on = 0;
            for (const Tree& child : found->child) on += child->counts ? child->on[j][k] : 0;
            if (found->on[j][k] != on) return false;
        }
    }
    return is_merged(found->child[0], expected->child[0]) && is_merged(found->child[1], expected->child[1]);
}

const Plain* leaf_of(const Tree& tree, const Point& point) {
    const Plain* at = tree.get();
    while (!at->is_leaf()) {
        const auto& features = point.features;
        at = at->child[std::find(features.begin(), features.end(), at->feature) != features.end()].get();
    }
    return at;
}

/// Whether the leaves that points reach in one tree and in the other are the same, leaf for leaf.
bool routes_alike(const StreamingTree& tree, NodeId top, const Tree& expected, std::span<const Point> points) {
    std::vector<std::pair<NodeId, const Plain*>> met;
    for (const Point& point : points) {
        const std::vector<NodeId> path = tree.nodes().path(sapwood::Features(point.features));
        if (std::find(path.begin(), path.end(), top) == path.end()) continue;
        const Plain* other = leaf_of(expected, point);
        for (const auto& [leaf, plain_leaf] : met) {
            if ((leaf == path.back()) != (plain_leaf == other)) return false;
        }
        met.emplace_back(path.back(), other);
        if (tree.node(path.back()).of_class != other->of_class) return false;
    }
    return true;
}

// ---- the tests ----------------------------------------------------------------------------------------------------

struct Met {
    int revised = 0;
    int with_moved = 0;
    int with_merged = 0;
};

/// Lets a tree learn a stream, and compares it with a rebuild whenever a split of its main tree was made anew.
void check_stream(const std::vector<Point>& points, const TreeOptions& options, int d, int n_classes, Met& met) {
    StreamingTree tree(options);
    tree.cover_classes(static_cast<std::size_t>(n_classes));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::vector<NodeId> path = tree.nodes().path(sapwood::Features(points[i].features));
        const Tree before = plain(tree, Nodes::root, d);
        const std::int64_t resplit = tree.tally().resplit;
        const std::int64_t swapped = tree.body().following() ? tree.body().following()->tally.swapped : 0;
        tree.learn(sapwood::Features(points[i].features), points[i].label);
        if (!CHECK(is_whole(tree))) return;
        const bool has_swapped = tree.body().following() && tree.body().following()->tally.swapped != swapped;
        if (tree.tally().resplit == resplit || has_swapped) continue;
        // The node on the way of the point whose test is another now; none if it was one of an alternate.
        Tree old = before;
        std::size_t at = 0;
        while (at < path.size() && !old->is_leaf() && tree.nodes().test(path[at]).feature() == old->feature) {
            const auto& on = points[i].features;
            old = old->child[std::find(on.begin(), on.end(), old->feature) != on.end()];
            ++at;
        }
        if (at == path.size() || old->is_leaf()) continue;
        const NodeId top = path[at];
        const FeatureId feature = tree.nodes().test(top).feature();
        // The leaf of the point learned it before, and the revised node counted it.
        const Tree now = plain(tree, top, d);
        Plain* reached = old.get();
        while (!reached->is_leaf()) {
            const auto& on = points[i].features;
            reached = reached->child[std::find(on.begin(), on.end(), reached->feature) != on.end()].get();
            // Where inner nodes count a sample, which is the same for all that have counted little, those below have
            // counted the point before the node above was revised.
            if (options.growth != Growth::streaming || !reached->counts) continue;
            reached->counted[points[i].label] += 1;
            for (const FeatureId id : on) reached->on[static_cast<std::size_t>(id)][points[i].label] += 1;
        }
        reached->of_class[points[i].label] += 1;
        Plain revised = *old;
        revised.counted = now->counted;
        revised.on = now->on;
        auto expected = std::make_shared<Plain>();
        expected->feature = feature;
        for (const bool side : {false, true}) {
            expected->child[side] = rebuilt(old, revised, feature, side, static_cast<int>(at), options);
        }
        if (!CHECK(is_rebuilt(now, expected))) return;
        if (!CHECK(routes_alike(tree, top, expected, std::span(points).first(i + 1)))) return;
        for (const bool side : {false, true}) {
            if (!CHECK(is_merged(now->child[side], expected->child[side]))) return;
            met.with_merged += !now->child[side]->is_leaf() && !expected->child[side]->is_moved &&
                               now->child[side]->counted != std::vector<Count>(now->counted.size());
            met.with_moved += expected->child[side]->is_moved;
        }
        CHECK(now->points() == old->points());
        ++met.revised;
    }
}

void every_revision_is_a_rebuild() {
    Met met;
    for (const Growth growth : {Growth::extremely_fast, Growth::streaming}) {
        std::size_t number = 0;
        for (const auto name : {"abrupt drift", "label flips", "slow drift", "taking turns", "neck and neck", "plain",
                                "late features", "one flip", "falling gain", "rare class"}) {
            for (const int n_classes : {2, 4}) {
                const int d = 5 + static_cast<int>(number % 4);
                const std::vector<Point> points =
                    sapwood::streams::make(name, n_points, d, static_cast<unsigned>(number), n_classes);
                check_stream(points, kind(growth, number), d, n_classes, met);
                ++number;
            }
        }
    }
    std::fprintf(stderr, "%d revisions, %d moved, %d merged\n", met.revised, met.with_moved, met.with_merged);
    CHECK(met.revised > 30);
    CHECK(met.with_moved > 5);
    CHECK(met.with_merged > 5);
}

void a_saved_tree_goes_on() {
    std::size_t number = 0;
    std::int64_t resplit = 0;
    for (const Growth growth : {Growth::extremely_fast, Growth::streaming}) {
        for (const auto name : {"abrupt drift", "label flips", "slow drift", "taking turns", "late features"}) {
            const std::vector<Point> points = sapwood::streams::make(name, n_points, 7, 3, 3);
            StreamingTree tree(kind(growth, number++));
            tree.cover_classes(3);
            const auto learn = [&](StreamingTree& each, std::size_t i) {
                each.learn(sapwood::Features(points[i].features), points[i].label);
            };
            std::string bytes;
            std::vector<StreamingTree> loaded;
            for (std::size_t i = 0; i < points.size(); ++i) {
                learn(tree, i);
                for (StreamingTree& each : loaded) learn(each, i);
                if (i % (n_points / 4) == 40) {
                    bytes = sapwood::write_tree(tree);
                    loaded.push_back(sapwood::read_tree(std::as_bytes(std::span(bytes))));
                }
            }
            bytes = sapwood::write_tree(tree);
            for (StreamingTree& each : loaded) CHECK(sapwood::write_tree(each) == bytes);
            resplit += tree.tally().resplit;
        }
    }
    CHECK(resplit > 10);
}

void limits_hold() {
    for (const Growth growth : {Growth::extremely_fast, Growth::streaming}) {
        std::int64_t resplit = 0;
        for (std::size_t number = 0; number < 8; ++number) {
            TreeOptions options = kind(growth, number);
            const bool is_small = number % 2 == 0;
            if (is_small) {
                options.max_bytes = 1 << 16;
            } else {
                options.max_leaves = 4;
            }
            const std::vector<Point> points =
                sapwood::streams::make("slow drift", n_points, is_small ? 60 : 7, static_cast<unsigned>(number), 3);
            StreamingTree tree(options);
            tree.cover_classes(3);
            for (const Point& point : points) {
                tree.learn(sapwood::Features(point.features), point.label);
                CHECK(!options.max_leaves || tree.nodes().n_leaves() <= 4);
                CHECK(!options.max_bytes || tree.n_bytes() <= static_cast<std::size_t>(*options.max_bytes));
                if (!CHECK(is_whole(tree))) return;
            }
            resplit += tree.tally().resplit;
        }
        CHECK(resplit > 0);
    }
}

}  // namespace

int main() {
    every_revision_is_a_rebuild();
    a_saved_tree_goes_on();
    limits_hold();
    return sapwood::check::finish();
}
