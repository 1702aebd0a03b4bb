#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/read/text_table.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a cell of a table says.
struct Said {
    enum class Kind { missing, feature, number, bad };

    Kind kind = Kind::missing;
    /// The number of the feature that it makes active, as its owner counts them.
    std::int32_t feature = 0;
    double number = 0;
    /// The number of the first feature that is the same, if there is one; a point has it once.
    std::int32_t twin = 0;
};

/// Points read from a table, in compressed sparse rows.
struct TableBatch {
    std::vector<std::int64_t> indptr{0};
    /// The features of each point, as their owner counts them.
    std::vector<FeatureId> indices;
    std::vector<std::int64_t> number_indptr{0};
    /// The columns of the numbers, by the order in which the stream has them.
    std::vector<std::int32_t> number_columns;
    std::vector<double> values;
    /// The label of each point: a place in `classes`.
    std::vector<std::int64_t> labels;
    /// The labels, in the order in which the batch has them, as their owner counts them.
    std::vector<std::int32_t> classes;
    /// The line of the first point; 0 if there is none.
    std::int64_t first_line = 0;

    std::size_t size() const { return indptr.size() - 1; }
};

/// Gathers the rows of a table. What a cell says is asked of the owner when it is first met in its column, and
/// remembered; so most cells cost one look at a table of few texts.
///
/// Guarantee: a row is added whole or not at all. Memory is that of the batch and of the cells that are remembered,
/// which are forgotten between batches once there are more than `most_cells`, or they have more than `most_bytes`.
class TablePoints {
public:
    static constexpr std::size_t most_cells = std::size_t{1} << 17;
    static constexpr std::size_t most_bytes = std::size_t{1} << 24;
    /// The column of the labels.
    static constexpr std::size_t label_column = 0;
    /// Of cells that are left out.
    static constexpr std::size_t ignored_column = ~std::size_t{0};

    /// Says what a cell of a column says; of the column of the labels, the number of the label as a feature.
    using Ask = std::function<Said(std::size_t column, std::string_view cell)>;

    /// There are `n_columns` columns from 1 on, beside that of the labels.
    TablePoints(std::size_t n_columns, Ask ask) : ask_(std::move(ask)), columns_(n_columns + 1) {}

    const TableBatch& batch() const { return batch_; }

    std::size_t n_columns() const { return columns_.size(); }
    void add_column() { columns_.emplace_back(); }

    /// The columns that numbers were met in, in that order.
    const std::vector<std::size_t>& columns_of_numbers() const { return columns_of_numbers_; }

    // ---- a row ------------------------------------------------------------------------------------------------------

    void begin_row() {
        row_features_.clear();
        row_columns_.clear();
        row_values_.clear();
        row_label_ = -1;
    }

    /// Adds a number to the row.
    void add_number(std::size_t column, double value) {
        row_columns_.push_back(column);
        row_values_.push_back(value);
    }

    /// Adds a feature to the row, of which `twin` is the first that is the same.
    void add_feature(std::int32_t feature, std::int32_t twin) {
        note_twin(feature, twin);
        row_features_.push_back(feature);
    }

    void set_label(std::int32_t label) { row_label_ = label; }

    /// Adds a cell to the row; false if it is bad. `TextTable::padding` bytes behind it are readable.
    bool add_cell(std::size_t column, const char* cell, std::size_t length) {
        TextTable::Entry& entry = columns_[column].cells.find_or_add(cell, length);
        if (entry.stamp == 0) {
            const Said said = ask_(column, {cell, length});
            switch (said.kind) {
                case Said::Kind::bad:
                    return false;
                case Said::Kind::missing:
                    entry.value = missing;
                    break;
                case Said::Kind::feature:
                    entry.value = said.feature;
                    if (column != label_column) note_twin(said.feature, said.twin);
                    break;
                case Said::Kind::number:
                    entry.value = first_number - static_cast<std::int32_t>(numbers_.size());
                    numbers_.push_back(said.number);
                    break;
            }
            entry.stamp = 1;
            ++n_cells_;
            n_bytes_ += length;
        }
        if (column == label_column) {
            row_label_ = entry.value;
        } else if (entry.value >= 0) {
            row_features_.push_back(entry.value);
        } else if (entry.value <= first_number) {
            add_number(column, numbers_[static_cast<std::size_t>(first_number - entry.value)]);
        }
        return true;
    }

    /// Adds the row to the batch.
    void end_row(std::int64_t line) {
        if (batch_.size() == 0) batch_.first_line = line;
        ++n_rows_;
        for (const std::int32_t feature : row_features_) {
            if (std::exchange(last_rows_[twins_[static_cast<std::size_t>(feature)]], n_rows_) == n_rows_) continue;
            batch_.indices.push_back(feature);
        }
        batch_.indptr.push_back(static_cast<std::int64_t>(batch_.indices.size()));
        for (std::size_t i = 0; i < row_columns_.size(); ++i) {
            Column& column = columns_[row_columns_[i]];
            if (column.place < 0) {
                column.place = static_cast<std::int32_t>(columns_of_numbers_.size());
                columns_of_numbers_.push_back(row_columns_[i]);
            }
            batch_.number_columns.push_back(column.place);
        }
        batch_.values.insert(batch_.values.end(), row_values_.begin(), row_values_.end());
        batch_.number_indptr.push_back(static_cast<std::int64_t>(batch_.values.size()));
        if (row_label_ >= 0) batch_.labels.push_back(place_of(row_label_, labels_, batch_.classes));
    }

    // ---- batches ----------------------------------------------------------------------------------------------------

    TableBatch take() {
        TableBatch taken = std::exchange(batch_, TableBatch());
        // The next batch will be about as large.
        batch_.indptr.reserve(taken.indptr.size());
        batch_.indices.reserve(taken.indices.size() + taken.indices.size() / 16);
        batch_.number_indptr.reserve(taken.number_indptr.size());
        batch_.number_columns.reserve(taken.number_columns.size() + taken.number_columns.size() / 16);
        batch_.values.reserve(taken.values.size() + taken.values.size() / 16);
        batch_.labels.reserve(taken.labels.size());
        ++n_batches_;
        return taken;
    }

    bool has_many_cells() const { return n_cells_ > most_cells || n_bytes_ > most_bytes; }

    /// Forgets what cells say: the owner counts features and labels from 0 again. To be called between batches.
    void forget() {
        for (Column& column : columns_) column.cells.clear();
        numbers_.clear();
        labels_.clear();
        twins_.clear();
        last_rows_.clear();
        n_cells_ = n_bytes_ = 0;
    }

private:
    static constexpr std::int32_t missing = -1;
    // Numbers are counted downwards from here.
    static constexpr std::int32_t first_number = -2;

    struct Column {
        TextTable cells;
        std::int32_t place = -1;
    };

    struct Mark {
        std::uint64_t batch = 0;
        std::int32_t place = 0;
    };

    /// The place of something in the batch, which is its next if the batch has it for the first time.
    std::int32_t place_of(std::int32_t number, std::vector<Mark>& marks, std::vector<std::int32_t>& met) const {
        const auto at = static_cast<std::size_t>(number);
        if (at >= marks.size()) marks.resize(2 * at + 1);
        Mark& mark = marks[at];
        if (mark.batch != n_batches_) {
            mark = {n_batches_, static_cast<std::int32_t>(met.size())};
            met.push_back(number);
        }
        return mark.place;
    }

    void note_twin(std::int32_t feature, std::int32_t twin) {
        const auto at = static_cast<std::size_t>(feature);
        if (at >= twins_.size()) {
            twins_.resize(2 * at + 1);
            last_rows_.resize(2 * at + 1);
        }
        twins_[at] = static_cast<std::size_t>(twin);
    }

    Ask ask_;
    std::vector<Column> columns_;
    TableBatch batch_;
    std::uint64_t n_batches_ = 1;
    std::vector<Mark> labels_;
    /// The twin of each feature, and the last row that had a twin.
    std::vector<std::size_t> twins_;
    std::vector<std::uint64_t> last_rows_;
    std::uint64_t n_rows_ = 0;
    std::vector<double> numbers_;
    std::vector<std::size_t> columns_of_numbers_;
    std::size_t n_cells_ = 0;
    std::size_t n_bytes_ = 0;

    // Of one row.
    std::vector<std::int32_t> row_features_;
    std::vector<std::size_t> row_columns_;
    std::vector<double> row_values_;
    std::int32_t row_label_ = -1;
};

}  // namespace sapwood
