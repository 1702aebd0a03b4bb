#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "encode.hpp"
#include "name_limit.hpp"
#include "point.hpp"
#include "safe_names.hpp"
#include "sapwood/tree/point_maker.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood::bindings {

/// A point by its keys.
struct PointKeys {
    std::vector<KeyId> keys;
    std::vector<KeyId> numbers;
    std::vector<double> values;

    KeyedPoint view() const { return {keys, numbers, values}; }
};

/// Python's names for keys. A feature is a column of a matrix, called by its number, or any other hashable object; each
/// has a key, the number of its column or, for other objects, one that is given out from the largest downwards.
///
/// Guarantee: an object keeps its key for good, and none is ever taken back, because another thread, or code that runs
/// while a point is read, may have met it meanwhile. So a call that fails may leave a key without a feature: nobody
/// sees it, and the next call that needs it finds it. What only reads adds nothing. All of it needs the interpreter.
class Keys {
public:
    /// `vocabulary` is told which keys are values of a category.
    explicit Keys(Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    /// Columns are below this; the keys of all other features are not.
    static constexpr KeyId n_columns = KeyId{1} << 30;

    /// Bounds the memory of names: those for which there is no room share a few features (name_limit.hpp).
    void limit_names(std::size_t bytes) {
        limit_.emplace(bytes);
        for (const nb::object& name : names_) limit_->count(name);
    }

    /// Whether some names share features, so that two of one point may be the same.
    bool shares_names() const { return limit_ && limit_->is_full(); }

    /// The key of an object, if it has one.
    std::optional<KeyId> find(nb::handle object) const {
        if (PyUnicode_CheckExact(object.ptr())) return find_or_shared(object);
        const nb::object name = normal_form(object);
        if (const std::optional<KeyId> column = column_of(name)) return column;
        return find_or_shared(name);
    }

    /// The key of an object, a new one if it has none.
    KeyId find_or_make(nb::handle object) {
        const nb::object name = normal_form(object);
        if (const std::optional<KeyId> column = column_of(name)) return *column;
        if (const std::optional<KeyId> known = find_name(name)) return *known;
        return make(name);
    }

    /// The key of the value of a category, if it has one; and a new one if it has none.
    std::optional<KeyId> find_value(nb::handle attribute, nb::handle text) const {
        return find_or_shared(named_by(attribute, text));
    }
    KeyId find_or_make_value(nb::handle attribute, nb::handle text) {
        if (const std::optional<KeyId> known = find_name(named_by(attribute, text))) return *known;
        return make(category_type()(attribute, text));
    }

    /// What a key is called.
    nb::object name(KeyId key) const {
        if (key < n_columns) return nb::int_(key);
        return names_[number_of(key)];
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
            if (!key) key = find_or_shared(name);
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

    /// Names have numbers from 0 on, in the order in which they were given a key.
    std::size_t n_names() const { return names_.size(); }
    const nb::object& name_at(std::size_t number) const { return names_[number]; }
    static std::size_t number_of(KeyId key) { return static_cast<std::size_t>(largest - key); }

    /// The memory of the names, of what leads from a name to its key, and of the lists of both.
    std::size_t n_bytes() const { return names_.capacity() * sizeof(nb::object) + size_of(numbers_) + bytes_of_names_; }

private:
    static constexpr KeyId largest = std::numeric_limits<KeyId>::max();
    static constexpr KeyId no_key = -1;

    /// The key of the name with a number, as Python has it.
    static KeyId key_of(PyObject* number) { return static_cast<KeyId>(largest - PyLong_AsLong(number)); }

    /// Equal names are one feature, and are so in a file: a text of any class is the text that it is; what NumPy has of
    /// numbers, flags and text becomes what Python has, also in tuples, and True is 1.
    static nb::object normal_form(nb::handle object) {
        if (PyUnicode_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr())) return nb::borrow(object);
        nb::object plain = plain_name(nb::borrow(object));
        if (PyIndex_Check(plain.ptr()) == 0) return plain;
        nb::object number = nb::steal(PyNumber_Index(plain.ptr()));
        if (!number.is_valid()) nb::raise_python_error();
        return number;
    }

    /// The column that a number stands for; 1.0 equals 1, and so is the same feature.
    static std::optional<KeyId> column_of(nb::handle name) {
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

    std::optional<KeyId> find_name(nb::handle name) const {
        PyObject* known = PyUnicode_CheckExact(name.ptr())
                              ? PyDict_GetItemWithError(numbers_.ptr(), name.ptr())
                              : PyDict_GetItemWithError(numbers_.ptr(), safely_hashed(nb::borrow(name)).ptr());
        if (known != nullptr) return key_of(known);
        if (PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
            PyErr_Clear();
            throw nb::type_error(("features must be hashable, got " + repr_of(name)).c_str());
        }
        if (PyFloat_Check(name.ptr()) != 0 && has_nan(name)) {
            throw std::invalid_argument("features must equal themselves, got nan");
        }
        return std::nullopt;
    }

    /// The key of a name, or of the feature that it shares with others, if it has one.
    std::optional<KeyId> find_or_shared(nb::handle name) const {
        const std::optional<KeyId> known = find_name(name);
        if (known || !limit_ || !limit_->is_full()) return known;
        return find_name(NameLimit::shared_name(name));
    }

    static nb::object category_type() { return nb::module_::import_("sapwood.data.category").attr("Category"); }

    /// The number of the attribute that a name is a value of, given out in the order in which attributes are met.
    CategoryId category_of(const nb::object& name) {
        if (PyUnicode_Check(name.ptr()) == 0 || PyUnicode_CheckExact(name.ptr()) ||
            !nb::isinstance(name, category_type())) {
            return no_category;
        }
        const nb::object attribute = name.attr("attribute");
        const nb::object number = nb::int_(static_cast<CategoryId>(nb::len(categories_)));
        PyObject* stored = PyDict_SetDefault(categories_.ptr(), safely_hashed(attribute).ptr(), number.ptr());
        if (stored == nullptr) nb::raise_python_error();
        return static_cast<CategoryId>(PyLong_AsLong(stored));
    }

    KeyId make(const nb::object& name) {
        if (has_nan(name)) throw std::invalid_argument("features must equal themselves, got " + repr_of(name));
        if (limit_ && NameLimit::is_shared(name)) {
            throw std::invalid_argument("features must not be named as those that many names share, got " +
                                        repr_of(name));
        }
        if (!limit_ || limit_->takes(name)) return add(name);
        const nb::object shared = NameLimit::shared_name(name);
        const std::optional<KeyId> known = find_name(shared);
        return known ? *known : add(shared);
    }

    KeyId add(const nb::object& name) {
        if (names_.size() >= static_cast<std::size_t>(largest - n_columns)) {
            throw std::overflow_error("features that are no columns must be at most " +
                                      std::to_string(largest - n_columns) + ", got one more");
        }
        // The place is taken before the dictionary compares names, which may run code that needs a place as well.
        const auto key = static_cast<KeyId>(largest - static_cast<KeyId>(names_.size()));
        names_.push_back(name);
        const CategoryId category = category_of(name);
        if (category != no_category) vocabulary_.set_category(key, category);
        const nb::object number = nb::int_(number_of(key));
        const nb::object hashed = safely_hashed(name);
        bytes_of_names_ += size_of(name) + size_of(number) + (hashed.is(name) ? 0 : size_of(hashed));
        PyObject* stored = PyDict_SetDefault(numbers_.ptr(), hashed.ptr(), number.ptr());
        if (stored == nullptr) nb::raise_python_error();
        return key_of(stored);
    }

public:
    /// The same keys, each once, where it first stands. O(m) if they ascend or are few, O(m log m) otherwise.
    static std::vector<KeyId> without_repeats(std::vector<KeyId> keys) {
        if (std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end()) return keys;
        if (differ_in_low_bits(keys)) return keys;
        std::vector<KeyId> sorted(keys);
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return keys;
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        std::vector<bool> met(sorted.size());
        std::erase_if(keys, [&](KeyId key) {
            const auto place = std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin();
            if (met[static_cast<std::size_t>(place)]) return true;
            met[static_cast<std::size_t>(place)] = true;
            return false;
        });
        return keys;
    }

private:
    /// Whether no two keys have the same low bits, so that all of them differ. Names are numbered one after the other,
    /// and the few of a point seldom meet.
    static bool differ_in_low_bits(std::span<const KeyId> keys) {
        std::bitset<4096> met;
        if (keys.size() > met.size() / 32) return false;
        return std::all_of(keys.begin(), keys.end(), [&](KeyId key) {
            const std::size_t bits = static_cast<std::size_t>(key) % met.size();
            if (met[bits]) return false;
            met[bits] = true;
            return true;
        });
    }

    Vocabulary& vocabulary_;
    /// From names to their numbers, which Python reads faster than keys because they are small.
    nb::dict numbers_;
    std::vector<nb::object> names_;
    /// The numbers of attributes that are categories.
    nb::dict categories_;
    std::size_t bytes_of_names_ = 0;
    std::optional<NameLimit> limit_;
};

}  // namespace sapwood::bindings
