#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "point.hpp"
#include "sapwood/storage/feature_index.hpp"

namespace sapwood::bindings {

/// The features of a tree: what they are called, and their slots, dense numbers in the order of first appearance.
///
/// A feature is a column of a matrix, called by its number, or any other hashable object. Each has an id, the number of
/// its column or, for other objects, one that is given out from the largest downwards; ids are found in `index` without
/// the interpreter. `ids` and `keys` need it.
class Vocabulary {
public:
    /// Columns are below this; the ids of all other features are not.
    static constexpr FeatureId n_columns = FeatureId{1} << 30;

    FeatureIndex index;

    /// The id of a feature by what it is called. A new one is given an id if `make` is set, else there is none.
    std::optional<FeatureId> id_of(nb::handle key, bool make) {
        PyObject* object = key.ptr();
        if (PyFloat_Check(object) != 0) {
            // 1.0 equals 1, and so is the same feature.
            const double value = PyFloat_AS_DOUBLE(object);
            if (value == std::floor(value) && value >= 0 && value < static_cast<double>(n_columns)) {
                return static_cast<FeatureId>(value);
            }
        }
        if (!PyUnicode_CheckExact(object) && PyIndex_Check(object) != 0) {
            // NumPy's integers, and True, are equal to Python's and must be the same feature.
            nb::object number = nb::steal(PyNumber_Index(object));
            if (!number.is_valid()) nb::raise_python_error();
            int overflow = 0;
            const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
            if (overflow == 0 && value >= 0 && value < n_columns) return static_cast<FeatureId>(value);
            return id_of_other(number, make);
        }
        return id_of_other(key, make);
    }

    /// What a feature is called, by its id.
    nb::object key(FeatureId id) const {
        if (id < n_columns) return nb::int_(id);
        return keys_[static_cast<std::size_t>(largest - id)];
    }

    /// The slots of features that have been seen; the others are left out.
    void find(Features ids, std::vector<FeatureId>& slots) const {
        slots.clear();
        for (const FeatureId id : ids) {
            const Slot slot = index.find(id);
            if (slot != no_slot) slots.push_back(static_cast<FeatureId>(slot));
        }
    }

    void find_or_insert(Features ids, std::vector<FeatureId>& slots) {
        slots.resize(ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i) slots[i] = static_cast<FeatureId>(index.find_or_insert(ids[i]));
    }

    /// The ids of the active features of a point: a dict, in which a value is on where it is greater than `binarize`
    /// and text stands for the feature "key=text"; or any other iterable of active features. Without `binarize` numbers
    /// must be 0 or 1. Throws, and changes nothing, if it is neither.
    std::vector<FeatureId> point(nb::handle x, std::optional<double> binarize, bool make) {
        const std::size_t n_keys = keys_.size();
        try {
            return checked_point(x, binarize, make);
        } catch (...) {
            forget_beyond(n_keys);
            throw;
        }
    }

    std::size_t n_bytes() const { return index.n_bytes() + keys_.capacity() * sizeof(nb::object); }

private:
    static constexpr FeatureId largest = std::numeric_limits<FeatureId>::max();

    /// Whether something that is no dict has items. What Python calls a mapping includes lists and tuples, which are
    /// the usual iterables and so are told apart first.
    static bool is_mapping(nb::handle x) {
        if (PyList_Check(x.ptr()) != 0 || PyTuple_Check(x.ptr()) != 0 || PyAnySet_Check(x.ptr()) != 0) return false;
        return PyMapping_Check(x.ptr()) != 0 && nb::hasattr(x, "items");
    }

    std::vector<FeatureId> checked_point(nb::handle x, std::optional<double> binarize, bool make) {
        std::vector<FeatureId> found;
        if (PyDict_Check(x.ptr()) != 0) {
            PyObject* key = nullptr;
            PyObject* value = nullptr;
            Py_ssize_t position = 0;
            while (PyDict_Next(x.ptr(), &position, &key, &value) != 0) {
                add_item(nb::borrow(key), nb::borrow(value), binarize, make, found);
            }
        } else if (is_mapping(x)) {
            const nb::object items = x.attr("items")();
            for (const nb::handle item : items) add_item(item[0], item[1], binarize, make, found);
        } else {
            if (PyUnicode_Check(x.ptr()) != 0 || PyBytes_Check(x.ptr()) != 0) refuse(x);
            check_no_row(x);
            nb::object iterator = nb::steal(PyObject_GetIter(x.ptr()));
            if (!iterator.is_valid()) {
                if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
                PyErr_Clear();
                refuse(x);
            }
            while (PyObject* item = PyIter_Next(iterator.ptr())) add_key(nb::steal(item), make, found);
            if (PyErr_Occurred() != nullptr) nb::raise_python_error();
        }
        check_unique(found);
        return found;
    }

    /// Takes back the ids given out since there were so many, none of which is in the index yet.
    void forget_beyond(std::size_t n_keys) {
        while (keys_.size() > n_keys) {
            // An error of the user's own is on its way; this one cannot fail, as the key is there.
            PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
            PyErr_Fetch(&type, &value, &trace);
            if (PyDict_DelItem(ids_.ptr(), keys_.back().ptr()) != 0) PyErr_Clear();
            PyErr_Restore(type, value, trace);
            keys_.pop_back();
        }
    }

    /// Refuses a row of values, whose entries would be taken for names.
    static void check_no_row(nb::handle x) {
        const bool is_sparse = nb::hasattr(x, "tocsr");
        if (!is_sparse && !nb::hasattr(x, "dtype")) return;
        const std::string kind = is_sparse ? "f" : nb::cast<std::string>(nb::str(x.attr("dtype").attr("kind")));
        if (kind != "f" && kind != "b" && kind != "c") return;
        throw nb::type_error(
            "x must be a dict or an iterable of active features, got a row of values: pass a matrix "
            "to partial_fit or predict instead");
    }

    [[noreturn]] static void refuse(nb::handle x) {
        throw nb::type_error(("x must be a dict or an iterable of active features, got " + repr_of(x)).c_str());
    }

    std::optional<FeatureId> id_of_other(nb::handle key, bool make) {
        PyObject* known = PyDict_GetItemWithError(ids_.ptr(), key.ptr());
        if (known != nullptr) return static_cast<FeatureId>(PyLong_AsLong(known));
        if (PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
            PyErr_Clear();
            throw nb::type_error(("features must be hashable, got " + repr_of(key)).c_str());
        }
        if (PyFloat_Check(key.ptr()) != 0 && std::isnan(PyFloat_AS_DOUBLE(key.ptr()))) {
            throw std::invalid_argument("features must equal themselves, got nan");
        }
        if (!make) return std::nullopt;
        const auto id = static_cast<FeatureId>(largest - static_cast<FeatureId>(keys_.size()));
        keys_.push_back(nb::borrow(key));
        if (PyDict_SetItem(ids_.ptr(), key.ptr(), nb::int_(id).ptr()) != 0) {
            keys_.pop_back();
            nb::raise_python_error();
        }
        return id;
    }

    void add_key(nb::handle key, bool make, std::vector<FeatureId>& found) {
        if (const std::optional<FeatureId> id = id_of(key, make)) found.push_back(*id);
    }

    void add_item(nb::handle key, nb::handle value, std::optional<double> binarize, bool make,
                  std::vector<FeatureId>& found) {
        const std::string_view type = Py_TYPE(value.ptr())->tp_name;
        if (PyBool_Check(value.ptr()) != 0 || type == "numpy.bool" || type == "numpy.bool_") {
            // True is on and False is off, whatever the threshold.
            if (PyObject_IsTrue(value.ptr()) == 1) add_key(key, make, found);
            return;
        }
        if (PyUnicode_Check(value.ptr()) != 0) {
            nb::object name = nb::steal(PyUnicode_FromFormat("%S=%U", key.ptr(), value.ptr()));
            if (!name.is_valid()) nb::raise_python_error();
            add_key(name, make, found);
            return;
        }
        if (is_on(key, value, binarize)) add_key(key, make, found);
    }

    static bool is_on(nb::handle key, nb::handle value, std::optional<double> binarize) {
        const double number = PyFloat_AsDouble(value.ptr());
        if (PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
            PyErr_Clear();
            throw nb::type_error(
                ("x must hold numbers, booleans and strings, got " + repr_of(value) + " for " + repr_of(key)).c_str());
        }
        if (!std::isfinite(number)) {
            throw std::invalid_argument("x must hold finite numbers, got " + repr_of(value) + " for " + repr_of(key));
        }
        if (binarize) return number > *binarize;
        if (number != 0 && number != 1) {
            throw std::invalid_argument("x must hold 0 and 1 only if binarize is None, got " + repr_of(value) +
                                        " for " + repr_of(key));
        }
        return number == 1;
    }

    void check_unique(const std::vector<FeatureId>& found) const {
        if (std::adjacent_find(found.begin(), found.end(), std::greater_equal<>()) == found.end()) return;
        std::vector<FeatureId> sorted(found);
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice == sorted.end()) return;
        const nb::object name =
            *twice < n_columns ? nb::object(nb::int_(*twice)) : keys_[static_cast<std::size_t>(largest - *twice)];
        throw std::invalid_argument("features must be unique, got " + repr_of(name) + " twice");
    }

    nb::dict ids_;
    std::vector<nb::object> keys_;
};

}  // namespace sapwood::bindings
