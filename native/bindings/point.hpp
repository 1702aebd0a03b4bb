#pragma once

#include <nanobind/nanobind.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/points.hpp"

namespace sapwood::bindings {

namespace nb = nanobind;

// From Python objects to a point. Each function throws, and names the parameter and the value, if an object is none.

inline std::string repr_of(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

/// Throws a TypeError in place of the one that Python has just raised. Any other error, an interrupt among them, is the
/// user's, and goes on as it is.
[[noreturn]] inline void throw_type_error(const std::string& constraint, nb::handle object) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
    PyErr_Clear();
    throw nb::type_error((constraint + ", got " + repr_of(object)).c_str());
}

/// The value of a Python integer from 0 to 2^31 - 1, and -1 of any other.
inline std::int32_t value_if_natural(PyObject* integer) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    const bool is_natural = overflow == 0 && value >= 0 && value <= std::numeric_limits<std::int32_t>::max();
    return is_natural ? static_cast<std::int32_t>(value) : -1;
}

/// What can stand for a Python integer, from 0 to 2^31 - 1. The texts say what it must be if it is not.
inline std::int32_t converted_natural(nb::handle item, const char* not_integer, const char* negative,
                                      const char* too_large) {
    const nb::object index = nb::steal(PyNumber_Index(item.ptr()));
    if (!index.is_valid()) throw_type_error(not_integer, item);
    const std::int32_t value = value_if_natural(index.ptr());
    if (value >= 0) return value;
    int overflow = 0;
    const bool is_negative = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow) < 0 && overflow <= 0;
    throw std::invalid_argument((is_negative ? negative : too_large) + (", got " + repr_of(index)));
}

/// A Python integer, or what can stand for one, from 0 to 2^31 - 1.
inline std::int32_t natural_of(nb::handle item, const char* not_integer, const char* negative, const char* too_large) {
    if (PyLong_CheckExact(item.ptr())) {
        if (const std::int32_t value = value_if_natural(item.ptr()); value >= 0) return value;
    }
    return converted_natural(item, not_integer, negative, too_large);
}

inline FeatureId feature_of(nb::handle item) {
    return natural_of(item, "feature must be an integer", "feature must not be negative",
                      "feature must be at most 2147483647");
}

inline std::vector<FeatureId> features_of(nb::handle features) {
    nb::object sequence = nb::steal(PySequence_Fast(features.ptr(), ""));
    if (!sequence.is_valid()) throw_type_error("features must be an iterable of integers", features);
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence.ptr());
    std::vector<FeatureId> ids;
    ids.reserve(static_cast<std::size_t>(size));
    // The size is asked for again because the conversion of an item may run code that changes a list.
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {
        ids.push_back(natural_of(nb::borrow(PySequence_Fast_GET_ITEM(sequence.ptr(), i)), "features must be integers",
                                 "features must not be negative", "features must be at most 2147483647"));
    }
    check_features(ids);
    return ids;
}

inline Label label_of(nb::handle label, int n_classes) {
    const double value = PyFloat_AsDouble(label.ptr());
    const bool is_number = PyErr_Occurred() == nullptr;
    if (!is_number) {
        // What is no number, or too large for one, is no label; any other error is the user's.
        const bool expected = PyErr_ExceptionMatches(PyExc_TypeError) != 0 ||
                              PyErr_ExceptionMatches(PyExc_ValueError) != 0 ||
                              PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
        if (!expected) nb::raise_python_error();
        PyErr_Clear();
    }
    // A string is no number to PyFloat_AsDouble, and NaN is in no range.
    if (is_number && value >= 0 && value < n_classes) {
        const auto y = static_cast<Label>(value);
        if (y == value) return y;
    }
    const std::string classes = n_classes == 2 ? "0 or 1" : "from 0 to " + std::to_string(n_classes - 1);
    throw std::invalid_argument("label must be " + classes + ", got " + repr_of(label));
}

inline Count weight_of(nb::handle weight) {
    return natural_of(weight, "weight must be a non-negative integer", "weight must be a non-negative integer",
                      "weight must be at most 2147483647");
}

}  // namespace sapwood::bindings
