#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <string>
#include <tuple>

#include "bindings.hpp"

namespace sapwood::bindings {
namespace {

using Table = std::tuple<std::tuple<Count, Count>, std::tuple<Count, Count>>;
using SplitFields = std::tuple<FeatureId, double, double, Table>;

Table table_of(const std::array<std::array<Count, 2>, 2>& counts) {
    return {{counts[0][0], counts[0][1]}, {counts[1][0], counts[1][1]}};
}

SplitFields fields_of(const Split& split) { return {split.feature, split.score, split.gain, table_of(split.counts)}; }

std::string repr_of(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

[[noreturn]] void throw_type_error(const std::string& message) { throw nb::type_error(message.c_str()); }

/// A Python integer, or what can stand for one, as a feature id. Throws and names the parameter if it is none.
FeatureId feature_of(nb::handle item, const std::string& parameter) {
    nb::object index = nb::steal(PyNumber_Index(item.ptr()));
    if (!index.is_valid()) {
        PyErr_Clear();
        throw_type_error(parameter + " must be integers, got " + repr_of(item));
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow < 0 || (overflow == 0 && value < 0)) {
        throw std::invalid_argument(parameter + " must not be negative, got " + repr_of(index));
    }
    if (overflow > 0 || value > std::numeric_limits<FeatureId>::max()) {
        throw std::invalid_argument(parameter + " must be at most 2147483647, got " + repr_of(index));
    }
    return static_cast<FeatureId>(value);
}

std::vector<FeatureId> features_of(nb::handle features) {
    nb::object sequence = nb::steal(PySequence_Fast(features.ptr(), ""));
    if (!sequence.is_valid()) {
        PyErr_Clear();
        throw_type_error("features must be an iterable of integers, got " + repr_of(features));
    }
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence.ptr());
    std::vector<FeatureId> ids;
    ids.reserve(static_cast<std::size_t>(size));
    // The size is asked for again because the conversion of an item may run code that changes a list.
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {
        ids.push_back(feature_of(nb::borrow(PySequence_Fast_GET_ITEM(sequence.ptr(), i)), "features"));
    }
    check_features(ids);
    return ids;
}

Label label_of(nb::handle label) {
    const double value = PyFloat_AsDouble(label.ptr());
    const bool is_number = PyErr_Occurred() == nullptr;
    PyErr_Clear();
    // A string is no number to PyFloat_AsDouble, and NaN is neither 0 nor 1.
    if (!is_number || (value != 0 && value != 1)) {
        throw std::invalid_argument("label must be 0 or 1, got " + repr_of(label));
    }
    return value == 1 ? 1 : 0;
}

void add(GuardedSearch& self, nb::handle features, nb::handle label) {
    const std::vector<FeatureId> ids = features_of(features);
    const Label y = label_of(label);
    const Lock lock(self);
    self.search->add(ids, y);
}

using Trace =
    std::tuple<nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>, nb::ndarray<nb::numpy, double, nb::ndim<1>>>;

std::optional<Trace> add_csr(GuardedSearch& self, const Array<std::int64_t>& indptr, const Array<FeatureId>& indices,
                             const Array<Label>& labels, std::int64_t n_columns, bool trace) {
    const CsrView csr{span_of(indptr), span_of(indices)};
    const std::span<const Label> y = span_of(labels);
    std::vector<std::int64_t> features;
    std::vector<double> scores;
    {
        nb::gil_scoped_release release;
        check_csr(csr, n_columns);
        const std::lock_guard lock(self.mutex);
        SplitSearch& search = *self.search;
        if (static_cast<std::int64_t>(y.size()) > max_points - search.counts().n()) {
            throw std::overflow_error("points must be at most " + std::to_string(max_points) + " in all, got " +
                                      std::to_string(y.size()) + " more than " + std::to_string(search.counts().n()));
        }
        if (trace) {
            features.reserve(y.size());
            scores.reserve(y.size());
        }
        SignalPoll signals;
        for (std::size_t i = 0; i < y.size(); ++i) {
            search.add(csr.row(i), y[i]);
            if (trace) {
                const std::optional<Split> best = search.best();
                features.push_back(best ? best->feature : -1);
                scores.push_back(best ? best->score : std::numeric_limits<double>::quiet_NaN());
            }
            signals.poll();
        }
    }
    if (!trace) return std::nullopt;
    return Trace{to_numpy(std::move(features)), to_numpy(std::move(scores))};
}

std::optional<SplitFields> best(GuardedSearch& self) {
    const Lock lock(self);
    const std::optional<Split> split = self.search->best();
    if (!split) return std::nullopt;
    return fields_of(*split);
}

std::vector<SplitFields> top(GuardedSearch& self, std::int64_t k) {
    if (k < 1) throw std::invalid_argument("k must be at least 1, got " + std::to_string(k));
    const Lock lock(self);
    std::vector<SplitFields> fields;
    for (const Split& split : self.search->top(static_cast<std::size_t>(k))) fields.push_back(fields_of(split));
    return fields;
}

Table counts(GuardedSearch& self, nb::handle feature) {
    const FeatureId id = feature_of(feature, "feature");
    const Lock lock(self);
    const NodeCounts& node = self.search->counts();
    const Slot slot = node.index().find(id);
    if (slot == no_slot) return {{node.of_class(0), node.of_class(1)}, {0, 0}};
    return table_of(self.search->split_of(slot).counts);
}

nb::dict work(GuardedSearch& self) {
    const Lock lock(self);
    const Work& done = self.search->work();
    nb::dict counters;
    counters["moves"] = done.moves;
    counters["key_updates"] = done.key_updates;
    counters["examined"] = done.examined;
    return counters;
}

/// What pickle keeps: the choice, then all that the search needs to continue as it would have.
nb::tuple get_state(GuardedSearch& self) {
    const Lock lock(self);
    SearchState state = self.search->state();
    return nb::make_tuple(self.choice.criterion, self.choice.search, self.choice.alpha,
                          nb::make_tuple(state.of_class[0], state.of_class[1]), to_numpy(std::move(state.ids)),
                          to_numpy(std::move(state.on[0])), to_numpy(std::move(state.on[1])),
                          to_numpy(std::move(state.first_bin)), to_numpy(std::move(state.last_bin)),
                          nb::make_tuple(state.work.moves, state.work.key_updates, state.work.examined));
}

std::vector<std::int32_t> vector_of(nb::handle array) {
    const auto values = span_of(nb::cast<Array<std::int32_t>>(array));
    return {values.begin(), values.end()};
}

void set_state(GuardedSearch& self, const nb::tuple& fields) {
    SearchChoice choice{nb::cast<std::string>(fields[0]), nb::cast<std::string>(fields[1]),
                        nb::cast<double>(fields[2])};
    SearchState state;
    state.of_class = {nb::cast<Count>(fields[3][0]), nb::cast<Count>(fields[3][1])};
    state.ids = vector_of(fields[4]);
    state.on = {vector_of(fields[5]), vector_of(fields[6])};
    state.first_bin = vector_of(fields[7]);
    state.last_bin = vector_of(fields[8]);
    state.work = {nb::cast<std::uint64_t>(fields[9][0]), nb::cast<std::uint64_t>(fields[9][1]),
                  nb::cast<std::uint64_t>(fields[9][2])};
    check_state(state);
    std::unique_ptr<SplitSearch> search = make_search(choice);
    search->restore(std::move(state));
    new (&self) GuardedSearch(std::move(choice), std::move(search));
}

}  // namespace

void bind_split_search(nb::module_& module) {
    module.def(
        "check_csr",
        [](const Array<std::int64_t>& indptr, const Array<FeatureId>& indices, std::int64_t n_columns) {
            check_csr({span_of(indptr), span_of(indices)}, n_columns);
        },
        nb::arg("indptr"), nb::arg("indices"), nb::arg("n_columns"),
        "Raises ValueError unless the arrays are compressed sparse rows in order.");
    module.attr("CRITERIA") = nb::make_tuple(nb::str(criteria[0].data()), nb::str(criteria[1].data()));
    module.attr("SEARCHES") = nb::make_tuple(nb::str(searches[0].data()), nb::str(searches[1].data()));
    nb::class_<GuardedSearch>(module, "SplitSearch",
                              "Keeps the best split of one node. One object is safe in many threads.")
        .def(
            "__init__",
            [](GuardedSearch* self, std::string criterion, std::string search, double alpha) {
                new (self) GuardedSearch(SearchChoice{std::move(criterion), std::move(search), alpha});
            },
            nb::arg("criterion"), nb::arg("search"), nb::arg("alpha"))
        .def("add", &add, nb::arg("features").none(), nb::arg("label").none(),
             nb::sig("def add(self, features: collections.abc.Iterable[int], label: int) -> None"))
        .def("add_csr", &add_csr, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"), nb::arg("n_columns"),
             nb::arg("trace"))
        .def("best", &best)
        .def("top", &top, nb::arg("k"))
        .def("counts", &counts, nb::arg("feature").none(),
             nb::sig("def counts(self, feature: int) -> tuple[tuple[int, int], tuple[int, int]]"))
        .def("work", &work, nb::sig("def work(self) -> dict[str, int]"))
        .def("validate",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 self.search->validate();
             })
        .def(
            "copy",
            [](GuardedSearch& self) {
                const Lock lock(self);
                return std::make_unique<GuardedSearch>(self.choice, self.search->clone());
            },
            nb::sig("def copy(self) -> SplitSearch"))
        .def("n_trees",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return self.search->n_trees();
             })
        .def("n_bytes",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return self.search->n_bytes();
             })
        .def("n_features_seen",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return self.search->counts().n_features();
             })
        .def("class_counts",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 const NodeCounts& node = self.search->counts();
                 return std::tuple(node.of_class(0), node.of_class(1));
             })
        .def_prop_ro("criterion", [](const GuardedSearch& self) { return self.choice.criterion; })
        .def_prop_ro("search", [](const GuardedSearch& self) { return self.choice.search; })
        .def_prop_ro("alpha", [](const GuardedSearch& self) { return self.choice.alpha; })
        .def("__getstate__", &get_state)
        .def("__setstate__", &set_state);
}

}  // namespace sapwood::bindings
