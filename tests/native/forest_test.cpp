// Forests: whatever the threads and the blocks, the same bytes; bytes and back; draws; one tree is that tree.
#include "sapwood/forest/forest.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "sapwood/forest/learn_forest_rows.hpp"
#include "sapwood/model_io.hpp"

namespace {

using namespace sapwood;

/// Points with flags and one number; the class follows one of them, and after half of the points another.
struct Points {
    explicit Points(std::size_t n) {
        std::mt19937 random(5);
        for (std::size_t i = 0; i < n; ++i) {
            for (KeyId key = 0; key < 12; ++key) {
                if (random() % 3 == 0) keys.push_back(key);
            }
            indptr.push_back(static_cast<std::int64_t>(keys.size()));
            const double value = static_cast<double>(random() % 50);
            numbers.push_back(7);
            values.push_back(value);
            number_indptr.push_back(static_cast<std::int64_t>(numbers.size()));
            const bool says = i < n / 2 ? value > 20 : indptr.back() % 2 == 0;
            labels.push_back(static_cast<Label>(i > n / 3 && random() % 7 == 0 ? 2 : says));
            weights.push_back(random() % 5 == 0 ? 0.5 : 1);
        }
    }

    LabelledRows rows() const { return {{{indptr, keys}, {number_indptr, numbers}, values}, labels, weights}; }

    std::vector<std::int64_t> indptr{0};
    std::vector<KeyId> keys;
    std::vector<std::int64_t> number_indptr{0};
    std::vector<KeyId> numbers;
    std::vector<double> values;
    std::vector<Label> labels;
    std::vector<double> weights;
};

ForestOptions options_of(OnDrift on_drift, double mean) {
    ForestOptions options;
    options.n_estimators = 4;
    options.lambda_value = mean;
    options.on_drift = on_drift;
    options.warning_delta = 0.3;
    options.drift_delta = 0.2;
    options.tree.growth = Growth::streaming;
    options.tree.split_test = SplitTestKind::evidence;
    options.tree.delta = 0.3;
    return options;
}

/// Learns rows, a few at a time if `pause` is not 0, and returns the bytes.
std::string learned(Forest& forest, const Points& points, std::size_t n_threads, std::size_t pause) {
    Vocabulary vocabulary;
    Workers workers(n_threads);
    std::size_t next = 0;
    std::size_t since = 0;
    while (next < points.labels.size()) {
        next = learn_rows(
            forest, vocabulary, points.rows(), next, workers, false, [](std::size_t, std::span<const double>) {},
            [&] { return pause > 0 && ++since % pause == 0; });
    }
    return write_forest(forest);
}

void the_same_whatever_threads_and_blocks() {
    const Points points(600);
    for (const auto& [on_drift, leaves] :
         {std::pair(OnDrift::nothing, LeafPrediction::mixed), std::pair(OnDrift::swap, LeafPrediction::mixed),
          std::pair(OnDrift::swap, LeafPrediction::majority),
          std::pair(OnDrift::reset_worst, LeafPrediction::naive_bayes)}) {
        ForestOptions options = options_of(on_drift, 1);
        options.tree.leaf_prediction = leaves;
        Forest first(options);
        const std::string expected = learned(first, points, 1, 0);
        for (const auto& [n_threads, pause] : {std::pair(3, 0), std::pair(2, 17), std::pair(1, 1)}) {
            Forest other(options);
            CHECK(learned(other, points, static_cast<std::size_t>(n_threads), static_cast<std::size_t>(pause)) ==
                  expected);
        }
        for (std::size_t t = 0; t < first.n_trees(); ++t) first.tree(t).validate();
        Forest again = read_forest(std::as_bytes(std::span(expected)), 12);
        CHECK(write_forest(again) == expected);
        if (on_drift == OnDrift::nothing) continue;
        ForestTally tally;
        for (std::size_t t = 0; t < first.n_trees(); ++t) tally += first.member(t).tally();
        CHECK(tally.drifts > 0);
    }
}

/// The same where a block is as long as may be, and ends by itself.
void the_same_whatever_the_longest_block() {
    const Points points(33'000);
    ForestOptions options = options_of(OnDrift::swap, 1);
    options.n_estimators = 2;
    Forest whole(options);
    Forest parts(options);
    CHECK(learned(whole, points, 1, 0) == learned(parts, points, 2, 700));
}

void one_tree_is_that_tree() {
    const Points points(400);
    ForestOptions options = options_of(OnDrift::swap, 0);
    options.n_estimators = 1;
    options.max_features = 1;
    Forest forest(options);
    learned(forest, points, 1, 0);
    StreamingTree tree(options.tree);
    Vocabulary vocabulary;
    learn_rows(tree, vocabulary, points.rows(), 0, [] { return false; });
    StreamingTree copy = copy_of_tree(forest, 0, 1000);
    CHECK(tree.nodes().n_nodes() >= 3);
    // All but what rounds weights: the tree of a forest has no use for it.
    CHECK(copy.n() == tree.n() && copy.n_met() == tree.n_met());
    CHECK(copy.nodes().n_nodes() == tree.nodes().n_nodes());
    Scores scores = tree.make_scores();
    ForestScores of_forest = forest.make_scores();
    PointMaker maker;
    const Vocabulary::Reading reading(vocabulary);
    for (std::size_t i = 0; i < 50; ++i) {
        const Point point = maker.to_ask(tree, reading, points.rows().points.row(i));
        tree.predict(point, scores);
        forest.predict(point, of_forest);
        CHECK(scores.probabilities == of_forest.probabilities);
        copy.predict(point, scores);
        CHECK(scores.probabilities == of_forest.probabilities);
    }
}

void draws_have_their_mean() {
    for (const double mean : {0.1, 1.0, 6.0, 100.0}) {
        const PoissonDraws draws(mean);
        double sum = 0;
        double squares = 0;
        constexpr int n = 20000;
        for (int i = 0; i < n; ++i) {
            const double draw = draws.draw(hashed(3), i);
            CHECK(draw >= 0 && draw <= draws.largest());
            sum += draw;
            squares += draw * draw;
        }
        CHECK(std::abs(sum / n - mean) < 5 * std::sqrt(mean / n));
        CHECK(std::abs(squares / n - sum / n * sum / n - mean) < 0.1 * mean + 0.02);
    }
    CHECK(PoissonDraws(0).draw(1, 1) == 1);
}

/// What a node sees of points is what it may split on, feature by feature, below and beyond what is kept of the draw.
void a_node_sees_its_candidates() {
    std::mt19937 random(9);
    for (const bool is_of_node : {false, true}) {
        SplitCandidates candidates(0.6, 17, is_of_node);
        std::size_t n_seen = 0;
        for (std::uint32_t most = 1; most < (1U << 18U); most *= 2) {
            std::vector<FeatureId> on(500);
            for (FeatureId& feature : on) feature = static_cast<FeatureId>(random() % most);
            const std::uint64_t born = random() % 5;
            std::vector<FeatureId> expected;
            for (const FeatureId feature : on) {
                if (candidates.admits(feature, born)) expected.push_back(feature);
            }
            const Features seen = candidates.seen(Point(Features(on)), born).on;
            CHECK(std::vector<FeatureId>(seen.begin(), seen.end()) == expected);
            CHECK(candidates.n_bytes() <= (is_of_node ? 0 : SplitCandidates::most_bytes));
            n_seen += seen.size();
        }
        // Of 9,000 features, of which few are distinct at first.
        CHECK(n_seen > 4050 && n_seen < 6750);
        CHECK(candidates.seen(Point(Features()), 0).on.empty());
    }
}

void options_that_cannot_be() {
    const auto refuses = [](auto change) {
        ForestOptions options = options_of(OnDrift::swap, 1);
        change(options);
        CHECK_THROWS(std::invalid_argument, Forest(options));
    };
    refuses([](ForestOptions& o) { o.n_estimators = 0; });
    refuses([](ForestOptions& o) { o.lambda_value = -1; });
    refuses([](ForestOptions& o) { o.lambda_value = std::nan(""); });
    refuses([](ForestOptions& o) { o.max_features = 0; });
    refuses([](ForestOptions& o) { o.max_features = 1.5; });
    refuses([](ForestOptions& o) { o.drift_delta = 1; });
    refuses([](ForestOptions& o) { o.tree.max_bytes = 100'000; });
    refuses([](ForestOptions& o) {
        o.tree.split_test = SplitTestKind::hoeffding;
        o.tree.growth = Growth::adaptive;
    });
}

}  // namespace

int main() {
    the_same_whatever_threads_and_blocks();
    the_same_whatever_the_longest_block();
    one_tree_is_that_tree();
    draws_have_their_mean();
    a_node_sees_its_candidates();
    options_that_cannot_be();
    return sapwood::check::finish();
}
