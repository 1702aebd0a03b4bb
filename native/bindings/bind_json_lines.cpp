#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "sapwood/read/json_lines.hpp"
#include "table_reader.hpp"

namespace sapwood::bindings {
namespace {

/// JSON lines with the points that they become.
struct JsonReader {
    JsonLines lines;
    TableReader table;

    JsonReader(bool is_labelled, nb::callable said) : lines(is_labelled), table(0, std::move(said)) {}
};

std::size_t add_field(JsonReader& self, std::size_t object, std::string_view key, std::string_view role,
                      std::size_t column, std::size_t items) {
    JsonField field;
    field.column = column;
    field.items = items;
    field.is_number = role == "number";
    if (role == "label") {
        field.role = JsonField::Role::label;
    } else if (role == "plain") {
        field.role = JsonField::Role::plain;
    } else if (role != "ignored") {
        field.role = JsonField::Role::typed;
    }
    return self.lines.add_field(object, key, field);
}

std::tuple<std::size_t, std::int64_t, bool> parse(JsonReader& self, const nb::bytes& block, std::size_t start,
                                                  std::int64_t n_lines, std::size_t most) {
    return parse_block(block, start, n_lines, [&](std::string_view rest, bool& is_left) {
        return self.lines.parse(rest, most, self.table.points, n_lines, is_left);
    });
}

}  // namespace

void bind_json_lines(nb::module_& module) {
    nb::class_<JsonReader>(module, "JsonLines", "Reads JSON lines in blocks of whole lines.")
        .def(nb::init<bool, nb::callable>(), nb::arg("is_labelled"), nb::arg("said"))
        .def(
            "add_column",
            [](JsonReader& self) {
                self.table.points.add_column();
                return self.table.points.n_columns() - 1;
            },
            "Return the number of a new column of the points.")
        .def("add_field", &add_field, nb::arg("object"), nb::arg("key"), nb::arg("role"), nb::arg("column"),
             nb::arg("items"),
             "Tell a field of an object, 0 being that of the line: ignored, label, plain, or the word for what it "
             "holds; return its number.")
        .def("parse", &parse, nb::arg("block"), nb::arg("start"), nb::arg("n_lines"), nb::arg("most"),
             "Read lines from byte `start` on; return the byte after the last, the lines read in all, and whether the "
             "next line is left to the caller.")
        .def(
            "add",
            [](JsonReader& self, std::int64_t line, const nb::object& label, const nb::list& features,
               const std::vector<std::size_t>& columns,
               const std::vector<double>& values) { self.table.add(line, label, features, columns, values); },
            nb::arg("line"), nb::arg("label").none(), nb::arg("features"), nb::arg("columns"), nb::arg("values"))
        .def(
            "take", [](JsonReader& self) { return self.table.take(); }, nb::sig(TableReader::take_signature))
        .def("__len__", [](const JsonReader& self) { return self.table.points.batch().size(); });
}

}  // namespace sapwood::bindings
