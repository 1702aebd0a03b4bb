#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/search/attributes.hpp"
#include "sapwood/search/numbers/attribute_scores.hpp"
#include "sapwood/search/split.hpp"
#include "sapwood/search/split_search.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Finds the best set of the values of a category, at a node with two classes.
///
/// Guarantee: the best of the 2^(V-1) divisions of the V values. It is one of the V - 1 that the order of their shares
/// of a class makes. Breiman, Friedman, Olshen and Stone, "Classification and regression trees", 1984, theorem 4.5.
class CategorySets {
public:
    /// The best set, if it is better than the test of any single value, and the least score of all divisions.
    AttributeScores::OfNumber best_of(const Attributes::Category& category, const SplitSearch& flags,
                                      std::span<const Count> of_class, AttributeScores& scores) {
        values_.clear();
        Count left0 = of_class[0];
        Count left1 = of_class[1];
        for (const FeatureId id : category.values) {
            const std::vector<Count> on = flags.on(id);
            if (on[0] + on[1] == 0) continue;
            values_.push_back({id, on[0], on[1]});
            left0 -= on[0];
            left1 -= on[1];
        }
        const bool some_missing = left0 + left1 > 0;
        if (some_missing) values_.push_back({no_feature, left0, left1});
        std::sort(values_.begin(), values_.end());
        AttributeScores::OfNumber found{scores.weighted(of_class), std::nullopt};
        // One value against all others is a test of its feature.
        double least_of_one = std::numeric_limits<double>::infinity();
        for (const Value& value : values_) {
            if (value.feature == no_feature) continue;
            least_of_one = std::min(least_of_one, scores.score(std::array{value.of_first, value.of_second}, of_class));
        }
        std::size_t at = 0;
        double least = least_of_one;
        std::array<Count, 2> below{};
        for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
            below[0] += values_[i].of_first;
            below[1] += values_[i].of_second;
            const double score = scores.score(below, of_class);
            if (score < least) {
                least = score;
                at = i + 1;
            }
        }
        found.least = std::min(found.least, least);
        if (at > 0) found.best = Split{set_of(at, some_missing), least, 0};
        return found;
    }

    std::size_t n_bytes() const { return values_.capacity() * sizeof(Value); }

private:
    /// The points of one value of a category, or of none.
    struct Value {
        FeatureId feature;
        Count of_first;
        Count of_second;

        /// By the share of the second class, without rounding.
        bool operator<(const Value& other) const {
            const std::int64_t left = std::int64_t{of_second} * (std::int64_t{other.of_first} + other.of_second);
            const std::int64_t right = std::int64_t{other.of_second} * (std::int64_t{of_first} + of_second);
            return left != right ? left < right : feature < other.feature;
        }
    };

    /// The set of the values before a place, or of those from there on: the one without the missing values, or if none
    /// is missing, the one with fewer points, as what is missing or new later passes no set.
    Test set_of(std::size_t at, bool some_missing) const {
        const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(at);
        bool takes_first = false;
        if (some_missing) {
            takes_first = std::none_of(values_.begin(), middle, [](const Value& v) { return v.feature == no_feature; });
        } else {
            std::int64_t balance = 0;
            for (auto value = values_.begin(); value != values_.end(); ++value) {
                const std::int64_t n = std::int64_t{value->of_first} + value->of_second;
                balance += value < middle ? n : -n;
            }
            takes_first = balance <= 0;
        }
        Test::Categories categories;
        for (auto value = takes_first ? values_.begin() : middle; value != (takes_first ? middle : values_.end());
             ++value) {
            categories.push_back(value->feature);
        }
        return Test::is_among(std::move(categories));
    }

    /// Room for the values in order.
    std::vector<Value> values_;
};

}  // namespace sapwood
