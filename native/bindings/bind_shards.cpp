#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "guarded_tree.hpp"
#include "sapwood/io/write_tree.hpp"
#include "sapwood/tree/batch/assemble.hpp"
#include "sapwood/tree/batch/candidates.hpp"
#include "sapwood/tree/batch/shard.hpp"
#include "sapwood/tree/batch/sharded_growth.hpp"
#include "shared_features.hpp"

namespace sapwood::bindings {
namespace {

/// A question about a rank as Python has it: leaf, and where the feature comes there.
using Question = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, SharedId>;

Question as_tuple(const RankQuestion& question) {
    return {question.born, question.key.crossed, question.key.met, question.key.id};
}
RankQuestion as_question(const Question& question) {
    const auto& [born, crossed, met, id] = question;
    return {born, {crossed, met, id}};
}

std::span<const std::byte> bytes_of(const nb::bytes& data) {
    return {static_cast<const std::byte*>(data.data()), data.size()};
}
nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

void require_shards(const GuardedTree& self) {
    const TreeOptions& options = self.tree.options();
    const auto require = [](bool holds, const std::string& what, std::string_view got) {
        if (!holds) throw std::invalid_argument(what + " for shards, got '" + std::string(got) + "'");
    };
    require(options.growth == Growth::batch, "the growth must be 'batch'", word_of(options.growth));
    require(options.leaf_prediction == LeafPrediction::majority, "leaf_prediction must be 'majority'",
            word_of(options.leaf_prediction));
    require(options.search != SearchKind::approximate, "search must be 'certified' or 'exhaustive'",
            word_of(options.search));
    require(!options.seed, "random_state must be None", "a seed");
}

void absorb_part(Shard& self, const Delta& delta, std::uint64_t step, const Array<std::uint64_t>& counting,
                 bool each_once) {
    const std::span<const std::uint64_t> leaves = span_of(counting);
    if (!std::is_sorted(leaves.begin(), leaves.end())) throw std::invalid_argument("counting must ascend");
    nb::gil_scoped_release release;
    self.absorb(delta, step, leaves, each_once);
}

Vector<std::uint64_t> n_before(const Shard& self, const std::vector<Question>& questions) {
    std::vector<std::uint64_t> found;
    for (const Question& each : questions) {
        const RankQuestion question = as_question(each);
        found.push_back(self.n_before(question.born, question.key));
    }
    return to_numpy(std::move(found));
}

/// The leaves that look for a split, by their birth numbers.
Vector<std::uint64_t> counting_leaves(GuardedTree& self) {
    require_shards(self);
    std::vector<std::uint64_t> found;
    {
        const ReadLock lock(self.mutex);
        const Nodes& nodes = self.tree.nodes();
        for (const NodeId at : nodes.in_order()) {
            if (self.tree.node(at).statistics.is_counting()) found.push_back(nodes.born(at));
        }
    }
    std::sort(found.begin(), found.end());
    return to_numpy(std::move(found));
}

std::vector<Question> rank_questions(GuardedTree& self, const Candidates& candidates) {
    require_shards(self);
    const WriteLock lock(self.mutex);
    std::vector<Question> found;
    for (const RankQuestion& each : ShardedGrowth(self.tree).questions(candidates)) found.push_back(as_tuple(each));
    return found;
}

std::vector<ShardedSplit> due_splits(GuardedTree& self, const Candidates& candidates,
                                     const std::map<Question, std::int64_t>& ranks) {
    require_shards(self);
    std::map<RankQuestion, std::int64_t> known;
    for (const auto& [question, rank] : ranks) known.emplace(as_question(question), rank);
    const WriteLock lock(self.mutex);
    return change(self.mutex, [&] { return ShardedGrowth(self.tree).due(candidates, known); });
}

void split_leaves(GuardedTree& self, const std::vector<ShardedSplit>& due) {
    require_shards(self);
    std::vector<SharedId> ids;
    for (const ShardedSplit& split : due) ids.push_back(split.feature);
    const std::vector<KeyId> keys = keys_of_ids(self, ids);
    const WriteLock lock(self.mutex);
    const auto key_of = [&](SharedId id) {
        return keys[static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin())];
    };
    change(self.mutex, [&] { ShardedGrowth(self.tree).split(due, self.vocabulary(), key_of); });
}

std::pair<nb::bytes, Vector<SharedId>> assembled_bytes(GuardedTree& self, const nb::list& shards) {
    require_shards(self);
    std::vector<Shard> all;
    for (const nb::handle shard : shards) all.push_back(nb::cast<Shard>(shard));
    const std::vector<SharedId> ids = ids_of_features(self);
    std::string bytes;
    std::vector<SharedId> features;
    {
        const ReadLock lock(self.mutex);
        Assembled made = assembled(self.tree, all, [&](FeatureId id) { return ids[static_cast<std::size_t>(id)]; });
        bytes = write_tree(made.tree);
        features = std::move(made.features);
    }
    return {as_bytes(bytes), to_numpy(std::move(features))};
}

void count_afresh(GuardedTree& self) {
    require_shards(self);
    const WriteLock lock(self.mutex);
    change(self.mutex, [&] { begin_afresh(self.tree); });
}

/// The shard of each feature.
Vector<std::int32_t> shards_of(const Array<SharedId>& ids, std::size_t n_shards) {
    if (n_shards == 0) throw std::invalid_argument("n_shards must be at least 1, got 0");
    std::vector<std::int32_t> found;
    for (const SharedId id : span_of(ids)) found.push_back(static_cast<std::int32_t>(shard_of(id, n_shards)));
    return to_numpy(std::move(found));
}

}  // namespace

void bind_shards(nb::module_& module) {
    module.def("shards_of", &shards_of, nb::arg("ids"), nb::arg("n_shards"), "Which shard counts each feature.");
    nb::class_<Candidates>(module, "Candidates", "The best features of leaves, by what shards have counted.")
        .def_static(
            "from_bytes", [](const nb::bytes& data) { return Candidates::from_bytes(bytes_of(data)); }, nb::arg("data"),
            "The candidates of what `to_bytes` gave. Raises ModelFormatError.")
        .def("to_bytes", [](const Candidates& self) { return as_bytes(self.to_bytes()); })
        .def("merge", &Candidates::merge, nb::arg("other"))
        .def("n_leaves", [](const Candidates& self) { return self.leaves().size(); });
    nb::class_<ShardedSplit>(module, "ShardedSplit", "A split that is due in a tree whose features are in shards.")
        .def_ro("born", &ShardedSplit::born)
        .def_ro("feature", &ShardedSplit::feature)
        .def_ro("gain", &ShardedSplit::gain);
    nb::class_<Shard>(module, "Shard", "What is counted of some features, in all leaves of a tree.")
        .def(nb::init<std::size_t>(), nb::arg("n_classes"))
        .def_static(
            "from_bytes", [](const nb::bytes& data) { return Shard::from_bytes(bytes_of(data)); }, nb::arg("data"),
            "The shard of what `to_bytes` gave. Raises ModelFormatError.")
        .def("to_bytes", [](const Shard& self) { return as_bytes(self.to_bytes()); })
        .def("absorb", &absorb_part, nb::arg("delta"), nb::arg("step"), nb::arg("counting"), nb::arg("each_once"))
        .def(
            "candidates",
            [](const Shard& self, const Delta& delta, const std::string& criterion) {
                return self.candidates(delta, value_of<Criterion>("criterion", criterion));
            },
            nb::arg("delta"), nb::arg("criterion"), "The best features of the leaves of a delta that was absorbed.")
        .def("n_before", &n_before, nb::arg("questions"),
             "How many features have a rank before each one that is asked about.")
        .def("step", &Shard::step)
        .def("n_features", &Shard::n_features)
        .def("n_leaves", [](const Shard& self) { return self.leaves().size(); });
}

void bind_tree_shards(nb::class_<GuardedTree>& tree) {
    tree.def("counting_leaves", &counting_leaves, "The leaves that look for a split, ascending.")
        .def("rank_questions", &rank_questions, nb::arg("candidates"),
             "The ranks on which it depends whether a leaf is to split.")
        .def("due_splits", &due_splits, nb::arg("candidates"), nb::arg("ranks"))
        .def("split_leaves", &split_leaves, nb::arg("due"))
        .def("assembled", &assembled_bytes, nb::arg("shards"),
             "The bytes of the tree that holds what shards have counted, and the ids of its features.")
        .def("count_afresh", &count_afresh, "Let all leaves begin to look for a split.");
}

}  // namespace sapwood::bindings
