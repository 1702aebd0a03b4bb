#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "guarded_tree.hpp"
#include "sapwood/io/require.hpp"

namespace sapwood::bindings {

/// The key of a name that was read, which may be one that no feature can have.
inline KeyId key_of(Keys& keys, nb::handle name) {
    KeyId key = 0;
    sapwood::detail::as_format_error([&] { key = keys.find_or_make(name); });
    return key;
}

/// Gives the features and numbers of a model that was read, `what`, their names. Throws ModelFormatError unless they
/// fit what it knows of numbers and categories.
template <class Guarded>
void name_features(Guarded& made, const KnownAttributes& known, const nb::list& keys, const nb::list& numbers,
                   const char* what) {
    const Attributes& attributes = known.attributes;
    if (attributes.n_numbers() != numbers.size()) {
        throw ModelFormatError(std::string(what) + " must have " + std::to_string(numbers.size()) +
                               " numbers, as there are names, got " + std::to_string(attributes.n_numbers()));
    }
    Vocabulary::Writing vocabulary(made.vocabulary());
    const std::vector<FeatureId> made_of_numbers = known.made_of_numbers();
    auto next = made_of_numbers.begin();
    for (const nb::handle name : keys) {
        for (; next != made_of_numbers.end() && *next == static_cast<FeatureId>(vocabulary.size()); ++next) {
            vocabulary.reserve();
        }
        const auto feature = static_cast<FeatureId>(vocabulary.size());
        const KeyId key = key_of(made.keys(), name);
        if (vocabulary.insert(key) != feature) {
            throw ModelFormatError("features must be unique, got " + repr_of(name) + " twice");
        }
        // Those of a tree without attributes become known when it meets its first.
        if (static_cast<std::size_t>(feature) < attributes.n_features() &&
            vocabulary.category_of(key) != attributes.category_of(feature)) {
            throw ModelFormatError("features must be values of the categories that the tree knows, got " +
                                   repr_of(name));
        }
    }
    for (; next != made_of_numbers.end(); ++next) vocabulary.reserve();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (vocabulary.insert_number(key_of(made.number_keys(), numbers[i])) != attribute_at(i)) {
            throw ModelFormatError("numbers must be unique, got " + repr_of(numbers[i]) + " twice");
        }
    }
}

}  // namespace sapwood::bindings
