#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>

#include "guarded_tree.hpp"
#include "point.hpp"

namespace sapwood::bindings {
namespace {

/// Throws unless the tree can have so many classes.
void check_classes(const StreamingTree& tree, std::size_t n_classes) {
    if (n_classes <= tree.n_classes()) return;
    const SearchChoice choice = tree.options().search_choice(n_classes);
    check_choice(choice);
    if (const auto reason = why_not(choice)) throw std::invalid_argument(*reason);
}

void learn_point(GuardedTree& self, Features ids, Label label, Count weight, std::vector<FeatureId>& slots) {
    self.tree.cover_classes(static_cast<std::size_t>(label) + 1);
    self.vocabulary.find_or_insert(ids, slots);
    self.tree.learn(slots, label, weight);
}

void learn(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<FeatureId>& ids,
           const Array<Label>& labels, const std::optional<Array<Count>>& weights) {
    const CsrView csr{span_of(indptr), span_of(ids)};
    const std::span<const Label> y = span_of(labels);
    const std::span<const Count> w = weights ? span_of(*weights) : std::span<const Count>();
    nb::gil_scoped_release release;
    check_rows(csr);
    check_labels(csr, y, max_classes);
    if (weights && w.size() != y.size()) {
        throw std::invalid_argument("sample_weight must have a weight for each of the " + std::to_string(y.size()) +
                                    " rows of X, got " + std::to_string(w.size()));
    }
    std::int64_t more = weights ? 0 : static_cast<std::int64_t>(y.size());
    for (const Count weight : w) {
        if (weight < 0) {
            throw std::invalid_argument("sample_weight must not be negative, got " + std::to_string(weight));
        }
        more += weight;
    }
    const std::size_t n_classes = y.empty() ? 0 : std::size_t{*std::max_element(y.begin(), y.end())} + 1;
    std::vector<FeatureId> slots;
    SignalPoll signals;
    bool checked = false;
    for (std::size_t i = 0; i < y.size();) {
        {
            const std::unique_lock lock(self.mutex);
            if (!checked) {
                check_classes(self.tree, n_classes);
                check_room(static_cast<Count>(self.tree.n()), more);
                checked = true;
            }
            while (i < y.size() && !signals.is_due()) {
                if (i + 1 < y.size()) self.vocabulary.index.prefetch(csr.row(i + 1));
                if (w.empty() || w[i] > 0) learn_point(self, csr.row(i), y[i], w.empty() ? 1 : w[i], slots);
                ++i;
            }
        }
        signals.handle();
    }
}

/// Lets the tree predict each point, then learn from it. Returns the label that was predicted for each, and the
/// probability of each class; a class that the tree did not know yet has none.
nb::tuple prequential(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<FeatureId>& ids,
                      const Array<Label>& labels) {
    const CsrView csr{span_of(indptr), span_of(ids)};
    const std::span<const Label> y = span_of(labels);
    std::vector<Label> predicted(y.size());
    std::vector<double> probabilities;
    std::array<std::size_t, 2> shape{y.size(), 0};
    {
        nb::gil_scoped_release release;
        check_rows(csr);
        check_labels(csr, y, max_classes);
        const std::size_t n_classes = y.empty() ? 0 : std::size_t{*std::max_element(y.begin(), y.end())} + 1;
        std::vector<FeatureId> slots;
        SignalPoll signals;
        bool checked = false;
        for (std::size_t i = 0; i < y.size();) {
            {
                const std::unique_lock lock(self.mutex);
                if (!checked) {
                    check_classes(self.tree, n_classes);
                    check_room(static_cast<Count>(self.tree.n()), static_cast<std::int64_t>(y.size()));
                    shape[1] = std::max(n_classes, self.tree.n_classes());
                    probabilities.resize(shape[0] * shape[1]);
                    checked = true;
                }
                Scores scores(self.tree.layout());
                while (i < y.size() && !signals.is_due()) {
                    if (scores.probabilities.size() != self.tree.n_classes()) scores = Scores(self.tree.layout());
                    self.vocabulary.find(csr.row(i), slots);
                    self.tree.predict(slots, scores);
                    predicted[i] = Tree::label_of(scores.probabilities);
                    // Whoever learns meanwhile, in another thread, may add classes; this call does not know them.
                    const std::size_t known = std::min(shape[1], scores.probabilities.size());
                    std::copy_n(scores.probabilities.begin(), known,
                                probabilities.begin() + static_cast<std::ptrdiff_t>(i * shape[1]));
                    learn_point(self, csr.row(i), y[i], 1, slots);
                    ++i;
                }
            }
            signals.handle();
        }
    }
    return nb::make_tuple(to_numpy(std::move(predicted)), to_numpy(std::move(probabilities), shape));
}

void learn_one(GuardedTree& self, nb::handle x, std::int64_t label, nb::handle weight, std::optional<double> binarize) {
    if (label < 0 || label >= max_classes) {
        throw std::invalid_argument("label must be from 0 to " + std::to_string(max_classes - 1) + ", got " +
                                    std::to_string(label));
    }
    const Count w = weight_of(weight);
    const std::vector<FeatureId> ids = self.vocabulary.point(x, binarize, w > 0);
    std::vector<FeatureId> slots;
    const WriteLock lock(self.mutex);
    check_classes(self.tree, static_cast<std::size_t>(label) + 1);
    check_room(static_cast<Count>(self.tree.n()), w);
    if (w > 0) learn_point(self, ids, static_cast<Label>(label), w, slots);
}

Vector<Label> predict(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<FeatureId>& ids) {
    const CsrView csr{span_of(indptr), span_of(ids)};
    std::vector<Label> labels(csr.size());
    {
        nb::gil_scoped_release release;
        check_rows(csr);
        const std::shared_lock lock(self.mutex);
        Scores scores(self.tree.layout());
        for_each_row(self, csr, [&](std::size_t i, Features slots) {
            self.tree.predict(slots, scores);
            labels[i] = Tree::label_of(scores.probabilities);
        });
    }
    return to_numpy(std::move(labels));
}

Matrix<double> predict_proba(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<FeatureId>& ids) {
    const CsrView csr{span_of(indptr), span_of(ids)};
    std::vector<double> probabilities;
    std::array<std::size_t, 2> shape{csr.size(), 0};
    {
        nb::gil_scoped_release release;
        check_rows(csr);
        const std::shared_lock lock(self.mutex);
        shape[1] = self.tree.n_classes();
        probabilities.reserve(shape[0] * shape[1]);
        Scores scores(self.tree.layout());
        for_each_row(self, csr, [&](std::size_t, Features slots) {
            self.tree.predict(slots, scores);
            probabilities.insert(probabilities.end(), scores.probabilities.begin(), scores.probabilities.end());
        });
    }
    return to_numpy(std::move(probabilities), shape);
}

std::vector<double> predict_proba_one(GuardedTree& self, nb::handle x, std::optional<double> binarize) {
    const std::vector<FeatureId> ids = self.vocabulary.point(x, binarize, false);
    std::vector<FeatureId> slots;
    const ReadLock lock(self.mutex);
    self.vocabulary.find(ids, slots);
    Scores scores(self.tree.layout());
    self.tree.predict(slots, scores);
    return scores.probabilities;
}

Vector<FeatureId> ids_of_keys(GuardedTree& self, const nb::iterable& keys, bool make) {
    std::vector<FeatureId> ids;
    for (const nb::handle key : keys) ids.push_back(self.vocabulary.id_of(key, make).value_or(-1));
    return to_numpy(std::move(ids));
}

/// What the features are called, in the order of their slots.
nb::list keys(GuardedTree& self) {
    std::vector<FeatureId> ids;
    {
        const ReadLock lock(self.mutex);
        ids = self.vocabulary.index.ids();
    }
    nb::list names;
    for (const FeatureId id : ids) names.append(self.vocabulary.key(id));
    return names;
}

template <std::size_t size>
nb::tuple names_of(const std::array<std::string_view, size>& names) {
    nb::list list;
    for (const std::string_view name : names) list.append(nb::str(name.data(), name.size()));
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
    module.attr("SPLIT_TESTS") = names_of(split_tests);
    module.attr("LEAF_PREDICTIONS") = names_of(leaf_predictions);
    module.attr("LEAF_MODELS") = names_of(model_names);
    module.attr("MAX_COLUMNS") = Vocabulary::n_columns;
    module.def("hoeffding_bound", &hoeffding_bound, nb::arg("range"), nb::arg("delta"), nb::arg("n"));
    module.def(
        "mcdiarmid_bound",
        [](const std::string& criterion, std::size_t n_classes, double delta, double n) {
            return mcdiarmid_bound(criterion, n_classes, delta, n);
        },
        nb::arg("criterion"), nb::arg("n_classes"), nb::arg("delta"), nb::arg("n"));
    nb::class_<GuardedTree> tree(module, "Tree",
                                 "A streaming tree. Many threads may read one object, or one change it.");
    tree.def(
            "__init__",
            [](GuardedTree* self, std::string growth, std::string criterion, std::string search, double alpha,
               std::string split_test, double delta, double tau, Count grace_period, Count min_samples_reevaluate,
               double min_gain, std::optional<std::int64_t> max_depth, std::optional<std::int64_t> max_leaves,
               std::optional<std::int64_t> max_bytes, std::string leaf_prediction, std::optional<std::uint64_t> seed) {
                new (self) GuardedTree({std::move(growth), std::move(criterion), std::move(search), alpha,
                                        std::move(split_test), delta, tau, grace_period, min_samples_reevaluate,
                                        min_gain, max_depth, max_leaves, max_bytes, std::move(leaf_prediction), seed});
            },
            nb::arg("growth") = "hoeffding", nb::arg("criterion") = "entropy", nb::arg("search") = "certified",
            nb::arg("alpha") = 0.1, nb::arg("split_test") = "hoeffding", nb::arg("delta") = 1e-7, nb::arg("tau") = 0.05,
            nb::arg("grace_period") = 1, nb::arg("min_samples_reevaluate") = 20, nb::arg("min_gain") = 0.0,
            nb::arg("max_depth") = nb::none(), nb::arg("max_leaves") = nb::none(), nb::arg("max_bytes") = nb::none(),
            nb::arg("leaf_prediction") = "adaptive", nb::arg("seed") = nb::none())
        .def("learn", &learn, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights") = nb::none())
        .def("learn_one", &learn_one, nb::arg("x").none(), nb::arg("label"), nb::arg("weight").none() = 1,
             nb::arg("binarize") = nb::none())
        .def("prequential", &prequential, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"))
        .def("predict", &predict, nb::arg("indptr"), nb::arg("ids"))
        .def("predict_proba", &predict_proba, nb::arg("indptr"), nb::arg("ids"))
        .def("predict_proba_one", &predict_proba_one, nb::arg("x").none(), nb::arg("binarize") = nb::none())
        .def(
            "point",
            [](GuardedTree& self, nb::handle x, std::optional<double> binarize) {
                return to_numpy(self.vocabulary.point(x, binarize, false));
            },
            nb::arg("x").none(), nb::arg("binarize") = nb::none())
        .def("ids_of_keys", &ids_of_keys, nb::arg("keys"), nb::arg("make"))
        .def("keys", &keys)
        .def("n_bytes", reading([](GuardedTree& self) { return self.tree.n_bytes(); }))
        .def("vocabulary_bytes", reading([](GuardedTree& self) { return self.vocabulary.n_bytes(); }))
        .def("growth", reading([](GuardedTree& self) { return self.tree.options().growth; }))
        .def("seed", reading([](GuardedTree& self) { return self.tree.options().seed; }))
        .def("depth", reading([](GuardedTree& self) { return self.tree.depth(); }))
        .def("n", reading([](GuardedTree& self) { return self.tree.n(); }))
        .def("n_classes", reading([](GuardedTree& self) { return self.tree.n_classes(); }))
        .def("n_nodes", reading([](GuardedTree& self) { return self.tree.n_nodes(); }))
        .def("n_leaves", reading([](GuardedTree& self) { return self.tree.n_leaves(); }))
        .def("n_features_seen", reading([](GuardedTree& self) { return self.vocabulary.index.size(); }));
    bind_tree_view(tree);
    bind_tree_bytes(tree);
}

}  // namespace sapwood::bindings
