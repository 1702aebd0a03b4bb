#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sapwood::bindings {

namespace nb = nanobind;

/// The memory that an object of one of Python's own types takes; of others, what every object of the type does. Python
/// hands out blocks of 16 bytes, and puts two pointers before what its collector looks at.
inline std::size_t size_of(nb::handle object) {
    constexpr std::size_t block = 16;
    const bool is_known = PyBytes_CheckExact(object.ptr()) != 0 || PyLong_CheckExact(object.ptr()) != 0 ||
                          PyTuple_CheckExact(object.ptr()) != 0 || PyDict_CheckExact(object.ptr()) != 0;
    auto size = static_cast<std::size_t>(Py_TYPE(object.ptr())->tp_basicsize);
    if (PyUnicode_Check(object.ptr()) != 0) {
        // Text may be of a class of ours, or of anyone's, whose code is not run.
        const nb::object text = nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type));
        size = nb::cast<std::size_t>(text.attr("__sizeof__")(object));
    } else if (is_known) {
        size = nb::cast<std::size_t>(object.attr("__sizeof__")());
    }
    if (PyObject_IS_GC(object.ptr()) != 0) size += 2 * sizeof(void*);
    size = (size + block - 1) / block * block;
    if (PyTuple_CheckExact(object.ptr()) != 0) {
        for (const nb::handle item : nb::borrow<nb::tuple>(object)) size += size_of(item);
    }
    return size;
}

/// How much memory names may take, and what becomes of those for which there is no room: they share a few features,
/// each of which has a name of its own.
///
/// What a name takes is reckoned from above, and of text by its length alone, so that whether there is room for one
/// depends on the names before it and on no version of Python. Once one had no room no other has, however short it is:
/// so a name that was met twice is the same feature both times.
class NameLimit {
public:
    /// The features that are shared. Enough that the few new words of one text seldom meet; with their names they take
    /// a quarter of the least limit (`max_name_bytes` in the table of parameters).
    static constexpr std::uint32_t n_shared = 1024;

    explicit NameLimit(std::size_t bytes) : left_(bytes > of_shared ? bytes - of_shared : 0) {}

    /// Whether no further name is kept.
    bool is_full() const { return is_full_; }

    /// Whether a new name is kept, which then counts.
    bool takes(nb::handle name) {
        if (is_full_) return false;
        const std::size_t price = price_of(name);
        is_full_ = price > left_;
        if (!is_full_) left_ -= price;
        return !is_full_;
    }

    /// Counts a name that was kept before there was a limit, or the name of a shared feature: there is one only once
    /// there is no room.
    void count(nb::handle name) {
        if (is_shared(name)) {
            is_full_ = true;
        } else {
            takes(name);
        }
    }

    /// The name of the feature that a name shares. The same in every process.
    static nb::object shared_name(nb::handle name) {
        // FNV-1a, of 64 bits.
        std::uint64_t hash = 0xCBF29CE484222325u;
        for (const char byte : bytes_of(name)) {
            hash = (hash ^ static_cast<unsigned char>(byte)) * std::uint64_t{0x100000001B3u};
        }
        // Its low bits alone depend on the low bits of the bytes alone.
        const std::string made = prefix + std::to_string((hash ^ hash >> 32) % n_shared) + ")";
        return nb::str(made.data(), made.size());
    }

    /// Whether a name begins as those of shared features do.
    static bool is_shared(nb::handle name) {
        if (PyUnicode_Check(name.ptr()) == 0) return false;
        const nb::object start = nb::str(prefix);
        return PyUnicode_Tailmatch(name.ptr(), start.ptr(), 0, PY_SSIZE_T_MAX, -1) == 1;
    }

private:
    /// With which the names of shared features begin.
    static constexpr const char* prefix = "(other names ";

    // Of every name: its number, an integer of Python's, 32 bytes; what leads from the name to that, at most 60 in a
    // dictionary that has just doubled; its place in a list that may have doubled, 16; and the index of the core, of a
    // list that may have doubled, 8, and a table that is a quarter full, 32.
    static constexpr std::size_t of_any = 32 + 60 + 16 + 8 + 32;
    // Of text, beside its characters and a zero, in every version of Python, up to the next block of 16 bytes.
    static constexpr std::size_t of_text = 88;
    static constexpr std::size_t of_shared = n_shared * (of_any + of_text + 20) + 8192;

    static std::size_t price_of(nb::handle name) {
        if (PyUnicode_Check(name.ptr()) != 0) {
            const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name.ptr()));
            const std::size_t price = of_any + of_text + (length + 1) * PyUnicode_KIND(name.ptr());
            // The value of a category also has the text of the value alone.
            return PyUnicode_CheckExact(name.ptr()) != 0 ? price : 2 * price;
        }
        return of_any + size_of(name);
    }

    /// A name as it is written alike with all that it equals: 2.0 is 2, also within tuples.
    static nb::object as_written(nb::handle name) {
        if (PyFloat_CheckExact(name.ptr()) != 0 && nb::cast<bool>(name.attr("is_integer")())) {
            return nb::steal(PyNumber_Long(name.ptr()));
        }
        if (PyBool_Check(name.ptr()) != 0) return nb::steal(PyNumber_Index(name.ptr()));
        if (PyTuple_CheckExact(name.ptr()) == 0) return nb::borrow(name);
        nb::list items;
        for (const nb::handle item : nb::borrow<nb::tuple>(name)) items.append(as_written(item));
        return nb::tuple(items);
    }

    /// Bytes that are the same for equal names of Python's own types.
    static std::string bytes_of(nb::handle name) {
        const bool is_text = PyUnicode_Check(name.ptr()) != 0;
        const nb::object text =
            nb::steal(is_text ? PyUnicode_AsEncodedString(name.ptr(), "utf-8", "surrogatepass")
                              : PyUnicode_AsEncodedString(nb::repr(as_written(name)).ptr(), "utf-8", "surrogatepass"));
        if (!text.is_valid()) nb::raise_python_error();
        const auto bytes = nb::borrow<nb::bytes>(text);
        return {bytes.c_str(), bytes.size()};
    }

    std::size_t left_;
    bool is_full_ = false;
};

}  // namespace sapwood::bindings
