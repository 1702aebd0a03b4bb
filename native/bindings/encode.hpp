#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "point.hpp"

namespace sapwood::bindings {

// What a key and its value become: the one rule, for single points, JSON lines and the cells of CSV.
//
//     value                     active keys
//     True, False (or NumPy's)  the key, or none, whatever the threshold
//     a finite number           the key where the number is greater than `binarize`; without a threshold it must be 0
//     or 1 text                      "key=text" a list of texts           "key=text" for each None none
//
// Nothing here knows ids or a vocabulary. Any call may run code of the user's (a key's __str__, a value's __float__,
// an iterator), so nothing that such code could change is relied upon from one item to the next.

/// What a value says of its key. The last three are refused.
enum class Meaning { off, on, text, texts, no_value, not_finite, not_binary };

inline bool is_numpy_bool(nb::handle value) {
    const std::string_view type = Py_TYPE(value.ptr())->tp_name;
    return type == "numpy.bool" || type == "numpy.bool_";
}

inline bool is_list_of_texts(nb::handle value) {
    if (PyList_Check(value.ptr()) == 0) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value.ptr()); ++i) {
        if (PyUnicode_Check(PyList_GET_ITEM(value.ptr(), i)) == 0) return false;
    }
    return true;
}

inline Meaning meaning_of_number(double number, std::optional<double> binarize) {
    if (!std::isfinite(number)) return Meaning::not_finite;
    if (binarize) return number > *binarize ? Meaning::on : Meaning::off;
    if (number == 1) return Meaning::on;
    return number == 0 ? Meaning::off : Meaning::not_binary;
}

/// What a value means. An error that a value of the user's own raises goes on, but for a TypeError: it is no number.
inline Meaning meaning_of(nb::handle value, std::optional<double> binarize) {
    PyObject* object = value.ptr();
    if (PyFloat_Check(object) != 0) return meaning_of_number(PyFloat_AS_DOUBLE(object), binarize);
    // Most values are integers, which need not be compared with all else.
    if (!PyLong_CheckExact(object)) {
        if (PyUnicode_Check(object) != 0) return Meaning::text;
        if (PyBool_Check(object) || is_numpy_bool(value)) {
            const int truth = PyObject_IsTrue(object);
            if (truth < 0) nb::raise_python_error();
            return truth == 1 ? Meaning::on : Meaning::off;
        }
        if (object == Py_None) return Meaning::off;
    }
    const double number = PyFloat_AsDouble(object);
    if (number != -1.0 || PyErr_Occurred() == nullptr) return meaning_of_number(number, binarize);
    if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0 && PyLong_Check(object) != 0) {
        // An integer beyond every double is as good as any other that is beyond the threshold.
        PyErr_Clear();
        int sign = 0;
        PyLong_AsLongLongAndOverflow(object, &sign);
        if (!binarize) return Meaning::not_binary;
        return sign > 0 ? Meaning::on : Meaning::off;
    }
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
    PyErr_Clear();
    return is_list_of_texts(value) ? Meaning::texts : Meaning::no_value;
}

[[noreturn]] inline void refuse_value(Meaning meaning, nb::handle key, nb::handle value) {
    const std::string got = ", got " + repr_of(value) + " for " + repr_of(key);
    if (meaning == Meaning::not_finite) throw std::invalid_argument("x must hold finite numbers" + got);
    if (meaning == Meaning::not_binary)
        throw std::invalid_argument("x must hold 0 and 1 only if binarize is None" + got);
    throw nb::type_error(("x must hold numbers, booleans, strings, lists of strings and None" + got).c_str());
}

/// "key=text", the feature that a value which is text makes of its key.
inline nb::object named_by(nb::handle key, nb::handle text) {
    if (!PyUnicode_CheckExact(key.ptr())) {
        nb::object name = nb::steal(PyUnicode_FromFormat("%S=%U", key.ptr(), text.ptr()));
        if (!name.is_valid()) nb::raise_python_error();
        return name;
    }
    const Py_ssize_t before = PyUnicode_GET_LENGTH(key.ptr());
    const Py_ssize_t after = PyUnicode_GET_LENGTH(text.ptr());
    const Py_UCS4 widest = std::max(PyUnicode_MAX_CHAR_VALUE(key.ptr()), PyUnicode_MAX_CHAR_VALUE(text.ptr()));
    nb::object name = nb::steal(PyUnicode_New(before + 1 + after, std::max<Py_UCS4>(widest, '=')));
    if (!name.is_valid() || PyUnicode_CopyCharacters(name.ptr(), 0, key.ptr(), 0, before) < 0 ||
        PyUnicode_WriteChar(name.ptr(), before, '=') < 0 ||
        PyUnicode_CopyCharacters(name.ptr(), before + 1, text.ptr(), 0, after) < 0) {
        nb::raise_python_error();
    }
    return name;
}

/// Calls `use(key)` for each feature that a key with a value makes active.
template <class Use>
void for_each_active_of_item(const nb::object& key, const nb::object& value, std::optional<double> binarize,
                             Use&& use) {
    switch (const Meaning meaning = meaning_of(value, binarize)) {
        case Meaning::off:
            return;
        case Meaning::on:
            return use(nb::handle(key));
        case Meaning::text:
            return use(nb::handle(named_by(key, value)));
        case Meaning::texts:
            // Neither the length of the list nor its items are what they were once `use` has run.
            for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value.ptr()); ++i) {
                const nb::object item = nb::borrow(PyList_GET_ITEM(value.ptr(), i));
                if (PyUnicode_Check(item.ptr()) == 0) refuse_value(Meaning::no_value, key, value);
                use(nb::handle(named_by(key, item)));
            }
            return;
        case Meaning::no_value:
        case Meaning::not_finite:
        case Meaning::not_binary:
            refuse_value(meaning, key, value);
    }
}

[[noreturn]] inline void refuse_point(nb::handle x) {
    throw nb::type_error(("x must be a dict or an iterable of active features, got " + repr_of(x)).c_str());
}

/// Refuses a row of values, whose entries would be taken for names.
inline void check_no_row(nb::handle x) {
    const bool is_sparse = nb::hasattr(x, "tocsr");
    if (!is_sparse && !nb::hasattr(x, "dtype")) return;
    const std::string kind = is_sparse ? "f" : nb::cast<std::string>(nb::str(x.attr("dtype").attr("kind")));
    if (kind != "f" && kind != "b" && kind != "c") return;
    throw nb::type_error(
        "x must be a dict or an iterable of active features, got a row of values: pass a matrix "
        "to partial_fit or predict instead");
}

/// Whether something that is no dict has items. What Python calls a mapping includes lists and tuples, which are the
/// usual iterables and so are told apart first.
inline bool has_items(nb::handle x) {
    if (PyList_Check(x.ptr()) != 0 || PyTuple_Check(x.ptr()) != 0 || PyAnySet_Check(x.ptr()) != 0) return false;
    return PyMapping_Check(x.ptr()) != 0 && nb::hasattr(x, "items");
}

/// Calls `use(key)` for each active feature of a point, in its order: a dict or other mapping from features to values,
/// or any other iterable of active features. A feature may come more than once. Throws if x is no point, after `use`
/// has been called for what precedes the error.
template <class Use>
void for_each_active(nb::handle x, std::optional<double> binarize, Use&& use) {
    if (PyDict_Check(x.ptr()) != 0) {
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        Py_ssize_t position = 0;
        const Py_ssize_t size = PyDict_GET_SIZE(x.ptr());
        while (PyDict_Next(x.ptr(), &position, &key, &value) != 0) {
            for_each_active_of_item(nb::borrow(key), nb::borrow(value), binarize, use);
            if (PyDict_GET_SIZE(x.ptr()) != size) throw std::runtime_error("x must not change while it is read");
        }
        return;
    }
    if (has_items(x)) {
        const nb::object items = x.attr("items")();
        for (const nb::handle item : items) {
            const nb::object key = item[0];
            const nb::object value = item[1];
            for_each_active_of_item(key, value, binarize, use);
        }
        return;
    }
    if (PyUnicode_Check(x.ptr()) != 0 || PyBytes_Check(x.ptr()) != 0) refuse_point(x);
    check_no_row(x);
    const nb::object iterator = nb::steal(PyObject_GetIter(x.ptr()));
    if (!iterator.is_valid()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
        PyErr_Clear();
        refuse_point(x);
    }
    while (PyObject* item = PyIter_Next(iterator.ptr())) {
        const nb::object key = nb::steal(item);
        use(nb::handle(key));
    }
    if (PyErr_Occurred() != nullptr) nb::raise_python_error();
}

}  // namespace sapwood::bindings
