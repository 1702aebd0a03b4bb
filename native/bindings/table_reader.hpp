#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "sapwood/read/table_points.hpp"
#include "strings.hpp"

namespace sapwood::bindings {

/// Points of a table with the Python objects that their features and labels are. What a cell says is asked of Python
/// once. Not for many threads at once: the reader that owns it sees to that.
class TableReader {
public:
    /// `said(column, text)`: the meaning of a cell, None, a float or the key of a feature; ValueError if it is bad. The
    /// column of the labels, 0, gives labels.
    TableReader(std::size_t n_columns, nb::callable said)
        : points(n_columns, [this](std::size_t column, std::string_view cell) { return ask(column, cell); }),
          said_(std::move(said)) {}
    TableReader(const TableReader&) = delete;
    TableReader& operator=(const TableReader&) = delete;

    TablePoints points;

    /// Adds a point by its label, None if it has none, its features and its numbers.
    void add(std::int64_t line, const nb::object& label, const nb::list& features,
             const std::vector<std::size_t>& columns, const std::vector<double>& values) {
        points.begin_row();
        for (const nb::handle feature : features) {
            const auto [number, twin] = number_of_feature(nb::borrow(feature));
            points.add_feature(number, twin);
        }
        for (std::size_t i = 0; i < columns.size(); ++i) points.add_number(columns[i], values.at(i));
        if (!label.is_none()) points.set_label(number_of_label(label));
        points.end_row(line);
    }

    /// Adds a row by its cells, of which cell i is of `column_of(i)`. Returns the place of the cell that is bad, and
    /// adds nothing, if one is; otherwise -1.
    template <class ColumnOf>
    std::int64_t add_cells(std::int64_t line, const nb::list& cells, std::size_t n_cells, ColumnOf column_of) {
        points.begin_row();
        std::string padded;
        for (std::size_t i = 0; i < n_cells; ++i) {
            const std::size_t column = column_of(i);
            if (column == TablePoints::ignored_column) continue;
            std::size_t length = 0;
            const char* const bytes = utf8_of(cells[i], length);
            if (bytes == nullptr) return static_cast<std::int64_t>(i);
            padded.assign(bytes, length);
            padded.append(TextTable::padding, '\0');
            if (!points.add_cell(column, padded.data(), length)) return static_cast<std::int64_t>(i);
        }
        points.end_row(line);
        return -1;
    }

    /// The points: the line of the first, offsets, places and features; offsets, columns and values of numbers, and
    /// the columns that have numbers; labels by number, and which they are.
    nb::tuple take() {
        TableBatch batch = points.take();
        const nb::list features = features_;
        nb::list classes;
        for (const std::int32_t label : batch.classes) classes.append(labels_[static_cast<std::size_t>(label)]);
        if (points.has_many_cells()) {
            points.forget();
            // Whoever has the list keeps it.
            features_ = nb::list();
            labels_.clear();
            twins_.clear();
            numbers_of_labels_.clear();
        }
        nb::list columns;
        for (const std::size_t column : points.columns_of_numbers()) columns.append(column);
        return nb::make_tuple(batch.first_line, to_numpy(std::move(batch.indptr)), to_numpy(std::move(batch.indices)),
                              features, to_numpy(std::move(batch.number_indptr)),
                              to_numpy(std::move(batch.number_columns)), to_numpy(std::move(batch.values)), columns,
                              to_numpy(std::move(batch.labels)), classes);
    }

    static constexpr const char* take_signature =
        "def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], list[Any], NDArray[numpy.int64], "
        "NDArray[numpy.int32], NDArray[numpy.float64], list[int], NDArray[numpy.int64], list[Any]]";

private:
    Said ask(std::size_t column, std::string_view cell) {
        nb::gil_scoped_acquire acquire;
        const nb::object text = string_of(cell);
        if (!text.is_valid()) return {Said::Kind::bad};
        nb::object answer;
        try {
            answer = said_(column, text);
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_ValueError)) throw;
            return {Said::Kind::bad};
        }
        if (answer.is_none()) return {Said::Kind::missing};
        if (column == TablePoints::label_column) return {Said::Kind::feature, number_of_label(answer)};
        if (PyFloat_CheckExact(answer.ptr())) return {Said::Kind::number, 0, PyFloat_AS_DOUBLE(answer.ptr())};
        const auto [number, twin] = number_of_feature(answer);
        return {Said::Kind::feature, number, 0, twin};
    }

    static std::int32_t found_or_set(const nb::dict& numbers, const nb::object& key, std::size_t number) {
        PyObject* const found = PyDict_SetDefault(numbers.ptr(), key.ptr(), nb::int_(number).ptr());
        if (found == nullptr) nb::raise_python_error();
        return nb::cast<std::int32_t>(nb::handle(found));
    }

    /// The number of a label; those that are equal and not the same, as 1 and True, have numbers of their own.
    std::int32_t number_of_label(const nb::object& label) {
        const nb::object key = nb::make_tuple(label.type(), nb::repr(label));
        const std::int32_t number = found_or_set(numbers_of_labels_, key, labels_.size());
        if (static_cast<std::size_t>(number) == labels_.size()) labels_.push_back(label);
        return number;
    }

    /// The number of a feature, and of the first that equals it: two columns may make the same.
    std::pair<std::int32_t, std::int32_t> number_of_feature(const nb::object& feature) {
        const std::int32_t twin = found_or_set(twins_, feature, features_.size());
        if (static_cast<std::size_t>(twin) < features_.size() &&
            is_same(nb::object(features_[static_cast<std::size_t>(twin)]), feature)) {
            return {twin, twin};
        }
        features_.append(feature);
        return {static_cast<std::int32_t>(features_.size() - 1), twin};
    }

    /// Whether two equal features are of one type and, if they are values of a category, of one attribute.
    static bool is_same(const nb::object& one, const nb::object& other) {
        if (!one.type().is(other.type())) return false;
        if (PyUnicode_CheckExact(one.ptr())) return true;
        return one.attr("attribute").equal(other.attr("attribute"));
    }

    nb::callable said_;
    nb::dict twins_;
    nb::dict numbers_of_labels_;
    nb::list features_;
    std::vector<nb::object> labels_;
};

/// Lets `parse` read a block from a byte on, while others run Python. Returns where it stopped, the lines read until
/// then, `n_lines` of them before, and whether the line that begins there is left to the caller.
template <class Parse>
std::tuple<std::size_t, std::int64_t, bool> parse_block(const nb::bytes& block, std::size_t start,
                                                        std::int64_t& n_lines, Parse parse) {
    const std::string_view rest = from_byte(block, start, "block");
    bool is_left = false;
    nb::gil_scoped_release release;
    const std::size_t read = parse(rest, is_left);
    return {start + read, n_lines, is_left};
}

}  // namespace sapwood::bindings
