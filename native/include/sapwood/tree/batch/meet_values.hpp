#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/tree/batch/value_counts.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood {

namespace detail {

/// Lets a tree know which features are values of categories, and its nodes look at numbers and categories, if it has
/// met any.
inline void meet_features(StreamingTree& tree, const Vocabulary::Writing& vocabulary) {
    Attributes& attributes = tree.attributes();
    while (attributes.n_features() < vocabulary.size()) {
        const KeyId key = vocabulary.keys()[attributes.n_features()];
        attributes.add_feature(key == Vocabulary::no_key ? no_category : vocabulary.category_of(key));
    }
    if (!attributes.empty()) tree.use_attributes();
}

}  // namespace detail

/// Lets a tree that grows by batches know the values that numbers have in a batch, before it is counted: numbers that
/// are new are met in ascending order of their ids. Those of a number that is settled must not be among them, else
/// std::invalid_argument is thrown, and nothing has changed. `names.key_of_number(id)` is the key of a number.
template <class Names>
void meet_values(StreamingTree& tree, Vocabulary& vocabulary, const ValueCounts& values, const Names& names) {
    if (values.empty()) return;
    KnownAttributes& known = tree.known();
    Vocabulary::Writing writing(vocabulary);
    std::vector<std::pair<KeyId, const ValueCounts::Values*>> met;
    for (const auto& [id, of_number] : values.numbers()) {
        met.emplace_back(names.key_of_number(id), &of_number);
        std::int64_t n = 0;
        for (const auto& each : of_number) n = std::min<std::int64_t>(n, max_points) + each.n;
        if (n > max_points) {
            throw std::invalid_argument("values must be of at most 2147483647 points, got more of the id " +
                                        std::to_string(id));
        }
        AttributeId attribute{};
        if (!writing.find_number(met.back().first, attribute)) continue;
        if (known.grids[index_of(attribute)].is_settled()) {
            throw std::invalid_argument("values must be of numbers that are not settled, got those of the id " +
                                        std::to_string(id));
        }
    }
    for (const auto& [key, of_number] : met) {
        known.meet_values(writing.insert_number(key), *of_number, tree.n_met(),
                          tree.body().predictor().layout().keeps_anything(), [&] { return writing.reserve(); });
    }
    detail::meet_features(tree, writing);
}

}  // namespace sapwood
