// Keys for the features of a model that was read from any bytes, as whoever loads a model gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/tree/known_attributes.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood::fuzz {

/// Gives `n_features` features a key, and its category; those that the model made of numbers have none.
inline void name_features(const KnownAttributes& known, std::int64_t n_features, Vocabulary& vocabulary) {
    Vocabulary::Writing writing(vocabulary);
    const Attributes& attributes = known.attributes;
    const std::vector<FeatureId> made = known.made_of_numbers();
    auto next = made.begin();
    for (KeyId key = 0; key < n_features; ++key) {
        for (; next != made.end() && *next == static_cast<FeatureId>(writing.size()); ++next) writing.reserve();
        const auto feature = static_cast<FeatureId>(writing.size());
        if (writing.size() < attributes.n_features() && attributes.category_of(feature) != no_category) {
            vocabulary.set_category(key, attributes.category_of(feature));
        }
        writing.insert(key);
    }
    for (; next != made.end(); ++next) writing.reserve();
    for (std::size_t i = 0; i < attributes.n_numbers(); ++i) writing.insert_number(static_cast<KeyId>(i));
}

}  // namespace sapwood::fuzz
