#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <string>
#include <tuple>

#include "bindings.hpp"
#include "named_values.hpp"
#include "point.hpp"
#include "sapwood/search/approximate/n_trees.hpp"
#include "sapwood/search/numbers/attribute_search.hpp"

namespace sapwood::bindings {
namespace {

/// Features that come as ids must not be those of numbers and categories.
void check_ids(const GuardedSearch& self, Features ids) {
    if (self.named) NamedAttributes::check_ids(ids);
}

void add(GuardedSearch& self, nb::handle features, nb::handle label, nb::handle weight, nb::handle numbers,
         nb::handle categories) {
    std::vector<FeatureId> ids = features_of(features);
    const Label y = label_of(label, self.choice.n_classes);
    const Count w = weight_of(weight);
    const NamedValues values = named_values_of(numbers, categories);
    const Lock lock(self);
    if (self.named || !values.empty()) NamedAttributes::check_ids(ids);
    check_room(self.search->n(), w);
    if (w == 0) return;
    change(self.mutex, [&] {
        if (!values.empty()) self.use_attributes();
        std::vector<NumberValue> of_point;
        if (self.named) self.named->meet(values, ids, of_point);
        self.search->add_point(Point(ids, of_point), y, w);
    });
}

void remove(GuardedSearch& self, nb::handle features, nb::handle label, nb::handle weight, nb::handle numbers,
            nb::handle categories) {
    std::vector<FeatureId> ids = features_of(features);
    const Label y = label_of(label, self.choice.n_classes);
    const Count w = weight_of(weight);
    const NamedValues values = named_values_of(numbers, categories);
    // A search that cannot remove points says so, however often.
    if (w == 0 && self.choice.search != SearchKind::approximate) return;
    const Lock lock(self);
    check_ids(self, ids);
    change(self.mutex, [&] {
        std::vector<NumberValue> of_point;
        static const NamedAttributes none;
        (self.named ? *self.named : none).find(values, ids, of_point);
        self.search->remove_point(Point(ids, of_point), y, w);
    });
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
        check_labels(csr, y, self.choice.n_classes);
        const std::lock_guard lock(self.mutex);
        check_ids(self, csr.indices);
        SplitSearch& search = *self.search;
        check_room(search.n(), static_cast<std::int64_t>(y.size()));
        if (trace && self.named) {
            throw std::invalid_argument(
                "trace must be False in a finder that has numbers or categories, got True: a trace is of features");
        }
        if (trace) {
            features.reserve(y.size());
            scores.reserve(y.size());
        }
        SignalPoll signals;
        for (std::size_t i = 0; i < y.size(); ++i) {
            // A signal handler may have added to the same object.
            check_room(search.n(), 1);
            check_ids(self, csr.row(i));
            const std::optional<Split> best = change(self.mutex, [&] {
                search.add(csr.row(i), y[i]);
                return trace ? search.best() : std::nullopt;
            });
            if (trace) {
                features.push_back(best ? best->feature() : -1);
                scores.push_back(best ? best->score : std::numeric_limits<double>::quiet_NaN());
            }
            signals.poll();
        }
    }
    if (!trace) return std::nullopt;
    return Trace{to_numpy(std::move(features)), to_numpy(std::move(scores))};
}

nb::tuple tuple_of(const std::vector<Count>& counts) {
    nb::tuple tuple = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(counts.size())));
    if (!tuple.is_valid()) nb::raise_python_error();
    for (std::size_t k = 0; k < counts.size(); ++k) {
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), nb::int_(counts[k]).release().ptr());
    }
    return tuple;
}

/// counts[v][k], the points of class k in which a feature has the value v.
nb::tuple table_of(std::vector<Count> of_classes, const std::vector<Count>& on) {
    for (std::size_t k = 0; k < on.size(); ++k) of_classes[k] -= on[k];
    return nb::make_tuple(tuple_of(of_classes), tuple_of(on));
}

nb::str python_text(const std::string& text) { return nb::str(text.data(), text.size()); }

/// What a test asks: the id of a feature, or the word of its kind, the name of the number or category, and the rest.
nb::object asked_by(const GuardedSearch& self, const Test& test) {
    if (test.kind() == TestKind::is_above) {
        return nb::make_tuple("above", python_text(self.named->name(test.attribute())), test.threshold(),
                              test.missing_passes());
    }
    if (!self.named || test.feature() < NamedAttributes::first_feature) return nb::int_(test.feature());
    const NamedAttributes::Meaning& first = self.named->meaning(test.feature());
    if (first.is_number) return nb::make_tuple("present", python_text(first.name));
    nb::list values;
    values.append(python_text(first.value));
    // The first of a set is the feature of the test.
    for (std::size_t i = 1; i < test.categories().size(); ++i) {
        values.append(python_text(self.named->meaning(test.categories()[i]).value));
    }
    return nb::make_tuple("among", python_text(first.name), nb::tuple(values));
}

nb::tuple fields_of(const GuardedSearch& self, const Split& split) {
    const SplitSearch& search = *self.search;
    return nb::make_tuple(asked_by(self, split.test), split.score, split.gain,
                          table_of(search.of_classes(), search.passing(split.test)));
}

std::optional<nb::tuple> best(GuardedSearch& self) {
    const Lock lock(self);
    const std::optional<Split> split = change(self.mutex, [&] { return self.search->best(); });
    if (!split) return std::nullopt;
    return fields_of(self, *split);
}

nb::list top(GuardedSearch& self, std::int64_t k) {
    if (k < 1) throw std::invalid_argument("k must be at least 1, got " + std::to_string(k));
    const Lock lock(self);
    nb::list fields;
    const std::vector<Split> splits = change(self.mutex, [&] { return self.search->top(static_cast<std::size_t>(k)); });
    for (const Split& split : splits) fields.append(fields_of(self, split));
    return fields;
}

nb::tuple counts(GuardedSearch& self, nb::handle feature) {
    const FeatureId id = feature_of(feature);
    const Lock lock(self);
    check_ids(self, {&id, 1});
    return table_of(self.search->of_classes(), self.search->on(id));
}

/// Adds many points by their counts: of each class, and of each class and feature in a row of `on`.
void add_counts(GuardedSearch& self, const Array<Count>& class_counts, const Array<FeatureId>& features,
                const nb::ndarray<const Count, nb::ndim<2>, nb::c_contig, nb::device::cpu>& on) {
    SearchState state;
    state.of_class.assign(class_counts.data(), class_counts.data() + class_counts.size());
    state.ids.assign(features.data(), features.data() + features.size());
    for (std::size_t k = 0; k < on.shape(0); ++k) {
        const Count* first = on.data() + k * on.shape(1);
        state.on.emplace_back(first, first + on.shape(1));
    }
    check_state(state, static_cast<std::size_t>(self.choice.n_classes));
    state = by_feature(without_gone(std::move(state)));
    AddedCounts added;
    added.of_class = std::move(state.of_class);
    added.of_label.resize(added.of_class.size());
    added.n_on.resize(state.ids.size());
    for (std::size_t k = 0; k < state.on.size(); ++k) {
        for (std::size_t i = 0; i < state.ids.size(); ++i) {
            if (state.on[k][i] == 0) continue;
            added.of_label[k].ids.push_back(state.ids[i]);
            added.of_label[k].on.push_back(state.on[k][i]);
            added.n_on[i] += state.on[k][i];
        }
    }
    added.ids = std::move(state.ids);
    const Lock lock(self);
    check_ids(self, added.ids);
    check_room(self.search->n(), added.n());
    change(self.mutex, [&] { self.search->add_counts(added); });
}

nb::dict work(GuardedSearch& self) {
    const Lock lock(self);
    nb::dict counters;
    // Only the approximate search has trees to move features in.
    counters["moves"] = 0;
    counters["key_updates"] = 0;
    for (const auto& [name, number] : self.search->stats()) {
        if (name == "moves" || name == "key_updates") counters[name.c_str()] = number;
    }
    counters["examined"] = self.search->n_examined();
    return counters;
}

nb::dict stats(GuardedSearch& self) {
    const Lock lock(self);
    nb::dict counters;
    for (const auto& [name, number] : self.search->stats()) counters[name.c_str()] = number;
    return counters;
}

void merge(GuardedSearch& self, GuardedSearch& other, const std::string& over) {
    if (over != "points" && over != "features") {
        throw std::invalid_argument("over must be one of 'points', 'features', got '" + over + "'");
    }
    const SearchChoice& mine = self.choice;
    const SearchChoice& theirs = other.choice;
    if (theirs.criterion != mine.criterion) {
        throw std::invalid_argument("other must have the criterion '" + std::string(word_of(mine.criterion)) +
                                    "', got '" + std::string(word_of(theirs.criterion)) + "'");
    }
    if (theirs.n_classes != mine.n_classes) {
        throw std::invalid_argument("other must have " + std::to_string(mine.n_classes) + " classes, got " +
                                    std::to_string(theirs.n_classes));
    }
    nb::gil_scoped_release release;
    std::unique_lock<RecursiveMutex> my_lock(self.mutex, std::defer_lock);
    std::unique_lock<RecursiveMutex> their_lock(other.mutex, std::defer_lock);
    // Both or none, so that two threads that merge two objects crosswise do not wait for each other; the lock of one
    // object merged with itself is taken twice, which a recursive one allows.
    std::lock(my_lock, their_lock);
    if (other.named) {
        throw std::invalid_argument(
            "other must have neither numbers nor categories, got a finder that has: only features are merged");
    }
    if (self.named) NamedAttributes::check_ids(other.search->state().ids);
    // In place, because a call further up may hold on to the search: see GuardedSearch.
    self.search->merge(*other.search, over == "points" ? Merge::points : Merge::features);
}

/// What pickle keeps of numbers and categories: what each feature of theirs means, in order, and their intervals.
nb::tuple state_of_attributes(const GuardedSearch& self) {
    nb::list meanings;
    std::size_t n_numbers = 0;
    for (const NamedAttributes::Meaning& each : self.named->meanings()) {
        if (each.is_number) {
            const Attributes::Number& number = self.named->attributes().number(attribute_at(n_numbers++));
            meanings.append(nb::make_tuple(python_text(each.name), number.first, number.varies));
        } else {
            meanings.append(nb::make_tuple(python_text(each.name), python_text(each.value)));
        }
    }
    ByteWriter out;
    self.search->over_attributes()->save(out);
    const std::string bytes = out.take();
    return nb::make_tuple(meanings, nb::bytes(bytes.data(), bytes.size()));
}

/// Names that were kept; `intervals` are read once the features are restored.
std::unique_ptr<NamedAttributes> restored_names(nb::handle meanings) {
    auto named = std::make_unique<NamedAttributes>();
    for (const nb::handle each : meanings) {
        const nb::object name = each[0];
        const nb::object second = each[1];
        if (PyUnicode_Check(second.ptr()) != 0) {
            named->restore_value(text_of(name, "names of categories"), text_of(second, "values of categories"));
            continue;
        }
        const std::string text = text_of(name, "names of numbers");
        named->restore_number(text, number_of(second, text), nb::cast<bool>(each[2]));
    }
    return named;
}

/// What pickle keeps: the choice, then all that the search needs to continue.
nb::tuple get_state(GuardedSearch& self) {
    const Lock lock(self);
    SearchState state = self.search->state();
    std::vector<Count> on;
    on.reserve(state.on.size() * state.ids.size());
    for (const std::vector<Count>& of_class : state.on) on.insert(on.end(), of_class.begin(), of_class.end());
    const std::array<std::size_t, 2> shape{state.on.size(), state.ids.size()};
    Filings& filings = state.filings;
    nb::tuple fields = nb::make_tuple(
        word_of(self.choice.criterion), word_of(self.choice.search), self.choice.alpha, self.choice.n_classes,
        to_numpy(std::move(state.of_class)), to_numpy(std::move(state.ids)), to_numpy(std::move(on), shape),
        to_numpy(std::move(filings.first_bin)), to_numpy(std::move(filings.last_bin)),
        nb::make_tuple(filings.moves, filings.key_updates, state.examined), state.removes);
    return self.named ? nb::tuple(fields + nb::make_tuple(state_of_attributes(self))) : fields;
}

std::vector<std::int32_t> vector_of(nb::handle field) {
    const auto array = nb::cast<Array<std::int32_t>>(field, /*convert=*/false);
    const std::span<const std::int32_t> values = span_of(array);
    return {values.begin(), values.end()};
}

// And one more if there are numbers or categories.
constexpr std::size_t n_state_fields = 11;

void set_state(GuardedSearch& self, const nb::tuple& fields) {
    const bool has_attributes = fields.size() == n_state_fields + 1;
    if (fields.size() != n_state_fields && !has_attributes) {
        throw std::invalid_argument("state must have " + std::to_string(n_state_fields) + " or " +
                                    std::to_string(n_state_fields + 1) + " fields, got " +
                                    std::to_string(fields.size()));
    }
    const SearchChoice choice{value_of<Criterion>("criterion", nb::cast<std::string>(fields[0])),
                              value_of<SearchKind>("search", nb::cast<std::string>(fields[1])),
                              nb::cast<double>(fields[2]), nb::cast<int>(fields[3])};
    std::unique_ptr<NamedAttributes> named;
    if (has_attributes) named = restored_names(fields[n_state_fields][0]);
    std::unique_ptr<SplitSearch> search = make_search(choice, named ? &named->attributes() : nullptr);
    const auto n_classes = static_cast<std::size_t>(choice.n_classes);
    SearchState state;
    state.of_class = vector_of(fields[4]);
    state.ids = vector_of(fields[5]);
    const auto on = nb::cast<nb::ndarray<const Count, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(fields[6], false);
    for (std::size_t k = 0; k < on.shape(0); ++k) {
        const Count* first = on.data() + k * on.shape(1);
        state.on.emplace_back(first, first + on.shape(1));
    }
    state.filings = {vector_of(fields[7]), vector_of(fields[8]), nb::cast<std::uint64_t>(fields[9][0]),
                     nb::cast<std::uint64_t>(fields[9][1])};
    state.examined = nb::cast<std::uint64_t>(fields[9][2]);
    state.removes = nb::cast<bool>(fields[10]);
    check_state(state, n_classes);
    search->restore(std::move(state));
    if (has_attributes) {
        const auto intervals = nb::cast<nb::bytes>(fields[n_state_fields][1]);
        ByteReader in(std::as_bytes(std::span(intervals.c_str(), intervals.size())));
        load_attributes(*search, in);
    }
    new (&self) GuardedSearch(choice, std::move(named), std::move(search));
}

template <std::size_t size>
nb::tuple names_of(const std::array<std::string_view, size>& names) {
    nb::list list;
    for (const std::string_view name : names) list.append(nb::str(name.data(), name.size()));
    return nb::tuple(list);
}

/// The searches that there are for a criterion and a number of classes.
std::vector<std::string> searches_for(const std::string& criterion, int n_classes) {
    std::vector<std::string> possible;
    for (const std::string_view name : Words<SearchKind>::all) {
        SearchChoice choice;
        choice.criterion = value_of<Criterion>("criterion", criterion);
        choice.search = value_of<SearchKind>("search", name);
        choice.n_classes = n_classes;
        check_choice(choice);
        if (!why_not(choice)) possible.emplace_back(name);
    }
    return possible;
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
    module.attr("CRITERIA") = names_of(Words<Criterion>::all);
    module.attr("SEARCHES") = names_of(Words<SearchKind>::all);
    module.attr("MAX_CLASSES") = max_classes;
    module.def("searches_for", &searches_for, nb::arg("criterion"), nb::arg("n_classes") = 2,
               "The searches that there are for a criterion and a number of classes.");
    nb::class_<GuardedSearch>(module, "SplitSearch",
                              "Keeps the best split of one node. One object is safe in many threads.")
        .def(
            "__init__",
            [](GuardedSearch* self, const std::string& criterion, const std::string& search, double alpha,
               int n_classes) {
                new (self) GuardedSearch({value_of<Criterion>("criterion", criterion),
                                          value_of<SearchKind>("search", search), alpha, n_classes});
            },
            nb::arg("criterion"), nb::arg("search"), nb::arg("alpha"), nb::arg("n_classes") = 2)
        .def("add", &add, nb::arg("features").none(), nb::arg("label").none(), nb::arg("weight").none() = 1,
             nb::arg("numbers").none() = nb::none(), nb::arg("categories").none() = nb::none(),
             nb::sig("def add(self, features: collections.abc.Iterable[int], label: int, weight: int = 1, numbers: "
                     "collections.abc.Mapping[str, float | None] | None = None, categories: "
                     "collections.abc.Mapping[str, str | None] | None = None) -> None"))
        .def("remove", &remove, nb::arg("features").none(), nb::arg("label").none(), nb::arg("weight").none() = 1,
             nb::arg("numbers").none() = nb::none(), nb::arg("categories").none() = nb::none(),
             nb::sig("def remove(self, features: collections.abc.Iterable[int], label: int, weight: int = 1, numbers: "
                     "collections.abc.Mapping[str, float | None] | None = None, categories: "
                     "collections.abc.Mapping[str, str | None] | None = None) -> None"))
        .def("merge", &merge, nb::arg("other"), nb::arg("over"))
        .def("add_csr", &add_csr, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"), nb::arg("n_columns"),
             nb::arg("trace"))
        .def("best", &best,
             nb::sig("def best(self) -> tuple[int | tuple[object, ...], float, float, tuple[tuple[int, ...], "
                     "tuple[int, ...]]] | None"))
        .def("top", &top, nb::arg("k"),
             nb::sig("def top(self, k: int) -> list[tuple[int | tuple[object, ...], float, float, tuple[tuple[int, "
                     "...], tuple[int, ...]]]]"))
        .def("counts", &counts, nb::arg("feature").none(),
             nb::sig("def counts(self, feature: int) -> tuple[tuple[int, ...], tuple[int, ...]]"))
        .def("add_counts", &add_counts, nb::arg("class_counts"), nb::arg("features"), nb::arg("on"))
        .def("work", &work, nb::sig("def work(self) -> dict[str, int]"))
        .def("stats", &stats, nb::sig("def stats(self) -> dict[str, int]"))
        .def("validate",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 change(self.mutex, [&] { self.search->validate(); });
             })
        .def(
            "copy",
            [](GuardedSearch& self) {
                const Lock lock(self);
                if (!self.named) return std::make_unique<GuardedSearch>(self.choice, self.search->clone());
                auto named = std::make_unique<NamedAttributes>(*self.named);
                std::unique_ptr<SplitSearch> search = clone_over(*self.search, named->attributes());
                return std::make_unique<GuardedSearch>(self.choice, std::move(named), std::move(search));
            },
            nb::sig("def copy(self) -> SplitSearch"))
        .def("n_trees",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return change(self.mutex, [&] { return n_trees(*self.search); });
             })
        .def("n_bytes",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return self.search->n_bytes() + (self.named ? self.named->n_bytes() : 0);
             })
        .def("n_features_seen",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return self.search->n_features();
             })
        .def("n",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return self.search->n();
             })
        .def(
            "class_counts",
            [](GuardedSearch& self) {
                const Lock lock(self);
                return tuple_of(self.search->of_classes());
            },
            nb::sig("def class_counts(self) -> tuple[int, ...]"))
        .def("has_attributes",
             [](GuardedSearch& self) {
                 const Lock lock(self);
                 return self.named != nullptr;
             })
        .def_prop_ro("criterion", [](const GuardedSearch& self) { return word_of(self.choice.criterion); })
        .def_prop_ro("search", [](const GuardedSearch& self) { return word_of(self.choice.search); })
        .def_prop_ro("alpha", [](const GuardedSearch& self) { return self.choice.alpha; })
        .def_prop_ro("n_classes", [](const GuardedSearch& self) { return self.choice.n_classes; })
        .def(
            "capsule", [](GuardedSearch& self) { return nb::capsule(&self, GuardedSearch::capsule_name); },
            nb::sig("def capsule(self) -> object"),
            "The search for another compiled module of the package. Valid as long as this object.")
        .def("__getstate__", &get_state)
        .def("__setstate__", &set_state);
}

}  // namespace sapwood::bindings
