// Trees as bytes: what is written is read again, and goes on learning as the original does.
#include "sapwood/model_io.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "model_trees.hpp"
#include "streams.hpp"

namespace {

using namespace sapwood;
using namespace sapwood::model_trees;
using streams::Point;

/// Whether two trees answer alike, to the last bit.
bool agree(const StreamingTree& left, const StreamingTree& right, std::span<const Point> points) {
    Scores of_left = left.make_scores();
    Scores of_right = right.make_scores();
    for (const Point& point : points) {
        left.predict(Features(point.features), of_left);
        right.predict(Features(point.features), of_right);
        if (of_left.probabilities != of_right.probabilities) return false;
    }
    return true;
}

std::string described(const TreeOptions& options, std::size_t n_classes, std::string_view stream) {
    std::string text;
    for (const std::string_view word : {word_of(options.growth), word_of(options.criterion), word_of(options.search),
                                        word_of(options.leaf_prediction)}) {
        text += std::string(word) + " ";
    }
    return text + "K=" + std::to_string(n_classes) + " " + std::string(stream);
}

struct Totals {
    std::size_t nodes = 0;
    std::int64_t resplits = 0;
    std::size_t shared_pages = 0;
};

std::size_t shared_pages(const StreamingTree& tree) {
    std::set<const PagePool::Page*> pages;
    std::size_t references = 0;
    for (const NodeId at : tree.nodes().in_order()) {
        if (!tree.node(at).models) continue;
        tree.node(at).models->table.for_each_page([&](std::size_t, const PagePool::Page* page) {
            pages.insert(page);
            ++references;
        });
    }
    return references - pages.size();
}

template <class Enum>
std::vector<Enum> all_of() {
    std::vector<Enum> values;
    for (std::size_t i = 0; i < Words<Enum>::all.size(); ++i) values.push_back(static_cast<Enum>(i));
    return values;
}

/// Every growth that learns point by point; the one that learns batches is in batch_test.cpp.
std::vector<Growth> growths_by_point() {
    std::vector<Growth> growths = all_of<Growth>();
    std::erase(growths, Growth::batch);
    return growths;
}

/// A tree is written after a third of a stream, and it and what was read go on for another third; one more class comes
/// on the way. They stay the same; and with exact searches the same as one that never was written.
void goes_on_alike(const TreeOptions& options, std::size_t n_classes, std::string_view stream, Totals& totals) {
    const std::vector<Point> points = streams::make(stream, 900, 24, 5, static_cast<int>(n_classes));
    const std::span<const Point> all(points);
    StreamingTree tree(options);
    StreamingTree never_written(options);
    for (StreamingTree* each : {&tree, &never_written}) {
        each->cover_classes(n_classes);
        learn(*each, all.first(400));
    }
    const std::string bytes = write_tree(tree);
    StreamingTree loaded = read(bytes);
    validate(loaded);
    bool same = CHECK(write_tree(loaded) == bytes);
    same &= CHECK(agree(tree, loaded, all.first(100)));
    same &= CHECK(shared_pages(loaded) == shared_pages(tree));
    same &= CHECK(loaded.body().predictor().pool().n_bytes() <= tree.body().predictor().pool().n_bytes());
    totals.shared_pages += shared_pages(loaded);
    const bool widens = options.search != SearchKind::approximate && options.criterion != Criterion::kearns_mansour;
    for (StreamingTree* each : {&tree, &loaded, &never_written}) {
        learn(*each, all.subspan(400, 200));
        if (widens) each->cover_classes(n_classes + 1);
        learn(*each, all.subspan(600));
        if (widens) each->learn(Features(points[0].features), static_cast<Label>(n_classes), 5);
    }
    validate(loaded);
    const std::string later = write_tree(tree);
    same &= CHECK(write_tree(loaded) == later);
    same &= CHECK(agree(tree, loaded, all.first(100)));
    if (options.search != SearchKind::approximate) same &= CHECK(write_tree(never_written) == later);
    same &= CHECK(later != bytes);
    if (!same) std::fprintf(stderr, "  %s\n", described(options, n_classes, stream).c_str());
    totals.nodes += tree.nodes().n_nodes();
    totals.resplits += tree.tally().resplit;
}

void every_tree_goes_on_alike() {
    Totals totals;
    std::size_t turn = 0;
    for (const Growth growth : growths_by_point()) {
        for (const SearchKind search : all_of<SearchKind>()) {
            for (const Criterion criterion : all_of<Criterion>()) {
                for (const LeafPrediction leaf_prediction : all_of<LeafPrediction>()) {
                    for (const std::size_t n_classes : {2u, 3u, 5u}) {
                        TreeOptions options;
                        options.growth = growth;
                        options.search = search;
                        options.criterion = criterion;
                        options.leaf_prediction = leaf_prediction;
                        options.delta = 0.1;
                        options.split_test = static_cast<SplitTestKind>(turn % 4);
                        options.grace_period = turn % 4 == 0 ? 5 : 1;
                        if (turn % 5 == 0) options.seed = turn;
                        if (turn % 6 == 0) options.max_depth = 2;
                        if (turn % 7 == 0) options.max_leaves = 6;
                        if (why_not(options.search_choice(n_classes))) continue;
                        // What forgets points does so exactly, and by a bound.
                        if (options.follows_change() && search == SearchKind::approximate) continue;
                        options.window_size = 100;
                        options.patience = 50;
                        const bool is_evidence = options.split_test == SplitTestKind::evidence;
                        if (why_no_test(options.split_test, options.criterion) ||
                            (options.follows_change() && is_evidence)) {
                            options.split_test = SplitTestKind::hoeffding;
                        }
                        for (int i = 0; i < 2; ++i) {
                            goes_on_alike(options, n_classes, streams::names[turn++ % streams::names.size()], totals);
                        }
                    }
                }
            }
        }
    }
    // Else the above says little.
    CHECK(totals.nodes > 1000 && totals.resplits > 100 && totals.shared_pages > 100);
}

void every_stream_goes_on_alike_with_bins() {
    Totals totals;
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini}) {
        for (const double alpha : {0.002, 0.02, 0.1, 1.0}) {
            for (const std::string_view stream : streams::names) {
                // So small an alpha makes more bins than are kept; one stream shows that.
                if (alpha < 0.01 && stream != "sorted labels") continue;
                TreeOptions options;
                options.growth = Growth::extremely_fast;
                options.search = SearchKind::approximate;
                options.criterion = criterion;
                options.alpha = alpha;
                options.delta = 0.1;
                options.leaf_prediction = LeafPrediction::majority;
                goes_on_alike(options, 2, stream, totals);
            }
        }
    }
}

/// A feature that is on in every point has no share of its own. Filed where another one was, it went beyond all bins
/// as soon as a point came without it.
void a_feature_beyond_all_bins_is_filed_anew() {
    TreeOptions options;
    options.search = SearchKind::approximate;
    options.leaf_prediction = LeafPrediction::majority;
    StreamingTree tree(options);
    const auto learn_point = [&](std::vector<FeatureId> features, Label label) {
        tree.learn(Features(features), label);
    };
    learn_point({0, 1, 2}, 0);
    learn_point({0, 2}, 0);
    learn_point({2}, 1);
    learn_point({}, 0);
    const std::string bytes = write_tree(tree);
    StreamingTree loaded = read(bytes);
    CHECK(write_tree(loaded) == bytes);
    validate(tree);
}

void a_tree_that_has_seen_nothing_is_kept() {
    for (const LeafPrediction leaf_prediction : all_of<LeafPrediction>()) {
        TreeOptions options;
        options.leaf_prediction = leaf_prediction;
        StreamingTree tree(options);
        const std::string bytes = write_tree(tree);
        StreamingTree loaded = read(bytes);
        CHECK(write_tree(loaded) == bytes);
        CHECK(loaded.n() == 0 && loaded.nodes().n_nodes() == 1 && loaded.n_classes() == 2);
    }
}

void all_options_are_kept() {
    TreeOptions options;
    options.growth = Growth::extremely_fast;
    options.criterion = Criterion::gini;
    options.search = SearchKind::approximate;
    options.alpha = 0.25;
    options.split_test = SplitTestKind::gaussian;
    options.delta = 0.125;
    options.tau = 0.0625;
    options.grace_period = 3;
    options.min_samples_reevaluate = 4;
    options.min_gain = 0.5;
    options.max_depth = 5;
    options.max_leaves = 6;
    options.max_bytes = 70000;
    options.leaf_prediction = LeafPrediction::naive_bayes;
    options.seed = std::numeric_limits<std::uint64_t>::max();
    StreamingTree tree(options);
    const StreamingTree loaded = read(write_tree(tree));
    const TreeOptions& kept = loaded.options();
    CHECK(kept.growth == options.growth && kept.criterion == options.criterion && kept.search == options.search);
    CHECK(kept.alpha == options.alpha && kept.split_test == options.split_test && kept.delta == options.delta);
    CHECK(kept.tau == options.tau && kept.grace_period == 3 && kept.min_samples_reevaluate == 4);
    CHECK(kept.min_gain == options.min_gain && kept.max_depth == 5 && kept.max_leaves == 6);
    CHECK(kept.max_bytes == 70000 && kept.leaf_prediction == LeafPrediction::naive_bayes && kept.seed == options.seed);
}

/// Held to little memory: which nodes learn may change after reading, but the limit holds and nothing else is lost.
void a_tree_with_max_bytes_is_kept() {
    for (const Growth growth : growths_by_point()) {
        TreeOptions options;
        options.growth = growth;
        options.delta = 0.1;
        options.max_bytes = least_max_bytes;
        StreamingTree tree(options);
        const std::vector<Point> points = streams::make("late features", 3000, 400, 1);
        learn(tree, std::span(points).first(2500));
        CHECK(tree.tally().paused > 0);
        const std::string bytes = write_tree(tree);
        StreamingTree loaded = read(bytes);
        CHECK(write_tree(loaded) == bytes);
        validate(loaded);
        for (const Point& point : std::span(points).subspan(2500)) {
            loaded.learn(Features(point.features), point.label);
            CHECK(loaded.n_bytes() <= static_cast<std::size_t>(least_max_bytes));
        }
        validate(loaded);
    }
}

void a_long_chain_is_kept() {
    constexpr NodeId length = 40000;
    StreamingTree tree = chain(length, length, 0);
    const std::string bytes = write_tree(tree);
    StreamingTree loaded = read(bytes);
    CHECK(loaded.nodes().depth() == length && loaded.nodes().n_nodes() == 2 * length + 1);
    CHECK(write_tree(loaded) == bytes);
}

void typed_tests_are_kept() {
    StreamingTree tree = typed_tree();
    StreamingTree loaded = read(write_tree(tree));
    CHECK(loaded.nodes().test(0) == Test::is_above(AttributeId{1}, 37.5, true));
    CHECK(loaded.nodes().test(1) == Test::is_among({7, 5, 2}));
    const std::vector<NumberValue> low{{AttributeId{1}, 37.5}};
    const std::vector<FeatureId> among{7};
    CHECK(loaded.nodes().leaf_of(sapwood::Point(among, low)) == 3);
    CHECK(loaded.nodes().leaf_of(sapwood::Point({}, low)) == 2);
    CHECK(loaded.nodes().leaf_of(Features()) == 4);
    CHECK(loaded.attributes().n_numbers() == 2 && loaded.attributes().number(AttributeId{1}).presence == 6);
    CHECK(loaded.attributes().category_of(5) == 0 && loaded.attributes().category_of(4) == -1);
    CHECK(write_tree(loaded) == write_tree(tree));
}

/// What was read goes on as what was written, with numbers, ranges, categories, in every growth and leaf, and when a
/// class comes late.
void trees_of_numbers_go_on_alike() {
    for (const Growth growth : {Growth::hoeffding, Growth::extremely_fast, Growth::streaming}) {
        for (const SplitTestKind test : {SplitTestKind::hoeffding, SplitTestKind::evidence}) {
            for (const LeafPrediction leaf :
                 {LeafPrediction::majority, LeafPrediction::adaptive, LeafPrediction::mixed}) {
                for (const SearchKind search : {SearchKind::certified, SearchKind::exhaustive}) {
                    TreeOptions options;
                    options.growth = growth;
                    options.split_test = test;
                    options.leaf_prediction = leaf;
                    options.search = search;
                    options.delta = 0.3;
                    StreamingTree tree(options);
                    Vocabulary vocabulary;
                    learn_typed(tree, vocabulary, 600, 5);
                    tree.validate();
                    CHECK(tree.nodes().n_nodes() > 1);
                    StreamingTree loaded = read(write_tree(tree));
                    CHECK(write_tree(loaded) == write_tree(tree));
                    tree.cover_classes(3);
                    loaded.cover_classes(3);
                    learn_typed(tree, vocabulary, 300, 6);
                    learn_typed(loaded, vocabulary, 300, 6);
                    tree.validate();
                    CHECK(write_tree(loaded) == write_tree(tree));
                }
            }
        }
    }
}

}  // namespace

int main() {
    every_tree_goes_on_alike();
    every_stream_goes_on_alike_with_bins();
    a_feature_beyond_all_bins_is_filed_anew();
    a_tree_that_has_seen_nothing_is_kept();
    all_options_are_kept();
    a_tree_with_max_bytes_is_kept();
    a_long_chain_is_kept();
    typed_tests_are_kept();
    trees_of_numbers_go_on_alike();
    return check::finish();
}
