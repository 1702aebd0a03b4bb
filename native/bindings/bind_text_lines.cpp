#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "sapwood/read/text_lines.hpp"
#include "strings.hpp"

namespace sapwood::bindings {
namespace {

/// Has Python say what the characters of a page are, so that they are those of its version of Unicode.
void fill_page(std::uint32_t first, Characters::Page& page) {
    nb::gil_scoped_acquire acquire;
    constexpr std::uint32_t capital_sigma = 0x3A3;  // the one whose lower case depends on where it stands
    for (std::uint32_t i = 0; i < page.size(); ++i) {
        const nb::object text = nb::steal(PyUnicode_FromOrdinal(static_cast<int>(first + i)));
        if (!text.is_valid()) nb::raise_python_error();
        const nb::object lower = text.attr("lower")();
        Character& character = page[i];
        character.is_space = nb::cast<bool>(text.attr("isspace")());
        character.is_special = PyUnicode_GET_LENGTH(lower.ptr()) != 1 || first + i == capital_sigma;
        character.lower = PyUnicode_READ_CHAR(lower.ptr(), 0);
        character.is_word = nb::cast<bool>(lower.attr("isalnum")()) || character.lower == '_';
    }
}

/// A parser with the names of what it met. Not for many threads at once: the reader that owns it sees to that.
struct TextReader {
    TextLines lines;
    Strings words;
    Strings classes;

    TextReader(bool is_labelled, std::size_t shortest, std::size_t longest, std::optional<FeatureId> n_columns,
               std::string label_prefix)
        : lines({is_labelled, shortest, longest, n_columns, std::move(label_prefix)}, fill_page) {}
};

std::pair<std::size_t, std::size_t> parse(TextReader& self, const nb::bytes& text, std::size_t start, std::size_t most,
                                          bool is_passed_over) {
    const std::string_view rest = from_byte(text, start, "text");
    std::size_t left = 0;
    nb::gil_scoped_release release;
    const std::size_t end = self.lines.parse(rest, most, is_passed_over, left);
    return {start + end, start + left};
}

/// Adds points of texts that are strings from `start` on. Returns how many of the texts are done: the next, if there is
/// one, is left to the caller, or is no string.
std::size_t add_texts(TextReader& self, const nb::list& texts, std::size_t start) {
    for (std::size_t i = start; i < texts.size(); ++i) {
        const nb::handle text = texts[i];
        if (PyUnicode_Check(text.ptr()) == 0) return i;
        std::size_t size = 0;
        const char* bytes = utf8_of(text, size);
        if (bytes == nullptr) return i;
        if (!self.lines.add_text({bytes, size})) return i;
    }
    return texts.size();
}

/// Adds points of texts that stand one after the other in UTF-8, from number `start` on; text i is from `offsets[i]` to
/// `offsets[i + 1]`. Returns how many of the texts are done: the next, if there is one, is left to the caller.
std::size_t add_column(TextReader& self, const Array<std::uint8_t>& bytes, const Array<std::int64_t>& offsets,
                       std::size_t start) {
    const std::span<const std::int64_t> ends = span_of(offsets);
    const bool right = !ends.empty() && ends.front() >= 0 && std::is_sorted(ends.begin(), ends.end()) &&
                       ends.back() <= static_cast<std::int64_t>(bytes.size());
    if (!right) throw std::invalid_argument("offsets must ascend, and end within the bytes");
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    nb::gil_scoped_release release;
    SignalPoll signals;
    for (std::size_t i = start; i + 1 < ends.size(); ++i) {
        const auto begin = static_cast<std::size_t>(ends[i]);
        if (!self.lines.add_text(all.substr(begin, static_cast<std::size_t>(ends[i + 1]) - begin))) return i;
        signals.poll();
    }
    return ends.size() - 1;
}

nb::tuple take(TextReader& self) {
    WordBatch batch = self.lines.take();
    // Of hashed words nobody asks for the names.
    const nb::list words = self.lines.is_hashed() ? nb::list() : self.words.list_of(self.lines.words());
    const nb::list& known = self.classes.list_of(self.lines.classes());
    nb::list classes;
    for (const std::uint32_t number : batch.classes) classes.append(known[number]);
    if (self.lines.must_forget()) {
        self.words.clear();
        self.classes.clear();
    }
    return nb::make_tuple(batch.first_line, to_numpy(std::move(batch.indptr)), to_numpy(std::move(batch.indices)),
                          words, to_numpy(std::move(batch.labels)), classes);
}

}  // namespace

void bind_text_lines(nb::module_& module) {
    nb::class_<TextReader>(module, "TextLines",
                           "Reads label<TAB>text, or the lines of fastText, from text in blocks of whole lines.")
        .def(nb::init<bool, std::size_t, std::size_t, std::optional<FeatureId>, std::string>(), nb::arg("is_labelled"),
             nb::arg("shortest"), nb::arg("longest"), nb::arg("n_columns").none(), nb::arg("label_prefix") = "")
        .def("parse", &parse, nb::arg("text"), nb::arg("start"), nb::arg("most"), nb::arg("is_passed_over"),
             "Read lines from byte `start` on; return the byte after the last, and where the last begins if it is left "
             "to the caller, otherwise the same again.")
        .def("add_texts", &add_texts, nb::arg("texts"), nb::arg("start"))
        .def("add_column", &add_column, nb::arg("bytes"), nb::arg("offsets"), nb::arg("start"))
        .def(
            "add",
            [](TextReader& self, std::string_view label, const std::vector<std::string>& words) {
                self.lines.add(label, words);
            },
            nb::arg("label"), nb::arg("words"))
        .def("take", &take,
             nb::sig("def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], list[str], "
                     "NDArray[numpy.int64], list[str]]"))
        .def("__len__", [](const TextReader& self) { return self.lines.batch().size(); })
        .def("n_lines", [](const TextReader& self) { return self.lines.n_lines(); });
}

}  // namespace sapwood::bindings
