// Trees of a largest size on hostile streams: whole after every point, never larger, the same with every exact search
// and after a file, within their memory; and what is kept when a root goes is exactly the subtree of the last split.
#include "sapwood/tree/growth/adaptive_size.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "sapwood/io/read_tree.hpp"
#include "sapwood/io/write_tree.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "streams.hpp"

namespace {

using sapwood::Criterion;
using sapwood::FeatureId;
using sapwood::Features;
using sapwood::Growth;
using sapwood::LeafPrediction;
using sapwood::NodeId;
using sapwood::Nodes;
using sapwood::SearchKind;
using sapwood::StreamingTree;
using sapwood::TreeOptions;
using sapwood::WhenFull;
using sapwood::streams::Point;

TreeOptions sized(std::size_t number) {
    constexpr std::array of_predictions{LeafPrediction::adaptive, LeafPrediction::majority, LeafPrediction::naive_bayes,
                                        LeafPrediction::logistic, LeafPrediction::mixed};
    TreeOptions options;
    options.growth = Growth::adaptive_size;
    options.criterion = static_cast<Criterion>(number % 3);
    options.leaf_prediction = of_predictions[number / 3 % 5];
    options.delta = 0.2;
    options.tau = 0.2;
    options.max_size = static_cast<std::int64_t>(1 + number % 5);
    options.when_full = number % 2 == 0 ? WhenFull::drop_root : WhenFull::reset;
    if (number % 4 == 3) options.seed = number;
    if (number % 7 == 6) options.max_depth = 3;
    return options;
}

/// The nodes below one, by their numbers, and what they ask.
std::map<std::uint64_t, FeatureId> known(const Nodes& nodes, NodeId top) {
    std::map<std::uint64_t, FeatureId> found;
    for (const NodeId at : nodes.in_order(top)) {
        found[nodes.born(at)] = nodes.is_leaf(at) ? sapwood::no_feature : nodes.test(at).feature();
    }
    return found;
}

/// Whether what is left of a tree after a root has gone is what there was on the side of a point, and its new leaves.
bool is_what_was_kept(const Nodes& nodes, const std::array<std::map<std::uint64_t, FeatureId>, 2>& sides,
                      std::uint64_t n_born) {
    const std::map<std::uint64_t, FeatureId> now = known(nodes, Nodes::root);
    const auto& kept = sides[sides[1].contains(nodes.born(Nodes::root)) ? 1 : 0];
    std::size_t n_split = 0;
    for (const auto& [born, feature] : kept) {
        if (!now.contains(born)) return false;
        if (now.at(born) != feature) ++n_split;
    }
    std::size_t n_new = 0;
    for (const auto& [born, feature] : now) n_new += born >= n_born ? 1 : 0;
    return n_split == 1 && n_new == 2 && now.size() == kept.size() + 2;
}

void hostile_streams() {
    std::size_t number = 0;
    std::size_t n_cut = 0;
    std::size_t n_kept = 0;
    for (const std::string_view name : sapwood::streams::names) {
        for (int repeat = 0; repeat < 4; ++repeat, ++number) {
            TreeOptions options = sized(number);
            const int n_classes = options.criterion == Criterion::kearns_mansour ? 2 : 2 + static_cast<int>(number % 3);
            const std::vector<Point> points =
                sapwood::streams::make(name, 400, 12, static_cast<unsigned>(number), n_classes);
            StreamingTree tree(options);
            options.search = SearchKind::exhaustive;
            StreamingTree exhaustive(options);
            for (StreamingTree* each : {&tree, &exhaustive}) each->cover_classes(static_cast<std::size_t>(n_classes));
            for (std::size_t i = 0; i < points.size(); ++i) {
                const Nodes& nodes = tree.nodes();
                const std::int64_t pruned = tree.tally().pruned;
                const std::uint64_t n_born = nodes.n_born();
                std::array<std::map<std::uint64_t, FeatureId>, 2> sides;
                if (!nodes.is_leaf(Nodes::root)) {
                    sides = {known(nodes, nodes.child(Nodes::root, false)),
                             known(nodes, nodes.child(Nodes::root, true))};
                }
                for (StreamingTree* each : {&tree, &exhaustive}) {
                    each->learn(Features(points[i].features), points[i].label);
                }
                tree.validate();
                CHECK(static_cast<std::int64_t>(nodes.n_leaves()) <= options.max_size + 1);
                if (tree.tally().pruned == pruned) continue;
                ++n_cut;
                if (options.when_full == WhenFull::reset) {
                    CHECK(nodes.n_nodes() == 1 && tree.node(Nodes::root).statistics.n() == 0);
                } else {
                    CHECK(is_what_was_kept(nodes, sides, n_born));
                    n_kept += nodes.n_leaves() - 1;
                }
            }
            exhaustive.validate();
            CHECK(known(tree.nodes(), Nodes::root) == known(exhaustive.nodes(), Nodes::root));
        }
    }
    // Else the above says little.
    CHECK(n_cut > 100 && n_kept > 100);
}

void goes_on_after_a_file() {
    for (std::size_t number = 0; number < 30; ++number) {
        const TreeOptions options = sized(number);
        const std::string_view name = sapwood::streams::names[number % sapwood::streams::names.size()];
        const std::vector<Point> points = sapwood::streams::make(name, 600, 12, 3, 2);
        StreamingTree tree(options);
        for (std::size_t i = 0; i < 300; ++i) tree.learn(Features(points[i].features), points[i].label);
        const std::string bytes = sapwood::write_tree(tree);
        StreamingTree loaded = sapwood::read_tree(std::as_bytes(std::span(bytes)));
        loaded.validate();
        CHECK(sapwood::write_tree(loaded) == bytes);
        for (std::size_t i = 300; i < points.size(); ++i) {
            for (StreamingTree* each : {&tree, &loaded}) each->learn(Features(points[i].features), points[i].label);
        }
        CHECK(sapwood::write_tree(loaded) == sapwood::write_tree(tree));
    }
}

void within_memory() {
    for (std::size_t number = 0; number < 10; ++number) {
        TreeOptions options = sized(number);
        options.max_bytes = sapwood::least_max_bytes;
        const std::vector<Point> points = sapwood::streams::make("label flips", 3000, 4000, 5, 2);
        StreamingTree tree(options);
        for (std::size_t i = 0; i < points.size(); ++i) {
            tree.learn(Features(points[i].features), points[i].label);
            CHECK(tree.n_bytes() <= static_cast<std::size_t>(*options.max_bytes));
            if (i % 50 == 0) tree.validate();
        }
        tree.validate();
    }
}

}  // namespace

int main() {
    hostile_streams();
    goes_on_after_a_file();
    within_memory();
    return sapwood::check::finish();
}
