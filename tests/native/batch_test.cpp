// Counting into deltas, their bytes, and trees that grow by them: against plain counting and against one machine.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
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

    static TreeOptions options() {
        TreeOptions options;
        options.growth = Growth::batch;
        options.delta = 0.3;
        options.tau = 0.3;
        options.leaf_prediction = LeafPrediction::naive_bayes;
        return options;
    }
    Machine() : tree(options()) { tree.cover_classes(3); }

    static KeyId key_of(SharedId id) { return static_cast<KeyId>(id & 0xFF); }
    static SharedId id_of(KeyId key) {
        const auto id = static_cast<SharedId>(key);
        return id < 8 ? id : (id << 40) + id;
    }
    Router router() { return make_router(tree, Vocabulary::Reading(vocabulary).keys(), id_of); }
    void learn(const Delta& delta) {
        absorb(tree, vocabulary, delta, router().version(), key_of);
        tree.grow();
    }
};

void check_against_plain_counting(const Router& router, const Points& points) {
    const Delta delta = count_rows(router, points.view());
    std::map<std::tuple<std::uint64_t, SharedId, Label>, std::pair<std::int64_t, std::int64_t>> on;
    Router::Walk walk(router);
    for (std::size_t i = 0; i < points.labels.size(); ++i) {
        const std::uint64_t born = router.born(walk.leaf_of(points.view().row(i)));
        for (const SharedId id : points.view().row(i)) {
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
    for (const std::string& good :
         {router.to_bytes(), count_rows(router, points.view()).to_bytes(), count_rows(router, once).to_bytes()}) {
        const bool is_router = good.substr(0, 3) == "SwR";
        for (std::size_t at = 0; at < good.size(); ++at) {
            for (const int value : {0, 1, 127, 128, 255}) {
                std::string bytes = good;
                bytes[at] = static_cast<char>(value);
                try {
                    CHECK((is_router ? Router::from_bytes(bytes_of(bytes)).to_bytes()
                                     : Delta::from_bytes(bytes_of(bytes)).to_bytes()) == bytes);
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
    test_hostile_bytes();
    test_variable_length();
    return sapwood::check::finish();
}
