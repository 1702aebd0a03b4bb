#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/tree/active_features.hpp"
#include "sapwood/tree/node.hpp"
#include "sapwood/tree/tree_options.hpp"
#include "sapwood/tree/tree_state.hpp"

namespace sapwood {

/// A decision tree over points with active features: its nodes, the way of a point through them, and what it predicts.
/// How it grows is for streaming_tree.hpp to know.
///
/// Features are slots: dense numbers in the order in which the features were first seen, so that ties between splits do
/// not depend on what the features are called. Classes are numbered in the same way. Routing takes O(m + depth), and
/// nothing recurses: text makes chains of hundreds of nodes. Any number of threads may read one tree at once, while
/// none changes it.
class Tree {
public:
    const TreeOptions& options() const { return options_; }
    const ModelLayout& layout() const { return layout_; }
    std::size_t n_classes() const { return layout_.n_classes; }

    /// The points learned, by weight.
    std::int64_t n() const { return n_; }
    std::size_t n_nodes() const { return nodes_.size() - free_.size(); }
    std::size_t n_leaves() const { return n_leaves_; }

    const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
    const Route& test(NodeId id) const { return tests_[static_cast<std::size_t>(id)]; }
    static constexpr NodeId root = 0;

    /// The leaf that a point reaches.
    NodeId leaf_of(Features features) const {
        ActiveFeatures active(features);
        NodeId at = root;
        while (!test(at).is_leaf()) at = test(at).child[active.contains(test(at).feature) ? 1 : 0];
        return at;
    }

    /// The nodes from the root to the leaf that a point reaches.
    std::vector<NodeId> path(Features features) const {
        ActiveFeatures active(features);
        std::vector<NodeId> nodes{root};
        while (!test(nodes.back()).is_leaf()) {
            const Route& here = test(nodes.back());
            nodes.push_back(here.child[active.contains(here.feature) ? 1 : 0]);
        }
        return nodes;
    }

    /// The model that answers for a leaf.
    Model model_of(const Node& leaf) const { return always_ ? *always_ : leaf.models->most_right(); }

    /// Computes the probability of each class for a point, into `scores.probabilities`.
    void predict(Features features, Scores& scores) const {
        const Node& leaf = node(leaf_of(features));
        predict(leaf, model_of(leaf), features, scores);
    }

    void predict(const Node& leaf, Model model, Features features, Scores& scores) const {
        std::span<double> out = scores.probabilities;
        switch (model) {
            case naive_bayes:
                leaf.models->find(features, scores.records);
                leaf.models->bayes_scores(scores.records, leaf.of_class, scores);
                std::copy(scores.bayes.begin(), scores.bayes.end(), out.begin());
                LogisticRegression::normalise_logarithms(out);
                return;
            case trunk:
            case logistic:
                std::fill(scores.logistic.begin(), scores.logistic.end(), 0.0);
                trunk_.add_scores(features, scores.logistic);
                if (model == logistic) {
                    leaf.models->find(features, scores.records);
                    leaf.models->add_correction(scores.records, layout_, scores.logistic);
                }
                LogisticRegression::probabilities(scores.logistic, out);
                return;
            default:
                shares_of_classes(leaf, out);
        }
    }

    /// The class of the largest probability; of several the one that was seen first.
    static Label label_of(std::span<const double> probabilities) {
        return static_cast<Label>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
    }

    /// The nodes from the root on, each before its children, those for a feature that is off before those for on.
    std::vector<NodeId> in_order() const {
        std::vector<NodeId> order;
        order.reserve(n_nodes());
        std::vector<NodeId> waiting{root};
        while (!waiting.empty()) {
            const NodeId at = waiting.back();
            waiting.pop_back();
            order.push_back(at);
            if (test(at).is_leaf()) continue;
            waiting.push_back(test(at).child[1]);
            waiting.push_back(test(at).child[0]);
        }
        return order;
    }

    std::size_t depth() const {
        std::int32_t deepest = 0;
        for (const NodeId at : in_order()) deepest = std::max(deepest, node(at).depth);
        return static_cast<std::size_t>(deepest);
    }

    /// The memory held, in bytes.
    std::size_t n_bytes() const {
        std::size_t bytes = shared_bytes();
        for (const Node& each : nodes_) bytes += bytes_of(each);
        return bytes;
    }

    const Trunk& trunk_model() const { return trunk_; }
    const PagePool& pool() const { return *pool_; }

    Tree(Tree&&) = default;
    // Not assignable: the pool would go before the tables of the nodes that it replaces.
    Tree& operator=(Tree&&) = delete;

protected:
    explicit Tree(TreeOptions options)
        : options_((check_options(options), std::move(options))),
          layout_(ModelLayout::of(options_.leaf_prediction, 2)),
          always_(always(options_)),
          pool_(std::make_unique<PagePool>(layout_.record_size())),
          trunk_(layout_.n_outputs()) {}

    /// A tree of the parts given.
    explicit Tree(TreeState&& state)
        : options_(std::move(state.options)),
          layout_(state.layout),
          always_(always(options_)),
          pool_(std::move(state.pool)),
          trunk_(std::move(state.trunk)),
          nodes_(std::move(state.nodes)),
          tests_(std::move(state.tests)),
          n_leaves_(static_cast<std::size_t>(
              std::count_if(tests_.begin(), tests_.end(), [](const Route& test) { return test.is_leaf(); }))),
          born_(state.tally.n_born()),
          n_(state.n) {}

    Node& node(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
    Route& test(NodeId id) { return tests_[static_cast<std::size_t>(id)]; }

    /// Makes a leaf under a parent; the caller joins them. It may move all nodes.
    NodeId make_node(NodeId parent) {
        NodeId id;
        if (free_.empty()) {
            if (room_for_nodes() == 0) {
                const std::size_t size = nodes_.size() + nodes_at_a_time();
                nodes_.reserve(size);
                tests_.reserve(size);
            }
            id = static_cast<NodeId>(nodes_.size());
            nodes_.emplace_back();
            tests_.emplace_back();
        } else {
            id = free_.back();
            free_.pop_back();
        }
        Node& made = node(id);
        made.parent = parent;
        made.depth = parent == no_node ? 0 : node(parent).depth + 1;
        made.born = born_++;
        made.of_class.resize(n_classes());
        made.counted.resize(n_classes());
        ++n_leaves_;
        return id;
    }

    void free_node(NodeId id) {
        if (test(id).is_leaf()) --n_leaves_;
        node(id) = Node();
        test(id) = Route();
        free_.push_back(id);
    }

    /// The memory that two more nodes take, besides what they hold.
    std::size_t bytes_to_make_two() const {
        if (free_.size() + room_for_nodes() >= 2) return 0;
        return nodes_at_a_time() * (sizeof(Node) + sizeof(Route));
    }

    /// What is not in any one node.
    std::size_t shared_bytes() const {
        return sizeof(Tree) + nodes_.capacity() * sizeof(Node) + tests_.capacity() * sizeof(Route) +
               free_.capacity() * sizeof(NodeId) + pool_->n_bytes() + trunk_.n_bytes();
    }

    static std::size_t bytes_of(const Node& each) {
        return each.of_class.capacity() * sizeof(std::int64_t) + each.counted.capacity() * sizeof(Count) +
               (each.search ? each.search->n_bytes() : 0) + (each.models ? each.models->n_bytes() : 0);
    }

    TreeOptions options_;
    ModelLayout layout_;
    /// The model that answers for every leaf; none if each has its own.
    std::optional<Model> always_;
    // Before the nodes, whose tables give their pages back to it.
    std::unique_ptr<PagePool> pool_;
    Trunk trunk_;
    std::vector<Node> nodes_;
    std::vector<Route> tests_;
    std::vector<NodeId> free_;
    std::size_t n_leaves_ = 0;
    std::uint64_t born_ = 0;
    std::int64_t n_ = 0;

private:
    static std::optional<Model> always(const TreeOptions& options) {
        if (options.leaf_prediction == "majority") return majority;
        if (options.leaf_prediction == "naive_bayes") return naive_bayes;
        if (options.leaf_prediction == "logistic") return logistic;
        return std::nullopt;
    }

    /// How many nodes can be made before they all move.
    std::size_t room_for_nodes() const {
        return std::min(nodes_.capacity() - nodes_.size(), tests_.capacity() - tests_.size());
    }
    /// A quarter more at a time: doubling would leave half of a limited memory unused.
    std::size_t nodes_at_a_time() const { return nodes_.size() / 4 + 2; }

    void shares_of_classes(const Node& leaf, std::span<double> out) const {
        double n = 0;
        for (const std::int64_t count : leaf.of_class) n += static_cast<double>(count);
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] = n > 0 ? static_cast<double>(leaf.of_class[k]) / n : 1 / static_cast<double>(out.size());
        }
    }
};

}  // namespace sapwood
