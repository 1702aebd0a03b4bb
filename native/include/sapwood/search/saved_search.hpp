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
#include "sapwood/types.hpp"

namespace sapwood {

// What every search writes of itself: the number of its features, their ids in ascending order, and for every class the
// points in which each is on. The points of each class are known to whoever holds the search.

/// What the bytes of a search must agree with.
struct SavedSearch {
    /// The points of each class.
    std::span<const Count> of_class;
    /// Every feature id is below this.
    std::int64_t n_features;
};

inline void write_counts(const SearchState& state, ByteWriter& out) {
    out.put(static_cast<std::uint32_t>(state.ids.size()));
    out.put_all(std::span<const FeatureId>(state.ids));
    for (const std::vector<Count>& on : state.on) out.put_all(std::span<const Count>(on));
}

/// Throws ModelFormatError unless the bytes are what `write_counts` writes of a search with what is expected.
inline SearchState read_counts(ByteReader& in, const SavedSearch& expected) {
    const auto require = [](bool holds, const char* what, const std::string& got) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got " + got);
    };
    const std::size_t n_classes = expected.of_class.size();
    const auto size = in.get<std::uint32_t>("the features of a search");
    in.require(size, sizeof(FeatureId) + n_classes * sizeof(Count), "features of a search");
    SearchState state;
    state.of_class.assign(expected.of_class.begin(), expected.of_class.end());
    state.ids = in.get_list<FeatureId>(size, "features of a search");
    for (std::size_t k = 0; k < n_classes; ++k) state.on.push_back(in.get_list<Count>(size, "counts of features"));
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
