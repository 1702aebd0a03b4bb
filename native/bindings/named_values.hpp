#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <string>

#include "point.hpp"
#include "sapwood/search/numbers/named_attributes.hpp"
#include "strings.hpp"

namespace sapwood::bindings {

// From Python mappings to numbers and categories by their names. What is None or NaN is missing.

/// The text of a name or a value. `what` says what it is.
inline std::string text_of(nb::handle object, const char* what) {
    if (PyUnicode_Check(object.ptr()) == 0) {
        throw nb::type_error((std::string(what) + " must be strings, got " + repr_of(object)).c_str());
    }
    std::size_t length = 0;
    const char* bytes = utf8_of(object, length);
    if (bytes == nullptr) {
        throw std::invalid_argument(std::string(what) + " must be text without half of a pair of surrogates, got " +
                                    repr_of(object));
    }
    return {bytes, length};
}

/// The items of a mapping, in its order; none for None.
inline nb::list items_of(nb::handle mapping, const char* constraint) {
    if (mapping.is_none()) return nb::list();
    PyObject* items = PyDict_Check(mapping.ptr()) != 0 ? PyDict_Items(mapping.ptr()) : nullptr;
    if (items == nullptr && PyErr_Occurred() == nullptr) items = PyMapping_Items(mapping.ptr());
    if (items == nullptr) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError) != 0) PyErr_SetString(PyExc_TypeError, "no mapping");
        throw_type_error(constraint, mapping);
    }
    return nb::steal<nb::list>(items);
}

inline double number_of(nb::handle value, const std::string& name) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
        throw_type_error("numbers must be numbers, or None where one is missing, and so must '" + name + "'", value);
    }
    if (std::isinf(number)) {
        throw std::invalid_argument("numbers must be finite, got " + repr_of(value) + " for '" + name + "'");
    }
    // Negative zero is zero.
    return number + 0.0;
}

inline NamedValues named_values_of(nb::handle numbers, nb::handle categories) {
    NamedValues values;
    if (numbers.is_none() && categories.is_none()) return values;
    for (const nb::handle item : items_of(numbers, "numbers must be a mapping of names to numbers")) {
        const nb::object key = item[0];
        const nb::object value = item[1];
        std::string name = text_of(key, "names of numbers");
        if (value.is_none()) continue;
        const double number = number_of(value, name);
        if (!std::isnan(number)) values.numbers.emplace_back(std::move(name), number);
    }
    for (const nb::handle item : items_of(categories, "categories must be a mapping of names to values")) {
        const nb::object key = item[0];
        const nb::object value = item[1];
        std::string name = text_of(key, "names of categories");
        if (!value.is_none()) values.categories.emplace_back(std::move(name), text_of(value, "values of categories"));
    }
    return values;
}

}  // namespace sapwood::bindings
