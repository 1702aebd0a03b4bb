#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sapwood/search/make_search.hpp"
#include "sapwood/tree/memory_budget.hpp"
#include "sapwood/tree/node.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/tree/predict/leaf_predictor.hpp"
#include "sapwood/tree/split_test/make_split_notes.hpp"
#include "sapwood/tree/split_test/split_test.hpp"
#include "sapwood/tree/tree_options.hpp"
#include "sapwood/tree/tree_tally.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The parts of a tree, and the operations that involve several of them: teaching a point to a leaf, splitting a node,
/// giving up a subtree. A growth policy (growth/) decides when; pausing.hpp decides which nodes pause for memory.
///
/// Guarantee: a split forgets nothing that predicts. The children start with the points of each class that the split
/// implies, and with the models of their parent; only their statistics start afresh.
class TreeBody {
public:
    /// A tree of a single leaf.
    explicit TreeBody(const TreeOptions& options)
        : options_((check_options(options), options)),
          predictor_(options.leaf_prediction, fewest_classes),
          budget_(options.max_bytes),
          weights_(options.seed) {
        const NodeId root = make_node(no_node);
        content(root).models = predictor_.make_models();
        start_statistics(root);
        measure(root);
    }

    /// A tree without a node, to be filled with what was saved: options that were checked.
    TreeBody(const TreeOptions& options, std::size_t n_classes)
        : options_(options),
          predictor_(options.leaf_prediction, n_classes),
          budget_(options.max_bytes),
          weights_(options.seed) {}

    TreeBody(TreeBody&&) = default;
    // Not assignable: the pool of pages would go before the tables of the nodes that it replaces.
    TreeBody& operator=(TreeBody&&) = delete;

    const TreeOptions& options() const { return options_; }
    const Nodes& nodes() const { return nodes_; }
    const Node& node(NodeId at) const { return contents_[static_cast<std::size_t>(at)]; }
    const LeafPredictor& predictor() const { return predictor_; }
    const MemoryBudget& budget() const { return budget_; }
    const TreeTally& tally() const { return tally_; }
    std::size_t n_classes() const { return predictor_.layout().n_classes; }
    /// The points learned, by weight.
    std::int64_t n() const { return n_; }
    /// The points learned, each once, also those whose weight was rounded to 0.
    std::int64_t n_met() const { return n_met_; }
    const WeightRounding& weights() const { return weights_; }

    // ---- a point ------------------------------------------------------------------------------------------------

    /// Lets a leaf predict a point and learn from it.
    void teach(NodeId leaf, Features features, Label label, Weight weight) {
        Node& here = content(leaf);
        if (here.models) {
            if (budget_.is_limited()) {
                predictor_.teach(*here.models, here.of_class, features, label, weight,
                                 [this](std::size_t more) { return budget_.may_take(shared_bytes(), more); });
            } else {
                predictor_.teach(*here.models, here.of_class, features, label, weight, Unlimited());
            }
        }
        here.of_class[label] += weight.count;
    }

    /// Notes that a point was learned.
    void note_point(Weight weight) {
        n_ += weight.count;
        ++n_met_;
    }

    Weight rounded(double weight) { return weights_.rounded(weight); }

    void predict(const Point& point, Scores& scores) const {
        const Node& leaf = node(nodes_.leaf_of(point));
        predictor_.predict(leaf.of_class, leaf.models, point.on, scores);
    }

    // ---- statistics ---------------------------------------------------------------------------------------------

    NodeStatistics& statistics(NodeId at) { return content(at).statistics; }

    /// Lets a node count afresh, unless it is as deep as may be.
    void start_statistics(NodeId at) {
        content(at).statistics = NodeStatistics(n_classes());
        if (options_.may_split_at(nodes_.depth(at))) {
            statistics(at).start(make_search(options_.search_choice(n_classes())), make_split_notes(options_));
        }
    }

    /// Notes that a split is looked for.
    void note_test() { ++tally_.tested; }

    /// Lets a node count a point, at most once if weights are no evidence.
    void count(NodeId at, Features features, Label label, Weight weight) {
        statistics(at).add(features, label, options_.counts_points_once() ? std::min(weight.count, 1) : weight.count);
    }

    NodeContext context(NodeId at) const { return {nodes_.born(at)}; }

    // ---- growing ------------------------------------------------------------------------------------------------

    bool may_have_more_leaves() const {
        return !options_.max_leaves || static_cast<std::int64_t>(nodes_.n_leaves()) < *options_.max_leaves;
    }

    /// Whether the children of a leaf would fit into memory, if every node gave up its search.
    bool has_room_for_children(NodeId leaf) const {
        if (!budget_.is_limited()) return true;
        const std::size_t models = node(leaf).models ? node(leaf).models->n_bytes() : 0;
        const std::size_t places = nodes_.ids_to_make_two() * price_of_node;
        return budget_.fits_without_searches(shared_bytes(), places + 2 * (bytes_of_counts(n_classes()) + models));
    }

    /// With a seed: one of the splits that are exactly as good as the best, at random; otherwise the best itself.
    Split chosen_among_ties(NodeId at, const Split& best) {
        if (!options_.seed) return best;
        std::size_t tied = 1;
        std::vector<Split> top{best};
        for (std::size_t k = 2; tied == top.size(); k *= 2) {
            top = statistics(at).top(k);
            tied = static_cast<std::size_t>(
                std::count_if(top.begin(), top.end(), [&](const Split& s) { return s.score == best.score; }));
            if (top.size() < k) break;
        }
        if (tied < 2) return best;
        return top[mixed(*options_.seed + static_cast<std::uint64_t>(tally_.split + tally_.resplit)) % tied];
    }

    /// Turns a leaf into an inner node with two leaves, to which its models go. Its statistics stay as they are.
    void split(NodeId leaf, const DueSplit& due) {
        ++tally_.split;
        std::optional<LeafModels> models = std::move(content(leaf).models);
        content(leaf).models.reset();
        grow_children(leaf, due, std::move(models));
        measure(leaf);
    }

    /// Gives an inner node another split, two leaves below it, and its subtree up. The models of the leaf below it that
    /// most points have reached go to both.
    void split_anew(NodeId inner, DueSplit due) {
        ++tally_.resplit;
        std::optional<LeafModels> models = give_up_below(inner);
        due.split = chosen_among_ties(inner, due.split);
        grow_children(inner, due, std::move(models));
        measure(inner);
    }

    /// Turns an inner node into a leaf, with the points that its leaves had, and statistics that start afresh.
    void collapse(NodeId inner) {
        std::vector<std::int64_t> of_class(n_classes());
        for (const NodeId at : nodes_.in_order(inner)) {
            if (!nodes_.is_leaf(at)) continue;
            for (std::size_t k = 0; k < of_class.size(); ++k) of_class[k] += node(at).of_class[k];
        }
        std::optional<LeafModels> models = give_up_below(inner);
        content(inner).of_class = std::move(of_class);
        content(inner).models = std::move(models);
        content(inner).split = MadeSplit();
        start_statistics(inner);
        measure(inner);
    }

    /// Ends the statistics of a node that was split, for a learner that looks at it no more.
    void end_statistics(NodeId inner) {
        statistics(inner).end();
        measure(inner);
    }

    // ---- memory -------------------------------------------------------------------------------------------------

    /// What is not in any one node.
    std::size_t shared_bytes() const {
        return price_of_tree + nodes_.capacity() * price_of_node + nodes_.n_bytes() + predictor_.n_bytes();
    }

    /// The memory held, in bytes.
    std::size_t n_bytes() const {
        std::size_t bytes = shared_bytes();
        for (const Node& each : contents_) bytes += each.measured().bytes;
        return bytes;
    }

    /// Charges a node for what it holds now.
    void measure(NodeId at) { budget_.charge(content(at).charge, content(at).measured()); }

    void pause(NodeId at) {
        statistics(at).pause();
        ++tally_.paused;
        measure(at);
    }
    void resume(NodeId at) {
        start_statistics(at);
        ++tally_.resumed;
        measure(at);
    }

    /// Lets the models of a leaf forget what they know of features.
    void clear_models(NodeId leaf) {
        content(leaf).models->table = SharedTable(predictor_.pool());
        measure(leaf);
    }
    void clear_trunk() { predictor_.clear_trunk(); }

    bool take_refusal() { return budget_.take_refusal(); }

    /// Gives back the room for nodes that are no more, of a tree that is a single leaf.
    void shrink_to_root() {
        contents_.erase(contents_.begin() + 1, contents_.end());
        contents_.shrink_to_fit();
        nodes_.shrink_to_root();
    }

    /// The bytes of the tree with `n_classes` classes and nothing learned but the points of each class.
    std::size_t least_bytes(std::size_t n_classes) const {
        const ModelLayout layout = ModelLayout::of(options_.leaf_prediction, n_classes);
        const std::size_t per_node = bytes_of_counts(n_classes);
        return shared_bytes() - predictor_.n_bytes() + LeafPredictor::least_bytes(layout) +
               nodes_.n_nodes() * per_node + nodes_.n_leaves() * LeafPredictor::least_bytes_of_models(layout);
    }

    /// The same of a tree that is a single leaf.
    std::size_t least_bytes_of_root(std::size_t n_classes) const {
        const ModelLayout layout = ModelLayout::of(options_.leaf_prediction, n_classes);
        return price_of_tree + price_of_node + LeafPredictor::least_bytes(layout) + bytes_of_counts(n_classes) +
               LeafPredictor::least_bytes_of_models(layout);
    }

    /// Makes room for more classes. If it throws, nothing has changed. It may exceed the limit of memory.
    void widen(std::size_t n_classes);

    // ---- what was saved -----------------------------------------------------------------------------------------

    LeafPredictor& restored_predictor() { return predictor_; }
    void restore_counts(std::int64_t n, const TreeTally& tally, std::uint64_t n_born) {
        n_ = n;
        n_met_ = n;
        tally_ = tally;
        nodes_.set_n_born(n_born);
    }
    /// To be called after `restore_counts`, which takes each point for one of weight 1.
    void restore_weights(std::int64_t n_met, const WeightRounding::State& state) {
        n_met_ = n_met;
        weights_.restore(state);
    }
    void reserve_nodes(std::size_t size) {
        nodes_.reserve(size);
        contents_.reserve(size);
    }
    NodeId restore_node(NodeId parent, bool passes, std::uint64_t born, const Test& test, Node contents) {
        const NodeId at = nodes_.restore(parent, passes, born, test);
        contents_.push_back(std::move(contents));
        measure(at);
        return at;
    }

    /// A number without apparent relation to the one given: the finaliser of splitmix64 (Steele, Lea and Flood, 2014).
    static std::uint64_t mixed(std::uint64_t x) {
        x += 0x9E3779B97F4A7C15u;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return x ^ (x >> 31);
    }

    /// Throws std::logic_error with what is broken if an invariant does not hold. O(everything). In validate_tree.hpp.
    /// `counts_inner_nodes`, `counts_all_points`: as the growth policy says.
    void validate(bool counts_inner_nodes, bool counts_all_points) const;

private:
    // For the tests of the validator.
    friend class NodesBreaker;

    static constexpr std::size_t fewest_classes = 2;
    /// What a tree is charged for itself; a price, like that of a node.
    static constexpr std::size_t price_of_tree = 456;

    static std::size_t bytes_of_counts(std::size_t n_classes) {
        return n_classes * (sizeof(std::int64_t) + sizeof(Count));
    }

    Node& content(NodeId at) { return contents_[static_cast<std::size_t>(at)]; }

    NodeId make_node(NodeId parent) {
        const NodeId id = nodes_.make(parent);
        contents_.reserve(nodes_.capacity());
        if (contents_.size() < nodes_.n_ids()) contents_.emplace_back();
        content(id) = Node(n_classes());
        return id;
    }

    void grow_children(NodeId at, const DueSplit& due, std::optional<LeafModels> models) {
        const std::vector<Count> passed = statistics(at).on(due.split.feature());
        const NodeId off = make_node(at);
        const NodeId on = make_node(at);
        Node& here = content(at);
        const std::vector<Count>& counted = here.statistics.counted();
        for (std::size_t k = 0; k < passed.size(); ++k) {
            here.of_class[k] = counted[k];
            content(off).of_class[k] = counted[k] - passed[k];
            content(on).of_class[k] = passed[k];
        }
        here.split = {due.gain, due.margin, n_};
        here.statistics.note_test();
        nodes_.attach(at, due.split.test, off, on);
        if (models) {
            content(off).models = models;
            content(on).models = std::move(models);
        }
        for (const NodeId child : {off, on}) {
            start_statistics(child);
            measure(child);
        }
    }

    /// Frees all nodes below one, and returns the models of the leaf among them that most points have reached.
    std::optional<LeafModels> give_up_below(NodeId top) {
        const auto is_fuller = [this](NodeId a, NodeId b) {
            const std::int64_t in_a = node(a).statistics.n_reached();
            const std::int64_t in_b = node(b).statistics.n_reached();
            return in_a != in_b ? in_a > in_b : nodes_.born(a) < nodes_.born(b);
        };
        NodeId fullest = no_node;
        for (const NodeId at : nodes_.in_order(top)) {
            if (at != top && nodes_.is_leaf(at) && (fullest == no_node || is_fuller(at, fullest))) fullest = at;
        }
        std::optional<LeafModels> models = std::move(content(fullest).models);
        const std::vector<NodeId> below = nodes_.prune(top);
        for (const NodeId at : below) {
            budget_.release(content(at).charge);
            content(at) = Node();
        }
        tally_.pruned += static_cast<std::int64_t>(below.size());
        return models;
    }

    TreeOptions options_;
    // Before the nodes, whose models give their pages back to its pool.
    LeafPredictor predictor_;
    Nodes nodes_;
    /// By the id of the node.
    std::vector<Node> contents_;
    MemoryBudget budget_;
    TreeTally tally_;
    WeightRounding weights_;
    std::int64_t n_ = 0;
    std::int64_t n_met_ = 0;
};

inline void TreeBody::widen(std::size_t n_classes) {
    const SearchChoice choice = options_.search_choice(n_classes);
    LeafPredictor::Widened wider(predictor_, n_classes);
    std::vector<std::unique_ptr<SplitSearch>> searches(contents_.size());
    std::vector<std::optional<LeafModels>> models(contents_.size());
    for (std::size_t i = 0; i < contents_.size(); ++i) {
        searches[i] = contents_[i].statistics.widened_search(choice);
        if (contents_[i].models) models[i] = wider.models(*contents_[i].models);
        // A node that is free has no counts, and is to have none.
        if (contents_[i].of_class.empty()) continue;
        contents_[i].of_class.reserve(n_classes);
        contents_[i].statistics.reserve_classes(n_classes);
    }
    // From here on nothing fails.
    for (std::size_t i = 0; i < contents_.size(); ++i) {
        contents_[i].models = std::move(models[i]);
        if (contents_[i].of_class.empty()) continue;
        contents_[i].of_class.resize(n_classes);
        contents_[i].statistics.widen(n_classes, std::move(searches[i]));
    }
    predictor_.adopt(std::move(wider));
    for (Node& each : contents_) budget_.charge(each.charge, each.measured());
}

}  // namespace sapwood
