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
#include "point.hpp"
#include "sapwood/tree/learn_rows.hpp"

namespace sapwood::bindings {
namespace {

/// The options of a tree by name, words as text; those that are not given have their defaults. What Python passes was
/// checked there as to its type.
TreeOptions options_of(const nb::kwargs& given) {
    TreeOptions options;
    std::size_t n_known = 0;
    for_each_option(options, [&](std::string_view name, auto& option) {
        using T = std::remove_reference_t<decltype(option)>;
        const nb::str key(name.data(), name.size());
        if (!given.contains(key)) return;
        if constexpr (std::is_enum_v<T>) {
            option = value_of<T>(name, nb::cast<std::string>(given[key]));
        } else {
            option = nb::cast<T>(given[key]);
        }
        ++n_known;
    });
    if (given.size() != n_known) {
        throw std::invalid_argument("options must be known, got " + std::to_string(given.size() - n_known) +
                                    " of another name");
    }
    return options;
}

template <class T>
std::span<const T> span_of_optional(const std::optional<Array<T>>& array) {
    return array ? span_of(*array) : std::span<const T>();
}

/// The rows of arrays, checked, to be learned.
LabelledRows checked_rows(const Array<std::int64_t>& indptr, const Array<KeyId>& keys, const Array<Label>& labels,
                          const std::optional<Array<double>>& weights) {
    const LabelledRows rows{{span_of(indptr), span_of(keys)}, span_of(labels), span_of_optional(weights)};
    check_rows(rows.keys);
    check_labels(rows.keys, rows.labels, max_classes);
    if (weights && rows.weights.size() != rows.size()) {
        throw std::invalid_argument("sample_weight must have a weight for each of the " + std::to_string(rows.size()) +
                                    " rows of X, got " + std::to_string(rows.weights.size()));
    }
    return rows;
}

/// Goes through rows with the lock of the tree, which is let go now and then for signals and other threads.
/// `begin()` is called once with the lock, before the first row; `go_on(first, must_pause)` returns the next one.
template <class Begin, class GoOn>
void with_pauses(GuardedTree& self, std::size_t n_rows, Begin begin, GoOn go_on) {
    SignalPoll signals;
    bool begun = false;
    std::size_t next = 0;
    while (!begun || next < n_rows) {
        {
            const std::unique_lock lock(self.mutex);
            if (!std::exchange(begun, true)) begin();
            next = go_on(next, [&] { return signals.is_due(); });
        }
        signals.handle();
    }
}

void learn(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys, const Array<Label>& labels,
           const std::optional<Array<double>>& weights) {
    nb::gil_scoped_release release;
    const LabelledRows rows = checked_rows(indptr, keys, labels, weights);
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
                      const std::optional<Array<std::int64_t>>& places) {
    Prequential answers(0, 0);
    {
        nb::gil_scoped_release release;
        const LabelledRows rows = checked_rows(indptr, keys, labels, weights);
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

void learn_one(GuardedTree& self, nb::handle x, std::int64_t label, double weight, std::optional<double> binarize) {
    if (label < 0 || label >= max_classes) {
        throw std::invalid_argument("label must be from 0 to " + std::to_string(max_classes - 1) + ", got " +
                                    std::to_string(label));
    }
    const std::int64_t most = most_counts(weight);
    // A point of weight 0 is checked, and not learned.
    const std::vector<KeyId> keys =
        weight > 0 ? self.keys().new_point(x, binarize) : self.keys().known_point(x, binarize);
    std::vector<FeatureId> features;
    const WriteLock lock(self.mutex);
    self.tree.check_classes(static_cast<std::size_t>(label) + 1);
    check_room(static_cast<Count>(self.tree.n()), most);
    if (weight == 0) return;
    Vocabulary::Writing writing(self.vocabulary());
    learn_keys(self.tree, writing, keys, static_cast<Label>(label), self.tree.rounded(weight), features);
}

Vector<Label> predict(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                      const std::optional<Array<std::int64_t>>& places) {
    const CsrView csr{span_of(indptr), span_of(keys)};
    std::vector<Label> labels(csr.size());
    {
        nb::gil_scoped_release release;
        check_rows(csr);
        const std::shared_lock lock(self.mutex);
        Scores scores = self.tree.make_scores();
        for_each_row(self, csr, [&](std::size_t i, Features features) {
            self.tree.predict(features, scores);
            labels[i] = StreamingTree::label_of(scores.probabilities, span_of_optional(places));
        });
    }
    return to_numpy(std::move(labels));
}

Matrix<double> predict_proba(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys) {
    const CsrView csr{span_of(indptr), span_of(keys)};
    std::vector<double> probabilities;
    std::array<std::size_t, 2> shape{csr.size(), 0};
    {
        nb::gil_scoped_release release;
        check_rows(csr);
        const std::shared_lock lock(self.mutex);
        shape[1] = self.tree.n_classes();
        probabilities.reserve(shape[0] * shape[1]);
        Scores scores = self.tree.make_scores();
        for_each_row(self, csr, [&](std::size_t, Features features) {
            self.tree.predict(features, scores);
            probabilities.insert(probabilities.end(), scores.probabilities.begin(), scores.probabilities.end());
        });
    }
    return to_numpy(std::move(probabilities), shape);
}

std::vector<double> predict_proba_one(GuardedTree& self, nb::handle x, std::optional<double> binarize) {
    const std::vector<KeyId> keys = self.keys().known_point(x, binarize);
    std::vector<FeatureId> features;
    const ReadLock lock(self.mutex);
    Vocabulary::Reading(self.vocabulary()).find(keys, features);
    Scores scores = self.tree.make_scores();
    self.tree.predict(Features(features), scores);
    return scores.probabilities;
}

/// The keys of names; -1 for one that has none, unless new ones are given theirs.
Vector<KeyId> keys_of_names(GuardedTree& self, const nb::iterable& names, bool make) {
    std::vector<KeyId> keys;
    for (const nb::handle name : names) {
        keys.push_back(make ? self.keys().find_or_make(name) : self.keys().find(name).value_or(-1));
    }
    return to_numpy(std::move(keys));
}

/// What the features are called, in their order.
nb::list names_of_features(GuardedTree& self) {
    std::vector<KeyId> keys;
    {
        const ReadLock lock(self.mutex);
        keys = Vocabulary::Reading(self.vocabulary()).keys();
    }
    nb::list names;
    for (const KeyId key : keys) names.append(self.keys().name(key));
    return names;
}

template <class Enum>
nb::tuple words_of() {
    nb::list list;
    for (const std::string_view word : Words<Enum>::all) list.append(nb::str(word.data(), word.size()));
    return nb::tuple(list);
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
    module.def("hoeffding_bound", &hoeffding_bound, nb::arg("range"), nb::arg("delta"), nb::arg("n"));
    module.def(
        "mcdiarmid_bound",
        [](const std::string& criterion, std::size_t n_classes, double delta, double n) {
            return mcdiarmid_bound(value_of<Criterion>("criterion", criterion), n_classes, delta, n);
        },
        nb::arg("criterion"), nb::arg("n_classes"), nb::arg("delta"), nb::arg("n"));
    nb::class_<GuardedTree> tree(module, "Tree",
                                 "A streaming tree. Many threads may read one object, or one change it.");
    tree.def(
            "__init__",
            [](GuardedTree* self, const nb::kwargs& options) { new (self) GuardedTree(options_of(options)); },
            nb::sig("def __init__(self, **options: typing.Any) -> None"))
        .def("learn", &learn, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights") = nb::none())
        .def("learn_one", &learn_one, nb::arg("x").none(), nb::arg("label"), nb::arg("weight") = 1,
             nb::arg("binarize") = nb::none())
        .def("prequential", &prequential, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"),
             nb::arg("weights") = nb::none(), nb::arg("places") = nb::none())
        .def("predict", &predict, nb::arg("indptr"), nb::arg("ids"), nb::arg("places") = nb::none())
        .def("predict_proba", &predict_proba, nb::arg("indptr"), nb::arg("ids"))
        .def("predict_proba_one", &predict_proba_one, nb::arg("x").none(), nb::arg("binarize") = nb::none())
        .def(
            "point",
            [](GuardedTree& self, nb::handle x, std::optional<double> binarize) {
                return to_numpy(self.keys().known_point(x, binarize));
            },
            nb::arg("x").none(), nb::arg("binarize") = nb::none())
        .def("ids_of_keys", &keys_of_names, nb::arg("keys"), nb::arg("make"))
        .def("keys", &names_of_features)
        .def("n_bytes", reading([](GuardedTree& self) { return self.tree.n_bytes(); }))
        .def("vocabulary_bytes", reading([](GuardedTree& self) {
                 return Vocabulary::Reading(self.vocabulary()).n_bytes() + self.keys().n_bytes();
             }))
        .def("growth", reading([](GuardedTree& self) { return std::string(word_of(self.tree.options().growth)); }))
        .def("seed", reading([](GuardedTree& self) { return self.tree.options().seed; }))
        .def("depth", reading([](GuardedTree& self) { return self.tree.nodes().depth(); }))
        .def("n", reading([](GuardedTree& self) { return self.tree.n(); }))
        .def("n_met", reading([](GuardedTree& self) { return self.tree.n_met(); }))
        .def("n_classes", reading([](GuardedTree& self) { return self.tree.n_classes(); }))
        .def("n_nodes", reading([](GuardedTree& self) { return self.tree.nodes().n_nodes(); }))
        .def("n_leaves", reading([](GuardedTree& self) { return self.tree.nodes().n_leaves(); }))
        .def("n_features_seen",
             reading([](GuardedTree& self) { return Vocabulary::Reading(self.vocabulary()).size(); }));
    bind_tree_view(tree);
    bind_tree_bytes(tree);
}

}  // namespace sapwood::bindings
