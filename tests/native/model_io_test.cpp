// Trees as bytes: what is written is read again, goes on learning as the original does, and nothing else is ever read.
#include "sapwood/model_io.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/tree/growth/make_growth.hpp"
#include "sapwood/tree/learn_rows.hpp"
#include "streams.hpp"

// ---- how much memory is taken ------------------------------------------------------------------------------------

namespace {

std::size_t live_bytes = 0;
std::size_t peak_bytes = 0;

// Before every piece of memory, its size.
constexpr std::size_t head = alignof(std::max_align_t);

void* allocate(std::size_t size) noexcept {
    auto* memory = static_cast<std::byte*>(std::malloc(head + size));
    if (memory == nullptr) return nullptr;
    std::memcpy(memory, &size, sizeof(size));
    live_bytes += size;
    peak_bytes = std::max(peak_bytes, live_bytes);
    return memory + head;
}

void* allocate_or_throw(std::size_t size) {
    if (void* memory = allocate(size)) return memory;
    throw std::bad_alloc();
}

void give_back(void* memory) noexcept {
    if (memory == nullptr) return;
    std::byte* start = static_cast<std::byte*>(memory) - head;
    std::size_t size = 0;
    std::memcpy(&size, start, sizeof(size));
    live_bytes -= size;
    std::free(start);
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }

namespace {

using namespace sapwood;
using streams::Point;

StreamingTree read(std::string_view bytes) { return read_tree(std::as_bytes(std::span(bytes.data(), bytes.size()))); }

void learn(StreamingTree& tree, std::span<const Point> points) {
    Count weight = 0;
    for (const Point& point : points) tree.learn(Features(point.features), point.label, weight++ % 7 == 6 ? 3 : 1);
}

/// Checks every search of a tree, and that nodes fit together.
void validate(const StreamingTree& tree) {
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

// ---- what is written is read ---------------------------------------------------------------------------------------

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

/// A chain as text makes them, only longer: nothing may recurse. Each inner node has counted one point; the tree says
/// that it has learned `n`, and each leaf that it has `in_leaf`.
StreamingTree chain(NodeId length, std::int64_t n, std::int64_t in_leaf) {
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

void a_long_chain_is_kept() {
    constexpr NodeId length = 40000;
    StreamingTree tree = chain(length, length, 0);
    const std::string bytes = write_tree(tree);
    StreamingTree loaded = read(bytes);
    CHECK(loaded.nodes().depth() == length && loaded.nodes().n_nodes() == 2 * length + 1);
    CHECK(write_tree(loaded) == bytes);
}

// ---- nothing else is read ------------------------------------------------------------------------------------------

/// The message that bytes are refused with; empty if they are not.
std::string refusal(std::string_view bytes, std::int64_t n_features = std::int64_t{1} << 31) {
    try {
        read_tree(std::as_bytes(std::span(bytes.data(), bytes.size())), n_features);
    } catch (const ModelFormatError& error) {
        return error.what();
    }
    return "";
}

/// Small trees of many kinds, and their bytes.
struct SmallTree {
    std::string name;
    std::string bytes;
    std::size_t n_classes;
};

/// A tree two nodes of which have given up their statistics.
StreamingTree paused_tree() {
    TreeOptions options;
    options.growth = Growth::extremely_fast;
    options.leaf_prediction = LeafPrediction::naive_bayes;
    options.delta = 0.1;
    options.max_bytes = least_max_bytes;
    StreamingTree tree(options);
    learn(tree, streams::make("pure at the end", 60, 5, 3));
    CHECK(tree.nodes().n_nodes() == 3);
    TreeBody made(options, 2);
    TreeTally tally = tree.tally();
    tally.paused = 2;
    made.restore_counts(tree.n() + 1, tally, tree.nodes().n_born());
    const std::vector<NodeId> order = tree.nodes().in_order();
    for (const NodeId at : order) {
        const Node& from = tree.node(at);
        const NodeStatistics& counted = from.statistics;
        Node to;
        to.of_class = from.of_class;
        to.split = from.split;
        const bool pauses = at == order.front() || at == order.back();
        to.statistics =
            NodeStatistics::restored(pauses ? NodeStatistics::State::paused : NodeStatistics::State::counting,
                                     counted.counted(), counted.tested_at(), at == order.front() ? 1 : 0,
                                     pauses ? 1234 : 0, pauses ? nullptr : counted.search()->clone());
        if (from.models) to.models = made.restored_predictor().make_models();
        const NodeId parent = tree.nodes().parent(at);
        const bool passes = parent != no_node && tree.nodes().child(parent, true) == at;
        // The nodes are in order, and so have the same ids.
        made.restore_node({parent, passes}, tree.nodes().born(at), tree.nodes().test(at), std::move(to), nullptr);
    }
    return StreamingTree(std::move(made), make_growth(options));
}

/// A tree whose inner nodes ask for numbers and categories.
StreamingTree typed_tree() {
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

/// Lets a tree learn points with two numbers, a category and a flag; the vocabulary may have been used before.
void learn_typed(StreamingTree& tree, Vocabulary& vocabulary, int n, unsigned seed) {
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
StreamingTree tree_of_numbers(TreeOptions options, std::size_t n_classes, int n) {
    options.delta = 0.3;
    StreamingTree tree(std::move(options));
    tree.cover_classes(n_classes);
    Vocabulary vocabulary;
    learn_typed(tree, vocabulary, n, 3);
    return tree;
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

std::vector<SmallTree> small_models() {
    std::vector<SmallTree> models;
    const auto add = [&](std::string name, StreamingTree tree) {
        const std::size_t n_classes = tree.n_classes();
        models.push_back({std::move(name), write_tree(tree), n_classes});
        CHECK(models.back().bytes.size() < 6000);
    };
    const auto grown = [](TreeOptions options, std::size_t n_classes, std::string_view stream, int n) {
        options.delta = 0.2;
        StreamingTree tree(std::move(options));
        tree.cover_classes(n_classes);
        learn(tree, streams::make(stream, n, 6, 3, static_cast<int>(n_classes)));
        return tree;
    };
    TreeOptions options;
    add("empty", grown(options, 2, "plain", 0));
    add("hoeffding certified adaptive", grown(options, 2, "pure at the end", 120));
    options.growth = Growth::extremely_fast;
    options.search = SearchKind::exhaustive;
    options.leaf_prediction = LeafPrediction::majority;
    add("extremely_fast exhaustive majority", grown(options, 3, "label flips", 150));
    options.search = SearchKind::approximate;
    options.leaf_prediction = LeafPrediction::logistic;
    add("extremely_fast approximate entropy logistic", grown(options, 2, "taking turns", 150));
    options.growth = Growth::hoeffding;
    options.criterion = Criterion::gini;
    options.leaf_prediction = LeafPrediction::naive_bayes;
    add("hoeffding approximate gini naive_bayes", grown(options, 2, "falling gain", 150));
    options.search = SearchKind::certified;
    options.leaf_prediction = LeafPrediction::adaptive;
    options.max_depth = 1;
    options.max_leaves = 9;
    options.seed = 7;
    add("as deep as may be", grown(options, 3, "pure at the end", 80));
    options = TreeOptions();
    options.growth = Growth::streaming;
    options.split_test = SplitTestKind::evidence;
    options.leaf_prediction = LeafPrediction::mixed;
    add("streaming evidence mixed", grown(options, 2, "pure at the end", 120));
    add("streaming evidence mixed, three classes", grown(options, 3, "label flips", 60));
    add("paused", paused_tree());
    add("typed", typed_tree());
    add("numbers, streaming evidence mixed", tree_of_numbers(options, 2, 120));
    options.growth = Growth::extremely_fast;
    options.split_test = SplitTestKind::hoeffding;
    options.leaf_prediction = LeafPrediction::majority;
    options.max_leaves = 4;
    add("numbers, extremely_fast majority", tree_of_numbers(options, 3, 150));
    return models;
}

/// Each point is counted in a leaf or in the node that was split on it, and is in one leaf at most.
void points_that_do_not_add_up_are_refused() {
    const auto refused = [](std::int64_t n, std::int64_t in_leaf) {
        StreamingTree tree = chain(5, n, in_leaf);
        return refusal(write_tree(tree));
    };
    CHECK(refused(5, 0).empty());
    CHECK(refused(6, 0) == "a tree is broken: points were lost");
    CHECK(refused(5, 1) == "a tree is broken: leaves have more points than the tree");
}

void refusals_say_what_must_hold(const std::vector<SmallTree>& models) {
    const std::string& right = models[1].bytes;
    CHECK(refusal(right).empty());
    CHECK(refusal("") ==
          "the bytes must hold the magic of a tree, which take at least 1 bytes each, got 8 of them and 0 bytes");
    std::string wrong = right;
    wrong[3] = 'x';
    CHECK(refusal(wrong) == "a tree must start with its magic, got other bytes");
    wrong = right;
    wrong[8] = 1;
    CHECK(refusal(wrong) == "the version of a tree must be 4, got 1");
    CHECK(refusal(right + "x") == "a tree must end with its section 'growth', got 1 bytes more");
    const auto replaced = [&](std::string_view what, std::string_view by) {
        std::string other = right;
        return other.replace(other.find(what), what.size(), by);
    };
    CHECK(refusal(replaced("counts", "window")) ==
          "a tree must have the section 'counts' here, got 'window': it may have been written by another version of "
          "sapwood");
    CHECK(refusal(replaced("min_gain", "min_pain")) == "a tree must have the option 'min_gain' here, got 'min_pain'");
    CHECK(refusal(replaced("hoeffding", "Hoeffding")) ==
          "growth must be one of 'hoeffding', 'extremely_fast', 'streaming', 'windowed', 'adaptive', 'batch', "
          "'adaptive_size', got "
          "'Hoeffding'");
    CHECK(refusal(right, 6).empty());
    CHECK(refusal(right, 3).find("features of the model") != std::string::npos);
}

void nothing_that_ends_early_is_read(const std::vector<SmallTree>& models) {
    for (const SmallTree& model : models) {
        for (std::size_t size = 0; size < model.bytes.size(); ++size) {
            if (!CHECK(!refusal(std::string_view(model.bytes).substr(0, size)).empty())) return;
        }
    }
}

std::string mutated(const std::vector<SmallTree>& models, const std::string& original, std::mt19937& random) {
    std::string bytes = original;
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
    const auto extreme = [&] {
        constexpr std::array<std::uint64_t, 16> values{0,
                                                       1,
                                                       2,
                                                       0x7F,
                                                       0x80,
                                                       0xFF,
                                                       0xFFFF,
                                                       0x7FFFFFFF,
                                                       0x80000000,
                                                       0xFFFFFFFE,
                                                       0xFFFFFFFF,
                                                       0x7F800000,
                                                       0x7FC00000,
                                                       0xFF800000,
                                                       0x7FF0000000000000,
                                                       0x7FFFFFFFFFFFFFFF};
        return values[below(values.size())] * (random() % 16 == 0 ? 0xFFFFFFFFFFFFFFFF : 1);
    };
    const std::size_t edits = random() % 4 == 0 ? 1 + below(3) : 1;
    for (std::size_t edit = 0; edit < edits && !bytes.empty(); ++edit) {
        const std::size_t at = below(bytes.size());
        switch (below(8)) {
            case 0:
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 2:
                bytes[at] = static_cast<char>(random());
                break;
            case 3:
            case 4: {
                // A number of two, four or eight bytes, as lengths and counts are.
                const std::uint64_t value = extreme();
                const std::size_t size = std::size_t{2} << below(3);
                for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i) {
                    bytes[at + i] = static_cast<char>(value >> (8 * i));
                }
                break;
            }
            case 5:
                bytes.resize(at);
                break;
            case 6:
                if (random() % 2 == 0) {
                    bytes.insert(at, 1 + below(16), static_cast<char>(random() % 3 == 0 ? random() : 0));
                } else {
                    bytes.erase(at, 1 + below(16));
                }
                break;
            default: {
                // A piece of another model, or of this one from elsewhere.
                const std::string& other = models[below(models.size())].bytes;
                const std::size_t from = random() % 2 == 0 ? std::min(at, other.size()) : below(other.size());
                const std::size_t size = random() % 2 == 0 ? other.size() - from : below(64);
                bytes.replace(at, random() % 2 == 0 ? size : bytes.size() - at, other, from, size);
            }
        }
    }
    return bytes;
}

/// Whatever bytes are read is a tree: it is whole, it learns, and it is written as the very same bytes. Says whether
/// they were read.
bool is_refused_or_whole(const std::string& bytes, double& most_memory) {
    const std::size_t before = live_bytes;
    peak_bytes = live_bytes;
    try {
        StreamingTree tree = read(bytes);
        most_memory = std::max(most_memory,
                               static_cast<double>(peak_bytes - before) / (static_cast<double>(bytes.size()) + 1000));
        validate(tree);
        CHECK(write_tree(tree) == bytes);
        const auto n_classes = static_cast<unsigned>(tree.n_classes());
        std::mt19937 random(1);
        for (int i = 0; i < 20; ++i) {
            std::vector<FeatureId> features;
            for (FeatureId id = 0; id < 8; ++id) {
                if (random() % 3 == 0) features.push_back(id);
            }
            std::vector<NumberValue> numbers;
            for (std::size_t a = 0; a < tree.attributes().n_numbers(); ++a) {
                const FeatureId presence = tree.attributes().number(attribute_at(a)).presence;
                std::erase(features, presence);
                if (random() % 4 == 0) continue;
                features.push_back(presence);
                numbers.push_back({attribute_at(a), static_cast<double>(random() % 50) / 7});
                tree.attributes().meet(attribute_at(a), numbers.back().value);
            }
            tree.attributes().meet(Features(features));
            sapwood::Point point(features, numbers);
            point.attributes = &tree.attributes();
            const auto label = static_cast<Label>(random() % n_classes);
            if (tree.n() == max_points) {
                CHECK_THROWS(std::overflow_error, tree.learn(point, label));
            } else {
                tree.learn(point, label);
            }
        }
        validate(tree);
        const std::string later = write_tree(tree);
        StreamingTree again = read(later);
        CHECK(write_tree(again) == later);
        return true;
    } catch (const ModelFormatError&) {
        most_memory = std::max(most_memory,
                               static_cast<double>(peak_bytes - before) / (static_cast<double>(bytes.size()) + 1000));
        return false;
    }
}

void a_hundred_thousand_mutants_are_refused_or_whole(const std::vector<SmallTree>& models) {
    // These tables are kept by the process, whoever asks for them first.
    for (int bits = 0; bits < 31; ++bits) XLogX::covering(Count{1} << bits);
    std::mt19937 random(1);
    std::size_t n_read = 0;
    double most_memory = 0;
    constexpr std::size_t n_mutants = 100000;
    for (std::size_t i = 0; i < n_mutants; ++i) {
        const SmallTree& model = models[i % models.size()];
        const std::string bytes = mutated(models, model.bytes, random);
        const long failed = check::tally().failed;
        try {
            n_read += is_refused_or_whole(bytes, most_memory) ? 1 : 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            CHECK(false && "only ModelFormatError refuses bytes");
        }
        if (check::tally().failed != failed) {
            std::fprintf(stderr, "  mutant %zu, of %s\n", i, model.name.c_str());
            return;
        }
    }
    std::fprintf(stderr, "%zu of %zu mutants read; at most %.0f bytes of memory for a byte\n", n_read, n_mutants,
                 most_memory);
    CHECK(n_read > n_mutants / 100 && n_read < n_mutants / 2);
    CHECK(most_memory < 40);
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
    points_that_do_not_add_up_are_refused();
    typed_tests_are_kept();
    trees_of_numbers_go_on_alike();
    const std::vector<SmallTree> models = small_models();
    refusals_say_what_must_hold(models);
    nothing_that_ends_early_is_read(models);
    a_hundred_thousand_mutants_are_refused_or_whole(models);
    return check::finish();
}
