#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "guarded_tree.hpp"
#include "point.hpp"
#include "sapwood/tree/learn_rows.hpp"

// What the classes of Python for learners of streams share: a tree, or many. A guarded one has a lock, names, and
// `learner()`, which knows its attributes and ranges.

namespace sapwood::bindings {

/// Takes options by name, words as text; what Python passes was checked there as to its type.
class OptionsGiven {
public:
    explicit OptionsGiven(const nb::kwargs& given) : given_(given) {}

    template <class T>
    void take(std::string_view name, T& option) {
        const nb::str key(name.data(), name.size());
        if (!given_.contains(key)) return;
        if constexpr (std::is_enum_v<T>) {
            option = value_of<T>(name, nb::cast<std::string>(given_[key]));
        } else {
            option = nb::cast<T>(given_[key]);
        }
        ++n_known_;
    }

    /// Throws std::invalid_argument if there were others.
    void finish() const {
        if (given_.size() == n_known_) return;
        throw std::invalid_argument("options must be known, got " + std::to_string(given_.size() - n_known_) +
                                    " of another name");
    }

private:
    const nb::kwargs& given_;
    std::size_t n_known_ = 0;
};

template <class T>
std::span<const T> span_of_optional(const std::optional<Array<T>>& array) {
    return array ? span_of(*array) : std::span<const T>();
}

/// The rows of arrays, checked, to be learned.
inline LabelledRows checked_rows(const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                                 const Array<Label>& labels, const std::optional<Array<double>>& weights,
                                 const NumberArrays& numbers) {
    const LabelledRows rows{checked_points(indptr, keys, numbers), span_of(labels), span_of_optional(weights)};
    check_labels(rows.points.keys, rows.labels, max_classes);
    if (weights && rows.weights.size() != rows.size()) {
        throw std::invalid_argument("sample_weight must have a weight for each of the " + std::to_string(rows.size()) +
                                    " rows of X, got " + std::to_string(rows.weights.size()));
    }
    return rows;
}

/// Says how many classes there will be, so that late ones find room. `learner` is what is guarded.
template <class Guarded, class Learner>
void expect_classes(Guarded& self, Learner& learner, std::int64_t n_classes) {
    const std::size_t expected = checked_classes(n_classes);
    const WriteLock lock(self.mutex);
    change(self.mutex, [&] { learner.expect_classes(expected); });
}

/// Goes through rows with the lock of the tree, which is let go now and then for signals and other threads.
/// `begin()` is called once with the lock, before the first row; `go_on(first, must_pause)` returns the next one.
template <class Guarded, class Begin, class GoOn>
void with_pauses(Guarded& self, std::size_t n_rows, Begin begin, GoOn go_on) {
    SignalPoll signals;
    bool begun = false;
    std::size_t next = 0;
    while (!begun || next < n_rows) {
        {
            const std::unique_lock lock(self.mutex);
            if (!std::exchange(begun, true)) begin();
            next = change(self.mutex, [&] { return go_on(next, [&] { return signals.is_due(); }); });
        }
        signals.handle();
    }
}

/// The keys of a point, by the one rule if `typed`; otherwise numbers are flags, on above `binarize`.
template <class Guarded>
PointKeys point_to_learn(Guarded& self, nb::handle x, std::optional<double> binarize, bool typed) {
    if (typed) return self.names->new_point(x);
    return {self.keys().new_point(x, binarize), {}, {}};
}
template <class Guarded>
PointKeys point_to_ask(Guarded& self, nb::handle x, std::optional<double> binarize, bool typed) {
    if (typed) return self.names->known_point(x);
    return {self.keys().known_point(x, binarize), {}, {}};
}

/// What of a point has a key: the keys of its flags, and the keys and the values of its numbers.
template <class Guarded>
nb::tuple typed_point(Guarded& self, nb::handle x) {
    PointKeys point = self.names->known_point(x);
    return nb::make_tuple(to_numpy(std::move(point.keys)), to_numpy(std::move(point.numbers)),
                          to_numpy(std::move(point.values)));
}

/// The keys of names; -1 for one that has none, unless new ones are given theirs.
inline Vector<KeyId> keys_of_names(Keys& known, const nb::iterable& names, bool make) {
    std::vector<KeyId> keys;
    for (const nb::handle name : names) {
        keys.push_back(make ? known.find_or_make(name) : known.find(name).value_or(-1));
    }
    return to_numpy(std::move(keys));
}

/// What the features are called, in their order; those that are made of a number are None, or are left out.
template <class Guarded>
nb::list names_of_features(Guarded& self, bool all) {
    std::vector<KeyId> keys;
    {
        const ReadLock lock(self.mutex);
        keys = Vocabulary::Reading(self.vocabulary()).keys();
    }
    nb::list names;
    for (const KeyId key : keys) {
        if (key != Vocabulary::no_key) {
            names.append(self.keys().name(key));
        } else if (all) {
            names.append(nb::none());
        }
    }
    return names;
}

/// What the numbers are called, in the order of the attributes.
template <class Guarded>
nb::list names_of_numbers(Guarded& self) {
    std::vector<KeyId> keys;
    {
        const ReadLock lock(self.mutex);
        keys = Vocabulary::Reading(self.vocabulary()).number_keys();
    }
    nb::list names;
    for (const KeyId key : keys) names.append(self.number_keys().name(key));
    return names;
}

/// The features that are made of numbers: for each the attribute, and the range in which the number must be for it to
/// be on, above the first end and up to the second.
template <class Guarded>
nb::dict made_of_numbers(Guarded& self) {
    nb::dict made;
    const ReadLock lock(self.mutex);
    const Attributes& attributes = self.learner().attributes();
    const double end = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < attributes.n_numbers(); ++i) {
        made[nb::int_(attributes.number(attribute_at(i)).presence)] = nb::make_tuple(i, -end, end);
    }
    const std::vector<NumberRanges::Number>& numbers = self.learner().ranges().numbers();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        for (const NumberRanges::Division& division : numbers[i].made) {
            const std::vector<double>& edges = division.edges;
            for (std::size_t b = 0; b < division.n_features(); ++b) {
                double low = -end;
                double high = end;
                if (!division.is_of_edges()) {
                    low = b > 0 ? edges[b - 1] : -end;
                    high = b < edges.size() ? edges[b] : end;
                } else if (b < edges.size()) {
                    low = edges[b];
                } else {
                    high = edges[b - edges.size()];
                }
                made[nb::int_(division.first + static_cast<FeatureId>(b))] = nb::make_tuple(i, low, high);
            }
        }
    }
    return made;
}

/// The probability of each class for each row.
template <class Guarded>
Matrix<double> probabilities_of_rows(Guarded& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                                     const NumberArrays& numbers) {
    std::vector<double> probabilities;
    std::array<std::size_t, 2> shape{};
    {
        nb::gil_scoped_release release;
        const KeyedRows rows = checked_points(indptr, keys, numbers);
        const std::shared_lock lock(self.mutex);
        shape = {rows.size(), self.learner().n_classes()};
        probabilities.reserve(shape[0] * shape[1]);
        auto scores = self.learner().make_scores();
        for_each_row(self, rows, [&](std::size_t, const Point& point) {
            self.learner().predict(point, scores);
            probabilities.insert(probabilities.end(), scores.probabilities.begin(), scores.probabilities.end());
        });
    }
    return to_numpy(std::move(probabilities), shape);
}

/// The same for one point.
template <class Guarded>
std::vector<double> probabilities_of_one(Guarded& self, nb::handle x, std::optional<double> binarize, bool typed) {
    const PointKeys point = point_to_ask(self, x, binarize, typed);
    PointMaker maker;
    const ReadLock lock(self.mutex);
    auto scores = self.learner().make_scores();
    self.learner().predict(maker.to_ask(self.learner(), Vocabulary::Reading(self.vocabulary()), point.view()), scores);
    return scores.probabilities;
}

template <class Enum>
nb::tuple words_of() {
    nb::list list;
    for (const std::string_view word : Words<Enum>::all) list.append(nb::str(word.data(), word.size()));
    return nb::tuple(list);
}

/// The memory of names, and of what is known of numbers and categories.
template <class Guarded>
std::size_t vocabulary_bytes(Guarded& self) {
    return Vocabulary::Reading(self.vocabulary()).n_bytes() + self.keys().n_bytes() + self.number_keys().n_bytes() +
           self.learner().attributes().n_bytes() + self.learner().ranges().n_bytes();
}

/// The features that were met; a number is one, however many it is made into.
template <class Guarded>
std::size_t n_features_seen(Guarded& self) {
    const Vocabulary::Reading vocabulary(self.vocabulary());
    const std::vector<KeyId>& keys = vocabulary.keys();
    const auto made = std::count(keys.begin(), keys.end(), Vocabulary::no_key);
    return keys.size() - static_cast<std::size_t>(made) + vocabulary.number_keys().size();
}

/// What a class of Python has of the names of its features and numbers.
template <class Guarded, class Class>
void bind_names(Class& bound) {
    bound.def("typed_point", &typed_point<Guarded>, nb::arg("x").none())
        .def(
            "point",
            [](Guarded& self, nb::handle x, std::optional<double> binarize) {
                return to_numpy(self.keys().known_point(x, binarize));
            },
            nb::arg("x").none(), nb::arg("binarize") = nb::none())
        .def(
            "limit_names", [](Guarded& self, std::size_t n_bytes) { self.keys().limit_names(n_bytes); },
            nb::arg("n_bytes"), "Bounds the memory of the names of features; what has no room shares a few features.")
        .def(
            "shares_names", [](Guarded& self) { return self.keys().shares_names(); },
            "Whether names share features, so that two of one point may be the same.")
        .def(
            "ids_of_keys",
            [](Guarded& self, const nb::iterable& names, bool make) { return keys_of_names(self.keys(), names, make); },
            nb::arg("keys"), nb::arg("make"))
        .def(
            "ids_of_numbers",
            [](Guarded& self, const nb::iterable& names, bool make) {
                return keys_of_names(self.number_keys(), names, make);
            },
            nb::arg("keys"), nb::arg("make"))
        .def("keys", [](Guarded& self) { return names_of_features(self, true); })
        .def("named_keys", [](Guarded& self) { return names_of_features(self, false); })
        .def("number_keys", &names_of_numbers<Guarded>)
        .def("made_of_numbers", &made_of_numbers<Guarded>);
}

}  // namespace sapwood::bindings
