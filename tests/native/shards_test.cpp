// Trees whose statistics are in shards: after every part the tree of one machine, for any number of shards.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/io/write_tree.hpp"
#include "sapwood/random.hpp"
#include "sapwood/tree/batch/absorb.hpp"
#include "sapwood/tree/batch/assemble.hpp"
#include "sapwood/tree/batch/shard.hpp"
#include "sapwood/tree/batch/sharded_growth.hpp"

using namespace sapwood;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

struct Points {
    std::vector<std::int64_t> indptr{0};
    std::vector<SharedId> ids;
    std::vector<Label> labels;
    std::vector<Count> weights;

    SharedRows view() const { return {indptr, ids, labels, weights}; }

    /// Features that come later than others, rare ones, and pairs that are always on together: their scores tie.
    static Points drawn(std::size_t n, std::uint64_t seed, std::size_t n_classes) {
        Random random({seed, 7, 8, 9});
        Points points;
        for (std::size_t i = 0; i < n; ++i) {
            const auto label = static_cast<Label>(random.below(static_cast<std::int64_t>(n_classes)));
            for (SharedId id = 0; id < 40 + 5 * seed; ++id) {
                const double chance = id % 10 == label ? 0.5 : id < 20 ? 0.2 : 0.03;
                if (!random.chance(chance)) continue;
                // Some ids are far apart, and those of a pair too.
                points.ids.push_back(id % 2 == 0 ? id : (id << 40) + id);
                if (id % 7 == 0) points.ids.push_back((id << 50) + 3);
            }
            points.indptr.push_back(static_cast<std::int64_t>(points.ids.size()));
            points.labels.push_back(label);
            points.weights.push_back(static_cast<Count>(random.below(4)));
        }
        return points;
    }
};

/// A tree and its features; keys are given out as ids are met, as names are.
struct Machine {
    StreamingTree tree;
    Vocabulary vocabulary;
    std::vector<SharedId> ids;

    Machine(const TreeOptions& options, std::size_t n_classes) : tree(options) { tree.cover_classes(n_classes); }

    /// Keys and ids, as growth by batches asks for them; there are no numbers.
    struct Names {
        std::vector<SharedId>& ids;

        KeyId key_of(SharedId id) const {
            if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
            return static_cast<KeyId>(std::find(ids.begin(), ids.end(), id) - ids.begin());
        }
        SharedId id_of(KeyId key) const { return ids[static_cast<std::size_t>(key)]; }
        static KeyId key_of_number(SharedId id) { return static_cast<KeyId>(id); }
        static SharedId id_of_number(KeyId key) { return static_cast<SharedId>(key); }
    };

    Names names() { return {ids}; }
    auto key_of() {
        return [this](SharedId id) { return names().key_of(id); };
    }
    Router router() { return make_router(tree, vocabulary, names()); }
    void absorb_delta(const Delta& delta) { absorb(tree, vocabulary, delta, nullptr, router().version(), names()); }
    SharedId id_of(FeatureId feature) {
        return ids[static_cast<std::size_t>(Vocabulary::Reading(vocabulary).keys()[static_cast<std::size_t>(feature)])];
    }
};

/// What was needed, so that a test can say that it was.
struct Needed {
    std::size_t splits = 0;
    std::size_t questions = 0;
};

Needed check_shards(const TreeOptions& options, std::size_t n_classes, std::size_t n_shards) {
    Machine one(options, n_classes);
    Machine few(options, n_classes);
    std::vector<Shard> shards(n_shards, Shard(n_classes));
    Needed needed;
    std::uint64_t step = 0;
    for (std::uint64_t batch = 0; batch < 8; ++batch) {
        const Points points = Points::drawn(batch == 3 ? 1 : 150, batch, n_classes);
        for (std::uint32_t part = 0; part < 2; ++part) {
            const Delta whole = count_rows(one.router(), points.view(), part, 2);
            CHECK(whole == count_rows(few.router(), points.view(), part, 2));
            ++step;
            if (whole.n_met() == 0) continue;
            one.absorb_delta(whole);
            needed.splits += one.tree.grow();

            few.absorb_delta({whole.version(), n_classes, whole.leaves(), {}});
            std::vector<std::uint64_t> counting;
            for (const NodeId at : few.tree.nodes().in_order()) {
                if (few.tree.node(at).statistics.is_counting()) counting.push_back(few.tree.nodes().born(at));
            }
            std::sort(counting.begin(), counting.end());
            const std::vector<Delta> parts = divided(whole, n_shards);
            Candidates candidates(n_classes);
            // In any order.
            for (std::size_t i = n_shards; i-- > 0;) {
                shards[i].absorb(parts[i], step, counting, options.counts_points_once());
                CHECK_THROWS(std::invalid_argument, shards[i].absorb(parts[i], step, counting, true));
                const Shard saved = Shard::from_bytes(bytes_of(shards[i].to_bytes()));
                CHECK(saved == shards[i]);
                const Candidates found = saved.candidates(parts[i], options.criterion);
                CHECK(Candidates::from_bytes(bytes_of(found.to_bytes())) == found);
                candidates.merge(found);
            }
            ShardedGrowth growth(few.tree);
            std::map<RankQuestion, std::int64_t> ranks;
            for (const RankQuestion& question : growth.questions(candidates)) {
                std::int64_t rank = 1;
                for (const Shard& shard : shards) {
                    rank += static_cast<std::int64_t>(shard.n_before(question.born, question.key));
                }
                ranks.emplace(question, rank);
            }
            needed.questions += ranks.size();
            if (!ranks.empty()) CHECK_THROWS(std::invalid_argument, growth.due(candidates, {}));
            growth.split(growth.due(candidates, ranks), few.vocabulary, few.key_of());
            few.tree.validate();
            Assembled all = assembled(few.tree, shards, [&](FeatureId id) { return few.id_of(id); });
            all.tree.validate();
            CHECK(write_tree(all.tree) == write_tree(one.tree));
            std::vector<SharedId> features;
            for (std::size_t i = 0; i < Vocabulary::Reading(one.vocabulary).size(); ++i) {
                features.push_back(one.id_of(static_cast<FeatureId>(i)));
            }
            CHECK(all.features == features);
        }
    }
    // Without its shards it answers the same, and its leaves have counted nothing.
    const std::vector<NodeId> order = few.tree.nodes().in_order();
    if (!options.counts_points_once()) {
        CHECK_THROWS(std::invalid_argument, begin_afresh(few.tree));
        return needed;
    }
    begin_afresh(few.tree);
    few.tree.validate();
    for (const NodeId at : order) {
        if (few.tree.nodes().is_leaf(at)) CHECK(few.tree.node(at).statistics.n() == 0);
    }
    return needed;
}

TreeOptions options_of(SplitTestKind test) {
    TreeOptions options;
    options.growth = Growth::batch;
    options.leaf_prediction = LeafPrediction::majority;
    options.split_test = test;
    options.delta = test == SplitTestKind::evidence ? 0.3 : 0.1;
    options.tau = 0.1;
    return options;
}

void test_shards() {
    Needed all;
    for (const std::size_t n_shards : {1u, 2u, 5u, 40u}) {
        for (const std::size_t n_classes : {2u, 3u}) {
            const Needed needed = check_shards(options_of(SplitTestKind::evidence), n_classes, n_shards);
            CHECK(needed.splits > 2);
            // A shard that has all features knows all ranks.
            CHECK(n_shards > 1 || needed.questions == 0);
            all.questions += needed.questions;
        }
    }
    CHECK(all.questions > 0);
    std::size_t splits = 0;
    for (const SplitTestKind test : {SplitTestKind::hoeffding, SplitTestKind::mcdiarmid, SplitTestKind::gaussian}) {
        splits += check_shards(options_of(test), 3, 3).splits;
    }
    CHECK(splits > 2);
}

void test_limits() {
    TreeOptions options = options_of(SplitTestKind::evidence);
    options.max_leaves = 4;
    CHECK(check_shards(options, 2, 3).splits == 3);
    options.max_leaves.reset();
    options.max_depth = 1;
    CHECK(check_shards(options, 2, 3).splits == 1);
}

void test_what_is_refused() {
    Shard shard(2);
    const Delta delta(1, 3);
    CHECK_THROWS(std::invalid_argument, shard.absorb(delta, 1, {}, true));
    CHECK(shard == Shard(2));
    const Delta full(1, 2, {{0, {max_points, 0}, {max_points, 0}}}, {{0, 5, 0, 3, 3}});
    const std::vector<std::uint64_t> counting{0};
    shard.absorb(full, 1, counting, true);
    const Shard before = shard;
    CHECK_THROWS(std::overflow_error, shard.absorb(full, 2, counting, true));
    CHECK(shard == before);
    // A leaf that is no leaf any more is forgotten, and its features stay known.
    shard.absorb({1, 2}, 2, {}, true);
    CHECK(shard.leaves().empty() && shard.n_features() == 1);
    // Every byte string that is cut or changed is a shard with those bytes, or refused.
    const std::string bytes = before.to_bytes();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        CHECK_THROWS(ModelFormatError, Shard::from_bytes(bytes_of(bytes.substr(0, i))));
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
            std::optional<Shard> read;
            try {
                read = Shard::from_bytes(bytes_of(changed));
            } catch (const ModelFormatError&) {
                continue;
            }
            CHECK(read->to_bytes() == changed);
        }
    }
}

}  // namespace

int main() {
    test_shards();
    test_limits();
    test_what_is_refused();
    return sapwood::check::finish();
}
