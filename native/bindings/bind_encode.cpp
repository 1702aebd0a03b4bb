#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "encode.hpp"
#include "point.hpp"

namespace sapwood::bindings {
namespace {

/// The active features of a point, in its order; one that it names twice is there twice.
nb::list active_keys(nb::handle x, std::optional<double> binarize) {
    nb::list keys;
    for_each_active(x, binarize, [&](nb::handle key) { keys.append(key); });
    return keys;
}

/// Collects what a point holds, as Python objects.
struct PythonSink {
    nb::list flags;
    nb::dict numbers;
    nb::object category_type = nb::module_::import_("sapwood.data.category").attr("Category");

    void flag(nb::handle key) { flags.append(key); }
    void category(nb::handle key, nb::handle text) { flags.append(category_type(key, text)); }
    void number(nb::handle key, double value) {
        if (numbers.contains(key))
            throw std::invalid_argument("x must hold each number once, got " + repr_of(key) + " twice");
        numbers[key] = value;
    }
};

/// The flags and categories of a point that are on, in its order, one that it names twice twice; and its numbers.
nb::tuple encoded(nb::handle x, nb::handle missing) {
    PythonSink sink;
    read_point(x, missing, sink);
    return nb::make_tuple(sink.flags, sink.numbers);
}

}  // namespace

void bind_encode(nb::module_& module) {
    module.def(
        "encoded", &encoded, nb::arg("x").none(), nb::arg("missing").none() = nb::none(),
        nb::sig("def encoded(x: object, missing: frozenset[str] | None = None) -> tuple[list, dict]"),
        "The features of a point that are on, and its numbers. `missing`: texts that stand for a missing value.");
    module.def("active_keys", &active_keys, nb::arg("x").none(), nb::arg("binarize").none(),
               nb::sig("def active_keys(x: object, binarize: float | None) -> list"));
}

}  // namespace sapwood::bindings
