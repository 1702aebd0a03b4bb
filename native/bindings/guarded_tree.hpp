#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "keys.hpp"
#include "sapwood/storage/fair_mutex.hpp"
#include "sapwood/tree/batch/shared_names.hpp"
#include "sapwood/tree/point_maker.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood::bindings {

/// The features and numbers of a tree, or of many that share them: keys ↔ features for the core, names ↔ keys for
/// Python.
struct NamedVocabulary {
    Vocabulary vocabulary;
    Keys keys{vocabulary};
    /// Those of numbers.
    Keys number_keys{vocabulary};

    /// The keys of a point that is only asked about, by the one rule (encode.hpp); what has no key is left out. Throws
    /// if it is no point.
    PointKeys known_point(nb::handle x) {
        struct {
            NamedVocabulary& names;
            PointKeys point;

            void flag(nb::handle name) { put(names.keys.find(name)); }
            void category(nb::handle name, nb::handle text) { put(names.keys.find_value(name, text)); }
            void number(nb::handle name, double value) {
                const std::optional<KeyId> key = names.number_keys.find(name);
                if (!key) return;
                point.numbers.push_back(*key);
                point.values.push_back(value);
            }
            void put(std::optional<KeyId> key) {
                if (key) point.keys.push_back(*key);
            }
        } sink{*this, {}};
        sink.point.keys.reserve(n_items_of(x));
        read_point(x, nb::none(), sink);
        return checked(std::move(sink.point));
    }

    /// The keys of a point that is to be learned. Throws, and adds nothing, if it is no point.
    PointKeys new_point(nb::handle x) {
        // What has no key is given one when all has been read; `place` is where it belongs.
        struct Fresh {
            std::size_t place;
            nb::object name;
            nb::object text;
        };
        struct {
            NamedVocabulary& names;
            PointKeys point;
            std::vector<Fresh> flags;
            std::vector<Fresh> numbers;

            void flag(nb::handle name) { put(names.keys.find(name), name, nb::handle()); }
            void category(nb::handle name, nb::handle text) { put(names.keys.find_value(name, text), name, text); }
            void number(nb::handle name, double value) {
                const std::optional<KeyId> key = names.number_keys.find(name);
                if (!key) numbers.push_back({point.numbers.size(), nb::borrow(name), nb::object()});
                point.numbers.push_back(key.value_or(Vocabulary::no_key));
                point.values.push_back(value);
            }
            void put(std::optional<KeyId> key, nb::handle name, nb::handle text) {
                if (!key) flags.push_back({point.keys.size(), nb::borrow(name), nb::borrow(text)});
                point.keys.push_back(key.value_or(Vocabulary::no_key));
            }
        } sink{*this, {}, {}, {}};
        sink.point.keys.reserve(n_items_of(x));
        read_point(x, nb::none(), sink);
        for (const Fresh& each : sink.flags) {
            sink.point.keys[each.place] =
                each.text.is_valid() ? keys.find_or_make_value(each.name, each.text) : keys.find_or_make(each.name);
        }
        for (const Fresh& each : sink.numbers) sink.point.numbers[each.place] = number_keys.find_or_make(each.name);
        return checked(std::move(sink.point));
    }

private:
    /// A feature that comes more than once counts once; a number must not.
    PointKeys checked(PointKeys point) const {
        point.keys = Keys::without_repeats(std::move(point.keys));
        std::vector<KeyId> sorted(point.numbers);
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice == sorted.end()) return point;
        throw std::invalid_argument("x must hold each number once, got " + repr_of(number_keys.name(*twice)) +
                                    " twice");
    }
};

/// A tree with the names of its features, safe in many threads: any number may read it, or one change it.
///
/// Whoever waits for the lock has let go of the interpreter, and no Python code runs while it is held; so no two
/// threads wait for each other, and a signal handler may use the object. The lock of the vocabulary is taken after that
/// of the tree, and held as short.
struct GuardedTree {
    StreamingTree tree;
    std::shared_ptr<NamedVocabulary> names = std::make_shared<NamedVocabulary>();
    FairMutex mutex;
    /// Of growth by batches: bind_batch.cpp keeps them.
    SharedNames shared;
    SharedNames shared_numbers;

    explicit GuardedTree(const TreeOptions& options) : tree(options) {}
    explicit GuardedTree(StreamingTree made) : tree(std::move(made)) {}

    const StreamingTree& learner() const { return tree; }
    Vocabulary& vocabulary() const { return names->vocabulary; }
    Keys& keys() const { return names->keys; }
    Keys& number_keys() const { return names->number_keys; }
};

/// Holds the lock of a tree, to read it or to change it. While it waits it lets go of the interpreter.
template <class Mutex>
class TreeLock {
public:
    explicit TreeLock(FairMutex& mutex) : lock_(mutex, std::try_to_lock) {
        if (lock_.owns_lock()) return;
        nb::gil_scoped_release release;
        lock_.lock();
    }

private:
    Mutex lock_;
};
using ReadLock = TreeLock<std::shared_lock<FairMutex>>;
using WriteLock = TreeLock<std::unique_lock<FairMutex>>;

/// A number of classes, checked.
inline std::size_t checked_classes(std::int64_t n_classes) {
    if (n_classes < 1 || n_classes > max_classes) {
        throw std::invalid_argument("the number of classes must be from 1 to " + std::to_string(max_classes) +
                                    ", got " + std::to_string(n_classes));
    }
    return static_cast<std::size_t>(n_classes);
}

template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Numbers by row, as Python passes them: offsets, keys and values; None if there are none.
using NumberArrays = std::optional<std::tuple<Array<std::int64_t>, Array<KeyId>, Array<double>>>;

/// Throws unless the rows of a matrix are within it, and the features of each unique and not negative.
inline void check_rows(const CsrView& csr, const char* what = "X") {
    const std::span<const std::int64_t> indptr = csr.indptr;
    const bool right = !indptr.empty() && indptr.front() == 0 && std::is_sorted(indptr.begin(), indptr.end()) &&
                       indptr.back() == static_cast<std::int64_t>(csr.indices.size());
    if (!right) throw std::invalid_argument(std::string(what) + ".indptr must ascend from 0 to the number of indices");
    for (std::size_t i = 0; i < csr.size(); ++i) check_features(csr.row(i));
}

/// Throws unless there is a finite value for each number.
inline void check_values(std::span<const KeyId> keys, std::span<const double> values) {
    if (values.size() != keys.size()) {
        throw std::invalid_argument("numbers must have a value for each of the " + std::to_string(keys.size()) +
                                    " keys, got " + std::to_string(values.size()));
    }
    for (const double value : values) {
        if (!std::isfinite(value)) {
            throw std::invalid_argument("numbers must be finite, got " + sapwood::detail::shortest(value));
        }
    }
}

/// The rows of arrays, checked.
inline KeyedRows checked_points(const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                                const NumberArrays& numbers) {
    KeyedRows rows{{span_of(indptr), span_of(keys)}};
    check_rows(rows.keys);
    if (!numbers) return rows;
    rows.numbers = {span_of(std::get<0>(*numbers)), span_of(std::get<1>(*numbers))};
    rows.values = span_of(std::get<2>(*numbers));
    check_rows(rows.numbers, "numbers");
    if (rows.numbers.size() != rows.size()) {
        throw std::invalid_argument("numbers must have a row for each of the " + std::to_string(rows.size()) +
                                    " rows of X, got " + std::to_string(rows.numbers.size()));
    }
    check_values(rows.numbers.indices, rows.values);
    return rows;
}

/// The numbers of one point: keys and values; None if there are none.
using NumbersOfOne = std::optional<std::tuple<Array<KeyId>, Array<double>>>;

/// One point of arrays, checked.
inline KeyedPoint checked_point(const Array<KeyId>& keys, const NumbersOfOne& numbers) {
    KeyedPoint point{span_of(keys)};
    check_features(point.keys);
    if (!numbers) return point;
    point.numbers = span_of(std::get<0>(*numbers));
    point.values = span_of(std::get<1>(*numbers));
    check_features(point.numbers);
    check_values(point.numbers, point.values);
    return point;
}

/// Calls `use(i, point)` for every row, with what the learner knows of it.
template <class Guarded, class Use>
void for_each_row(const Guarded& self, const KeyedRows& rows, Use use) {
    const Vocabulary::Reading reading(self.vocabulary());
    PointMaker maker;
    for (std::size_t i = 0; i < rows.size(); ++i) use(i, maker.to_ask(self.learner(), reading, rows.row(i)));
}

// The methods of the Python class, by what they are for.
void bind_tree_batch(nb::class_<GuardedTree>& tree);
void bind_tree_shards(nb::class_<GuardedTree>& tree);
void bind_tree_view(nb::class_<GuardedTree>& tree);
void bind_tree_bytes(nb::class_<GuardedTree>& tree);

}  // namespace sapwood::bindings
