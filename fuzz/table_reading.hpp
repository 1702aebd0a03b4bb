// What the targets of tables share: a parser of rows reads a text in pieces, and what it says is compared.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read_in_pieces.hpp"
#include "sapwood/read/table_points.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

/// All that was read of a table.
struct TableReading {
    std::vector<std::vector<FeatureId>> points;
    std::vector<std::vector<std::pair<std::int32_t, double>>> numbers;
    std::vector<std::int32_t> labels;
    /// The lines that were left to the caller, who passes over them here.
    std::vector<std::string> left;
    bool operator==(const TableReading&) const = default;
};

/// Reads a text with a parser that `make()` makes, `most` points at once. A cell that begins with ! is bad, one that
/// begins with ? missing; others are features, each of its column and its text.
template <class Make>
TableReading read_table(Make make, std::size_t n_columns, const std::vector<std::string_view>& pieces,
                        std::size_t most) {
    std::map<std::pair<std::size_t, std::string>, std::int32_t> features;
    std::map<std::string, std::int32_t, std::less<>> classes;
    const auto ask = [&](std::size_t column, std::string_view cell) -> Said {
        promise(column <= n_columns, "a cell is of a column");
        if (!cell.empty() && cell[0] == '!') return {Said::Kind::bad};
        if (column == TablePoints::label_column) {
            const auto next = static_cast<std::int32_t>(classes.size());
            return {Said::Kind::feature, classes.try_emplace(std::string(cell), next).first->second};
        }
        if (!cell.empty() && cell[0] == '?') return {};
        const auto next = static_cast<std::int32_t>(features.size());
        const std::int32_t feature = features.try_emplace({column, std::string(cell)}, next).first->second;
        return {Said::Kind::feature, feature, 0, feature};
    };
    TablePoints points(n_columns, ask);
    auto parser = make();
    TableReading all;
    std::int64_t n_lines = 0;
    const auto take = [&] {
        const TableBatch batch = points.take();
        for (std::size_t i = 0; i < batch.size(); ++i) {
            all.points.emplace_back(batch.indices.begin() + batch.indptr[i],
                                    batch.indices.begin() + batch.indptr[i + 1]);
            for (const FeatureId id : all.points.back()) {
                promise(id >= 0 && static_cast<std::size_t>(id) < features.size(), "a feature was asked for");
            }
            auto& of_point = all.numbers.emplace_back();
            for (std::int64_t j = batch.number_indptr[i]; j < batch.number_indptr[i + 1]; ++j) {
                const double value = batch.values[static_cast<std::size_t>(j)];
                promise(std::isfinite(value), "a number is finite");
                of_point.emplace_back(batch.number_columns[static_cast<std::size_t>(j)], value);
            }
            if (batch.labels.empty()) continue;
            const auto place = static_cast<std::size_t>(batch.labels[i]);
            promise(place < batch.classes.size(), "a label is one of the classes");
            all.labels.push_back(batch.classes[place]);
        }
    };
    for (const std::string_view piece : pieces) {
        const ExactBlock block(piece);
        std::string_view rest = block.text();
        while (!rest.empty()) {
            bool is_left = false;
            std::size_t consumed = parser.parse(rest, most, points, n_lines, is_left);
            promise(consumed <= rest.size(), "no more is read than there is");
            rest.remove_prefix(consumed);
            if (is_left) {
                promise(!rest.empty(), "a line that is left is there");
                consumed = size_of_line(rest);
                all.left.emplace_back(rest.substr(0, consumed));
                rest.remove_prefix(consumed);
            } else {
                promise(consumed > 0, "something is read");
            }
            take();
        }
    }
    return all;
}

/// Promises that a text says the same in one piece, in two, and one point at a time. Its first byte says where it is
/// cut.
template <class Make>
void read_in_all_ways(Make make, std::size_t n_columns, std::string_view text, std::size_t cut) {
    const TableReading whole = read_table(make, n_columns, {text}, 1'000'000);
    promise(whole == read_table(make, n_columns, {text}, 1), "points that are read one by one are the same");
    promise(whole == read_table(make, n_columns, cut_after_line(text, cut), 1'000'000),
            "a text that is cut says the same");
}

}  // namespace sapwood::fuzz
