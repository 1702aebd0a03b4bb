#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/points.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/tree/node_impurity.hpp"
#include "sapwood/tree/predict/widen_models.hpp"
#include "sapwood/tree/taught_tree.hpp"

namespace sapwood {

/// A tree that grows with a stream of points, after every one of them.
///
/// A leaf is split on the best feature when its gain is ahead of the second best, and of not splitting, by more than
/// the bound of the split test, or when that bound is below tau: then the two are as good as equal. With the growth
/// "extremely_fast" it is enough to be ahead of not splitting; inner nodes keep their statistics, and when another
/// feature is ahead of the one in use by more than the bound, the node is split anew, its subtree given up.
///
/// A split forgets nothing that predicts: the children start with the points of each class that the split implies, and
/// with the models of their parent. Only their statistics of splits start afresh. With exact searches the tree depends
/// on the points and their order alone, not on the search.
class StreamingTree : public TaughtTree {
public:
    explicit StreamingTree(TreeOptions options)
        : TaughtTree(std::move(options)),
          split_test_(options_.split_test, options_.criterion, options_.delta),
          impurity_(options_.criterion),
          unit_(in_tree_units(options_.criterion, 1)),
          resplits_(options_.growth == "extremely_fast"),
          is_exact_(options_.search != "approximate") {
        const NodeId made = make_node(no_node);
        if (layout_.keeps_anything()) node(made).models.emplace(*pool_, layout_);
        start_search(made);
        measure_all();
    }

    /// A tree of the parts given, which goes on where the tree stopped that they are of.
    explicit StreamingTree(TreeState state)
        : TaughtTree(std::move(state)),
          split_test_(options_.split_test, options_.criterion, options_.delta),
          impurity_(options_.criterion),
          unit_(in_tree_units(options_.criterion, 1)),
          resplits_(options_.growth == "extremely_fast"),
          is_exact_(options_.search != "approximate") {
        measure_all();
    }

    const TreeTally& tally() const { return tally_; }

    /// The search of a node, to be saved: some make themselves anew for that.
    SplitSearch& search_of(NodeId at) { return *node(at).search; }

    /// Learns from a point, `weight` >= 1 times. Features are unique slots, the label is below `n_classes()`; the
    /// points are at most `max_points` in all, else std::overflow_error is thrown and nothing changed.
    void learn(Features features, Label label, Count weight = 1) {
        check_room(static_cast<Count>(n_), weight);
        find_path(features);
        const NodeId leaf = path_.back();
        teach(node(leaf), features, label, weight);
        node(leaf).of_class[label] += weight;
        n_ += weight;
        for (const NodeId at : path_) {
            count(at, features, label, weight);
            if (at == leaf ? split_if_due(at) : resplit_if_due(at)) break;
        }
        if (options_.max_bytes) keep_within(path_);
    }

    /// Makes room for so many classes, if there are more than before. Throws std::invalid_argument, and changes
    /// nothing, if the search cannot tell that many apart.
    void cover_classes(std::size_t n_classes);

    /// Throws std::logic_error with what is broken if an invariant does not hold. O(everything). In validate_tree.hpp.
    void validate() const;

private:
    /// Gains below this are rounding.
    static constexpr double least_gain = 1e-9;

    // ---- the way of a point -------------------------------------------------------------------------------------

    /// The nodes that learn from a point: its leaf, and with statistics kept in inner nodes all on the way to it.
    void find_path(Features features) {
        path_.clear();
        if (!resplits_) {
            path_.push_back(leaf_of(features));
            return;
        }
        ActiveFeatures active(features);
        NodeId at = root;
        path_.push_back(at);
        while (!test(at).is_leaf()) {
            at = test(at).child[active.contains(test(at).feature) ? 1 : 0];
            path_.push_back(at);
        }
    }

    void count(NodeId at, Features features, Label label, Count weight) {
        Node& here = node(at);
        if (!here.search) {
            here.n_paused += weight;
            return;
        }
        here.counted[label] += weight;
        here.n_counted += weight;
        here.search->add(features, label, weight);
    }

    // ---- splitting ----------------------------------------------------------------------------------------------

    /// A split that a node could make, and by how much it is ahead.
    struct Candidate {
        Split split;
        double gain;
        double margin;
    };

    static bool is_pure(const Node& here) {
        return std::find(here.counted.begin(), here.counted.end(), here.n_counted) != here.counted.end();
    }

    double gain_of(const Split& split) const { return split.gain * unit_; }

    bool split_if_due(NodeId at) {
        Node& here = node(at);
        if (!here.search || here.n_counted - here.tested_at < options_.grace_period) return false;
        if (options_.max_leaves && static_cast<std::int64_t>(n_leaves_) >= *options_.max_leaves) return false;
        here.tested_at = here.n_counted;
        if (is_pure(here)) return false;
        ++tally_.tested;
        if (cannot_split(here)) return false;
        const std::optional<Candidate> candidate = due_split(here);
        if (!candidate || !has_room_for_children(here)) return false;
        ++tally_.split;
        split(at, *candidate);
        return true;
    }

    // A search need not be asked where the answer is known. A point that is added never lowers the weighted impurity of
    // a side, which is concave, and so no score. Hence no feature, not even one that is new, has a score below the
    // least one when the search was asked, and
    //     n * gain <= weighted impurity of the node now - least score then
    // for all of them. A leaf without a good split is asked a few dozen times instead of after every point.

    /// Asks the search of a node for the best split.
    std::optional<Split> ask(Node& here) {
        const std::optional<Split> best = here.search->best();
        if (best && is_exact_) here.least_score = best->score;
        here.leaders.reset();
        return best;
    }

    double most_gain(const Node& here) {
        const double most = impurity_.weighted(here.counted, here.n_counted) - *here.least_score;
        // Both were rounded, by far less than the least gain.
        return most / here.n_counted * unit_ + least_gain;
    }

    double gain_of(const Node& here, FeatureId feature) {
        const std::vector<Count> on = here.search->on(feature);
        return impurity_.gain(on, here.counted, here.n_counted) * unit_;
    }

    /// Whether it is known without asking that a leaf is not to be split.
    bool cannot_split(const Node& here) {
        if (!here.least_score) return false;
        const double most = most_gain(here);
        if (most <= options_.min_gain) return true;
        if (!split_test_.is_uniform()) return false;
        const double bound = split_test_.bound(here.counted, {}, {});
        if (bound < options_.tau) return false;
        // Whatever the second best is, the margin is at most the gain; and of any two features one is no better than
        // the second best.
        if (most <= bound) return true;
        if (!here.leaders) return false;
        const auto [first, second] = *here.leaders;
        return most - (std::min(gain_of(here, first), gain_of(here, second)) - least_gain) <= bound;
    }

    /// The split that a leaf is to make now, if any.
    std::optional<Candidate> due_split(Node& here) {
        const std::optional<Split> best = ask(here);
        if (!best) return std::nullopt;
        const double gain = gain_of(*best);
        if (!(gain > std::max(options_.min_gain, least_gain))) return std::nullopt;
        double bound = 0;
        if (split_test_.is_uniform()) {
            bound = split_test_.bound(here.counted, {}, {});
            // Whatever the second best is, the margin is at most the gain.
            if (gain <= bound && bound >= options_.tau) return std::nullopt;
        }
        double second_gain = 0;
        std::vector<Count> on_second;
        if (!resplits_) {
            const std::vector<Split> two = here.search->top(2);
            if (two.size() == 2 && gain_of(two[1]) > least_gain) {
                second_gain = gain_of(two[1]);
                if (is_exact_) here.leaders = {two[0].feature(), two[1].feature()};
                on_second = here.search->on(two[1].feature());
            }
        }
        if (!split_test_.is_uniform()) {
            bound = split_test_.bound(here.counted, here.search->on(best->feature()), on_second);
        }
        const double margin = gain - second_gain;
        if (margin <= bound && bound >= options_.tau) return std::nullopt;
        return Candidate{chosen_among_ties(*here.search, *best), gain, margin};
    }

    /// With a seed: one of the splits that are exactly as good as the best, at random.
    Split chosen_among_ties(SplitSearch& search, const Split& best) const {
        if (!options_.seed) return best;
        std::size_t tied = 1;
        std::vector<Split> top{best};
        for (std::size_t k = 2; tied == top.size(); k *= 2) {
            top = search.top(k);
            tied = static_cast<std::size_t>(
                std::count_if(top.begin(), top.end(), [&](const Split& s) { return s.score == best.score; }));
            if (top.size() < k) break;
        }
        if (tied < 2) return best;
        return top[mixed(*options_.seed + static_cast<std::uint64_t>(tally_.split + tally_.resplit)) % tied];
    }

    /// A number without apparent relation to the one given: the finaliser of splitmix64 (Steele, Lea and Flood, 2014).
    static std::uint64_t mixed(std::uint64_t x) {
        x += 0x9E3779B97F4A7C15u;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return x ^ (x >> 31);
    }

    /// Turns a leaf into an inner node with two leaves, to which its models go.
    void split(NodeId at, const Candidate& candidate) {
        std::optional<LeafModels> models = std::move(node(at).models);
        node(at).models.reset();
        --n_leaves_;
        grow_children(at, candidate, std::move(models));
        if (!resplits_) node(at).search.reset();
        measure(at);
    }

    void grow_children(NodeId at, const Candidate& candidate, std::optional<LeafModels> models) {
        const FeatureId feature = candidate.split.feature();
        const std::vector<Count> on = node(at).search->on(feature);
        const NodeId off_child = make_node(at);
        const NodeId on_child = make_node(at);
        Node& here = node(at);
        for (std::size_t k = 0; k < on.size(); ++k) {
            here.of_class[k] = here.counted[k];
            node(off_child).of_class[k] = here.counted[k] - on[k];
            node(on_child).of_class[k] = on[k];
        }
        here.gain = candidate.gain;
        here.margin = candidate.margin;
        here.split_at = n_;
        here.tested_at = here.n_counted;
        test(at) = {feature, {off_child, on_child}};
        if (models) {
            node(off_child).models = models;
            node(on_child).models = std::move(models);
        }
        for (const NodeId child : {off_child, on_child}) {
            start_search(child);
            measure(child);
        }
    }

    /// Splits an inner node anew if another feature is better than its own by more than the bound. (Not splitting,
    /// whose gain is 0, cannot be: no gain is less, as impurities are concave.)
    bool resplit_if_due(NodeId at) {
        Node& here = node(at);
        if (!here.search || here.n_counted - here.tested_at < options_.min_samples_reevaluate) return false;
        here.tested_at = here.n_counted;
        if (is_pure(here)) return false;
        ++tally_.tested;
        // No gain is negative, but by rounding.
        const double current = std::max(0.0, gain_of(here, test(at).feature));
        if (here.least_score && split_test_.is_uniform() &&
            most_gain(here) - current <= split_test_.bound(here.counted, {}, {})) {
            return false;
        }
        const std::optional<Split> best = ask(here);
        if (!best || best->feature() == test(at).feature) return false;
        const double margin = gain_of(*best) - current;
        const double bound =
            split_test_.is_uniform()
                ? split_test_.bound(here.counted, {}, {})
                : split_test_.bound(here.counted, here.search->on(best->feature()), here.search->on(test(at).feature));
        if (!(margin > std::max(bound, least_gain))) return false;
        ++tally_.resplit;
        std::optional<LeafModels> models = give_up_subtree(at);
        grow_children(at, {chosen_among_ties(*here.search, *best), gain_of(*best), margin}, std::move(models));
        measure(at);
        return true;
    }

    /// Frees all nodes below one, and returns the models of the leaf among them that most points have reached.
    std::optional<LeafModels> give_up_subtree(NodeId top) {
        std::vector<NodeId> below{test(top).child[1], test(top).child[0]};
        NodeId fullest = no_node;
        for (std::size_t i = 0; i < below.size(); ++i) {
            const NodeId at = below[i];
            if (!test(at).is_leaf()) {
                below.insert(below.end(), {test(at).child[1], test(at).child[0]});
            } else if (fullest == no_node || is_fuller(node(at), node(fullest))) {
                fullest = at;
            }
        }
        std::optional<LeafModels> models = std::move(node(fullest).models);
        for (const NodeId at : below) {
            node_bytes_ -= node(at).bytes;
            search_bytes_ -= node(at).search_bytes;
            free_node(at);
        }
        tally_.pruned += static_cast<std::int64_t>(below.size());
        return models;
    }

    static bool is_fuller(const Node& a, const Node& b) {
        const auto reached = [](const Node& leaf) { return leaf.n_counted + leaf.n_paused; };
        return reached(a) != reached(b) ? reached(a) > reached(b) : a.born < b.born;
    }

    SplitTest split_test_;
    NodeImpurity impurity_;
    /// What a gain of the searches is multiplied by.
    double unit_;
    bool resplits_;
    /// Whether the best split of a search is that of all.
    bool is_exact_;
    std::vector<NodeId> path_;
};

inline void StreamingTree::cover_classes(std::size_t n_classes) {
    if (n_classes <= this->n_classes()) return;
    const SearchChoice choice = options_.search_choice(n_classes);
    check_choice(choice);
    if (const auto reason = why_not(choice)) throw std::invalid_argument(*reason);

    const ModelLayout wider = ModelLayout::of(options_.leaf_prediction, n_classes);
    if (options_.max_bytes && least_bytes(wider) > limit()) {
        throw std::invalid_argument("max_bytes must have room for " + std::to_string(n_classes) + " classes in " +
                                    std::to_string(n_nodes()) + " nodes, got " + std::to_string(*options_.max_bytes));
    }
    auto pool = std::make_unique<PagePool>(wider.record_size());
    Trunk wider_trunk = trunk_.widened(wider);
    PageWidener pages(*pool, layout_, wider);
    std::vector<std::unique_ptr<SplitSearch>> wider_searches(nodes_.size());
    std::vector<std::optional<LeafModels>> models(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].search) wider_searches[i] = widened(*nodes_[i].search, choice);
        if (nodes_[i].models) models[i] = pages.widened(*nodes_[i].models);
    }
    // A node that is free has no counts, and is to have none.
    for (Node& each : nodes_) {
        if (each.of_class.empty()) continue;
        each.of_class.reserve(n_classes);
        each.counted.reserve(n_classes);
    }
    Scores scores(wider);
    // From here on nothing fails.
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].search = std::move(wider_searches[i]);
        nodes_[i].models = std::move(models[i]);
        if (nodes_[i].of_class.empty()) continue;
        nodes_[i].of_class.resize(n_classes);
        nodes_[i].counted.resize(n_classes);
    }
    layout_ = wider;
    trunk_ = std::move(wider_trunk);
    scores_ = std::move(scores);
    pages.release();
    pool_ = std::move(pool);
    measure_all();
    if (options_.max_bytes) keep_within_after_widening();
}

}  // namespace sapwood
