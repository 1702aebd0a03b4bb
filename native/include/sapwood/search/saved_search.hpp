#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/search/search_state.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

// What every search writes of itself: the number of its features, their ids in ascending order, each as what it is more
// than the one before, and for every class the points in which each is on. Most of these numbers are small, and all are
// in as few bytes as they need. The points of each class are known to whoever holds the search.

/// What the bytes of a search must agree with.
struct SavedSearch {
    /// The points of each class.
    std::span<const Count> of_class;
    /// Every feature id is below this.
    std::int64_t n_features;
};

inline void write_counts(const SearchState& state, ByteWriter& out) {
    out.put(static_cast<std::uint32_t>(state.ids.size()));
    const auto id = [&](std::size_t i) { return static_cast<std::uint32_t>(state.ids[i]); };
    put_varints(out, state.ids.size(), [&](std::size_t i) { return i == 0 ? id(i) : id(i) - id(i - 1); });
    for (const std::vector<Count>& on : state.on) {
        put_varints(out, on.size(), [&](std::size_t i) { return on[i]; });
    }
}

/// Throws ModelFormatError unless the bytes are what `write_counts` writes of a search with what is expected.
inline SearchState read_counts(ByteReader& in, const SavedSearch& expected) {
    const auto require = [](bool holds, const char* what, const std::string& got) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got " + got);
    };
    const std::size_t n_classes = expected.of_class.size();
    const auto size = in.get<std::uint32_t>("the features of a search");
    in.require(size, 1 + n_classes, "features of a search");
    SearchState state;
    state.of_class.assign(expected.of_class.begin(), expected.of_class.end());
    state.ids.resize(size);
    std::uint32_t last = 0;
    for (FeatureId& id : state.ids) {
        last += get_varint_32(in, "a feature of a search");
        id = static_cast<FeatureId>(last);
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
        for (Count& count : state.on.emplace_back(size))
            count = static_cast<Count>(get_varint_32(in, "the count of a feature"));
    }
    try {
        check_state(state, n_classes);
    } catch (const std::invalid_argument& error) {
        throw ModelFormatError(error.what());
    }
    require(std::is_sorted(state.ids.begin(), state.ids.end()), "the features of a search must ascend",
            "another order");
    require(state.ids.empty() || state.ids.back() < expected.n_features,
            "the features of a search must be features of the model",
            std::to_string(state.ids.empty() ? 0 : state.ids.back()));
    for (std::size_t i = 0; i < state.ids.size(); ++i) {
        require(std::any_of(state.on.begin(), state.on.end(), [i](const auto& on) { return on[i] > 0; }),
                "the features of a search must be on in a point",
                "feature " + std::to_string(state.ids[i]) + " in none");
    }
    return state;
}

}  // namespace sapwood
