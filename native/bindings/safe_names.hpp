#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <string>

namespace sapwood::bindings {

namespace nb = nanobind;

// Python seeds its hashes of text and bytes in every process, but not those of numbers: integers beyond 64 bits, and
// tuples of any numbers, can be chosen so that thousands have the same hash, and a dictionary of them takes quadratic
// time. As text they are safe.

namespace detail {

inline nb::object checked(PyObject* made) {
    if (made == nullptr) nb::raise_python_error();
    return nb::steal(made);
}

inline bool is_whole_float(nb::handle name) {
    if (PyFloat_Check(name.ptr()) == 0) return false;
    const double value = PyFloat_AS_DOUBLE(name.ptr());
    return std::isfinite(value) && value == std::floor(value);
}

/// An integer, or a float that equals one, in hexadecimal: the decimals of large ones are limited.
inline nb::object hexadecimal(nb::handle number) {
    const nb::object whole = checked(PyNumber_Long(number.ptr()));
    return checked(PyNumber_ToBase(whole.ptr(), 16));
}

inline bool is_number(nb::handle name) { return PyLong_Check(name.ptr()) != 0 || PyFloat_Check(name.ptr()) != 0; }

inline bool is_plain_tuple(nb::handle name) {
    return PyTuple_Check(name.ptr()) != 0 && Py_TYPE(name.ptr())->tp_richcompare == PyTuple_Type.tp_richcompare;
}

/// Whether a number is somewhere in a tuple.
inline bool has_number(nb::handle tuple) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.ptr()); ++i) {
        const nb::handle item = PyTuple_GET_ITEM(tuple.ptr(), i);
        if (is_number(item) || (is_plain_tuple(item) && has_number(item))) return true;
    }
    return false;
}

/// Appends text that is the same for equal tuples, and for no others. Says whether there is one: not for tuples of
/// objects of which only they themselves know what they equal.
inline bool append_text(nb::handle name, std::string& text) {
    if (is_plain_tuple(name)) {
        text += '(';
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(name.ptr()); ++i) {
            if (!append_text(PyTuple_GET_ITEM(name.ptr(), i), text)) return false;
            text += ',';
        }
        text += ')';
        return true;
    }
    const bool is_text = PyUnicode_CheckExact(name.ptr()) != 0 || PyBytes_CheckExact(name.ptr()) != 0;
    if (PyLong_CheckExact(name.ptr()) != 0 || PyBool_Check(name.ptr()) != 0 || is_whole_float(name)) {
        text += nb::cast<std::string>(hexadecimal(name));
    } else if (is_text || name.is_none() || PyFloat_CheckExact(name.ptr()) != 0) {
        text += nb::cast<std::string>(checked(PyObject_ASCII(name.ptr())));
    } else {
        return false;
    }
    return true;
}

/// A type of a module. Never given back: it may be asked for when the interpreter is gone.
inline PyObject* type_of(const char* module_name, const char* name) {
    return nb::object(nb::module_::import_(module_name).attr(name)).release().ptr();
}

inline bool is_instance(nb::handle object, PyObject* type) {
    const int is_it = PyObject_IsInstance(object.ptr(), type);
    if (is_it < 0) nb::raise_python_error();
    return is_it != 0;
}

/// Whether an object is a number, a flag or bytes of NumPy's. Its dates and spans of time are no numbers: what they
/// amount to depends on their units.
inline bool is_of_numpy(nb::handle object) {
    static PyObject* const number = type_of("numpy", "number");
    static PyObject* const flag = type_of("numpy", "bool_");
    static PyObject* const bytes = type_of("numpy", "bytes_");
    static PyObject* const span = type_of("numpy", "timedelta64");
    if (is_instance(object, number)) return !is_instance(object, span);
    return is_instance(object, flag) || is_instance(object, bytes);
}

}  // namespace detail

/// A text as Python's own, whatever subclass of it an object is (of NumPy's, of an enumeration, ...): equal texts are
/// one feature, and a file knows no others. Those of ours stay: they know what they were made of. So does what is no
/// text.
///
/// Whoever asks holds the object: a finalizer may run meanwhile, and change the list or the dict that it came from.
inline nb::object plain_text(const nb::object& object) {
    if (PyUnicode_Check(object.ptr()) == 0 || PyUnicode_CheckExact(object.ptr())) return object;
    static PyObject* const category = detail::type_of("sapwood.data.category", "Category");
    static PyObject* const threshold = detail::type_of("sapwood.data.category", "Threshold");
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
    if (type == category || type == threshold) return object;
    nb::object text = nb::steal(PyUnicode_FromObject(object.ptr()));
    if (!text.is_valid()) nb::raise_python_error();
    return text;
}

/// A name as it is in a file: what is NumPy's has become Python's, and texts are plain, also in tuples. The same object
/// if it is so already.
inline nb::object plain_name(const nb::object& name) {
    if (PyUnicode_Check(name.ptr()) != 0) return plain_text(name);
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(name.ptr()));
    const bool is_python = type == reinterpret_cast<PyObject*>(&PyLong_Type) ||
                           type == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
                           type == reinterpret_cast<PyObject*>(&PyBytes_Type) || name.is_none();
    if (is_python) return name;
    if (PyTuple_CheckExact(name.ptr()) == 0) {
        return detail::is_of_numpy(name) ? nb::object(name.attr("item")()) : name;
    }
    const Py_ssize_t size = PyTuple_GET_SIZE(name.ptr());
    nb::object made;
    for (Py_ssize_t i = 0; i < size; ++i) {
        const nb::object item = nb::borrow(PyTuple_GET_ITEM(name.ptr(), i));
        nb::object plain = plain_name(item);
        if (plain.is(item)) continue;
        if (!made.is_valid()) made = detail::checked(PySequence_List(name.ptr()));
        if (PyList_SetItem(made.ptr(), i, plain.release().ptr()) != 0) nb::raise_python_error();
    }
    return made.is_valid() ? detail::checked(PyList_AsTuple(made.ptr())) : name;
}

/// Whether a name is, or is a tuple with, a number that does not equal itself, so that it would not be found again.
inline bool has_nan(nb::handle name) {
    if (PyFloat_Check(name.ptr()) != 0) return std::isnan(PyFloat_AS_DOUBLE(name.ptr()));
    if (PyTuple_Check(name.ptr()) == 0) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(name.ptr()); ++i) {
        if (has_nan(PyTuple_GET_ITEM(name.ptr(), i))) return true;
    }
    return false;
}

/// An object that stands for a name in a dictionary: two are equal just if the names are, and their hashes cannot be
/// foreseen. Most names stand for themselves.
inline nb::object safely_hashed(const nb::object& name) {
    if (PyUnicode_CheckExact(name.ptr()) != 0) return name;
    // No name that a user can give is a tuple with this object.
    const auto tagged = [](nb::handle text) {
        static PyObject* const tag = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
        return detail::checked(PyTuple_Pack(2, tag, text.ptr()));
    };
    // Eight integers of 64 bits at the most have the same hash, and few floats.
    constexpr double large = 0x1p63;
    if (PyLong_CheckExact(name.ptr()) != 0) {
        int overflow = 0;
        PyLong_AsLongLongAndOverflow(name.ptr(), &overflow);
        return overflow == 0 ? name : tagged(detail::hexadecimal(name));
    }
    if (PyFloat_CheckExact(name.ptr()) != 0) {
        const double value = PyFloat_AS_DOUBLE(name.ptr());
        const bool is_long = value >= large || value < -large;
        return is_long && detail::is_whole_float(name) ? tagged(detail::hexadecimal(name)) : name;
    }
    if (detail::is_plain_tuple(name) && detail::has_number(name)) {
        std::string text;
        if (detail::append_text(name, text)) return tagged(nb::str(text.data(), text.size()));
    }
    return name;
}

}  // namespace sapwood::bindings
