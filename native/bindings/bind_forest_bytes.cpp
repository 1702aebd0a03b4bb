#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <span>
#include <string>

#include "guarded_forest.hpp"
#include "sapwood/model_io.hpp"
#include "saved_names.hpp"
#include "stream_learner.hpp"

namespace sapwood::bindings {
namespace {

std::string written(GuardedForest& self) {
    // Not to be read only: a search may bring itself up to date.
    const WriteLock lock(self.mutex);
    return write_forest(self.forest);
}

nb::bytes to_bytes(GuardedForest& self) {
    const std::string bytes = written(self);
    return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<GuardedForest> from_bytes(const nb::bytes& data, const nb::list& keys, const nb::list& numbers) {
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(data.data()), data.size());
    auto made = std::make_unique<GuardedForest>(read_forest(bytes, static_cast<std::int64_t>(keys.size())));
    name_features(*made, made->forest.known(), keys, numbers, "a forest");
    return made;
}

/// A copy of a tree, which knows the features by the same names, and answers as the tree does. One that is to learn
/// must have names of its own: what it meets the forest has not met.
std::unique_ptr<GuardedTree> tree(GuardedForest& self, std::size_t number, bool has_own_names) {
    const nb::list keys = has_own_names ? names_of_features(self, false) : nb::list();
    const nb::list numbers = has_own_names ? names_of_numbers(self) : nb::list();
    std::unique_ptr<GuardedTree> made;
    {
        const WriteLock lock(self.mutex);
        if (number >= self.forest.n_trees()) {
            throw std::invalid_argument("tree must be from 0 to " + std::to_string(self.forest.n_trees() - 1) +
                                        ", got " + std::to_string(number));
        }
        const auto n_features = static_cast<std::int64_t>(Vocabulary::Reading(self.vocabulary()).size());
        made = std::make_unique<GuardedTree>(copy_of_tree(self.forest, number, n_features));
    }
    if (has_own_names) {
        name_features(*made, made->tree.body().known(), keys, numbers, "a tree");
    } else {
        made->names = self.names;
    }
    return made;
}

}  // namespace

void bind_forest_bytes(nb::class_<GuardedForest>& forest) {
    forest.def("to_bytes", &to_bytes, "The forest without the names of its features.")
        .def(
            "to_array", [](GuardedForest& self) { return to_numpy(written(self)); },
            "The same bytes as an array, of which no copy was made.")
        .def_static("from_bytes", &from_bytes, nb::arg("data"), nb::arg("keys"), nb::arg("number_keys") = nb::list(),
                    nb::sig("def from_bytes(data: bytes, keys: list[typing.Any], number_keys: list[typing.Any] = []) "
                            "-> Forest"),
                    "The forest of what `to_bytes` gave, and the names of its features and numbers. Raises "
                    "ModelFormatError.")
        .def("tree", &tree, nb::arg("number"), nb::arg("has_own_names") = false,
             "A copy of a tree, which answers as the tree does. Without names of its own it must not learn.");
}

}  // namespace sapwood::bindings
