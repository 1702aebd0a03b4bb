#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/read/text_table.hpp"

namespace sapwood::bindings {

namespace nb = nanobind;

/// A text of UTF-8 as Python's; none, without an error, if it is not UTF-8.
inline nb::object string_of(std::string_view bytes) {
    nb::object text = nb::steal(PyUnicode_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
    if (!text.is_valid()) {
        if (PyErr_ExceptionMatches(PyExc_UnicodeDecodeError) == 0) nb::raise_python_error();
        PyErr_Clear();
    }
    return text;
}

/// The bytes of a text in UTF-8; nullptr, without an error, if it has half of a pair of surrogates.
inline const char* utf8_of(nb::handle text, std::size_t& length) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) PyErr_Clear();
    length = static_cast<std::size_t>(size);
    return bytes;
}

/// What follows a byte, for a method that is told of the whole as `what`. Throws std::invalid_argument beyond the end.
inline std::string_view from_byte(const nb::bytes& bytes, std::size_t start, const char* what) {
    const std::string_view all(bytes.c_str(), bytes.size());
    if (start > all.size()) {
        throw std::invalid_argument("start must be at most the " + std::to_string(all.size()) + " bytes of the " +
                                    what + ", got " + std::to_string(start));
    }
    return all.substr(start);
}

/// Texts of a table as Python's, each made once, in a list that grows with the table.
class Strings {
public:
    const nb::list& list_of(const TextTable& table) {
        for (std::size_t number = made_.size(); number < table.size(); ++number) {
            made_.append(string_of(table.text(static_cast<std::uint32_t>(number))));
        }
        return made_;
    }

    /// Begins another list; whoever has the last keeps it.
    void clear() { made_ = nb::list(); }

private:
    nb::list made_;
};

}  // namespace sapwood::bindings
