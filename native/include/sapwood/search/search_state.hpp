#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// The state that only the approximate search has (approximate.hpp).
struct Filings {
    /// a(j) and b(j), the first and the last bin of each feature; empty if the search has no bins or is to find them
    /// anew.
    std::vector<std::int32_t> first_bin;
    std::vector<std::int32_t> last_bin;
    /// Times a feature was put into a tree in which it was not.
    std::uint64_t moves = 0;
    /// Keys written into a tree.
    std::uint64_t key_updates = 0;
};

/// The state of a search of any kind, from which it can be continued.
struct SearchState {
    std::vector<Count> of_class;
    /// A row for each seen feature, in the order in which they were first seen.
    std::vector<FeatureId> ids;
    /// on[k]: for each of them, the points of class k in which it is on.
    std::vector<std::vector<Count>> on;
    /// Features whose score was computed to answer a query.
    std::uint64_t examined = 0;
    /// Whether points have been removed.
    bool removes = false;
    Filings filings;
};

/// The same state without the features that are on in no point any more: no answer depends on them.
inline SearchState without_gone(SearchState state) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < state.ids.size(); ++i) {
        if (std::all_of(state.on.begin(), state.on.end(), [i](const auto& on) { return on[i] == 0; })) continue;
        state.ids[kept] = state.ids[i];
        for (auto& on : state.on) on[kept] = on[i];
        ++kept;
    }
    state.ids.resize(kept);
    for (auto& on : state.on) on.resize(kept);
    return state;
}

/// The same state with its features in the order given.
inline SearchState reordered(SearchState state, const std::vector<std::size_t>& order) {
    const auto reorder = [&](auto& row) {
        if (row.empty()) return;
        const auto old = row;
        for (std::size_t i = 0; i < order.size(); ++i) row[i] = old[order[i]];
    };
    reorder(state.ids);
    for (auto& on : state.on) reorder(on);
    reorder(state.filings.first_bin);
    reorder(state.filings.last_bin);
    return state;
}

/// The same state with its features in the order of `key(i)` for the i-th; those of equal keys stay in their order.
template <class Key>
SearchState ordered_by(SearchState state, Key key) {
    std::vector<std::size_t> order(state.ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return key(x) < key(y); });
    return reordered(std::move(state), order);
}

/// The same state with its features in ascending order: equal searches have equal states.
inline SearchState by_feature(SearchState state) {
    if (std::is_sorted(state.ids.begin(), state.ids.end())) return state;
    const std::vector<FeatureId> ids = state.ids;
    return ordered_by(std::move(state), [&](std::size_t i) { return ids[i]; });
}

/// Throws std::invalid_argument unless a state read from outside is one that a search over K classes could have had.
inline void check_state(const SearchState& state, std::size_t n_classes) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    require(state.of_class.size() == n_classes && state.on.size() == n_classes, "state must hold every class");
    std::int64_t n = 0;
    for (const Count count : state.of_class) {
        require(count >= 0, "state must hold no negative count");
        n += count;
    }
    require(n <= max_points, "state must hold at most 2147483647 points");
    for (std::size_t k = 0; k < n_classes; ++k) {
        require(state.on[k].size() == state.ids.size(), "state must hold a count for every feature");
        for (const Count on : state.on[k]) {
            require(0 <= on && on <= state.of_class[k], "state must hold counts within their class");
        }
    }
    std::vector<FeatureId> sorted(state.ids);
    std::sort(sorted.begin(), sorted.end());
    require(sorted.empty() || sorted.front() >= 0, "state must hold no negative feature");
    require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "state must hold every feature once");
}

/// What two searches that are merged have in common.
enum class Merge {
    points,   // nothing: they saw different points, so all counts add up
    features  // their points: each saw other features of the same points, so the features are united
};

inline std::string listed(const std::vector<Count>& counts) {
    std::string text;
    for (const Count count : counts) text += (text.empty() ? "(" : ", ") + std::to_string(count);
    return text + ")";
}

/// The state of a search that has seen what two others have. Throws std::invalid_argument if they do not fit.
inline SearchState merged(SearchState left, const SearchState& right, Merge merge) {
    if (left.of_class.size() != right.of_class.size()) {
        throw std::invalid_argument("other must have " + std::to_string(left.of_class.size()) + " classes, got " +
                                    std::to_string(right.of_class.size()));
    }
    if (merge == Merge::features && left.of_class != right.of_class) {
        throw std::invalid_argument("other must have the class counts " + listed(left.of_class) +
                                    " to be merged over features, got " + listed(right.of_class));
    }
    if (merge == Merge::points) {
        std::int64_t n = 0;
        for (std::size_t k = 0; k < left.of_class.size(); ++k) n += std::int64_t{left.of_class[k]} + right.of_class[k];
        if (n > max_points) {
            throw std::overflow_error("points must be at most " + std::to_string(max_points) + " in all, got " +
                                      std::to_string(n));
        }
        for (std::size_t k = 0; k < left.of_class.size(); ++k) left.of_class[k] += right.of_class[k];
    }
    std::unordered_map<FeatureId, std::size_t> row;
    row.reserve(left.ids.size() + right.ids.size());
    for (std::size_t i = 0; i < left.ids.size(); ++i) row.emplace(left.ids[i], i);
    for (std::size_t i = 0; i < right.ids.size(); ++i) {
        const auto [at, is_new] = row.emplace(right.ids[i], left.ids.size());
        if (is_new) {
            left.ids.push_back(right.ids[i]);
            for (std::size_t k = 0; k < left.on.size(); ++k) left.on[k].push_back(right.on[k][i]);
        } else if (merge == Merge::points) {
            for (std::size_t k = 0; k < left.on.size(); ++k) left.on[k][at->second] += right.on[k][i];
        } else {
            throw std::invalid_argument("other must have seen other features to be merged over features, got " +
                                        std::to_string(right.ids[i]) + " in both");
        }
    }
    left.filings.first_bin.clear();
    left.filings.last_bin.clear();
    left.filings.moves += right.filings.moves;
    left.filings.key_updates += right.filings.key_updates;
    left.examined += right.examined;
    left.removes |= right.removes;
    return left;
}

}  // namespace sapwood
