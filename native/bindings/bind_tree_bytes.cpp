#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "guarded_tree.hpp"
#include "sapwood/model_io.hpp"
#include "saved_names.hpp"

namespace sapwood::bindings {
namespace {

std::string written(GuardedTree& self) {
    // Not to be read only: a search may bring itself up to date.
    const WriteLock lock(self.mutex);
    return write_tree(self.tree);
}

nb::bytes to_bytes(GuardedTree& self) {
    const std::string bytes = written(self);
    return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<GuardedTree> from_bytes(const nb::bytes& data, const nb::list& keys, const nb::list& numbers) {
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(data.data()), data.size());
    auto made = std::make_unique<GuardedTree>(read_tree(bytes, static_cast<std::int64_t>(keys.size())));
    name_features(*made, made->tree.body().known(), keys, numbers, "a tree");
    return made;
}

/// Raises Python's ModelFormatError for the core's.
void translate(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const ModelFormatError& e) {
        // The message may quote bytes that are no text.
        const std::string text = e.what();
        const nb::object message =
            nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
        if (!message.is_valid()) return;
        PyErr_SetObject(nb::module_::import_("sapwood.exceptions").attr("ModelFormatError").ptr(), message.ptr());
    }
}

}  // namespace

void bind_tree_bytes(nb::class_<GuardedTree>& tree) {
    nb::register_exception_translator(&translate);
    tree.def("to_bytes", &to_bytes, "The tree without the names of its features.")
        .def(
            "to_array", [](GuardedTree& self) { return to_numpy(written(self)); },
            "The same bytes as an array, of which no copy was made.")
        .def_static("from_bytes", &from_bytes, nb::arg("data"), nb::arg("keys"), nb::arg("number_keys") = nb::list(),
                    nb::sig("def from_bytes(data: bytes, keys: list[typing.Any], number_keys: list[typing.Any] = []) "
                            "-> Tree"),
                    "The tree of what `to_bytes` gave, and the names of its features and numbers. Raises "
                    "ModelFormatError.");
}

}  // namespace sapwood::bindings
