#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guarded_forest.hpp"
#include "sapwood/forest/forest_feature_scores.hpp"
#include "sapwood/forest/learn_forest_rows.hpp"
#include "stream_learner.hpp"

namespace sapwood::bindings {
namespace {

/// The options of a forest and of its trees by name, words as text; those that are not given have their defaults.
ForestOptions options_of(const nb::kwargs& given) {
    ForestOptions options;
    OptionsGiven all(given);
    const auto take = [&](std::string_view name, auto& option) { all.take(name, option); };
    for_each_option(options.tree, take);
    for_each_forest_option(options, take);
    all.finish();
    return options;
}

/// What a feature that is on adds to the score of each class (forest_feature_scores.hpp), a row for each known feature.
auto feature_scores_of(GuardedForest& self) {
    std::vector<double> scores;
    std::array<std::size_t, 2> shape{};
    {
        const ReadLock lock(self.mutex);
        shape = {Vocabulary::Reading(self.vocabulary()).size(), self.forest.n_classes()};
        scores = feature_scores(self.forest, shape[0]);
    }
    return to_numpy(std::move(scores), shape);
}

/// Threads beyond the first few rows only.
Workers workers_for(const GuardedForest& self, std::size_t n_rows) {
    constexpr std::size_t least_rows = 64;
    return Workers(n_rows < least_rows ? 1 : std::min(self.n_jobs, self.forest.n_trees()));
}

void learn(GuardedForest& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys, const Array<Label>& labels,
           const std::optional<Array<double>>& weights, const NumberArrays& numbers) {
    nb::gil_scoped_release release;
    const LabelledRows rows = checked_rows(indptr, keys, labels, weights, numbers);
    Workers workers = workers_for(self, rows.size());
    with_pauses(
        self, rows.size(), [&] { check_can_learn(self.forest, rows); },
        [&](std::size_t first, auto must_pause) {
            return learn_rows(
                self.forest, self.vocabulary(), rows, first, workers, false,
                [](std::size_t, std::span<const double>) {}, must_pause);
        });
}

/// Lets the forest predict each point, then learn from it. Returns the label that was predicted for each, and the
/// probability of each class; a class that the forest did not know yet has none.
nb::tuple prequential(GuardedForest& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                      const Array<Label>& labels, const std::optional<Array<double>>& weights,
                      const std::optional<Array<std::int64_t>>& places, const NumberArrays& numbers) {
    Prequential answers(0, 0);
    {
        nb::gil_scoped_release release;
        const LabelledRows rows = checked_rows(indptr, keys, labels, weights, numbers);
        Workers workers = workers_for(self, rows.size());
        const auto answer = [&](std::size_t i, std::span<const double> probabilities) {
            answers.set(i, probabilities, span_of_optional(places));
        };
        with_pauses(
            self, rows.size(),
            [&] {
                check_can_learn(self.forest, rows);
                answers = Prequential(rows.size(), std::max(rows.n_classes(), self.forest.n_classes()));
            },
            [&](std::size_t first, auto must_pause) {
                return learn_rows(self.forest, self.vocabulary(), rows, first, workers, true, answer, must_pause);
            });
    }
    const std::array<std::size_t, 2> shape{answers.labels.size(), answers.n_classes};
    return nb::make_tuple(to_numpy(std::move(answers.labels)), to_numpy(std::move(answers.probabilities), shape));
}

void learn_one(GuardedForest& self, nb::handle x, std::int64_t label, double weight, std::optional<double> binarize,
               bool typed) {
    if (label < 0 || label >= max_classes) {
        throw std::invalid_argument("label must be from 0 to " + std::to_string(max_classes - 1) + ", got " +
                                    std::to_string(label));
    }
    const std::int64_t most = most_counts(weight);
    // A point of weight 0 is checked, and not learned.
    const PointKeys point =
        weight > 0 ? point_to_learn(self, x, binarize, typed) : point_to_ask(self, x, binarize, typed);
    const WriteLock lock(self.mutex);
    self.forest.check_classes(static_cast<std::size_t>(label) + 1);
    self.forest.check_room_for(most);
    if (weight == 0) return;
    Vocabulary::Writing writing(self.vocabulary());
    change(self.mutex, [&] {
        Workers alone(1);
        const auto ignore = [](std::size_t, std::span<const double>) {};
        ForestLearning learning(self.forest, writing, alone, false, ignore);
        learning.take(0, point.view(), static_cast<Label>(label), weight);
        learning.finish();
    });
}

Vector<Label> predict(GuardedForest& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                      const std::optional<Array<std::int64_t>>& places, const NumberArrays& numbers) {
    std::vector<Label> labels;
    {
        nb::gil_scoped_release release;
        const KeyedRows rows = checked_points(indptr, keys, numbers);
        labels.resize(rows.size());
        const std::shared_lock lock(self.mutex);
        ForestScores scores = self.forest.make_scores();
        for_each_row(self, rows, [&](std::size_t i, const Point& point) {
            self.forest.predict(point, scores);
            labels[i] = StreamingTree::label_of(scores.probabilities, span_of_optional(places));
        });
    }
    return to_numpy(std::move(labels));
}

/// The sum over all trees of what `count` says of each.
template <class CountOf>
std::size_t over_trees(const GuardedForest& self, CountOf count) {
    std::size_t sum = 0;
    for (std::size_t t = 0; t < self.forest.n_trees(); ++t) sum += count(self.forest.tree(t));
    return sum;
}

/// What each tree is and has done.
nb::list of_trees(const GuardedForest& self) {
    nb::list all;
    for (std::size_t t = 0; t < self.forest.n_trees(); ++t) {
        const Member& member = self.forest.member(t);
        nb::dict one;
        one["n_leaves"] = member.tree().nodes().n_leaves();
        one["depth"] = member.tree().nodes().depth();
        one["n_points"] = member.tree().n();
        one["n_asked"] = member.watched().n_asked;
        one["n_right"] = member.watched().n_right;
        one["number"] = member.watched().number;
        one["has_background"] = member.background() != nullptr;
        for_each_forest_count(member.tally(), [&](std::string_view name, std::int64_t count) {
            one[nb::str(name.data(), name.size())] = count;
        });
        all.append(one);
    }
    return all;
}

/// A property that is read under the lock.
template <class Read>
auto reading(Read read) {
    return [read](GuardedForest& self) {
        const ReadLock lock(self.mutex);
        return read(self);
    };
}

}  // namespace

void bind_forest(nb::module_& module) {
    module.attr("SUBSPACES") = words_of<Subspace>();
    nb::class_<GuardedForest> forest(module, "Forest",
                                     "Many trees over one stream. Many threads may read one object, or one change it.");
    forest
        .def(
            "__init__",
            [](GuardedForest* self, const nb::kwargs& options) { new (self) GuardedForest(options_of(options)); },
            nb::sig("def __init__(self, **options: typing.Any) -> None"))
        .def("learn", &learn, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights") = nb::none(),
             nb::arg("numbers") = nb::none())
        .def("learn_one", &learn_one, nb::arg("x").none(), nb::arg("label"), nb::arg("weight") = 1,
             nb::arg("binarize") = nb::none(), nb::arg("typed") = false)
        .def("prequential", &prequential, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"),
             nb::arg("weights") = nb::none(), nb::arg("places") = nb::none(), nb::arg("numbers") = nb::none())
        .def("predict", &predict, nb::arg("indptr"), nb::arg("ids"), nb::arg("places") = nb::none(),
             nb::arg("numbers") = nb::none())
        .def("predict_proba", &probabilities_of_rows<GuardedForest>, nb::arg("indptr"), nb::arg("ids"),
             nb::arg("numbers") = nb::none())
        .def("predict_proba_one", &probabilities_of_one<GuardedForest>, nb::arg("x").none(),
             nb::arg("binarize") = nb::none(), nb::arg("typed") = false)
        .def_prop_rw(
            "n_jobs", [](GuardedForest& self) { return self.n_jobs; },
            [](GuardedForest& self, std::size_t n) {
                const WriteLock lock(self.mutex);
                self.n_jobs = std::max<std::size_t>(n, 1);
            },
            "The threads that learn; what is learned does not depend on them.")
        .def("mixer_weights", reading([](GuardedForest& self) {
                 const std::span<const double> weights = self.forest.mixer().weights();
                 return std::vector<double>(weights.begin(), weights.end());
             }))
        .def("trust", reading([](GuardedForest& self) {
                 const std::span<const double> trust = self.forest.trust().values();
                 return std::vector<double>(trust.begin(), trust.end());
             }))
        .def("tally", reading([](GuardedForest& self) {
                 nb::dict counts;
                 ForestTally sum;
                 for (std::size_t t = 0; t < self.forest.n_trees(); ++t) sum += self.forest.member(t).tally();
                 for_each_forest_count(sum, [&](std::string_view name, std::int64_t count) {
                     counts[nb::str(name.data(), name.size())] = count;
                 });
                 return counts;
             }))
        .def("growth",
             reading([](GuardedForest& self) { return std::string(word_of(self.forest.options().tree.growth)); }))
        .def("n_nodes", reading([](GuardedForest& self) {
                 return over_trees(self, [](const StreamingTree& tree) { return tree.nodes().n_nodes(); });
             }))
        .def("n_leaves", reading([](GuardedForest& self) {
                 return over_trees(self, [](const StreamingTree& tree) { return tree.nodes().n_leaves(); });
             }))
        .def("depth", reading([](GuardedForest& self) {
                 std::int64_t most = 0;
                 for (std::size_t t = 0; t < self.forest.n_trees(); ++t) {
                     most = std::max<std::int64_t>(most, self.forest.tree(t).nodes().depth());
                 }
                 return most;
             }))
        .def("n_background", reading([](GuardedForest& self) {
                 std::size_t n = 0;
                 for (std::size_t t = 0; t < self.forest.n_trees(); ++t) {
                     n += self.forest.member(t).background() != nullptr ? 1 : 0;
                 }
                 return n;
             }))
        .def("feature_scores", &feature_scores_of)
        .def("of_trees", reading([](GuardedForest& self) { return of_trees(self); }),
             "Of each tree its size, the points it learned, those it was asked about and right about, and its history.")
        .def("shared_bytes", reading([](GuardedForest& self) { return self.forest.shared_bytes(); }))
        .def("n_trees", reading([](GuardedForest& self) { return self.forest.n_trees(); }))
        .def("n_bytes", reading([](GuardedForest& self) { return self.forest.n_bytes(); }))
        .def("vocabulary_bytes", reading([](GuardedForest& self) { return vocabulary_bytes(self); }))
        .def("seed", reading([](GuardedForest& self) { return self.forest.options().tree.seed; }))
        .def("n", reading([](GuardedForest& self) { return self.forest.n(); }))
        .def("n_met", reading([](GuardedForest& self) { return self.forest.n_met(); }))
        .def("n_classes", reading([](GuardedForest& self) { return self.forest.n_classes(); }))
        .def(
            "expect_classes",
            [](GuardedForest& self, std::int64_t n_classes) { expect_classes(self, self.forest, n_classes); },
            nb::arg("n_classes"))
        .def("n_features_seen", reading([](GuardedForest& self) { return n_features_seen(self); }));
    bind_names<GuardedForest>(forest);
    bind_forest_bytes(forest);
}

}  // namespace sapwood::bindings
