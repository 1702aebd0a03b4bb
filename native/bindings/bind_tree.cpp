#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "guarded_tree.hpp"
#include "sapwood/tree/learn_rows.hpp"
#include "stream_learner.hpp"

namespace sapwood::bindings {
namespace {

/// The options of a tree by name, words as text; those that are not given have their defaults.
TreeOptions options_of(const nb::kwargs& given) {
    TreeOptions options;
    OptionsGiven all(given);
    for_each_option(options, [&](std::string_view name, auto& option) { all.take(name, option); });
    all.finish();
    return options;
}

void learn(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys, const Array<Label>& labels,
           const std::optional<Array<double>>& weights, const NumberArrays& numbers) {
    nb::gil_scoped_release release;
    const LabelledRows rows = checked_rows(indptr, keys, labels, weights, numbers);
    with_pauses(
        self, rows.size(), [&] { check_can_learn(self.tree, rows); },
        [&](std::size_t first, auto must_pause) {
            return learn_rows(self.tree, self.vocabulary(), rows, first, must_pause);
        });
}

/// Lets the tree predict each point, then learn from it. Returns the label that was predicted for each, and the
/// probability of each class; a class that the tree did not know yet has none.
nb::tuple prequential(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                      const Array<Label>& labels, const std::optional<Array<double>>& weights,
                      const std::optional<Array<std::int64_t>>& places, const NumberArrays& numbers) {
    Prequential answers(0, 0);
    {
        nb::gil_scoped_release release;
        const LabelledRows rows = checked_rows(indptr, keys, labels, weights, numbers);
        with_pauses(
            self, rows.size(),
            [&] {
                check_can_learn(self.tree, rows);
                answers = Prequential(rows.size(), std::max(rows.n_classes(), self.tree.n_classes()));
            },
            [&](std::size_t first, auto must_pause) {
                return test_then_learn_rows(self.tree, self.vocabulary(), rows, first, span_of_optional(places),
                                            answers, must_pause);
            });
    }
    const std::array<std::size_t, 2> shape{answers.labels.size(), answers.n_classes};
    return nb::make_tuple(to_numpy(std::move(answers.labels)), to_numpy(std::move(answers.probabilities), shape));
}

void learn_one(GuardedTree& self, nb::handle x, std::int64_t label, double weight, std::optional<double> binarize,
               bool typed) {
    if (label < 0 || label >= max_classes) {
        throw std::invalid_argument("label must be from 0 to " + std::to_string(max_classes - 1) + ", got " +
                                    std::to_string(label));
    }
    self.tree.check_learns_points();
    const std::int64_t most = most_counts(weight);
    // A point of weight 0 is checked, and not learned.
    const PointKeys point =
        weight > 0 ? point_to_learn(self, x, binarize, typed) : point_to_ask(self, x, binarize, typed);
    PointMaker maker;
    const WriteLock lock(self.mutex);
    self.tree.check_classes(static_cast<std::size_t>(label) + 1);
    check_room(static_cast<Count>(self.tree.n()), most);
    if (weight == 0) return;
    Vocabulary::Writing writing(self.vocabulary());
    change(self.mutex, [&] {
        learn_keys(self.tree, writing, point.view(), static_cast<Label>(label), self.tree.rounded(weight), maker);
    });
}

Vector<Label> predict(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                      const std::optional<Array<std::int64_t>>& places, const NumberArrays& numbers) {
    std::vector<Label> labels;
    const std::span<const std::int64_t> order = span_of_optional(places);
    {
        nb::gil_scoped_release release;
        const KeyedRows rows = checked_points(indptr, keys, numbers);
        labels.resize(rows.size());
        const std::shared_lock lock(self.mutex);
        Scores scores = self.tree.make_scores();
        for_each_row(self, rows, [&](std::size_t i, const Point& point) {
            labels[i] = self.tree.predict_label(point, scores, order);
        });
    }
    return to_numpy(std::move(labels));
}

/// A property that is read under the lock.
template <class Read>
auto reading(Read read) {
    return [read](GuardedTree& self) {
        const ReadLock lock(self.mutex);
        return read(self);
    };
}

}  // namespace

void bind_tree(nb::module_& module) {
    module.attr("GROWTHS") = words_of<Growth>();
    module.attr("SPLIT_TESTS") = words_of<SplitTestKind>();
    module.attr("LEAF_PREDICTIONS") = words_of<LeafPrediction>();
    nb::list models;
    for (const std::string_view name : model_names) models.append(nb::str(name.data(), name.size()));
    module.attr("LEAF_MODELS") = nb::tuple(models);
    module.attr("MAX_COLUMNS") = Keys::n_columns;
    nb::class_<GuardedTree> tree(module, "Tree",
                                 "A streaming tree. Many threads may read one object, or one change it.");
    tree.def(
            "__init__",
            [](GuardedTree* self, const nb::kwargs& options) { new (self) GuardedTree(options_of(options)); },
            nb::sig("def __init__(self, **options: typing.Any) -> None"))
        .def("learn", &learn, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights") = nb::none(),
             nb::arg("numbers") = nb::none())
        .def("learn_one", &learn_one, nb::arg("x").none(), nb::arg("label"), nb::arg("weight") = 1,
             nb::arg("binarize") = nb::none(), nb::arg("typed") = false)
        .def("prequential", &prequential, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"),
             nb::arg("weights") = nb::none(), nb::arg("places") = nb::none(), nb::arg("numbers") = nb::none())
        .def("predict", &predict, nb::arg("indptr"), nb::arg("ids"), nb::arg("places") = nb::none(),
             nb::arg("numbers") = nb::none())
        .def("predict_proba", &probabilities_of_rows<GuardedTree>, nb::arg("indptr"), nb::arg("ids"),
             nb::arg("numbers") = nb::none())
        .def("predict_proba_one", &probabilities_of_one<GuardedTree>, nb::arg("x").none(),
             nb::arg("binarize") = nb::none(), nb::arg("typed") = false)
        .def("n_bytes", reading([](GuardedTree& self) { return self.tree.n_bytes(); }))
        .def("vocabulary_bytes", reading([](GuardedTree& self) { return vocabulary_bytes(self); }))
        .def("growth", reading([](GuardedTree& self) { return std::string(word_of(self.tree.options().growth)); }))
        .def("seed", reading([](GuardedTree& self) { return self.tree.options().seed; }))
        .def("depth", reading([](GuardedTree& self) { return self.tree.nodes().depth(); }))
        .def("n", reading([](GuardedTree& self) { return self.tree.n(); }))
        .def("n_met", reading([](GuardedTree& self) { return self.tree.n_met(); }))
        .def("n_classes", reading([](GuardedTree& self) { return self.tree.n_classes(); }))
        .def(
            "expect_classes",
            [](GuardedTree& self, std::int64_t n_classes) { expect_classes(self, self.tree, n_classes); },
            nb::arg("n_classes"))
        .def("n_rewrites", reading([](GuardedTree& self) { return self.tree.body().n_rewrites(); }))
        .def("n_nodes", reading([](GuardedTree& self) { return self.tree.nodes().in_order().size(); }))
        .def("n_leaves", reading([](GuardedTree& self) {
                 const Nodes& nodes = self.tree.nodes();
                 const std::vector<NodeId> order = nodes.in_order();
                 return std::count_if(order.begin(), order.end(), [&](NodeId at) { return nodes.is_leaf(at); });
             }))
        .def("recent_bytes", reading([](GuardedTree& self) {
                 const std::optional<Following>& following = self.tree.body().following();
                 return following ? following->recent.n_bytes() : 0;
             }))
        .def("n_features_seen", reading([](GuardedTree& self) { return n_features_seen(self); }));
    bind_names<GuardedTree>(tree);
    bind_tree_batch(tree);
    bind_tree_shards(tree);
    bind_tree_view(tree);
    bind_tree_bytes(tree);
}

}  // namespace sapwood::bindings
