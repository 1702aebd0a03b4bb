#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "guarded_tree.hpp"
#include "sapwood/tree/predict/contributions.hpp"
#include "sapwood/tree/predict/feature_scores.hpp"

namespace sapwood::bindings {
namespace {

/// The number of each node in the order of `Nodes::in_order`, by which nodes are known outside.
std::vector<std::int64_t> numbers_of(const Nodes& nodes) {
    const std::vector<NodeId> order = nodes.in_order();
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(*std::max_element(order.begin(), order.end())) + 1, -1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        numbers[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return numbers;
}

nb::tuple decision_path(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                        const NumberArrays& numbers) {
    std::vector<std::int64_t> path_indptr{0};
    std::vector<std::int64_t> path_nodes;
    {
        nb::gil_scoped_release release;
        const KeyedRows rows = checked_points(indptr, keys, numbers);
        const std::shared_lock lock(self.mutex);
        const std::vector<std::int64_t> places = numbers_of(self.tree.nodes());
        for_each_row(self, rows, [&](std::size_t, const Point& point) {
            for (const NodeId at : self.tree.nodes().path(point))
                path_nodes.push_back(places[static_cast<std::size_t>(at)]);
            path_indptr.push_back(static_cast<std::int64_t>(path_nodes.size()));
        });
    }
    return nb::make_tuple(to_numpy(std::move(path_indptr)), to_numpy(std::move(path_nodes)));
}

/// All nodes in order, an array for each of their properties.
nb::dict nodes(GuardedTree& self) {
    std::vector<std::int64_t> feature, kind, off, on, parent, depth, split_at, born, n_counted;
    std::vector<std::int64_t> counts, counted, right, model;
    std::vector<double> gain, margin;
    std::vector<std::uint8_t> learning, paused;
    std::array<std::size_t, 2> counts_shape{};
    std::array<std::size_t, 2> right_shape{0, n_models};
    {
        const ReadLock lock(self.mutex);
        const Nodes& all = self.tree.nodes();
        const std::vector<std::int64_t> numbers = numbers_of(all);
        const auto number = [&](NodeId at) { return at == no_node ? -1 : numbers[static_cast<std::size_t>(at)]; };
        const std::vector<NodeId> order = all.in_order();
        counts_shape = {order.size(), self.tree.n_classes()};
        right_shape[0] = order.size();
        for (const NodeId at : order) {
            const Node& node = self.tree.node(at);
            const Test test = all.test(at);
            feature.push_back(test.feature());
            kind.push_back(static_cast<std::int64_t>(test.kind()));
            off.push_back(number(all.child(at, false)));
            on.push_back(number(all.child(at, true)));
            parent.push_back(number(all.parent(at)));
            depth.push_back(all.depth(at));
            split_at.push_back(node.split.at);
            born.push_back(static_cast<std::int64_t>(all.born(at)));
            n_counted.push_back(node.statistics.n());
            counts.insert(counts.end(), node.of_class.begin(), node.of_class.end());
            counted.insert(counted.end(), node.statistics.counted().begin(), node.statistics.counted().end());
            for (std::size_t m = 0; m < n_models; ++m) right.push_back(node.models ? node.models->right[m] : 0);
            const LeafPredictor& predictor = self.tree.body().predictor();
            model.push_back(all.is_leaf(at) ? static_cast<std::int64_t>(predictor.model_of(node.models)) : -1);
            gain.push_back(node.split.gain);
            margin.push_back(node.split.margin);
            learning.push_back(node.statistics.is_counting() ? 1 : 0);
            paused.push_back(node.statistics.is_paused() ? 1 : 0);
        }
    }
    nb::dict columns;
    columns["feature"] = to_numpy(std::move(feature));
    columns["kind"] = to_numpy(std::move(kind));
    columns["off"] = to_numpy(std::move(off));
    columns["on"] = to_numpy(std::move(on));
    columns["parent"] = to_numpy(std::move(parent));
    columns["depth"] = to_numpy(std::move(depth));
    columns["counts"] = to_numpy(std::move(counts), counts_shape);
    columns["counted"] = to_numpy(std::move(counted), counts_shape);
    columns["gain"] = to_numpy(std::move(gain));
    columns["margin"] = to_numpy(std::move(margin));
    columns["split_at"] = to_numpy(std::move(split_at));
    columns["born"] = to_numpy(std::move(born));
    columns["n_counted"] = to_numpy(std::move(n_counted));
    columns["right"] = to_numpy(std::move(right), right_shape);
    columns["model"] = to_numpy(std::move(model));
    columns["learning"] = to_numpy(std::move(learning));
    columns["paused"] = to_numpy(std::move(paused));
    return columns;
}

/// The tests that ask for more than whether a feature is on, by the number of their node: a threshold or a list of
/// categories, and whether a missing value passes.
nb::dict typed_tests(GuardedTree& self) {
    std::vector<std::pair<std::size_t, Test>> found;
    {
        const ReadLock lock(self.mutex);
        const std::vector<NodeId> order = self.tree.nodes().in_order();
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Test test = self.tree.nodes().test(order[i]);
            if (test.kind() == TestKind::is_above || test.kind() == TestKind::is_among) found.emplace_back(i, test);
        }
    }
    nb::dict tests;
    for (const auto& [number, test] : found) {
        const nb::object asked =
            test.kind() == TestKind::is_above ? nb::cast(test.threshold()) : nb::cast(test.categories());
        tests[nb::int_(number)] = nb::make_tuple(asked, test.missing_passes());
    }
    return tests;
}

/// What each active feature says at the leaf of a point (contributions.hpp): the features that are known, then for each
/// of them the weights of the trunk, those of the leaf's correction and its shares in naive Bayes; then the intercepts
/// of the trunk and of the correction.
nb::tuple evidence(GuardedTree& self, const Array<KeyId>& keys, const NumbersOfOne& numbers) {
    const KeyedPoint keyed = checked_point(keys, numbers);
    PointMaker maker;
    std::vector<FeatureId> features;
    Contributions found;
    {
        const ReadLock lock(self.mutex);
        const Point point = maker.to_ask(self.tree, Vocabulary::Reading(self.vocabulary()), keyed);
        features.assign(point.for_models.begin(), point.for_models.end());
        found = contributions_of(self.tree, point);
    }
    const std::array<std::size_t, 2> weights_shape{found.n_features, found.n_outputs};
    const std::array<std::size_t, 2> shares_shape{found.n_features, found.n_classes};
    return nb::make_tuple(to_numpy(std::move(features)), to_numpy(std::move(found.trunk), weights_shape),
                          to_numpy(std::move(found.correction), weights_shape),
                          to_numpy(std::move(found.shares), shares_shape), to_numpy(std::move(found.trunk_intercept)),
                          to_numpy(std::move(found.correction_intercept)));
}

/// What a feature that is on adds to the score of each class (feature_scores.hpp), a row for each known feature.
auto feature_scores(GuardedTree& self) {
    std::vector<double> scores;
    std::array<std::size_t, 2> shape{};
    {
        const ReadLock lock(self.mutex);
        shape = {Vocabulary::Reading(self.vocabulary()).size(), self.tree.n_classes()};
        scores = std::move(FeatureScores(self.tree, shape[0]).scores());
    }
    return to_numpy(std::move(scores), shape);
}

nb::dict tally(GuardedTree& self) {
    const ReadLock lock(self.mutex);
    nb::dict counters;
    for_each_count(self.tree.tally(), [&](std::string_view name, std::int64_t count) {
        counters[nb::str(name.data(), name.size())] = count;
    });
    const ChangeTally none;
    const std::optional<Following>& following = self.tree.body().following();
    for_each_change(following ? following->tally : none, [&](std::string_view name, std::int64_t count) {
        counters[nb::str(name.data(), name.size())] = count;
    });
    return counters;
}

}  // namespace

void bind_tree_view(nb::class_<GuardedTree>& tree) {
    tree.def("decision_path", &decision_path, nb::arg("indptr"), nb::arg("ids"), nb::arg("numbers") = nb::none())
        .def("evidence", &evidence, nb::arg("ids"), nb::arg("numbers") = nb::none())
        .def("feature_scores", &feature_scores)
        .def("nodes", &nodes)
        .def("typed_tests", &typed_tests)
        .def("tally", &tally, nb::sig("def tally(self) -> dict[str, int]"));
}

}  // namespace sapwood::bindings
