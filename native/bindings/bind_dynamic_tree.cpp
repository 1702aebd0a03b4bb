#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "guarded_dynamic_tree.hpp"
#include "point.hpp"
#include "sapwood/dynamic/leaf_answer.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood::bindings {
namespace {

DynamicOptions options_of(const nb::kwargs& given) {
    DynamicOptions options;
    std::size_t n_known = 0;
    for_each_dynamic_option(options, [&](std::string_view name, auto& option) {
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

/// Calls `use(answer)` with the probabilities of each row.
template <class Use>
void answer_rows(GuardedDynamicTree& self, const CsrView& csr, std::size_t& n_classes, Use use) {
    nb::gil_scoped_release release;
    check_rows(csr);
    const SettledLock lock(self);
    n_classes = self.tree.n_classes();
    LeafAnswer answer(self.tree);
    std::vector<FeatureId> features;
    for (std::size_t i = 0; i < csr.size(); ++i) {
        self.find(csr.row(i), features);
        use(answer.of(features));
    }
}

Vector<Label> predict(GuardedDynamicTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                      const std::optional<Array<std::int64_t>>& places, const NumberArrays& numbers) {
    refuse_numbers(numbers);
    const std::span<const std::int64_t> order = places ? span_of(*places) : std::span<const std::int64_t>();
    std::vector<Label> labels;
    std::size_t n_classes = 0;
    answer_rows(self, {span_of(indptr), span_of(keys)}, n_classes, [&](std::span<const double> probabilities) {
        labels.push_back(StreamingTree::label_of(probabilities, order));
    });
    return to_numpy(std::move(labels));
}

Matrix<double> predict_proba(GuardedDynamicTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                             const NumberArrays& numbers) {
    refuse_numbers(numbers);
    const CsrView csr{span_of(indptr), span_of(keys)};
    std::vector<double> all;
    std::array<std::size_t, 2> shape{csr.size(), 0};
    answer_rows(self, csr, shape[1], [&](std::span<const double> probabilities) {
        all.insert(all.end(), probabilities.begin(), probabilities.end());
    });
    return to_numpy(std::move(all), shape);
}

std::vector<double> predict_proba_one(GuardedDynamicTree& self, nb::handle x, std::optional<double> binarize,
                                      bool typed) {
    const std::vector<KeyId> keys = known_keys(self, x, binarize, typed);
    std::vector<FeatureId> features;
    nb::gil_scoped_release release;
    const SettledLock lock(self);
    self.find(keys, features);
    LeafAnswer answer(self.tree);
    const std::span<const double> found = answer.of(features);
    return {found.begin(), found.end()};
}

Vector<KeyId> keys_of_names(GuardedDynamicTree& self, const nb::iterable& names, bool make) {
    std::vector<KeyId> keys;
    for (const nb::handle name : names) {
        keys.push_back(make ? self.keys().find_or_make(name) : self.keys().find(name).value_or(-1));
    }
    return to_numpy(std::move(keys));
}

void renumber(GuardedDynamicTree& self, const std::vector<Label>& numbers, std::size_t n_classes) {
    const WriteLock lock(self.mutex);
    const std::vector<Count>& now = self.tree.node(Nodes::root).totals.of_class;
    for (std::size_t k = 0; k < now.size(); ++k) {
        const bool has_place = k < numbers.size() && numbers[k] < n_classes;
        if (now[k] > 0 && !has_place) throw std::invalid_argument("every class with points must have a number");
    }
    // Classes without points may be beyond the end.
    std::vector<Label> all(now.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k < numbers.size() ? numbers[k] : Label{0};
    change(self.mutex, [&] { self.tree.renumber(all, std::max<std::size_t>(n_classes, 2)); });
}

template <class Read>
auto reading(Read read) {
    return [read](GuardedDynamicTree& self) {
        const ReadLock lock(self.mutex);
        return read(self);
    };
}

}  // namespace

void bind_dynamic_tree(nb::module_& module) {
    nb::class_<GuardedDynamicTree> tree(module, "DynamicTree",
                                        "A tree that forgets. Many threads may read one object, or one change it.");
    tree.def(
            "__init__",
            [](GuardedDynamicTree* self, const nb::kwargs& options) {
                new (self) GuardedDynamicTree(options_of(options));
            },
            nb::sig("def __init__(self, **options: typing.Any) -> None"))
        .def("predict", &predict, nb::arg("indptr"), nb::arg("ids"), nb::arg("places") = nb::none(),
             nb::arg("numbers") = nb::none())
        .def("predict_proba", &predict_proba, nb::arg("indptr"), nb::arg("ids"), nb::arg("numbers") = nb::none())
        .def("predict_proba_one", &predict_proba_one, nb::arg("x").none(), nb::arg("binarize") = nb::none(),
             nb::arg("typed") = false)
        .def(
            "typed_point",
            [](GuardedDynamicTree& self, nb::handle x) {
                return nb::make_tuple(to_numpy(known_keys(self, x, std::nullopt, true)), to_numpy(std::vector<KeyId>()),
                                      to_numpy(std::vector<double>()));
            },
            nb::arg("x").none())
        .def(
            "point",
            [](GuardedDynamicTree& self, nb::handle x, std::optional<double> binarize) {
                return to_numpy(self.keys().known_point(x, binarize));
            },
            nb::arg("x").none(), nb::arg("binarize") = nb::none())
        .def("ids_of_keys", &keys_of_names, nb::arg("keys"), nb::arg("make"))
        .def(
            "ids_of_numbers",
            [](GuardedDynamicTree&, const nb::list& keys, bool) {
                refuse_numbers(keys.size());
                return to_numpy(std::vector<KeyId>());
            },
            nb::arg("keys"), nb::arg("make"))
        .def("renumber", &renumber, nb::arg("numbers"), nb::arg("n_classes"))
        .def("class_counts",
             reading([](GuardedDynamicTree& self) { return self.tree.node(Nodes::root).totals.of_class; }))
        .def("rebuild",
             [](GuardedDynamicTree& self) {
                 nb::gil_scoped_release release;
                 const std::unique_lock lock(self.mutex);
                 change(self.mutex, [&] { self.tree.rebuild_all(self.order); });
             })
        .def("settle",
             [](GuardedDynamicTree& self) {
                 nb::gil_scoped_release release;
                 const SettledLock lock(self);
             })
        .def("growth", [](GuardedDynamicTree&) { return "dynamic"; })
        .def("seed", [](GuardedDynamicTree&) { return std::optional<std::uint64_t>(); })
        .def("n", reading([](GuardedDynamicTree& self) { return self.tree.n(); }))
        .def("n_met", reading([](GuardedDynamicTree& self) { return self.tree.n(); }))
        .def("n_classes", reading([](GuardedDynamicTree& self) { return self.tree.n_classes(); }));
    bind_dynamic_learning(tree);
    bind_dynamic_forgetting(tree);
    bind_dynamic_tree_view(tree);
}

}  // namespace sapwood::bindings
