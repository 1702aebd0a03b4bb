#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "sapwood/read/vowpal_wabbit_lines.hpp"
#include "strings.hpp"

namespace sapwood::bindings {
namespace {

/// A parser with the names of what it met. Not for many threads at once: the reader that owns it sees to that.
struct VowpalWabbitReader {
    VowpalWabbitLines lines;
    Strings names;

    VowpalWabbitReader(std::optional<double> threshold, bool keeps_values, bool is_labelled, double largest_weight)
        : lines({threshold, keeps_values, is_labelled, largest_weight}) {}
};

std::pair<std::size_t, std::size_t> parse(VowpalWabbitReader& self, const nb::bytes& text, std::size_t start,
                                          std::size_t most) {
    const std::string_view rest = from_byte(text, start, "text");
    std::size_t left = 0;
    nb::gil_scoped_release release;
    const std::size_t end = self.lines.parse(rest, most, left);
    return {start + end, start + left};
}

/// The points of the batch, which is empty afterwards: the line of the first, offsets, features by the numbers of their
/// names, values (none unless they are kept), the names, labels and weights.
nb::tuple take(VowpalWabbitReader& self) {
    WeightedBatch batch = self.lines.take();
    const nb::list names = self.names.list_of(self.lines.names());
    if (self.lines.must_forget()) self.names.clear();
    return nb::make_tuple(batch.first_line, to_numpy(std::move(batch.indptr)), to_numpy(std::move(batch.indices)),
                          to_numpy(std::move(batch.values)), names, to_numpy(std::move(batch.labels)),
                          to_numpy(std::move(batch.weights)));
}

}  // namespace

void bind_vowpal_wabbit_lines(nb::module_& module) {
    nb::class_<VowpalWabbitReader>(module, "VowpalWabbitLines",
                                   "Reads Vowpal Wabbit's lines from text in blocks of whole lines.")
        .def(nb::init<std::optional<double>, bool, bool, double>(), nb::arg("threshold").none(),
             nb::arg("keeps_values"), nb::arg("is_labelled"), nb::arg("largest_weight"))
        .def("parse", &parse, nb::arg("text"), nb::arg("start"), nb::arg("most"),
             "Read lines from byte `start` on; return the byte after the last, and where the last begins if it is left "
             "to the caller, otherwise the same again.")
        .def(
            "add",
            [](VowpalWabbitReader& self, double label, double weight, const std::vector<std::string>& names,
               const std::vector<double>& values) { self.lines.add(label, weight, names, values); },
            nb::arg("label"), nb::arg("weight"), nb::arg("names"), nb::arg("values"))
        .def("take", &take,
             nb::sig("def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], "
                     "NDArray[numpy.float64], list[str], NDArray[numpy.float64], NDArray[numpy.float64]]"))
        .def("__len__", [](const VowpalWabbitReader& self) { return self.lines.batch().size(); })
        .def("n_lines", [](const VowpalWabbitReader& self) { return self.lines.n_lines(); });
}

}  // namespace sapwood::bindings
