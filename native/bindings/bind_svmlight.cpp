#include <nanobind/stl/optional.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "sapwood/read/svmlight.hpp"
#include "sapwood/read/svmlight_text.hpp"

namespace sapwood::bindings {
namespace {

/// A parser with the batch that it fills. Not for many threads at once: the reader that owns it sees to that.
struct SvmlightReader {
    SvmlightParser parser;
    TextBatch batch;

    SvmlightReader(std::optional<double> threshold, FeatureId n_columns, bool keeps_values)
        : parser(threshold, n_columns, keeps_values) {}
};

/// Text of a file need not be of any encoding; what is none is shown by its bytes.
nb::object text_of(const std::string& bytes) {
    PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
    if (text == nullptr) nb::raise_python_error();
    return nb::steal(text);
}

/// Reads whole lines from byte `start` of a text until it ends, the batch has `most` points or a line is wrong. Returns
/// the byte after the last line read and, if that line is wrong, its number, the column, what was found and expected.
nb::tuple parse(SvmlightReader& self, const nb::bytes& text, std::size_t start, std::size_t most) {
    const std::string_view all(text.c_str(), text.size());
    if (start > all.size()) {
        throw std::invalid_argument("start must be at most the " + std::to_string(all.size()) +
                                    " bytes of the text, got " + std::to_string(start));
    }
    std::size_t consumed = 0;
    std::optional<LineError> error;
    {
        nb::gil_scoped_release release;
        error = self.parser.parse(all.substr(start), true, most, self.batch, consumed);
    }
    const std::size_t end = start + consumed;
    if (!error) return nb::make_tuple(end, nb::none());
    return nb::make_tuple(end,
                          nb::make_tuple(error->line, error->column, text_of(error->found), text_of(error->expected)));
}

/// The points of the batch, which is empty afterwards: the line of the first, offsets, indices, values (none unless
/// they are kept) and labels.
nb::tuple take(SvmlightReader& self) {
    TextBatch batch = std::exchange(self.batch, TextBatch());
    // The next batch will be about as large.
    self.batch.indptr.reserve(batch.indptr.size());
    self.batch.indices.reserve(batch.indices.size() + batch.indices.size() / 16);
    self.batch.labels.reserve(batch.labels.size());
    return nb::make_tuple(batch.first_line, to_numpy(std::move(batch.indptr)), to_numpy(std::move(batch.indices)),
                          to_numpy(std::move(batch.values)), to_numpy(std::move(batch.labels)));
}

template <class Number>
nb::bytes write(const Array<std::int64_t>& indptr, const Array<FeatureId>& indices, const Array<Number>& labels) {
    const std::span<const std::int64_t> rows = span_of(indptr);
    const std::span<const FeatureId> ids = span_of(indices);
    const std::span<const Number> y = span_of(labels);
    std::string text;
    {
        nb::gil_scoped_release release;
        const bool right = rows.size() == y.size() + 1 && rows.front() == 0 &&
                           std::is_sorted(rows.begin(), rows.end()) &&
                           rows.back() == static_cast<std::int64_t>(ids.size());
        if (!right)
            throw std::invalid_argument("X.indptr must ascend from 0 to the number of indices, one row per label");
        if (std::any_of(ids.begin(), ids.end(), [](FeatureId id) { return id < 0; })) {
            throw std::invalid_argument("X.indices must not be negative");
        }
        text = svmlight_text(rows, ids, y);
    }
    return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_svmlight(nb::module_& module) {
    nb::class_<SvmlightReader>(module, "SvmlightParser",
                               "Reads the svmlight format from text in pieces of whole lines.")
        .def(nb::init<std::optional<double>, FeatureId, bool>(), nb::arg("threshold").none(), nb::arg("n_columns"),
             nb::arg("keeps_values") = false)
        .def("parse", &parse, nb::arg("text"), nb::arg("start"), nb::arg("most"),
             nb::sig("def parse(self, text: bytes, start: int, most: int) -> tuple[int, tuple[int, int, str, str] | "
                     "None]"))
        .def("take", &take,
             nb::sig("def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], "
                     "NDArray[numpy.float64], NDArray[numpy.float64]]"))
        .def("__len__", [](const SvmlightReader& self) { return self.batch.size(); })
        .def("n_lines", [](const SvmlightReader& self) { return self.parser.n_lines(); });
    module.def("svmlight_text", &write<std::int64_t>, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               "The text of points with whole numbers as labels.");
    module.def("svmlight_text", &write<double>, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               "The text of points with any numbers as labels.");
}

}  // namespace sapwood::bindings
