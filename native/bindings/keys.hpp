#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "encode.hpp"
#include "point.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood::bindings {

/// Python's names for keys. A feature is a column of a matrix, called by its number, or any other hashable object; each
/// has a key, the number of its column or, for other objects, one that is given out from the largest downwards.
///
/// Guarantee: an object keeps its key for good, and none is ever taken back, because another thread, or code that runs
/// while a point is read, may have met it meanwhile. So a call that fails may leave a key without a feature: nobody
/// sees it, and the next call that needs it finds it. What only reads adds nothing. All of it needs the interpreter.
class Keys {
public:
    /// Columns are below this; the keys of all other features are not.
    static constexpr KeyId n_columns = KeyId{1} << 30;

    /// The key of an object, if it has one.
    std::optional<KeyId> find(nb::handle object) const {
        const nb::object name = normal_form(object);
        if (const std::optional<KeyId> column = column_of(name)) return column;
        return find_name(name);
    }

    /// The key of an object, a new one if it has none.
    KeyId find_or_make(nb::handle object) {
        const nb::object name = normal_form(object);
        if (const std::optional<KeyId> column = column_of(name)) return *column;
        if (const std::optional<KeyId> known = find_name(name)) return *known;
        return make(name);
    }

    /// What a key is called.
    nb::object name(KeyId key) const {
        if (key < n_columns) return nb::int_(key);
        return names_[static_cast<std::size_t>(largest - key)];
    }

    /// The keys of the active features of a point that is only asked about; those of objects without one are left out.
    /// A feature that comes more than once counts once. Throws if it is no point (encode.hpp).
    std::vector<KeyId> known_point(nb::handle x, std::optional<double> binarize) const {
        std::vector<KeyId> keys;
        for_each_active(x, binarize, [&](nb::handle object) {
            if (const std::optional<KeyId> key = find(object)) keys.push_back(*key);
        });
        return without_repeats(std::move(keys));
    }

    /// The keys of the active features of a point that is to be learned. Throws, and adds nothing, if it is no point.
    std::vector<KeyId> new_point(nb::handle x, std::optional<double> binarize) {
        std::vector<KeyId> keys;
        // Objects without a key are given one when all have been read; `unnamed` has where they belong in `keys`.
        std::vector<nb::object> fresh;
        std::vector<std::size_t> unnamed;
        for_each_active(x, binarize, [&](nb::handle object) {
            const nb::object name = normal_form(object);
            std::optional<KeyId> key = column_of(name);
            if (!key) key = find_name(name);
            if (!key) {
                unnamed.push_back(keys.size());
                fresh.push_back(name);
            }
            keys.push_back(key.value_or(no_key));
        });
        for (std::size_t i = 0; i < unnamed.size(); ++i) {
            // It may have one by now: finding others may have run any code.
            const std::optional<KeyId> key = find_name(fresh[i]);
            keys[unnamed[i]] = key ? *key : make(fresh[i]);
        }
        return without_repeats(std::move(keys));
    }

    std::size_t n_bytes() const { return names_.capacity() * sizeof(nb::object); }

private:
    static constexpr KeyId largest = std::numeric_limits<KeyId>::max();
    static constexpr KeyId no_key = -1;

    /// Equal numbers are one feature: NumPy's integers and True become Python's integers.
    static nb::object normal_form(nb::handle object) {
        if (PyUnicode_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr()) || PyIndex_Check(object.ptr()) == 0) {
            return nb::borrow(object);
        }
        nb::object number = nb::steal(PyNumber_Index(object.ptr()));
        if (!number.is_valid()) nb::raise_python_error();
        return number;
    }

    /// The column that a number stands for; 1.0 equals 1, and so is the same feature.
    static std::optional<KeyId> column_of(const nb::object& name) {
        if (PyLong_Check(name.ptr()) != 0) {
            int overflow = 0;
            const long long value = PyLong_AsLongLongAndOverflow(name.ptr(), &overflow);
            if (overflow == 0 && value >= 0 && value < n_columns) return static_cast<KeyId>(value);
        } else if (PyFloat_Check(name.ptr()) != 0) {
            const double value = PyFloat_AS_DOUBLE(name.ptr());
            if (value == std::floor(value) && value >= 0 && value < static_cast<double>(n_columns)) {
                return static_cast<KeyId>(value);
            }
        }
        return std::nullopt;
    }

    std::optional<KeyId> find_name(const nb::object& name) const {
        PyObject* known = PyDict_GetItemWithError(keys_.ptr(), name.ptr());
        if (known != nullptr) return static_cast<KeyId>(PyLong_AsLong(known));
        if (PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
            PyErr_Clear();
            throw nb::type_error(("features must be hashable, got " + repr_of(name)).c_str());
        }
        if (PyFloat_Check(name.ptr()) != 0 && std::isnan(PyFloat_AS_DOUBLE(name.ptr()))) {
            throw std::invalid_argument("features must equal themselves, got nan");
        }
        return std::nullopt;
    }

    KeyId make(const nb::object& name) {
        if (names_.size() >= static_cast<std::size_t>(largest - n_columns)) {
            throw std::overflow_error("features that are no columns must be at most " +
                                      std::to_string(largest - n_columns) + ", got one more");
        }
        // The place is taken before the dictionary compares names, which may run code that needs a place as well.
        const auto key = static_cast<KeyId>(largest - static_cast<KeyId>(names_.size()));
        names_.push_back(name);
        const nb::object number = nb::int_(key);
        PyObject* stored = PyDict_SetDefault(keys_.ptr(), name.ptr(), number.ptr());
        if (stored == nullptr) nb::raise_python_error();
        return static_cast<KeyId>(PyLong_AsLong(stored));
    }

    /// The same keys, each once, where it first stands. O(m) if they ascend, O(m log m) otherwise.
    static std::vector<KeyId> without_repeats(std::vector<KeyId> keys) {
        if (std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end()) return keys;
        std::vector<KeyId> sorted(keys);
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return keys;
        // Rare, so that it need not be fast: points have hundreds of features, and few have one twice.
        std::unordered_set<KeyId> met;
        std::vector<KeyId> once;
        for (const KeyId key : keys) {
            if (met.insert(key).second) once.push_back(key);
        }
        return once;
    }

    nb::dict keys_;
    std::vector<nb::object> names_;
};

}  // namespace sapwood::bindings
