#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "encode.hpp"

namespace sapwood::bindings {
namespace {

/// The active features of a point, in its order; one that it names twice is there twice.
nb::list active_keys(nb::handle x, std::optional<double> binarize) {
    nb::list keys;
    for_each_active(x, binarize, [&](nb::handle key) { keys.append(key); });
    return keys;
}

}  // namespace

void bind_encode(nb::module_& module) {
    module.def("active_keys", &active_keys, nb::arg("x").none(), nb::arg("binarize").none(),
               nb::sig("def active_keys(x: object, binarize: float | None) -> list"));
}

}  // namespace sapwood::bindings
