#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "guarded_tree.hpp"

namespace sapwood::bindings {
namespace {

/// The number of each node in the order of `Tree::in_order`, by which nodes are known outside.
std::vector<std::int64_t> numbers_of(const Tree& tree) {
    const std::vector<NodeId> order = tree.in_order();
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(*std::max_element(order.begin(), order.end())) + 1, -1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        numbers[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return numbers;
}

nb::tuple decision_path(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<FeatureId>& ids) {
    const CsrView csr{span_of(indptr), span_of(ids)};
    std::vector<std::int64_t> path_indptr{0};
    std::vector<std::int64_t> path_nodes;
    {
        nb::gil_scoped_release release;
        check_rows(csr);
        const std::shared_lock lock(self.mutex);
        const std::vector<std::int64_t> numbers = numbers_of(self.tree);
        for_each_row(self, csr, [&](std::size_t, Features slots) {
            for (const NodeId at : self.tree.path(slots)) path_nodes.push_back(numbers[static_cast<std::size_t>(at)]);
            path_indptr.push_back(static_cast<std::int64_t>(path_nodes.size()));
        });
    }
    return nb::make_tuple(to_numpy(std::move(path_indptr)), to_numpy(std::move(path_nodes)));
}

/// All nodes in order, an array for each of their properties.
nb::dict nodes(GuardedTree& self) {
    std::vector<std::int64_t> feature, off, on, parent, depth, split_at, born, n_counted;
    std::vector<std::int64_t> counts, right, model;
    std::vector<double> gain, margin;
    std::vector<std::uint8_t> learning, paused;
    std::array<std::size_t, 2> counts_shape{};
    std::array<std::size_t, 2> right_shape{0, n_models};
    {
        const ReadLock lock(self.mutex);
        const Tree& tree = self.tree;
        const std::vector<std::int64_t> numbers = numbers_of(tree);
        const auto number = [&](NodeId at) { return at == no_node ? -1 : numbers[static_cast<std::size_t>(at)]; };
        const std::vector<NodeId> order = tree.in_order();
        counts_shape = {order.size(), tree.n_classes()};
        right_shape[0] = order.size();
        for (const NodeId at : order) {
            const Node& node = tree.node(at);
            const Route& test = tree.test(at);
            feature.push_back(test.feature);
            off.push_back(number(test.child[0]));
            on.push_back(number(test.child[1]));
            parent.push_back(number(node.parent));
            depth.push_back(node.depth);
            split_at.push_back(node.split_at);
            born.push_back(static_cast<std::int64_t>(node.born));
            n_counted.push_back(node.n_counted);
            counts.insert(counts.end(), node.of_class.begin(), node.of_class.end());
            for (std::size_t m = 0; m < n_models; ++m) right.push_back(node.models ? node.models->right[m] : 0);
            model.push_back(test.is_leaf() ? static_cast<std::int64_t>(tree.model_of(node)) : -1);
            gain.push_back(node.gain);
            margin.push_back(node.margin);
            learning.push_back(node.search ? 1 : 0);
            paused.push_back(node.paused ? 1 : 0);
        }
    }
    nb::dict columns;
    columns["feature"] = to_numpy(std::move(feature));
    columns["off"] = to_numpy(std::move(off));
    columns["on"] = to_numpy(std::move(on));
    columns["parent"] = to_numpy(std::move(parent));
    columns["depth"] = to_numpy(std::move(depth));
    columns["counts"] = to_numpy(std::move(counts), counts_shape);
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

/// What each active feature says at the leaf of a point, by each model: the slots of the features that are known, then
/// for each of them the weights of the trunk, those of the leaf's correction (a row of outputs) and the logarithms of
/// its shares of the classes in naive Bayes; then the intercepts of the trunk and of the correction, an output each.
/// What is of a model that the tree does not keep is empty.
nb::tuple evidence(GuardedTree& self, const Array<FeatureId>& features) {
    check_features(span_of(features));
    std::vector<FeatureId> slots;
    std::vector<double> trunk_weights, corrections, shares, trunk_intercept, correction_intercept;
    std::array<std::size_t, 2> weights_shape{};
    std::array<std::size_t, 2> shares_shape{};
    {
        const ReadLock lock(self.mutex);
        const Tree& tree = self.tree;
        const ModelLayout& layout = tree.layout();
        self.vocabulary.find(span_of(features), slots);
        const Node& leaf = tree.node(tree.leaf_of(slots));
        weights_shape = {slots.size(), layout.keeps_logistic ? layout.n_outputs() : 0};
        shares_shape = {slots.size(), layout.keeps_naive_bayes ? layout.n_classes : 0};
        if (layout.keeps_logistic) {
            trunk_intercept.resize(layout.n_outputs());
            LogisticRegression::add_scores(tree.trunk_model().intercept(), trunk_intercept);
            correction_intercept.resize(layout.n_outputs());
            LogisticRegression::add_scores(leaf.models->intercept.data(), correction_intercept);
        }
        for (const FeatureId slot : slots) {
            if (layout.keeps_logistic) {
                std::vector<double> scores(layout.n_outputs());
                if (tree.trunk_model().contains(slot)) {
                    LogisticRegression::add_scores(tree.trunk_model().record(slot), scores);
                }
                trunk_weights.insert(trunk_weights.end(), scores.begin(), scores.end());
                std::fill(scores.begin(), scores.end(), 0.0);
                LogisticRegression::add_scores(leaf.models->table.find(slot) + layout.weights_at(), scores);
                corrections.insert(corrections.end(), scores.begin(), scores.end());
            }
            if (layout.keeps_naive_bayes) {
                std::vector<double> scores(layout.n_classes);
                std::vector<double> products(layout.n_classes);
                const Word* record = leaf.models->table.find(slot);
                NaiveBayes::add_scores(Records(&record, 1), leaf.models->n_of_class, scores, products);
                shares.insert(shares.end(), scores.begin(), scores.end());
            }
        }
    }
    return nb::make_tuple(to_numpy(std::move(slots)), to_numpy(std::move(trunk_weights), weights_shape),
                          to_numpy(std::move(corrections), weights_shape), to_numpy(std::move(shares), shares_shape),
                          to_numpy(std::move(trunk_intercept)), to_numpy(std::move(correction_intercept)));
}

nb::dict tally(GuardedTree& self) {
    const ReadLock lock(self.mutex);
    const TreeTally& done = self.tree.tally();
    nb::dict counters;
    counters["tested"] = done.tested;
    counters["split"] = done.split;
    counters["resplit"] = done.resplit;
    counters["pruned"] = done.pruned;
    counters["paused"] = done.paused;
    counters["resumed"] = done.resumed;
    return counters;
}

}  // namespace

void bind_tree_view(nb::class_<GuardedTree>& tree) {
    tree.def("decision_path", &decision_path, nb::arg("indptr"), nb::arg("ids"))
        .def("evidence", &evidence, nb::arg("ids"))
        .def("nodes", &nodes)
        .def("tally", &tally, nb::sig("def tally(self) -> dict[str, int]"));
}

}  // namespace sapwood::bindings
