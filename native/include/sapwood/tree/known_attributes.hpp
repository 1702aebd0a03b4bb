#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/search/attributes.hpp"
#include "sapwood/tree/number_grid.hpp"
#include "sapwood/tree/predict/number_ranges.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What is known of the numbers and categories of a stream, for one tree or for all that learn from it: what searches
/// ask, and what the models of leaves see of numbers.
struct KnownAttributes {
    Attributes attributes;
    NumberRanges ranges;
    /// By attribute, in a tree that grows by batches; else there are none.
    std::vector<NumberGrid> grids;

    /// Notes a number that the next point to learn has, after `n_met` points: `reserve()` gives a feature without a
    /// name. `has_models`: whether any leaf has models, which look at ranges.
    template <class Reserve>
    void meet_number(AttributeId attribute, double value, std::int64_t n_met, bool has_models, Reserve reserve) {
        while (!attributes.knows(attribute)) attributes.add_number({reserve(), value, false, n_met, 0});
        attributes.meet(attribute, value);
        if (has_models && attributes.number(attribute).varies) ranges.meet(attribute, value, reserve);
    }

    /// Notes the values that a number, which is not settled, has in a batch: ascending, each once, at least one. As
    /// `meet_number`.
    template <class Reserve>
    void meet_values(AttributeId attribute, std::span<const NumberGrid::Value> values, std::int64_t n_met,
                     bool has_models, Reserve reserve) {
        while (!attributes.knows(attribute)) {
            attributes.add_number({reserve(), values.front().value, false, n_met, 0});
            grids.emplace_back();
        }
        NumberGrid& grid = grids[index_of(attribute)];
        grid.meet(values);
        if (grid.values().size() > 1) {
            attributes.note_varies(attribute);
            if (has_models) ranges.review_bins(attribute, grid.in_bins(), grid.n(), reserve);
        }
        grid.settle_if_due();
    }

    /// The features that were made of numbers, ascending.
    std::vector<FeatureId> made_of_numbers() const {
        std::vector<FeatureId> made;
        for (std::size_t i = 0; i < attributes.n_numbers(); ++i) {
            made.push_back(attributes.number(attribute_at(i)).presence);
        }
        for (const NumberRanges::Number& number : ranges.numbers()) {
            for (const NumberRanges::Division& division : number.made) {
                for (std::size_t b = 0; b < division.n_features(); ++b) {
                    made.push_back(division.first + static_cast<FeatureId>(b));
                }
            }
        }
        std::sort(made.begin(), made.end());
        return made;
    }
};

}  // namespace sapwood
