// A tree that forgets against a batch learner that knows nothing else than the points: node for node, after every
// operation, on random and on hostile sequences.

#include "sapwood/dynamic/dynamic_tree.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <utility>

#include "check.hpp"
#include "dynamic_twins.hpp"
#include "sapwood/dynamic/validate_dynamic.hpp"

using namespace sapwood;

namespace {

/// Random additions and removals, that grow and shrink in turn; the label depends on features, drifts, and is noisy.
void check_random(const DynamicOptions& options, int d, std::size_t n_classes, int n_steps, int every, unsigned seed) {
    const OrderOfIds by_id;
    const Reversed reversed;
    const FeatureOrder& order = seed % 2 == 0 ? static_cast<const FeatureOrder&>(by_id) : reversed;
    Twins twins(options, n_classes, order);
    std::mt19937 random(seed);
    for (int step = 0; step < n_steps; ++step) {
        const bool grows = step / (n_steps / 4) % 2 == 0;
        if (random() % 10 < (grows ? 7u : 3u)) {
            const std::vector<FeatureId> x = random_point(random, d, std::min(0.4, 8.0 / d));
            const FeatureId telling = step < n_steps / 2 ? 0 : 1;
            Label label = static_cast<Label>(random() % n_classes);
            if (random() % 5 > 0) {
                label =
                    static_cast<Label>((std::count(x.begin(), x.end(), telling) + std::count(x.begin(), x.end(), 3)) %
                                       static_cast<int>(n_classes));
            }
            twins.learn(x, label, 1 + static_cast<Count>(random() % 20 == 0));
        } else {
            twins.forget_some(random());
        }
        if (step % every == 0) {
            const bool right = options.beta > 0 ? twins.is_within_beta() : twins.agree();
            if (!right) {
                std::fprintf(stderr, "step %d, seed %u\n", step, seed);
                return;
            }
        }
        if (step % (n_steps / 4) == 1) twins.tree().validate();
    }
}

DynamicOptions plain(Criterion criterion = Criterion::entropy, double beta = 0,
                     SearchKind search = SearchKind::certified) {
    DynamicOptions options;
    options.criterion = criterion;
    options.search = search;
    options.beta = beta;
    options.stopping = Stopping::none;
    return options;
}

void check_against_batch() {
    unsigned seed = 0;
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini, Criterion::kearns_mansour}) {
        for (const SearchKind search : {SearchKind::certified, SearchKind::exhaustive}) {
            check_random(plain(criterion, 0, search), 12, 2, 1500, 7, ++seed);
        }
    }
    check_random(plain(), 12, 4, 1200, 11, ++seed);
    check_random(plain(Criterion::gini), 12, 4, 1200, 11, ++seed);
    check_random(plain(), 300, 2, 2000, 97, ++seed);
    DynamicOptions limited = plain();
    limited.max_depth = 3;
    limited.min_samples = 10;
    limited.min_gain = 0.02;
    check_random(limited, 20, 3, 2000, 13, ++seed);
    DynamicOptions careful = plain();
    careful.stopping = Stopping::evidence;
    check_random(careful, 20, 2, 3000, 17, ++seed);
    check_random(careful, 20, 3, 3000, 17, ++seed);
    for (const double beta : {0.001, 0.05, 0.3}) {
        check_random(plain(Criterion::gini, beta), 14, 2, 2000, 5, ++seed);
        check_random(plain(Criterion::entropy, beta), 14, 3, 1500, 7, ++seed);
    }
    careful.beta = 0.02;
    check_random(careful, 14, 2, 2000, 11, ++seed);
}

/// The tree of the points held, whatever came and went before, and by either search.
void check_that_order_does_not_matter() {
    std::mt19937 random(5);
    const OrderOfIds order;
    DynamicTree first(plain());
    DynamicTree second(plain(Criterion::entropy, 0, SearchKind::exhaustive));
    std::vector<std::pair<std::vector<FeatureId>, Label>> kept;
    std::vector<std::pair<std::vector<FeatureId>, Label>> gone;
    for (int i = 0; i < 600; ++i) {
        auto& where = i % 3 == 0 ? gone : kept;
        where.emplace_back(random_point(random, 30, 0.2), static_cast<Label>(random() % 2));
    }
    for (const auto& [x, label] : gone) first.learn(x, label);
    for (const auto& [x, label] : kept) first.learn(x, label);
    first.settle(order);
    for (const auto& [x, label] : gone) first.forget(first.points().find(x, label));
    first.settle(order);
    std::shuffle(kept.begin(), kept.end(), random);
    for (const auto& [x, label] : kept) second.learn(x, label);
    second.settle(order);
    CHECK(tests_of(first) == tests_of(second));
    CHECK(first.nodes().n_nodes() > 50);
    first.validate();
    second.rebuild_all(order);
    CHECK(tests_of(first) == tests_of(second));
}

/// Many points at once, of chains of rare features that are almost equally good: tests change places, and what is below
/// both must be kept, and be right.
void check_batches() {
    const OrderOfIds order;
    for (const double beta : {0.0, 0.005}) {
        for (const SearchKind search : {SearchKind::certified, SearchKind::exhaustive}) {
            Twins twins(plain(Criterion::gini, beta, search), 2, order);
            std::mt19937 random(21);
            for (std::size_t round = 0; round < 12; ++round) {
                for (int i = 0; i < (round % 3 == 0 ? 300 : 40); ++i) {
                    const std::vector<FeatureId> x = random_point(random, 40, 0.06);
                    const bool tells = std::any_of(x.begin(), x.end(), [](FeatureId id) { return id < 12; });
                    twins.learn(x, static_cast<Label>(random() % 5 == 0 ? random() % 2 : tells ? 1 : 0));
                }
                if (round > 6) twins.forget_many(round == 11 ? 2 : 12, round);
                if (!CHECK(beta > 0 ? twins.is_within_beta() : twins.agree())) return;
                twins.tree().validate();
                twins.forget_many(20, round);
                if (!CHECK(beta > 0 ? twins.is_within_beta() : twins.agree())) return;
                twins.tree().validate();
            }
            CHECK(twins.tree().tally().kept > 0);
            twins.forget_many(1, 0);
            CHECK(beta > 0 ? twins.is_within_beta() : twins.agree());
            CHECK(twins.tree().nodes().n_nodes() == 1 && twins.tree().nodes().n_leaves() == 1);
        }
    }
}

/// The same of texts: a few words are frequent, most are rare, and of a tree of long ways many points go at once. What
/// nodes count is taken by sums, taken over from others, and looked at by the frequent words alone.
void check_batches_of_texts(std::size_t n_classes, SearchKind search) {
    const OrderOfIds order;
    Twins twins(plain(Criterion::entropy, 0, search), n_classes, order);
    std::mt19937 random(33);
    for (std::size_t round = 0; round < 8; ++round) {
        for (int i = 0; i < (round == 0 ? 700 : 60); ++i) {
            std::vector<FeatureId> x;
            for (FeatureId id = 0; id < 300; ++id) {
                if (random() % static_cast<unsigned>(5 + id) == 0) x.push_back(id);
            }
            const auto telling = std::find_if(x.begin(), x.end(), [](FeatureId id) { return id % 4 == 0 && id < 40; });
            const auto label = telling == x.end() ? random() : static_cast<unsigned>(*telling / 4);
            twins.learn(x, static_cast<Label>((random() % 6 == 0 ? random() : label) % n_classes));
        }
        if (!CHECK(twins.agree())) return;
        twins.forget_many(round == 6 ? 2 : 15, round);
        if (round % 2 == 1) twins.tree().validate();
        if (!CHECK(twins.agree())) return;
        twins.tree().validate();
    }
    CHECK(twins.tree().tally().kept > 0);
}

/// Sequences that are made to hurt, with beta = 0 and above.
void check_hostile() {
    const OrderOfIds order;
    for (const double beta : {0.0, 0.02}) {
        const DynamicOptions options = plain(Criterion::gini, beta);
        const auto right = [&](Twins& twins) { return beta > 0 ? twins.is_within_beta() : twins.agree(); };
        {
            Twins twins(options, 2, order);
            CHECK(right(twins));
            twins.learn({}, 0);
            CHECK(right(twins));
            twins.learn({}, 1);  // An empty point of either class: nothing to split on.
            CHECK(right(twins));
            twins.forget({}, 0);
            twins.forget({}, 1);
            CHECK(right(twins) && twins.tree().n() == 0 && twins.tree().nodes().n_nodes() == 1);
        }
        {
            // The same point in and out, at a node where it decides.
            Twins twins(options, 2, order);
            for (int i = 0; i < 40; ++i)
                twins.learn(i % 2 == 0 ? std::vector<FeatureId>{0, 1} : std::vector<FeatureId>{2},
                            static_cast<Label>(i % 2));
            for (int i = 0; i < 100; ++i) {
                twins.learn({0}, 1);
                if (!right(twins)) return;
                twins.forget({0}, 1);
                if (!right(twins)) return;
            }
        }
        {
            // Two features take turns to be the best, at a large node; a third is always on.
            Twins twins(options, 2, order);
            std::mt19937 random(9);
            for (int i = 0; i < 300; ++i) {
                std::vector<FeatureId> x{7};
                if (random() % 2 == 0) x.insert(x.begin(), static_cast<FeatureId>(random() % 2));
                twins.learn(x, static_cast<Label>(random() % 2));
            }
            for (int i = 0; i < 200; ++i) {
                twins.learn({static_cast<FeatureId>(i / 3 % 2), 7}, static_cast<Label>(i % 2));
                if (!right(twins)) return;
            }
            twins.tree().validate();
            // Down to nothing, the labels sorted.
            while (!twins.points().empty()) {
                const auto last = std::prev(twins.points().end());
                twins.forget(std::vector<FeatureId>(last->first.first), last->first.second);
                if (!right(twins)) return;
            }
            CHECK(twins.tree().nodes().n_nodes() == 1);
        }
        {
            // One class, then another, sorted; many features that tie.
            Twins twins(options, 2, order);
            for (FeatureId i = 0; i < 100; ++i) twins.learn({0, 1, i % 10 + 2}, 0);
            if (!right(twins)) return;
            for (FeatureId i = 0; i < 100; ++i) {
                twins.learn({i % 10 + 2, i % 10 + 12, i % 10 + 22}, 1);
                if (!right(twins)) return;
            }
            twins.tree().validate();
        }
    }
}

/// Grows, takes the same points in and out, lets two features take turns, and shrinks to nothing, over and over: every
/// node is within beta of the best after every single update.
void check_regret_over(long n_updates, double beta, unsigned seed = 11) {
    const OrderOfIds order;
    Twins twins(plain(Criterion::gini, beta), 2, order);
    std::mt19937 random(seed);
    const long phase = n_updates / 20;
    const auto label = [&] { return static_cast<Label>(random() % 2); };
    for (long update = 0; update < n_updates; ++update) {
        switch (update / phase % 4) {
            case 0:
                twins.learn(random_point(random, 7, 0.4), label());
                break;
            case 1: {
                const std::vector<FeatureId> x = random_point(random, 7, 0.3);
                const Label y = label();
                twins.learn(x, y);
                if (!twins.is_within_beta()) return;
                twins.forget(x, y);
                break;
            }
            case 2:
                twins.learn({static_cast<FeatureId>(update / 7 % 2)}, static_cast<Label>(update / 3 % 2));
                if (!twins.is_within_beta()) return;
                twins.forget_some(random());
                break;
            default:
                twins.forget_some(random());
        }
        if (!twins.is_within_beta()) return;
    }
    twins.tree().validate();
}

void check_errors() {
    const OrderOfIds order;
    const auto refused = [](auto change) {
        DynamicOptions options;
        change(options);
        CHECK_THROWS(std::invalid_argument, DynamicTree(options));
    };
    refused([](DynamicOptions& o) { o.search = SearchKind::approximate; });
    refused([](DynamicOptions& o) { o.leaf_prediction = LeafPrediction::mixed; });
    refused([](DynamicOptions& o) { o.leaf_prediction = LeafPrediction::logistic; });
    refused([](DynamicOptions& o) { o.leaf_prediction = LeafPrediction::adaptive; });
    refused([](DynamicOptions& o) { o.criterion = Criterion::gini; });  // with evidence
    refused([](DynamicOptions& o) { o.beta = -1; });
    refused([](DynamicOptions& o) { o.min_samples = 1; });
    refused([](DynamicOptions& o) { o.delta = 0.5; });
    refused([](DynamicOptions& o) { o.min_gain = -1; });
    refused([](DynamicOptions& o) { o.max_depth = -1; });
    refused([](DynamicOptions& o) { o.max_bytes = 1; });
    DynamicTree tree(plain());
    tree.learn(std::vector<FeatureId>{1}, 0, max_points - 1);
    CHECK_THROWS(std::overflow_error, tree.learn(std::vector<FeatureId>{2}, 0, 2));
    CHECK(tree.n() == max_points - 1 && tree.points().n_points() == 1);
    CHECK(tree.points().find(std::vector<FeatureId>{2}, 0) == no_point);
    CHECK_THROWS(std::invalid_argument, tree.take_tests(std::vector<FeatureId>{1, -1}));
    CHECK_THROWS(std::invalid_argument, tree.take_tests(std::vector<FeatureId>{-1, -1}));
    CHECK_THROWS(std::invalid_argument, tree.take_tests(std::vector<FeatureId>{1, 1, -1, -1, -1}));
}

/// A tree that is given wrong tests puts them right.
void check_taken_tests() {
    const OrderOfIds order;
    DynamicTree tree(plain(Criterion::gini, 0.01));
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
        const std::vector<FeatureId> x = random_point(random, 6, 0.5);
        tree.learn(x, std::count(x.begin(), x.end(), 2) > 0 ? 1 : 0);
    }
    tree.take_tests(std::vector<FeatureId>{0, 1, -1, -1, -1});
    tree.validate();
    tree.settle(order);
    CHECK(tests_of(tree) == std::vector<FeatureId>({2, -1, -1}));
    tree.take_tests(tests_of(tree));
    const std::int64_t rebuilt = tree.tally().rebuilt;
    tree.settle(order);
    CHECK(tree.tally().rebuilt == rebuilt);
    tree.validate();
}

/// Numbering classes anew is the same as having had them so from the start.
void check_renumbering() {
    const OrderOfIds order;
    std::mt19937 random(8);
    DynamicTree first(plain());
    DynamicTree second(plain());
    const std::vector<Label> same{0, 1};
    second.renumber(same, 3);
    const std::vector<Label> numbers{2, 0};
    first.renumber(same, 2);
    for (int i = 0; i < 150; ++i) {
        const std::vector<FeatureId> x = random_point(random, 8, 0.4);
        const auto label = static_cast<Label>(random() % 2);
        first.learn(x, label);
        second.learn(x, numbers[label]);
    }
    first.settle(order);
    first.renumber(numbers, 3);
    first.settle(order);
    second.settle(order);
    CHECK(tests_of(first) == tests_of(second));
    CHECK(first.node(Nodes::root).totals.of_class == second.node(Nodes::root).totals.of_class);
    first.validate();
}

/// The store against a map, after every operation.
void check_store() {
    PointStore store;
    Points twin;
    std::mt19937 random(2);
    for (int step = 0; step < 20000; ++step) {
        const bool grows = step / 4000 % 2 == 0;
        if (random() % 10 < (grows ? 7u : 2u)) {
            const std::vector<FeatureId> x = random_point(random, 9, 0.4);
            const auto label = static_cast<Label>(random() % 3);
            const auto weight = static_cast<Count>(1 + random() % 2);
            const PointId id = store.add(x, label, weight);
            twin[{x, label}] += weight;
            CHECK(store.weight(id) == twin.at({x, label}));
        } else if (!twin.empty()) {
            const auto at = std::next(twin.begin(), static_cast<std::ptrdiff_t>(random() % twin.size()));
            const PointId id = store.find(at->first.first, at->first.second);
            if (!CHECK(id != no_point)) return;
            CHECK(std::equal(at->first.first.begin(), at->first.first.end(), store.features(id).begin(),
                             store.features(id).end()));
            const bool gone = store.take(id, 1);
            CHECK(gone == (at->second == 1));
            if (--at->second == 0) {
                CHECK(store.find(at->first.first, at->first.second) == no_point);
                twin.erase(at);
            }
        }
        CHECK(store.n_points() == twin.size());
        if (step % 500 != 0) continue;
        std::int64_t n = 0;
        std::map<FeatureId, std::uint32_t> n_with;
        for (const auto& [point, weight] : twin) {
            n += weight;
            const PointId id = store.find(point.first, point.second);
            CHECK(id != no_point && store.weight(id) == weight && store.label(id) == point.second);
            for (const FeatureId feature : point.first) ++n_with[feature];
        }
        CHECK(store.n() == n);
        for (FeatureId feature = 0; feature < 10; ++feature) CHECK(store.n_with(feature) == n_with[feature]);
    }
}

}  // namespace

/// With a number, only regret is checked, over as many updates; with a second, of the stream of that seed.
int main(int n_arguments, char** arguments) {
    if (n_arguments > 1) {
        const unsigned seed = n_arguments > 2 ? static_cast<unsigned>(std::atol(arguments[2])) : 11;
        check_regret_over(std::atol(arguments[1]), 0.01, seed);
        check_regret_over(std::atol(arguments[1]), 0.1, seed);
        return check::finish();
    }
    check_store();
    check_against_batch();
    check_that_order_does_not_matter();
    check_batches();
    for (const std::size_t n_classes : {2u, 3u}) check_batches_of_texts(n_classes, SearchKind::certified);
    check_batches_of_texts(2, SearchKind::exhaustive);
    check_hostile();
    check_regret_over(4'000, 0.01);
    check_regret_over(4'000, 0.1);
    check_errors();
    check_taken_tests();
    check_renumbering();
    return check::finish();
}
