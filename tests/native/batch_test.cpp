// Counting into deltas, their bytes, and trees that grow by them: against plain counting and against one machine.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/io/read_tree.hpp"
#include "sapwood/io/write_tree.hpp"
#include "sapwood/random.hpp"
#include "sapwood/tree/batch/absorb.hpp"

using namespace sapwood;

namespace {

/// Points with a class that shows in the first feature.
struct Points {
    std::vector<std::int64_t> indptr{0};
    std::vector<SharedId> ids;
    std::vector<Label> labels;
    std::vector<Count> weights;

    SharedRows view() const { return {indptr, ids, labels, weights}; }

    static Points drawn(std::size_t n, std::uint64_t seed) {
        Random random({seed, 1, 2, 3});
        Points points;
        for (std::size_t i = 0; i < n; ++i) {
            const auto label = static_cast<Label>(random.below(3));
            for (SharedId id = 0; id < 12; ++id) {
                // Some ids are far apart.
                if (random.chance(id == label ? 0.9 : 0.2)) points.ids.push_back(id < 8 ? id : (id << 40) + id);
            }
            points.indptr.push_back(static_cast<std::int64_t>(points.ids.size()));
            points.labels.push_back(label);
            points.weights.push_back(static_cast<Count>(random.below(3)));
        }
        return points;
    }

    /// Every `step`-th point from `first` on.
    Points some(std::size_t first, std::size_t step) const {
        Points points;
        for (std::size_t i = first; i < labels.size(); i += step) {
            points.ids.insert(points.ids.end(), ids.begin() + indptr[i], ids.begin() + indptr[i + 1]);
            points.indptr.push_back(static_cast<std::int64_t>(points.ids.size()));
            points.labels.push_back(labels[i]);
            points.weights.push_back(weights[i]);
        }
        return points;
    }
};

std::span<const std::byte> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// A tree with its vocabulary, whose keys are ids folded into 31 bits.
struct Machine {
    StreamingTree tree;
    Vocabulary vocabulary;

    static TreeOptions options(LeafPrediction prediction) {
        TreeOptions options;
        options.growth = Growth::batch;
        options.delta = 0.3;
        options.tau = 0.3;
        options.leaf_prediction = prediction;
        return options;
    }
    explicit Machine(LeafPrediction prediction = LeafPrediction::naive_bayes, std::size_t n_classes = 3)
        : tree(options(prediction)) {
        tree.cover_classes(n_classes);
    }
    /// One that was sent what another has learned.
    explicit Machine(StreamingTree sent) : tree(std::move(sent)) {}

    struct Names {
        static KeyId key_of(SharedId id) { return static_cast<KeyId>(id & 0xFF); }
        static SharedId id_of(KeyId key) {
            const auto id = static_cast<SharedId>(key);
            return id < 8 ? id : (id << 40) + id;
        }
        static KeyId key_of_number(SharedId id) { return static_cast<KeyId>(id); }
        static SharedId id_of_number(KeyId key) { return static_cast<SharedId>(key); }
    };
    Router router() { return make_router(tree, vocabulary, Names()); }
    void learn(const Delta& delta, const Gradients* gradients = nullptr) {
        absorb(tree, vocabulary, delta, gradients, router().version(), Names());
        tree.grow();
    }
    Gradients gradients(const Points& points) {
        const auto find = [this](std::span<const SharedId> ids, std::vector<FeatureId>& features) {
            std::vector<KeyId> keys;
            for (const SharedId id : ids) keys.push_back(Names::key_of(id));
            Vocabulary::Reading(vocabulary).find(keys, features);
        };
        return sum_gradients(tree, router(), points.view(), find);
    }
};

void check_against_plain_counting(const Router& router, const Points& points) {
    const Delta delta = count_rows(router, points.view());
    std::map<std::tuple<std::uint64_t, SharedId, Label>, std::pair<std::int64_t, std::int64_t>> on;
    Router::Walk walk(router);
    for (std::size_t i = 0; i < points.labels.size(); ++i) {
        const std::uint64_t born = router.born(walk.leaf_of(points.view().row(i)));
        for (const SharedId id : points.view().row(i).ids) {
            if (points.weights[i] == 0) continue;
            auto& [by_weight, each_once] = on[{born, id, points.labels[i]}];
            by_weight += points.weights[i];
            ++each_once;
        }
    }
    CHECK(delta.entries().size() == on.size());
    std::size_t at = 0;
    for (const auto& [key, count] : on) {
        const Delta::Entry& entry = delta.entries()[at];
        CHECK(entry.key() == key && std::pair(entry.count, entry.points) == count);
        ++at;
    }
}

void test_batches() {
    Machine one;
    Machine many;
    for (std::uint64_t batch = 0; batch < 6; ++batch) {
        const Points points = Points::drawn(120, batch);
        const Router router = one.router();
        check_against_plain_counting(router, points);
        CHECK(count_rows(router, points.view()).is_weighted());
        const Delta whole = count_rows(router, points.view());
        const Router sent = Router::from_bytes(bytes_of(router.to_bytes()));
        CHECK(sent.version() == router.version());
        Delta merged(router.version(), 3);
        for (std::size_t worker = 5; worker-- > 0;) {
            const std::string bytes = count_rows(sent, points.some(worker, 5).view()).to_bytes();
            merged.merge(Delta::from_bytes(bytes_of(bytes)));
        }
        CHECK(merged == whole);
        CHECK(merged.to_bytes() == whole.to_bytes());
        one.learn(whole);
        many.learn(merged);
        one.tree.validate();
        CHECK(write_tree(one.tree) == write_tree(many.tree));
    }
    CHECK(one.tree.nodes().n_leaves() > 3);
}

/// Workers that have only the answers of a tree sum the slopes that it would, and points of any order and division.
void test_gradients(LeafPrediction prediction, std::size_t n_classes) {
    Machine one(prediction, n_classes);
    Machine many(prediction, n_classes);
    int n_smaller = 0;
    for (std::uint64_t batch = 0; batch < 6; ++batch) {
        Points points = Points::drawn(120, batch);
        for (Label& label : points.labels) label = static_cast<Label>(label % n_classes);
        const Router router = one.router();
        const Delta delta = count_rows(router, points.view());
        const Gradients whole = one.gradients(points);
        const std::string answers = write_answers(one.tree);
        // Nothing is left out where every leaf is new.
        CHECK(answers.size() <= write_tree(one.tree).size());
        n_smaller += answers.size() < write_tree(one.tree).size() ? 1 : 0;
        Gradients merged(whole.version(), whole.leaves().width, whole.entries().width);
        for (std::size_t worker = 5; worker-- > 0;) {
            const auto n_features = static_cast<std::int64_t>(Vocabulary::Reading(one.vocabulary).size());
            Machine sent(read_tree(bytes_of(answers), n_features));
            std::vector<FeatureId> features;
            const std::vector<KeyId> keys = Vocabulary::Reading(one.vocabulary).keys();
            Vocabulary::Writing(sent.vocabulary).find_or_insert(keys, features);
            const std::string bytes = sent.gradients(points.some(worker, 5)).to_bytes();
            merged.merge(Gradients::from_bytes(bytes_of(bytes)));
        }
        CHECK(merged == whole);
        CHECK(merged.to_bytes() == whole.to_bytes());
        const std::string before = write_tree(one.tree);
        const Gradients others = one.gradients(points.some(0, 40));
        // Sums that no points have, at the first and at the last place of a leaf, and of a feature.
        auto of_leaf = whole.leaves();
        of_leaf.sums.front() = Gradients::largest_sum_of(121);
        auto of_last = whole.leaves();
        of_last.sums.back() = -Gradients::largest_sum_of(121);
        auto of_feature = whole.entries();
        of_feature.sums.back() = Gradients::largest_sum;
        const Gradients large(whole.version(), of_leaf, whole.entries());
        const Gradients negative(whole.version(), of_last, whole.entries());
        const Gradients largest(whole.version(), whole.leaves(), of_feature);
        for (const Gradients* const wrong :
             {static_cast<const Gradients*>(nullptr), &others, &large, &negative, &largest}) {
            bool refused = false;
            try {
                one.learn(delta, wrong);
            } catch (const std::invalid_argument&) {
                refused = true;
            }
            CHECK(refused && write_tree(one.tree) == before);
        }
        one.learn(delta, &whole);
        many.learn(delta, &merged);
        one.tree.validate();
        CHECK(write_tree(one.tree) == write_tree(many.tree));
    }
    CHECK(one.tree.nodes().n_leaves() > 2 && n_smaller > 0);
}

/// A batch of one point is learned as that point alone is: a tree of one leaf, so that growth plays no part.
void test_a_batch_of_one_point(LeafPrediction prediction) {
    TreeOptions options = Machine::options(prediction);
    options.max_depth = 0;
    Machine batches{StreamingTree(options)};
    options.growth = Growth::hoeffding;
    StreamingTree points(options);
    batches.tree.cover_classes(3);
    points.cover_classes(3);
    Scores scores = points.make_scores();
    for (std::uint64_t i = 0; i < 60; ++i) {
        Points point = Points::drawn(1, i);
        point.weights = {static_cast<Count>(1 + i % 3)};
        const Gradients gradients = batches.gradients(point);
        batches.learn(count_rows(batches.router(), point.view()), &gradients);
        std::vector<KeyId> keys;
        for (const SharedId id : point.ids) keys.push_back(Machine::Names::key_of(id));
        std::vector<FeatureId> features;
        Vocabulary::Reading(batches.vocabulary).find(keys, features);
        const Point one{features};
        points.learn(one, point.labels[0], point.weights[0]);
        points.predict(one, scores);
        const std::vector<double> expected = scores.probabilities;
        batches.tree.predict(one, scores);
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(scores.probabilities[k] - expected[k]) < 1e-4);
    }
}

/// Any bytes are refused, or are those of what is read.
void test_hostile_bytes() {
    Machine machine;
    machine.learn(count_rows(machine.router(), Points::drawn(200, 7).view()));
    machine.learn(count_rows(machine.router(), Points::drawn(200, 8).view()));
    const Router router = machine.router();
    const Points points = Points::drawn(30, 9);
    SharedRows once = points.view();
    once.weights = {};
    CHECK(!count_rows(router, once).is_weighted());
    Machine mixed(LeafPrediction::mixed);
    for (const std::string& good :
         {router.to_bytes(), count_rows(router, points.view()).to_bytes(), count_rows(router, once).to_bytes(),
          mixed.gradients(Points::drawn(3, 9)).to_bytes(),
          ValueCounts({{1, {0.5, -3, 0.5}}, {SharedId{1} << 63, {1e9}}}).to_bytes()}) {
        const auto again = [](const std::string& bytes) {
            const std::string kind = bytes.substr(0, 3);
            if (kind == "SwR") return Router::from_bytes(bytes_of(bytes)).to_bytes();
            if (kind == "SwV") return ValueCounts::from_bytes(bytes_of(bytes)).to_bytes();
            if (kind == "SwG") return Gradients::from_bytes(bytes_of(bytes)).to_bytes();
            return Delta::from_bytes(bytes_of(bytes)).to_bytes();
        };
        CHECK(again(good) == good);
        for (std::size_t at = 0; at < good.size(); ++at) {
            for (const int value : {0, 1, 127, 128, 255}) {
                std::string bytes = good;
                bytes[at] = static_cast<char>(value);
                try {
                    CHECK(again(bytes) == bytes);
                } catch (const ModelFormatError&) {
                }
            }
        }
    }
}

void test_variable_length() {
    for (const std::uint64_t value : std::array<std::uint64_t, 8>{0, 1, 127, 128, 16383, 16384, 1ull << 63, ~0ull}) {
        ByteWriter out;
        put_varint(out, value);
        const std::string bytes = out.take();
        ByteReader in(bytes_of(bytes));
        CHECK(get_varint(in, "a number") == value && in.left() == 0);
    }
    for (const std::string& bytes : {std::string("\x80\x00", 2), std::string(11, '\xFF'), std::string("\x80", 1)}) {
        bool refused = false;
        try {
            ByteReader in(bytes_of(bytes));
            get_varint(in, "a number");
        } catch (const ModelFormatError&) {
            refused = true;
        }
        CHECK(refused);
    }
}

}  // namespace

int main() {
    test_batches();
    for (const LeafPrediction prediction :
         {LeafPrediction::logistic, LeafPrediction::adaptive, LeafPrediction::mixed}) {
        for (const std::size_t n_classes : {2u, 3u}) test_gradients(prediction, n_classes);
        test_a_batch_of_one_point(prediction);
    }
    test_hostile_bytes();
    test_variable_length();
    return sapwood::check::finish();
}
