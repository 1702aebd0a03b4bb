#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keys.hpp"
#include "sapwood/dynamic/feature_order.hpp"

namespace sapwood::bindings {

/// The order of features by what they are called: columns by number, before all names; names by a text that tells their
/// type and value. It does not depend on when a feature came, and is the same in every process.
///
/// Names are told apart by None, numbers, text, bytes and tuples of these, as in the files of models; any other object
/// has no order that another process would know.
class NameOrder final : public FeatureOrder {
public:
    bool comes_before(FeatureId a, FeatureId b) const override {
        const KeyId left = keys_[static_cast<std::size_t>(a)];
        const KeyId right = keys_[static_cast<std::size_t>(b)];
        if (left < Keys::n_columns || right < Keys::n_columns) return left < right;
        return texts_[Keys::number_of(left)] < texts_[Keys::number_of(right)];
    }

    /// Reads the texts of all names that are new. It needs the interpreter, runs no code of the user's, and no other
    /// thread may read the order meanwhile.
    void read(const Keys& keys) {
        while (texts_.size() < keys.n_names()) texts_.push_back(text_of(keys.name_at(texts_.size()), 0).value_or(""));
    }

    /// Throws a TypeError if one of the keys has no place in the order. It needs the interpreter.
    void check(std::span<const KeyId> asked, const Keys& keys) const {
        for (const KeyId key : asked) {
            if (key < Keys::n_columns || !texts_[Keys::number_of(key)].empty()) continue;
            const std::string text =
                "features must be None, numbers, text, bytes or tuples of these for a tree that forgets, because their "
                "order settles ties, got " +
                repr_of(keys.name(key));
            throw nb::type_error(text.c_str());
        }
    }

    /// Takes over what the features are, by number.
    void follow(const std::vector<KeyId>& keys) {
        keys_.insert(keys_.end(), keys.begin() + static_cast<std::ptrdiff_t>(keys_.size()), keys.end());
    }

    std::size_t n_bytes() const {
        std::size_t bytes = keys_.capacity() * sizeof(KeyId) + texts_.capacity() * sizeof(std::string);
        for (const std::string& text : texts_) bytes += text.capacity() > 15 ? text.capacity() + 1 : 0;
        return bytes;
    }

private:
    /// The text of a name, never empty; nothing if it has none.
    static std::optional<std::string> text_of(nb::handle name, int depth) {
        constexpr int deepest = 32;  // as in the files of models
        PyObject* object = name.ptr();
        if (object == Py_None) return "0";
        if (PyLong_CheckExact(object)) return "1" + repr_of(name);
        if (PyFloat_CheckExact(object)) return "2" + repr_of(name);
        if (PyBytes_CheckExact(object)) return "3" + raw(name);
        if (PyUnicode_Check(object)) {
            return "4" + raw(nb::steal(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass")));
        }
        if (!PyTuple_CheckExact(object) || depth == deepest) return std::nullopt;
        std::string text = "5";
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
            const std::optional<std::string> item = text_of(PyTuple_GET_ITEM(object, i), depth + 1);
            if (!item) return std::nullopt;
            text += std::to_string(item->size()) + ":" + *item;
        }
        return text;
    }

    static std::string raw(nb::handle bytes) {
        if (!bytes.is_valid()) nb::raise_python_error();
        return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
    }

    /// By feature.
    std::vector<KeyId> keys_;
    /// By the number of a name; empty for one without a place.
    std::vector<std::string> texts_;
};

}  // namespace sapwood::bindings
