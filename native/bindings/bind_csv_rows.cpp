#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "sapwood/read/csv_rows.hpp"
#include "table_reader.hpp"

namespace sapwood::bindings {
namespace {

constexpr std::int64_t ignored = -1;

/// Rows of CSV with the points that they become.
struct CsvReader {
    CsvRows rows;
    TableReader table;

    CsvReader(CsvOptions options, std::vector<CsvField> fields, std::size_t n_columns, nb::callable said)
        : rows(std::move(options), std::move(fields)), table(n_columns, std::move(said)) {}
};

void construct(CsvReader* self, const std::string& delimiter, std::size_t longest,
               std::vector<std::string> missing_numbers, const std::vector<std::int64_t>& columns, nb::callable said) {
    if (delimiter.size() != 1 || columns.empty()) {
        throw std::invalid_argument("delimiter must be one byte, and there must be a column");
    }
    std::vector<CsvField> fields(columns.size());
    std::size_t n_columns = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] == ignored) continue;
        fields[i].column = static_cast<std::size_t>(columns[i]);
        n_columns = std::max(n_columns, fields[i].column);
    }
    new (self)
        CsvReader({delimiter[0], longest, std::move(missing_numbers)}, std::move(fields), n_columns, std::move(said));
}

std::tuple<std::size_t, std::int64_t, bool> parse(CsvReader& self, const nb::bytes& block, std::size_t start,
                                                  std::int64_t n_lines, std::size_t most) {
    return parse_block(block, start, n_lines, [&](std::string_view rest, bool& is_left) {
        return self.rows.parse(rest, most, self.table.points, n_lines, is_left);
    });
}

/// Adds a row by its cells. Returns the place of the cell that is bad, and adds nothing, if one is; otherwise -1.
std::int64_t add(CsvReader& self, std::int64_t line, const nb::list& cells) {
    return self.table.add_cells(line, cells, self.rows.n_fields(),
                                [&](std::size_t i) { return self.rows.field(i).column; });
}

}  // namespace

void bind_csv_rows(nb::module_& module) {
    nb::class_<CsvReader>(module, "CsvRows", "Reads rows of CSV in blocks of whole lines.")
        .def("__init__", &construct, nb::arg("delimiter"), nb::arg("longest"), nb::arg("missing_numbers"),
             nb::arg("columns"), nb::arg("said"))
        .def(
            "read_as_number", [](CsvReader& self, std::size_t i) { self.rows.field(i).is_number = true; },
            nb::arg("field"), "Have the cells of a place that look like numbers read as such.")
        .def("parse", &parse, nb::arg("block"), nb::arg("start"), nb::arg("n_lines"), nb::arg("most"),
             "Read rows from byte `start` on; return the byte after the last, the lines read in all, and whether the "
             "next row is left to the caller.")
        .def("add", &add, nb::arg("line"), nb::arg("cells"))
        .def(
            "take", [](CsvReader& self) { return self.table.take(); }, nb::sig(TableReader::take_signature))
        .def("__len__", [](const CsvReader& self) { return self.table.points.batch().size(); });
}

}  // namespace sapwood::bindings
