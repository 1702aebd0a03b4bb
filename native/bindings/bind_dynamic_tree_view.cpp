#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>

#include "guarded_dynamic_tree.hpp"
#include "sapwood/dynamic/canonical.hpp"
#include "sapwood/dynamic/leaf_answer.hpp"
#include "sapwood/io/dynamic_bytes.hpp"

namespace sapwood::bindings {
namespace {

/// The number of each node in the order of `Nodes::in_order`.
std::vector<std::int64_t> numbers_of(const Nodes& nodes) {
    std::vector<std::int64_t> numbers(nodes.n_ids(), -1);
    std::int64_t next = 0;
    for (const NodeId at : nodes.in_order()) numbers[static_cast<std::size_t>(at)] = next++;
    return numbers;
}

nb::tuple decision_path(GuardedDynamicTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                        const NumberArrays& numbers) {
    refuse_numbers(numbers);
    const CsrView csr{span_of(indptr), span_of(keys)};
    std::vector<std::int64_t> ends{0};
    std::vector<std::int64_t> passed;
    {
        nb::gil_scoped_release release;
        check_rows(csr);
        const SettledLock lock(self);
        const std::vector<std::int64_t> places = numbers_of(self.tree.nodes());
        std::vector<FeatureId> features;
        for (std::size_t i = 0; i < csr.size(); ++i) {
            self.find(csr.row(i), features);
            for (const NodeId at : self.tree.nodes().path(Features(features))) {
                passed.push_back(places[static_cast<std::size_t>(at)]);
            }
            ends.push_back(static_cast<std::int64_t>(passed.size()));
        }
    }
    return nb::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(passed)));
}

/// All nodes in order, an array for each of their properties: those of a streaming tree, so that views are alike. A
/// feature is its rank in `keys`. Every split is of all points that the tree holds.
nb::dict nodes(GuardedDynamicTree& self) {
    std::vector<std::int64_t> feature, kind, off, on, parent, depth, split_at, counts, model;
    std::vector<double> gain, margin;
    std::vector<std::uint8_t> learning;
    std::size_t n_classes = 0;
    {
        nb::gil_scoped_release release;
        // To be changed: a search may bring itself up to date.
        const std::unique_lock lock(self.mutex);
        change(self.mutex, [&] { self.settle(); });
        const Canonical canonical(self.tree, self.order);
        const Nodes& all = self.tree.nodes();
        const std::vector<std::int64_t> numbers = numbers_of(all);
        const auto number = [&](NodeId at) { return at == no_node ? -1 : numbers[static_cast<std::size_t>(at)]; };
        n_classes = self.tree.n_classes();
        const auto answering =
            self.tree.options().leaf_prediction == LeafPrediction::naive_bayes ? Model::naive_bayes : Model::majority;
        for (const NodeId at : all.in_order()) {
            const bool is_leaf = all.is_leaf(at);
            const DynamicNode& node = self.tree.node(at);
            feature.push_back(canonical.rank(all.test(at).feature()));
            kind.push_back(static_cast<std::int64_t>(all.test(at).kind()));
            off.push_back(is_leaf ? -1 : number(all.child(at, false)));
            on.push_back(is_leaf ? -1 : number(all.child(at, true)));
            parent.push_back(number(all.parent(at)));
            depth.push_back(all.depth(at));
            split_at.push_back(self.tree.n());
            counts.insert(counts.end(), node.totals.of_class.begin(), node.totals.of_class.end());
            model.push_back(is_leaf ? static_cast<std::int64_t>(answering) : -1);
            gain.push_back(is_leaf ? 0 : change(self.mutex, [&] { return self.tree.gain(at); }));
            margin.push_back(is_leaf ? 0 : change(self.mutex, [&] { return self.tree.margin(at); }));
            learning.push_back(node.search ? 1 : 0);
        }
    }
    const std::size_t size = feature.size();
    const std::array<std::size_t, 2> counts_shape{size, n_classes};
    const std::array<std::size_t, 2> right_shape{size, n_models};
    nb::dict columns;
    columns["feature"] = to_numpy(std::move(feature));
    columns["kind"] = to_numpy(std::move(kind));
    columns["off"] = to_numpy(std::move(off));
    columns["on"] = to_numpy(std::move(on));
    columns["parent"] = to_numpy(std::move(parent));
    columns["depth"] = to_numpy(std::move(depth));
    columns["counts"] = to_numpy(std::move(counts), counts_shape);
    columns["gain"] = to_numpy(std::move(gain));
    columns["margin"] = to_numpy(std::move(margin));
    columns["split_at"] = to_numpy(std::move(split_at));
    columns["right"] = to_numpy(std::vector<std::int64_t>(size * n_models), right_shape);
    columns["model"] = to_numpy(std::move(model));
    columns["learning"] = to_numpy(std::move(learning));
    columns["paused"] = to_numpy(std::vector<std::uint8_t>(size));
    return columns;
}

/// What the features that are on in a point are called, in their order.
nb::list names_of_features(GuardedDynamicTree& self) {
    std::vector<KeyId> keys;
    {
        nb::gil_scoped_release release;
        const std::shared_lock lock(self.mutex);
        const Vocabulary::Reading reading(self.vocabulary());
        const Canonical canonical(self.tree, self.order);
        for (const FeatureId id : canonical.features()) {
            keys.push_back(reading.keys()[static_cast<std::size_t>(id)]);
        }
    }
    nb::list names;
    for (const KeyId key : keys) names.append(self.keys().name(key));
    return names;
}

/// What each active feature says at the leaf of a point, in the form of a streaming tree, which has regressions as
/// well.
nb::tuple evidence(GuardedDynamicTree& self, const Array<KeyId>& keys, const NumbersOfOne& numbers) {
    if (numbers) refuse_numbers(std::get<0>(*numbers).size());
    check_features(span_of(keys));
    std::vector<std::int32_t> ranks;
    std::vector<double> shares;
    std::size_t n_classes = 0;
    {
        nb::gil_scoped_release release;
        const SettledLock lock(self);
        const Canonical canonical(self.tree, self.order);
        n_classes = self.tree.n_classes();
        std::vector<FeatureId> features;
        self.find(span_of(keys), features);
        std::erase_if(features, [&](FeatureId id) { return canonical.rank(id) < 0; });
        for (const FeatureId id : features) ranks.push_back(canonical.rank(id));
        shares = LeafAnswer(self.tree).shares(features);
    }
    const std::array<std::size_t, 2> none{ranks.size(), 0};
    const std::array<std::size_t, 2> shape{ranks.size(), n_classes};
    return nb::make_tuple(to_numpy(std::move(ranks)), to_numpy(std::vector<double>(), none),
                          to_numpy(std::vector<double>(), none), to_numpy(std::move(shares), shape),
                          to_numpy(std::vector<double>()), to_numpy(std::vector<double>()));
}

/// What a feature that is on adds to the score of each class, a row for each feature in the order of `keys`.
Matrix<double> feature_scores(GuardedDynamicTree& self) {
    std::vector<double> scores;
    std::array<std::size_t, 2> shape{};
    {
        nb::gil_scoped_release release;
        const SettledLock lock(self);
        const Canonical canonical(self.tree, self.order);
        shape = {canonical.features().size(), self.tree.n_classes()};
        const std::vector<double> by_id = LeafAnswer(self.tree).mean_shares(self.tree.points().feature_end());
        for (const FeatureId id : canonical.features()) {
            const auto first = by_id.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(id) * shape[1]);
            scores.insert(scores.end(), first, first + static_cast<std::ptrdiff_t>(shape[1]));
        }
    }
    return to_numpy(std::move(scores), shape);
}

nb::dict tally(GuardedDynamicTree& self) {
    const ReadLock lock(self.mutex);
    const DynamicTally& done = self.tree.tally();
    nb::dict counters;
    counters["tested"] = done.looked;
    counters["split"] = done.split;
    counters["resplit"] = done.rebuilt;
    counters["pruned"] = done.pruned;
    counters["points_rebuilt"] = done.rebuilt_points;
    counters["features_counted"] = done.counted;
    return counters;
}

std::string written(GuardedDynamicTree& self) {
    nb::gil_scoped_release release;
    const SettledLock lock(self);
    return write_dynamic_tree(self.tree, self.order);
}

nb::bytes to_bytes(GuardedDynamicTree& self) {
    const std::string bytes = written(self);
    return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<GuardedDynamicTree> from_bytes(const nb::bytes& data, const nb::list& keys, const nb::list& numbers) {
    if (numbers.size() > 0) throw ModelFormatError("a tree that forgets must have no numbers, got some");
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(data.data()), data.size());
    auto made = std::make_unique<GuardedDynamicTree>(read_dynamic_tree(bytes, static_cast<std::int64_t>(keys.size())));
    std::vector<KeyId> all;
    for (const nb::handle name : keys) all.push_back(made->keys().find_or_make(name));
    made->order.read(made->keys());
    made->order.check(all, made->keys());
    made->order.follow(all);
    Vocabulary::Writing vocabulary(made->vocabulary());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto id = static_cast<FeatureId>(i);
        if (vocabulary.insert(all[i]) != id || (i > 0 && !made->order.comes_before(id - 1, id))) {
            throw ModelFormatError("features must be in their order, each once, got " + repr_of(keys[i]));
        }
    }
    return made;
}

/// The entries of the store in the order of the file.
Vector<PointId> points_in_order(GuardedDynamicTree& self) {
    std::vector<PointId> points;
    {
        nb::gil_scoped_release release;
        const std::shared_lock lock(self.mutex);
        points = Canonical(self.tree, self.order).points();
    }
    return to_numpy(std::move(points));
}

/// The weight, of each of some entries, that is kept for those who know it by name.
Vector<Count> named_weights(GuardedDynamicTree& self, const Array<PointId>& points) {
    std::vector<Count> weights;
    const ReadLock lock(self.mutex);
    for (const PointId id : span_of(points))
        weights.push_back(self.tree.points().holds(id) ? self.tree.points().named(id) : 0);
    return to_numpy(std::move(weights));
}

template <class Read>
auto settled(Read read) {
    return [read](GuardedDynamicTree& self) {
        nb::gil_scoped_release release;
        const SettledLock lock(self);
        return read(self);
    };
}

}  // namespace

void bind_dynamic_tree_view(nb::class_<GuardedDynamicTree>& tree) {
    tree.def("decision_path", &decision_path, nb::arg("indptr"), nb::arg("ids"), nb::arg("numbers") = nb::none())
        .def("evidence", &evidence, nb::arg("ids"), nb::arg("numbers") = nb::none())
        .def("feature_scores", &feature_scores)
        .def("nodes", &nodes)
        .def("typed_tests", [](GuardedDynamicTree&) { return nb::dict(); })
        .def("tally", &tally, nb::sig("def tally(self) -> dict[str, int]"))
        .def("keys", &names_of_features)
        .def("named_keys", &names_of_features)
        .def("number_keys", [](GuardedDynamicTree&) { return nb::list(); })
        .def("made_of_numbers", [](GuardedDynamicTree&) { return nb::dict(); })
        .def("points_in_order", &points_in_order)
        .def("named_weights", &named_weights, nb::arg("points"))
        .def("to_bytes", &to_bytes, "The tree without the names of its features.")
        .def(
            "to_array", [](GuardedDynamicTree& self) { return to_numpy(written(self)); },
            "The same bytes as an array, of which no copy was made.")
        .def_static("from_bytes", &from_bytes, nb::arg("data"), nb::arg("keys"), nb::arg("numbers") = nb::list(),
                    nb::sig("def from_bytes(data: bytes, keys: list[typing.Any], numbers: list[typing.Any] = []) -> "
                            "DynamicTree"),
                    "The tree of what `to_bytes` gave, and the names of its features. Raises ModelFormatError.")
        .def("n_bytes", settled([](GuardedDynamicTree& self) { return self.tree.n_bytes(); }))
        .def("points_bytes", settled([](GuardedDynamicTree& self) { return self.tree.points_bytes(); }))
        .def("statistics_bytes", settled([](GuardedDynamicTree& self) { return self.tree.statistics_bytes(); }))
        .def("vocabulary_bytes",
             [](GuardedDynamicTree& self) {
                 const ReadLock lock(self.mutex);
                 return Vocabulary::Reading(self.vocabulary()).n_bytes() + self.keys().n_bytes() + self.order.n_bytes();
             })
        .def("n_distinct", settled([](GuardedDynamicTree& self) { return self.tree.points().n_points(); }))
        .def("n_features_seen",
             settled([](GuardedDynamicTree& self) { return Canonical(self.tree, self.order).features().size(); }))
        .def("depth", settled([](GuardedDynamicTree& self) { return self.tree.nodes().depth(); }))
        .def("n_nodes", settled([](GuardedDynamicTree& self) { return self.tree.nodes().n_nodes(); }))
        .def("n_leaves", settled([](GuardedDynamicTree& self) { return self.tree.nodes().n_leaves(); }));
}

}  // namespace sapwood::bindings
