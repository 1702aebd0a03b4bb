#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sapwood/io/require.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/known_attributes.hpp"
#include "sapwood/tree/number_grid.hpp"
#include "sapwood/tree/predict/number_ranges.hpp"

namespace sapwood::detail {

inline void put_ranges(ByteWriter& out, const NumberRanges& ranges, std::size_t n_numbers) {
    for (std::size_t i = 0; i < n_numbers; ++i) {
        // One that has not differed has no ranges.
        const NumberRanges::Number number = i < ranges.numbers().size() ? ranges.numbers()[i] : NumberRanges::Number();
        out.put(number.n);
        if (number.n == 0) continue;
        out.put(static_cast<std::uint32_t>(number.made.size()));
        for (const NumberRanges::Division& division : number.made) {
            out.put(division.kind);
            out.put(static_cast<std::uint32_t>(division.edges.size()));
            out.put(division.first);
            out.put_all(std::span<const double>(division.edges));
        }
        out.put_all(std::span<const std::int32_t>(number.used));
        out.put(static_cast<std::uint8_t>(number.recent.size() > 0 ? 1 : 0));
        if (number.recent.size() > 0) number.recent.save(out);
    }
}

/// Of a tree that grows by batches; others have no bins.
inline void put_grids(ByteWriter& out, const std::vector<NumberGrid>& grids) {
    for (const NumberGrid& grid : grids) {
        out.put(static_cast<std::uint8_t>(grid.is_settled() ? 1 : 0));
        out.put(static_cast<std::uint32_t>(grid.edges().size()));
        out.put_all(std::span<const double>(grid.edges()));
        if (grid.is_settled()) continue;
        out.put(static_cast<std::uint32_t>(grid.values().size()));
        for (const NumberGrid::Value& each : grid.values()) {
            out.put(each.value);
            out.put(each.n);
        }
    }
}

inline void put_attributes(ByteWriter& out, const KnownAttributes& known) {
    const Attributes& attributes = known.attributes;
    out.put(static_cast<std::uint32_t>(attributes.n_features()));
    out.put(static_cast<std::uint32_t>(attributes.n_numbers()));
    for (std::size_t i = 0; i < attributes.n_numbers(); ++i) {
        const Attributes::Number& number = attributes.number(attribute_at(i));
        out.put(number.presence);
        out.put(number.first);
        out.put(static_cast<std::uint8_t>(number.varies ? 1 : 0));
        out.put(number.met_after);
        out.put(number.n_present);
    }
    put_ranges(out, known.ranges, attributes.n_numbers());
    put_grids(out, known.grids);
    out.put(static_cast<std::uint32_t>(attributes.n_categories()));
    for (std::size_t i = 0; i < attributes.n_categories(); ++i) {
        const Attributes::Category& category = attributes.category(i);
        out.put(static_cast<std::uint8_t>(category.is_exclusive ? 1 : 0));
        out.put(static_cast<std::uint32_t>(category.values.size()));
        out.put_all(std::span<const FeatureId>(category.values));
    }
}

/// Features that ascend, and are below `n_features`.
inline std::vector<FeatureId> get_ascending(ByteReader& in, std::uint32_t size, std::int64_t n_features,
                                            const char* what) {
    std::vector<FeatureId> features = in.get_list<FeatureId>(size, what);
    const bool ascend = std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) == features.end();
    require_of_file(ascend && (features.empty() || (features.front() >= 0 && features.back() < n_features)),
                    "the values of a category must be features of the model, in order", size);
    return features;
}

/// Reads the divisions of one number. Their features are appended to `made`.
inline NumberRanges::Number get_ranges(ByteReader& in, std::int64_t covered, std::vector<FeatureId>& made) {
    NumberRanges::Number number;
    number.n = get_between<std::int64_t>(in, 0, tree_format::largest_tally, "the values of a number");
    if (number.n == 0) return number;
    const auto n_made = in.get<std::uint32_t>("the divisions of a number");
    in.require(n_made, 2 * sizeof(std::uint32_t) + sizeof(double), "divisions");
    for (std::uint32_t i = 0; i < n_made; ++i) {
        NumberRanges::Division division;
        division.kind = get_between<std::uint8_t>(in, 0, NumberRanges::divisions.size() - 1, "the kind of a division");
        const auto most = static_cast<std::uint32_t>(NumberRanges::divisions[division.kind] - 1);
        const auto size = get_between<std::uint32_t>(in, 1, most, "the edges of a division");
        division.first = in.get<FeatureId>("the feature of a range");
        for (std::uint32_t b = 0; b < size; ++b) {
            division.edges.push_back(get_finite(in, "the edge of a range"));
            require_of_file(b == 0 || division.edges[b - 1] < division.edges[b], "the edges of a division must ascend",
                            division.edges[b]);
        }
        const auto n_features = static_cast<std::int64_t>(division.n_features());
        require_of_file(0 <= division.first && division.first + n_features <= covered,
                        "the features of ranges must be features of the model", division.first);
        for (std::int64_t b = 0; b < n_features; ++b) made.push_back(division.first + static_cast<FeatureId>(b));
        number.made.push_back(std::move(division));
    }
    in.get_all(std::span<std::int32_t>(number.used), "the divisions in use");
    for (std::size_t kind = 0; kind < number.used.size(); ++kind) {
        const std::int32_t at = number.used[kind];
        const bool is_made = at == -1 || (0 <= at && static_cast<std::size_t>(at) < number.made.size());
        require_of_file(is_made && (at == -1 || number.made[static_cast<std::size_t>(at)].kind == kind),
                        "the divisions in use must have been made", at);
    }
    const bool has_recent = in.get_flag("whether a number has values since");
    if (has_recent) number.recent.load(in);
    return number;
}

/// Reads the bins of one number, which may have `ranges`.
inline NumberGrid get_grid(ByteReader& in, const Attributes::Number& number, const NumberRanges::Number& ranges) {
    const bool is_settled = in.get_flag("whether a number is settled");
    const auto n_edges =
        get_between<std::uint32_t>(in, 0, static_cast<std::uint32_t>(NumberGrid::most_edges), "the edges of a number");
    std::vector<double> edges;
    for (std::uint32_t i = 0; i < n_edges; ++i) {
        edges.push_back(get_finite(in, "the edge of a number"));
        require_of_file(i == 0 || edges[i - 1] < edges[i], "the edges of a number must ascend", edges[i]);
    }
    std::vector<NumberGrid::Value> values;
    if (!is_settled) {
        const auto n_values = get_between<std::uint32_t>(in, 1, static_cast<std::uint32_t>(NumberGrid::settled_after),
                                                         "the values of a number");
        for (std::uint32_t i = 0; i < n_values; ++i) {
            const double value = get_finite(in, "a value of a number");
            require_of_file(i == 0 || values.back().value < value, "the values of a number must ascend", value);
            // A number that has one value only is never settled, however many points have it.
            values.push_back(
                {value, get_between<std::int64_t>(in, 1, tree_format::largest_tally, "the points with a value")});
        }
    }
    NumberGrid grid(std::move(edges), std::move(values), is_settled);
    require_of_file(grid.is_possible(), "the values of a number must be in all of its bins, and not yet enough",
                    n_edges);
    require_of_file(number.varies == (is_settled || grid.values().size() > 1), "numbers must vary to have edges",
                    n_edges);
    for (const NumberRanges::Division& division : ranges.made) {
        for (const double edge : division.edges) {
            require_of_file(std::binary_search(grid.edges().begin(), grid.edges().end(), edge),
                            "the edges of ranges must be between bins", edge);
        }
    }
    return grid;
}

/// Fills what is known, which is nothing. `n_features`: the features of the model that are not made of numbers.
/// `n_met`: the points that the tree has met. `in_batches`: whether it grows by batches. Returns how many features
/// there are with those of numbers. Throws ModelFormatError unless some tree can have written the bytes.
inline std::int64_t get_attributes(ByteReader& in, KnownAttributes& known, std::int64_t n_features, std::int64_t n_met,
                                   bool in_batches) {
    Attributes& attributes = known.attributes;
    const auto covered = in.get<std::uint32_t>("the features that attributes know");
    const auto n_numbers = in.get<std::uint32_t>("the numbers of a tree");
    in.require(n_numbers, sizeof(FeatureId) + sizeof(double) + 1 + 2 * sizeof(std::int64_t), "numbers");
    std::vector<FeatureId> made;
    for (std::uint32_t i = 0; i < n_numbers; ++i) {
        const auto presence = in.get<FeatureId>("the feature of a number");
        require_of_file((made.empty() ? -1 : made.back()) < presence && presence < static_cast<std::int64_t>(covered),
                        "the features of numbers must be features of the model, in order", presence);
        made.push_back(presence);
        const double first = get_finite(in, "the first value of a number");
        const bool varies = in.get_flag("whether a number varies");
        const auto met_after = get_between<std::int64_t>(in, 0, n_met, "when a number was first met");
        // The values of a batch are met before its points are.
        const std::int64_t least = in_batches ? 0 : 1;
        const auto n_present = get_between<std::int64_t>(in, least, n_met - met_after, "the points with a number");
        attributes.add_number({presence, first, varies, met_after, n_present});
    }
    std::vector<NumberRanges::Number> of_numbers;
    for (std::uint32_t i = 0; i < n_numbers; ++i) {
        of_numbers.push_back(get_ranges(in, covered, made));
        require_of_file(of_numbers.back().n == 0 || attributes.number(attribute_at(i)).varies,
                        "numbers must vary to have ranges", i);
    }
    for (std::uint32_t i = 0; i < n_numbers && in_batches; ++i) {
        known.grids.push_back(get_grid(in, attributes.number(attribute_at(i)), of_numbers[i]));
    }
    known.ranges.restore(std::move(of_numbers));
    n_features += static_cast<std::int64_t>(made.size());
    require_of_file(covered <= n_features, "the features that attributes know must be features of the model", covered);

    const auto n_categories = in.get<std::uint32_t>("the categories of a tree");
    in.require(n_categories, 1 + sizeof(std::uint32_t) + sizeof(FeatureId), "categories");
    std::vector<std::pair<FeatureId, std::int32_t>> values;
    std::vector<bool> is_exclusive;
    FeatureId first = -1;
    for (std::uint32_t i = 0; i < n_categories; ++i) {
        is_exclusive.push_back(in.get_flag("whether a category has one value at a time"));
        const auto size = in.get<std::uint32_t>("the values of a category");
        const std::vector<FeatureId> found = get_ascending(in, size, covered, "the values of a category");
        require_of_file(size > 0 && found.front() > first, "categories must be in the order of their first values", i);
        first = found.front();
        for (const FeatureId value : found) values.emplace_back(value, static_cast<std::int32_t>(i));
        made.insert(made.end(), found.begin(), found.end());
    }
    require_of_file(n_numbers + n_categories > 0, "attributes must be there if their section is", 0);
    std::sort(made.begin(), made.end());
    const auto twice = std::adjacent_find(made.begin(), made.end());
    require_of_file(twice == made.end(), "a feature must be of one attribute at most",
                    twice == made.end() ? 0 : *twice);
    std::sort(values.begin(), values.end());
    for (const auto& [feature, category] : values) {
        attributes.skip_to(static_cast<std::size_t>(feature));
        attributes.add_feature(category);
    }
    attributes.skip_to(covered);
    for (std::size_t i = 0; i < is_exclusive.size(); ++i) {
        if (!is_exclusive[i]) attributes.set_shared(i);
    }
    return n_features;
}

}  // namespace sapwood::detail
