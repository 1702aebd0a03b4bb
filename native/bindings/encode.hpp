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
#include "safe_names.hpp"

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

/// pandas.NA, pandas.NaT and NumPy's NaT, which are known by the names of their types: pandas need not be there.
inline bool is_missing_object(nb::handle value) {
    const std::string_view type = Py_TYPE(value.ptr())->tp_name;
    return type == "NoneType" || type == "pandas._libs.missing.NAType" || type == "NAType" || type == "NaTType" ||
           type == "pandas._libs.tslibs.nattype.NaTType";
}

inline Meaning meaning_of_number(double number, std::optional<double> binarize) {
    if (std::isnan(number)) return Meaning::off;  // missing
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
    if (is_missing_object(value)) return Meaning::off;
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
                const nb::object item = plain_text(nb::borrow(PyList_GET_ITEM(value.ptr(), i)));
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

// ---- the one rule -------------------------------------------------------------------------------------------------
//
//     value                          becomes
//     True, False (or NumPy's)       a flag, on or off
//     a finite number                a number
//     text                           the value of a category
//     a list of texts                the flag "key=text" for each
//     None, NaN, NA, NaT, ""         missing, and so is text that is in `missing`
//     a dict                         what its items become, with the key "key.item"
//     infinity, anything else        an error

/// What points are read into: `flag(key)`, `category(key, text)` and `number(key, value)` are called for what is on or
/// present, in the order of the point.
template <class T>
concept Sink = requires(T sink, nb::handle object, double value) {
    sink.flag(object);
    sink.category(object, object);
    sink.number(object, value);
};

[[noreturn]] inline void refuse_typed(nb::handle key, nb::handle value) {
    throw nb::type_error(("x must hold numbers, booleans, texts, lists of texts, dicts and None, got " +
                          repr_of(value) + " for " + repr_of(key))
                             .c_str());
}

/// "key.item", the name of an item of a dict within a point.
inline nb::object nested_name(nb::handle key, nb::handle item) {
    nb::object name = nb::steal(PyUnicode_FromFormat("%S.%S", key.ptr(), item.ptr()));
    if (!name.is_valid()) nb::raise_python_error();
    return name;
}

/// Calls `use(key, value)` for each item of a dict or another mapping; texts are plain.
template <class Use>
void for_each_item(nb::handle x, Use&& use) {
    if (PyDict_Check(x.ptr()) != 0) {
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        Py_ssize_t position = 0;
        const Py_ssize_t size = PyDict_GET_SIZE(x.ptr());
        while (PyDict_Next(x.ptr(), &position, &key, &value) != 0) {
            const nb::object held_key = nb::borrow(key);
            const nb::object held_value = nb::borrow(value);
            use(plain_text(held_key), plain_text(held_value));
            if (PyDict_GET_SIZE(x.ptr()) != size) throw std::runtime_error("x must not change while it is read");
        }
        return;
    }
    const nb::object items = x.attr("items")();
    for (const nb::handle item : items) {
        const nb::object key = plain_text(item[0]);
        const nb::object value = plain_text(item[1]);
        use(key, value);
    }
}

/// How deep dicts may be within a point: one that holds itself has no end.
inline constexpr int deepest_point = 32;

/// Reads one item. `missing`: a set of texts that stand for a missing value, or None.
template <Sink S>
void read_item(const nb::object& key, const nb::object& value, nb::handle missing, S& sink, int depth = 0) {
    PyObject* object = value.ptr();
    const auto take_number = [&](double number) {
        if (std::isnan(number)) return;
        if (std::isinf(number)) refuse_value(Meaning::not_finite, key, value);
        sink.number(key, number);
    };
    if (PyFloat_Check(object) != 0) return take_number(PyFloat_AS_DOUBLE(object));
    if (!PyLong_CheckExact(object)) {
        if (PyUnicode_Check(object) != 0) {
            if (PyUnicode_GET_LENGTH(object) == 0) return;
            if (!missing.is_none()) {
                const int is_missing = PySet_Contains(missing.ptr(), object);
                if (is_missing < 0) nb::raise_python_error();
                if (is_missing == 1) return;
            }
            return sink.category(key, value);
        }
        if (PyBool_Check(object) || is_numpy_bool(value)) {
            const int truth = PyObject_IsTrue(object);
            if (truth < 0) nb::raise_python_error();
            if (truth == 1) sink.flag(key);
            return;
        }
        if (is_missing_object(value)) return;
        if (PyDict_Check(object) != 0) {
            if (depth == deepest_point) {
                throw std::invalid_argument("x must hold dicts at most " + std::to_string(deepest_point) +
                                            " deep, got more for " + repr_of(key));
            }
            return for_each_item(value, [&](const nb::object& item, const nb::object& inner) {
                read_item(nested_name(key, item), inner, missing, sink, depth + 1);
            });
        }
        if (PyList_Check(object) != 0) {
            // Neither the length of the list nor its items are what they were once the sink has run.
            for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
                const nb::object item = plain_text(nb::borrow(PyList_GET_ITEM(object, i)));
                if (PyUnicode_Check(item.ptr()) == 0) refuse_typed(key, value);
                sink.flag(named_by(key, item));
            }
            return;
        }
    }
    const double number = PyFloat_AsDouble(object);
    if (number != -1.0 || PyErr_Occurred() == nullptr) return take_number(number);
    if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0 && PyLong_Check(object) != 0) {
        PyErr_Clear();
        throw std::invalid_argument("x must hold finite numbers, got one beyond 1.8e308 for " + repr_of(key));
    }
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
    PyErr_Clear();
    refuse_typed(key, value);
}

[[noreturn]] inline void refuse_point(nb::handle x) {
    throw nb::type_error(("x must be a dict or an iterable of active features, got " + repr_of(x)).c_str());
}

/// Refuses a row of values, whose entries would be taken for names.
inline void check_no_row(nb::handle x) {
    const bool is_sparse = nb::hasattr(x, "tocsr");
    if (!is_sparse && !nb::hasattr(x, "dtype")) return;
    std::string kind = "f";
    if (!is_sparse) {
        const nb::object dtype = x.attr("dtype");
        // The types of polars have no kind, but names such as Float64 and Boolean.
        const bool has_kind = nb::hasattr(dtype, "kind");
        kind = nb::cast<std::string>(nb::str(has_kind ? nb::object(dtype.attr("kind")) : dtype));
        if (!has_kind && !kind.empty()) kind = kind.substr(0, 1) == "F" ? "f" : kind.substr(0, 1) == "B" ? "b" : kind;
    }
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

/// Calls `use(key)` for each item of an iterable of features that are on; texts are plain.
template <class Use>
void for_each_flag(nb::handle x, Use&& use) {
    // What an iterator of a list or a tuple does, without asking what else it may be. `use` may change the list.
    if (PyList_CheckExact(x.ptr())) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(x.ptr()); ++i) {
            const nb::object key = plain_text(nb::borrow(PyList_GET_ITEM(x.ptr(), i)));
            use(nb::handle(key));
        }
        return;
    }
    if (PyTuple_CheckExact(x.ptr())) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(x.ptr()); ++i) {
            const nb::object key = plain_text(nb::borrow(PyTuple_GET_ITEM(x.ptr(), i)));
            use(nb::handle(key));
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
        const nb::object given = nb::steal(item);
        const nb::object key = plain_text(given);
        use(nb::handle(key));
    }
    if (PyErr_Occurred() != nullptr) nb::raise_python_error();
}

/// How many items a point has, if it is of one of Python's own types; else 0. For the room that is made beforehand.
inline std::size_t n_items_of(nb::handle x) {
    if (PyDict_Check(x.ptr()) != 0) return static_cast<std::size_t>(PyDict_GET_SIZE(x.ptr()));
    if (PyList_Check(x.ptr()) != 0) return static_cast<std::size_t>(PyList_GET_SIZE(x.ptr()));
    if (PyTuple_Check(x.ptr()) != 0) return static_cast<std::size_t>(PyTuple_GET_SIZE(x.ptr()));
    return 0;
}

/// Reads a point by the one rule: a dict or another mapping from keys to values, or any other iterable of flags that
/// are on. Throws if x is no point, after the sink has been called for what precedes the error.
template <Sink S>
void read_point(nb::handle x, nb::handle missing, S& sink) {
    if (PyDict_Check(x.ptr()) != 0 || has_items(x)) {
        return for_each_item(
            x, [&](const nb::object& key, const nb::object& value) { read_item(key, value, missing, sink); });
    }
    for_each_flag(x, [&](nb::handle key) { sink.flag(key); });
}

/// Calls `use(key)` for each active feature of a point, in its order: a dict or other mapping from features to values,
/// or any other iterable of active features. A feature may come more than once. Throws if x is no point, after `use`
/// has been called for what precedes the error.
template <class Use>
void for_each_active(nb::handle x, std::optional<double> binarize, Use&& use) {
    if (PyDict_Check(x.ptr()) != 0 || has_items(x)) {
        return for_each_item(x, [&](const nb::object& key, const nb::object& value) {
            for_each_active_of_item(key, value, binarize, use);
        });
    }
    for_each_flag(x, use);
}

}  // namespace sapwood::bindings
