// Classes that come late: whether records had room for them, were made anew at each, or were saved and loaded in
// between, answers and saved bytes are the same; and records are made anew seldom.
#include <bit>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "sapwood/forest/learn_forest_rows.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/search/families.hpp"
#include "sapwood/tree/learn_rows.hpp"

namespace {

using namespace sapwood;

constexpr std::size_t points_per_class = 30;

/// Points of which one feature in three is on, and one that often tells the class. A new class comes every
/// `points_per_class` points.
struct LateStream {
    LateStream(std::size_t n_classes, bool with_numbers) {
        std::mt19937 random(11);
        for (std::size_t i = 0; i < n_classes * points_per_class; ++i) {
            const std::size_t known = i / points_per_class + 1;
            const std::size_t label = i % points_per_class == 0 ? known - 1 : random() % known;
            for (KeyId key = 0; key < 10; ++key) {
                if (random() % 3 == 0 || (random() % 4 != 0 && key == static_cast<KeyId>(label % 10))) {
                    keys.push_back(key);
                }
            }
            indptr.push_back(static_cast<std::int64_t>(keys.size()));
            if (with_numbers) {
                numbers.push_back(0);
                values.push_back(static_cast<double>(label * 3 + random() % 5));
            }
            number_indptr.push_back(static_cast<std::int64_t>(numbers.size()));
            labels.push_back(static_cast<Label>(label));
        }
    }

    KeyedPoint point(std::size_t i) const {
        const auto part = [i](const auto& all, const std::vector<std::int64_t>& ends) {
            return std::span(all).subspan(static_cast<std::size_t>(ends[i]),
                                          static_cast<std::size_t>(ends[i + 1] - ends[i]));
        };
        return {part(keys, indptr), part(numbers, number_indptr), part(values, number_indptr)};
    }
    LabelledRows rows() const { return {{{indptr, keys}, {number_indptr, numbers}, values}, labels, {}}; }
    std::size_t size() const { return labels.size(); }

    std::vector<std::int64_t> indptr{0};
    std::vector<KeyId> keys;
    std::vector<std::int64_t> number_indptr{0};
    std::vector<KeyId> numbers;
    std::vector<double> values;
    std::vector<Label> labels;
};

/// A tree that learns such a stream point by point.
struct Learning {
    Learning(const TreeOptions& options, const char* name) : label(name) { tree.emplace(options); }

    std::vector<double> answer_and_learn(const LateStream& stream, std::size_t i) {
        const KeyedPoint point = stream.point(i);
        Scores scores = tree->make_scores();
        tree->predict(maker.to_ask(*tree, Vocabulary::Reading(vocabulary), point), scores);
        Vocabulary::Writing writing(vocabulary);
        learn_keys(*tree, writing, point, stream.labels[i], 1, maker);
        return scores.probabilities;
    }
    void reload() {
        const std::string saved = write_tree(*tree);
        StreamingTree read = read_tree(std::as_bytes(std::span(saved)), 1'000);
        tree.reset();
        tree.emplace(std::move(read));
    }

    /// Which of several it is, for who reads of a failure.
    const char* label;
    std::optional<StreamingTree> tree;
    Vocabulary vocabulary;
    PointMaker maker;
};

/// Says which case has failed.
void tell(const TreeOptions& options, std::size_t n_classes, std::size_t i, const char* label) {
    std::fprintf(stderr, "  %s, growth %d, leaf prediction %d, search %d, %zu classes, point %zu\n", label,
                 static_cast<int>(options.growth), static_cast<int>(options.leaf_prediction),
                 static_cast<int>(options.search), n_classes, i);
}

void test_tree(const TreeOptions& options, std::size_t n_classes, bool with_numbers) {
    const LateStream stream(n_classes, with_numbers);
    TreeOptions limited = options;
    limited.max_bytes = std::int64_t{1} << 32;
    Learning surprised(options, "surprised");
    Learning told(options, "told");
    Learning told_late(options, "told_late");
    Learning reloaded(options, "reloaded");
    // With a limit there are smaller steps.
    Learning bounded(limited, "bounded");
    Learning bounded_told(limited, "bounded_told");
    told.tree->expect_classes(n_classes);
    bounded_told.tree->expect_classes(n_classes);
    // Where nodes take points back or are split anew, the gaps of numbers are not all that a file would have to keep
    // (docs/reliability.md).
    const bool may_reload = !with_numbers || options.growth == Growth::hoeffding;
    for (std::size_t i = 0; i < stream.size(); ++i) {
        if (i == stream.size() / 2) told_late.tree->expect_classes(n_classes + 3);
        if (i % 47 == 46 && may_reload) reloaded.reload();
        const std::vector<double> answer = surprised.answer_and_learn(stream, i);
        for (Learning* other : {&told, &told_late, &reloaded, &bounded, &bounded_told}) {
            const bool is_same = other->answer_and_learn(stream, i) == answer;
            if (!CHECK(is_same)) return tell(options, n_classes, i, other->label);
        }
        if (i % 29 != 0 && i + 1 < stream.size()) continue;
        const std::string saved = write_tree(*surprised.tree);
        for (Learning* other : {&told, &told_late, &reloaded}) {
            const bool is_same = write_tree(*other->tree) == saved;
            if (!CHECK(is_same)) return tell(options, n_classes, i, other->label);
        }
        for (Learning* each : {&surprised, &told, &told_late, &reloaded, &bounded, &bounded_told}) {
            each->tree->validate();
        }
    }
    CHECK(surprised.tree->n_classes() == n_classes);
    // From two to three classes records become of another kind. Those that were declared cost nothing after that; of
    // others, each power of two does.
    const auto doublings = static_cast<std::size_t>(std::countr_zero(std::bit_ceil(n_classes)));
    CHECK(told.tree->body().n_rewrites() == 1);
    CHECK(surprised.tree->body().n_rewrites() == doublings - 1);
    CHECK(told_late.tree->body().n_rewrites() <= doublings);
    // Under a limit they are made anew for the classes after these.
    std::size_t steps = 0;
    for (const std::size_t most : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, 12u, 15u, 18u, 22u, 27u, 33u})
        steps += most < n_classes;
    CHECK(bounded_told.tree->body().n_rewrites() == 1);
    CHECK(bounded.tree->body().n_rewrites() == steps);
}

/// Classes that come late to a tree whose limit binds, declared or not: it is within its limit after every point, and
/// its records are made anew as often as in one that has all the memory it wants.
void test_bounded_tree(LeafPrediction prediction, std::int64_t limit, bool is_told) {
    constexpr std::size_t n_classes = 40;
    const LateStream stream(n_classes, false);
    TreeOptions options;
    options.leaf_prediction = prediction;
    options.delta = 0.2;
    options.tau = 0.5;
    options.max_bytes = limit;
    Learning bounded(options, "bounded");
    if (is_told) bounded.tree->expect_classes(n_classes);
    bool gave_up = false;
    for (std::size_t i = 0; i < stream.size(); ++i) {
        bounded.answer_and_learn(stream, i);
        const bool is_within = bounded.tree->n_bytes() <= static_cast<std::size_t>(limit);
        if (!CHECK(is_within)) return tell(options, n_classes, i, bounded.label);
        gave_up = gave_up || bounded.tree->tally().paused > 0 || bounded.tree->tally().pruned > 0;
        if (i % 29 == 0) bounded.tree->validate();
    }
    CHECK(gave_up);
    CHECK(bounded.tree->body().n_rewrites() == 14);
}

void test_trees() {
    for (const Growth growth :
         {Growth::hoeffding, Growth::extremely_fast, Growth::streaming, Growth::windowed, Growth::adaptive}) {
        for (const LeafPrediction prediction :
             {LeafPrediction::majority, LeafPrediction::naive_bayes, LeafPrediction::logistic, LeafPrediction::adaptive,
              LeafPrediction::mixed}) {
            TreeOptions options;
            options.growth = growth;
            options.leaf_prediction = prediction;
            if (growth == Growth::streaming) options.split_test = SplitTestKind::evidence;
            options.delta = 0.2;
            options.tau = 0.5;
            options.window_size = 90;
            options.patience = 50;
            options.drift_delta = 0.3;
            const bool with_numbers = prediction != LeafPrediction::naive_bayes && growth != Growth::extremely_fast;
            test_tree(options, 7, with_numbers);
            if (growth == Growth::hoeffding) {
                options.search = SearchKind::exhaustive;
                test_tree(options, 9, with_numbers);
            }
        }
    }
    TreeOptions options;
    options.leaf_prediction = LeafPrediction::adaptive;
    options.delta = 0.2;
    test_tree(options, 40, false);
}

void test_forest() {
    const LateStream stream(7, true);
    ForestOptions options;
    options.n_estimators = 3;
    options.on_drift = OnDrift::swap;
    options.warning_delta = 0.3;
    options.drift_delta = 0.2;
    options.tree.growth = Growth::streaming;
    options.tree.split_test = SplitTestKind::evidence;
    options.tree.delta = 0.3;
    for (const LeafPrediction prediction : {LeafPrediction::mixed, LeafPrediction::adaptive}) {
        options.tree.leaf_prediction = prediction;
        options.combining = prediction == LeafPrediction::mixed ? Combining::mixed : Combining::votes;
        std::string saved;
        for (const std::size_t expected : {0u, 7u}) {
            Forest forest(options);
            if (expected > 0) forest.expect_classes(expected);
            Vocabulary vocabulary;
            Workers workers(1);
            learn_rows(
                forest, vocabulary, stream.rows(), 0, workers, false, [](std::size_t, std::span<const double>) {},
                [] { return false; });
            for (std::size_t t = 0; t < forest.n_trees(); ++t) forest.tree(t).validate();
            const std::string bytes = write_forest(forest);
            CHECK(expected == 0 || bytes == saved);
            saved = bytes;
        }
    }
}

/// The certified search takes classes in place; after each point it answers as the exhaustive one, which had all from
/// the start.
void test_search(Criterion criterion) {
    constexpr std::size_t n_classes = 9;
    const std::unique_ptr<SplitSearch> taking = make_multiclass_certified(criterion, 3, hash_seed, n_classes);
    const std::unique_ptr<SplitSearch> growing = make_exhaustive(criterion, 3);
    const std::unique_ptr<SplitSearch> twin = make_exhaustive(criterion, n_classes);
    std::mt19937 random(3);
    std::vector<std::pair<std::vector<FeatureId>, Label>> points;
    for (std::size_t known = 3; known <= n_classes; ++known) {
        if (known > 3) CHECK(taking->take_classes(known) && growing->take_classes(known));
        CHECK(taking->of_classes().size() == known && growing->of_classes().size() == known);
        for (int i = 0; i < 120; ++i) {
            const auto label = static_cast<Label>(random() % known);
            std::vector<FeatureId> features;
            for (FeatureId id = 0; id < 60; ++id) {
                if (random() % 12 == 0 || (id == static_cast<FeatureId>(label) && random() % 4 != 0)) {
                    features.push_back(id * 1'003);
                }
            }
            for (SplitSearch* each : {taking.get(), growing.get(), twin.get()}) each->add(features, label, 1);
            points.emplace_back(features, label);
            if (known > 6 && i % 5 == 0) {
                const std::size_t which = random() % points.size();
                const auto [gone, of_class] = points[which];
                points.erase(points.begin() + static_cast<std::ptrdiff_t>(which));
                for (SplitSearch* each : {taking.get(), growing.get(), twin.get()}) each->remove(gone, of_class, 1);
            }
            const std::optional<Split> expected = twin->best();
            for (SplitSearch* each : {taking.get(), growing.get()}) {
                const std::optional<Split> best = each->best();
                CHECK(best && best->test == expected->test && best->score == expected->score &&
                      best->gain == expected->gain);
            }
            if (i % 20 == 0) taking->validate();
        }
    }
    CHECK(!taking->take_classes(n_classes + 1));
    CHECK(taking->of_classes().size() == n_classes);
    CHECK(!make_binary_certified(criterion)->take_classes(3));
}

}  // namespace

int main() {
    test_search(Criterion::entropy);
    test_search(Criterion::gini);
    test_trees();
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::mixed}) {
        for (const bool is_told : {false, true}) test_bounded_tree(prediction, 1 << 18, is_told);
    }
    test_forest();
    return sapwood::check::finish();
}
