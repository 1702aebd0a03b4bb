#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "sapwood/read/arff_rows.hpp"
#include "table_reader.hpp"

namespace sapwood::bindings {
namespace {

constexpr std::int64_t ignored = -1;

/// Rows of ARFF with the points that they become.
struct ArffReader {
    ArffRows rows;
    TableReader table;

    ArffReader(std::vector<ArffColumn> columns, std::vector<std::string> missing_numbers, std::size_t n_columns,
               nb::callable said)
        : rows(std::move(columns), std::move(missing_numbers)), table(n_columns, std::move(said)) {}
};

void construct(ArffReader* self, std::vector<std::string> missing_numbers,
               const std::vector<std::tuple<std::int64_t, bool, std::string>>& columns, nb::callable said) {
    if (columns.empty()) throw std::invalid_argument("there must be a column");
    std::vector<ArffColumn> made(columns.size());
    std::size_t n_columns = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& [number, is_number, absent] = columns[i];
        made[i].is_number = is_number;
        made[i].absent = absent;
        if (number == ignored) continue;
        made[i].column = static_cast<std::size_t>(number);
        n_columns = std::max(n_columns, made[i].column);
    }
    new (self) ArffReader(std::move(made), std::move(missing_numbers), n_columns, std::move(said));
}

std::tuple<std::size_t, std::int64_t, bool> parse(ArffReader& self, const nb::bytes& block, std::size_t start,
                                                  std::int64_t n_lines, std::size_t most, std::size_t most_cells) {
    return parse_block(block, start, n_lines, [&](std::string_view rest, bool& is_left) {
        return self.rows.parse(rest, most, most_cells, self.table.points, n_lines, is_left);
    });
}

/// Adds a row by its cells. Returns the place of the cell that is bad, and adds nothing, if one is; otherwise -1.
std::int64_t add(ArffReader& self, std::int64_t line, const nb::list& cells, bool is_sparse) {
    const std::vector<ArffColumn>& columns = self.rows.columns();
    const std::int64_t bad =
        self.table.add_cells(line, cells, columns.size(), [&](std::size_t i) { return columns[i].column; });
    if (bad < 0 && is_sparse) self.rows.n_sparse_cells += columns.size();
    return bad;
}

}  // namespace

void bind_arff_rows(nb::module_& module) {
    nb::class_<ArffReader>(module, "ArffRows", "Reads rows of ARFF in blocks of whole lines.")
        .def("__init__", &construct, nb::arg("missing_numbers"), nb::arg("columns"), nb::arg("said"))
        .def("parse", &parse, nb::arg("block"), nb::arg("start"), nb::arg("n_lines"), nb::arg("most"),
             nb::arg("most_cells"),
             "Read rows from byte `start` on; return the byte after the last, the lines read in all, and whether the "
             "next row is left to the caller.")
        .def("add", &add, nb::arg("line"), nb::arg("cells"), nb::arg("is_sparse"))
        .def(
            "take",
            [](ArffReader& self) {
                self.rows.n_sparse_cells = 0;
                return self.table.take();
            },
            nb::sig(TableReader::take_signature))
        .def("n_sparse_cells", [](const ArffReader& self) { return self.rows.n_sparse_cells; })
        .def("__len__", [](const ArffReader& self) { return self.table.points.batch().size(); });
}

}  // namespace sapwood::bindings
