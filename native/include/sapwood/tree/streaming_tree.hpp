#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/search/make_search.hpp"
#include "sapwood/search/stream.hpp"
#include "sapwood/tree/node_impurity.hpp"
#include "sapwood/tree/tree.hpp"
#include "sapwood/tree/widen_models.hpp"

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
class StreamingTree : public Tree {
public:
    using Tally = TreeTally;

    explicit StreamingTree(TreeOptions options)
        : Tree(std::move(options)),
          split_test_(options_.split_test, options_.criterion, options_.delta),
          impurity_(options_.criterion),
          unit_(in_tree_units(options_.criterion, 1)),
          resplits_(options_.growth == "extremely_fast"),
          is_exact_(options_.search != "approximate"),
          scores_(layout_) {
        const NodeId made = make_node(no_node);
        if (layout_.keeps_anything()) node(made).models.emplace(*pool_, layout_);
        start_search(made);
        measure_all();
    }

    /// A tree of the parts given, which goes on where the tree stopped that they are of.
    explicit StreamingTree(TreeState state)
        : Tree(std::move(state)),
          tally_(state.tally),
          split_test_(options_.split_test, options_.criterion, options_.delta),
          impurity_(options_.criterion),
          unit_(in_tree_units(options_.criterion, 1)),
          resplits_(options_.growth == "extremely_fast"),
          is_exact_(options_.search != "approximate"),
          scores_(layout_) {
        measure_all();
    }

    const Tally& tally() const { return tally_; }

    /// What must be kept of the search of a node, its features in ascending order. A search with bins becomes one that
    /// was made from just this, so that the two go on alike: it has a memory beyond its state. One with bins that
    /// cannot be kept finds them anew, which breaks no promise.
    SearchState state_of_search(NodeId at) {
        const SearchChoice choice = options_.search_choice(n_classes());
        SearchState state = node(at).search->state();
        if (state.first_bin.empty()) return by_feature(std::move(state));
        if (!can_keep_bins(choice, state)) {
            state.first_bin.clear();
            state.last_bin.clear();
            state = restored(choice, std::move(state))->state();
        }
        state = by_feature(std::move(state));
        node(at).search = restored(choice, state);
        return state;
    }

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
        if (options_.max_bytes) keep_within();
    }

    /// Makes room for so many classes, if there are more than before. Throws std::invalid_argument, and changes
    /// nothing, if the search cannot tell that many apart.
    void cover_classes(std::size_t n_classes);

    /// Throws std::logic_error with what is broken if an invariant does not hold. O(everything). In validate_tree.hpp.
    void validate() const;

protected:
    void start_search(NodeId at) {
        Node& here = node(at);
        std::fill(here.counted.begin(), here.counted.end(), 0);
        here.n_counted = 0;
        here.tested_at = 0;
        here.paused = false;
        here.paused_bytes = 0;
        here.n_paused = 0;
        here.least_score.reset();
        here.leaders.reset();
        if (!options_.max_depth || here.depth < *options_.max_depth) {
            here.search = make_search(options_.search_choice(n_classes()));
        }
    }

    /// Takes the memory of all nodes afresh.
    void measure_all() {
        node_bytes_ = 0;
        search_bytes_ = 0;
        for (Node& each : nodes_) measure(each);
    }

    Tally tally_;

private:
    /// Gains below this are rounding.
    static constexpr double least_gain = 1e-9;
    /// A paused leaf asks this seldom whether it may take the place of another.
    static constexpr std::int64_t points_between_claims = 256;

    // ---- the way of a point -------------------------------------------------------------------------------------

    /// The nodes that learn from a point: its leaf, and with statistics kept in inner nodes all on the way to it.
    void find_path(Features features) {
        path_.clear();
        if (!resplits_) {
            path_.push_back(leaf_of(features));
            return;
        }
        const ActiveFeatures active(features);
        NodeId at = root;
        path_.push_back(at);
        while (!test(at).is_leaf()) {
            at = test(at).child[active.contains(test(at).feature) ? 1 : 0];
            path_.push_back(at);
        }
    }

    /// Lets the models of a leaf predict a point, then learn from it.
    void teach(Node& leaf, Features features, Label label, Count weight) {
        if (!layout_.keeps_anything()) return;
        LeafModels& models = *leaf.models;
        if (layout_.keeps_logistic) cover_trunk(features);
        own_records(models, features);
        const auto note = [&](Model model, Label predicted) {
            if (predicted == label) models.right[model] += weight;
        };
        if (!always_) {
            note(majority, static_cast<Label>(std::max_element(leaf.of_class.begin(), leaf.of_class.end()) -
                                              leaf.of_class.begin()));
        }
        if (layout_.keeps_naive_bayes) {
            if (!always_) {
                models.bayes_scores(scores_.records, leaf.of_class, scores_);
                note(naive_bayes, label_of(scores_.bayes));
            }
            models.n_of_class[label] += weight;
            for (Word* record : owned_) record[label].count += weight;
        }
        if (layout_.keeps_logistic) {
            std::fill(scores_.trunk.begin(), scores_.trunk.end(), 0.0);
            trunk_.add_scores(Records(in_trunk_.data(), in_trunk_.size()), scores_.trunk);
            std::copy(scores_.trunk.begin(), scores_.trunk.end(), scores_.logistic.begin());
            models.add_correction(scores_.records, layout_, scores_.logistic);
            if (!always_) {
                note(trunk, LogisticRegression::label(scores_.trunk));
                note(logistic, LogisticRegression::label(scores_.logistic));
            }
            become_gradient(scores_.trunk, label, weight);
            become_gradient(scores_.logistic, label, weight);
            LogisticRegression::step(trunk_.intercept(), scores_.trunk);
            LogisticRegression::step(models.intercept.data(), scores_.logistic);
            LogisticRegression::step(in_trunk_, 0, scores_.trunk);
            LogisticRegression::step(owned_, layout_.weights_at(), scores_.logistic);
        }
    }

    /// Finds the records of a point, once for all that is done with them: in a leaf to be read; to be changed, where
    /// there is room for a record of the leaf's own; and in the trunk.
    void own_records(LeafModels& models, Features features) {
        if (layout_.keeps_logistic) {
            trunk_.prefetch(features);
            trunk_.find(features, in_trunk_);
        }
        if (!options_.max_bytes) {
            models.table.own(features, owned_);
            scores_.records.assign(owned_.begin(), owned_.end());
            return;
        }
        owned_.clear();
        scores_.records.clear();
        for (const FeatureId id : features) {
            if (may_own(models.table, id)) {
                owned_.push_back(models.table.own(id));
                scores_.records.push_back(owned_.back());
            } else {
                scores_.records.push_back(models.table.find(id));
            }
        }
    }

    /// From the scores of a point to the derivative of its logistic loss by each of them, times its weight.
    void become_gradient(std::span<double> scores, Label label, Count weight) {
        LogisticRegression::probabilities(scores, scores_.probabilities);
        const std::size_t first = scores.size() == 1 ? 1 : 0;
        for (std::size_t k = 0; k < scores.size(); ++k) {
            scores[k] = (scores_.probabilities[first + k] - (first + k == label ? 1 : 0)) * weight;
        }
    }

    void cover_trunk(Features features) {
        FeatureId largest = -1;
        for (const FeatureId id : features) largest = std::max(largest, id);
        if (largest < 0 || trunk_.contains(largest)) return;
        const auto size = static_cast<std::size_t>(largest) + 1;
        if (!options_.max_bytes || may_take(trunk_.bytes_to_cover(size))) trunk_.cover(size);
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
                if (is_exact_) here.leaders = {two[0].feature, two[1].feature};
                on_second = here.search->on(two[1].feature);
            }
        }
        if (!split_test_.is_uniform()) {
            bound = split_test_.bound(here.counted, here.search->on(best->feature), on_second);
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
        const FeatureId feature = candidate.split.feature;
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
        const double current = gain_of(here, test(at).feature);
        if (here.least_score && split_test_.is_uniform() &&
            most_gain(here) - current <= split_test_.bound(here.counted, {}, {})) {
            return false;
        }
        const std::optional<Split> best = ask(here);
        if (!best || best->feature == test(at).feature) return false;
        const double margin = gain_of(*best) - current;
        const double bound = split_test_.is_uniform() ? split_test_.bound(here.counted, {}, {})
                                                      : split_test_.bound(here.counted, here.search->on(best->feature),
                                                                          here.search->on(test(at).feature));
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

    // ---- memory -------------------------------------------------------------------------------------------------
    // The tree is within its limit after every point: models take no page that there is no room for, no node is split
    // if its children would not fit even without statistics, and the nodes that promise least give up theirs until what
    // remains fits.

    std::size_t limit() const { return static_cast<std::size_t>(*options_.max_bytes); }
    std::size_t bytes() const { return shared_bytes() + node_bytes_; }

    void measure(NodeId at) {
        node_bytes_ -= node(at).bytes;
        search_bytes_ -= node(at).search_bytes;
        measure(node(at));
    }

    void measure(Node& here) {
        node_bytes_ += here.bytes = bytes_of(here);
        search_bytes_ += here.search_bytes = here.search ? here.search->n_bytes() : 0;
    }

    /// Whether a model may take more memory now. If it could once nodes have given up their statistics, one will.
    bool may_take(std::size_t more) {
        if (bytes() + more <= limit()) return true;
        if (fits_without_searches(more)) starved_ = true;
        return false;
    }

    bool fits_without_searches(std::size_t more) const { return bytes() - search_bytes_ + more <= limit(); }

    bool has_room_for_children(const Node& here) const {
        if (!options_.max_bytes) return true;
        const std::size_t counts = n_classes() * (sizeof(std::int64_t) + sizeof(Count));
        const std::size_t models = here.models ? here.models->n_bytes() : 0;
        return fits_without_searches(bytes_to_make_two() + 2 * (counts + models));
    }

    bool may_own(const SharedTable& table, Slot slot) {
        // The table may have grown since its node was measured, so it is counted once more.
        return !options_.max_bytes || table.owns(slot) || may_take(table.n_bytes() + table.bytes_to_own(slot));
    }

    void keep_within() {
        for (const NodeId at : path_) {
            if (test(at).is_leaf() || node(at).search) measure(at);
        }
        bool must = std::exchange(starved_, false) || bytes() > limit();
        while (must && pause_least_promising()) must = bytes() > limit();
        const NodeId leaf = path_.back();
        if (test(leaf).is_leaf()) resume_if_possible(leaf);
    }

    /// What is left when every search and every record of a feature is given up, with so many classes.
    std::size_t least_bytes(const ModelLayout& layout) const {
        const std::size_t intercept = 2 * layout.n_outputs() * sizeof(Word);
        std::size_t bytes = shared_bytes() - pool_->n_bytes() - trunk_.n_bytes() + intercept;
        for (const NodeId at : in_order()) {
            bytes += layout.n_classes * (sizeof(std::int64_t) + sizeof(Count));
            if (node(at).models) bytes += layout.n_classes * sizeof(std::int64_t) + intercept;
        }
        return bytes;
    }

    /// Wider models may not fit any more: then searches are given up, and where that is not enough, models start anew.
    void keep_within_after_widening() {
        while (bytes() > limit() && pause_least_promising()) {
        }
        for (NodeId at = 0; at < static_cast<NodeId>(nodes_.size()) && bytes() > limit(); ++at) {
            if (!node(at).models) continue;
            node(at).models->table = SharedTable(*pool_);
            measure(at);
        }
        if (bytes() > limit()) trunk_ = Trunk(layout_.n_outputs());
    }

    /// The node that learns about splits with the least to win: inner nodes first, which have a split already.
    NodeId least_promising() const {
        NodeId least = no_node;
        const auto before = [this](NodeId a, NodeId b) {
            const bool a_is_leaf = test(a).is_leaf();
            if (a_is_leaf != test(b).is_leaf()) return !a_is_leaf;
            const std::int64_t pa = node(a).promise();
            const std::int64_t pb = node(b).promise();
            return pa != pb ? pa < pb : node(a).born < node(b).born;
        };
        for (NodeId at = 0; at < static_cast<NodeId>(nodes_.size()); ++at) {
            if (node(at).search && (least == no_node || before(at, least))) least = at;
        }
        return least;
    }

    bool pause_least_promising() {
        const NodeId at = least_promising();
        if (at == no_node) return false;
        Node& here = node(at);
        here.paused_bytes = here.search->n_bytes();
        here.search.reset();
        here.paused = true;
        here.n_paused = 0;
        ++tally_.paused;
        measure(at);
        return true;
    }

    /// A paused leaf begins anew if what it held then would fit now; or, asked now and then, in the place of a leaf
    /// with less than half as much to win.
    void resume_if_possible(NodeId at) {
        if (!node(at).paused) return;
        const auto fits = [&] { return bytes() + 2 * node(at).paused_bytes <= limit(); };
        if (!fits() && node(at).n_paused >= points_between_claims) {
            node(at).n_paused = 0;
            const NodeId least = least_promising();
            if (least != no_node && 2 * node(least).promise() < node(at).promise()) pause_least_promising();
        }
        if (!fits()) return;
        start_search(at);
        measure(at);
        ++tally_.resumed;
    }

    // ---- classes ------------------------------------------------------------------------------------------------

    std::unique_ptr<SplitSearch> widened(SplitSearch& search, std::size_t n_classes) const {
        SearchState state = search.state();
        state.of_class.resize(n_classes);
        state.on.resize(n_classes, std::vector<Count>(state.ids.size()));
        std::unique_ptr<SplitSearch> wider = make_search(options_.search_choice(n_classes));
        wider->restore(std::move(state));
        return wider;
    }

    SplitTest split_test_;
    NodeImpurity impurity_;
    /// What a gain of the searches is multiplied by.
    double unit_;
    bool resplits_;
    /// Whether the best split of a search is that of all.
    bool is_exact_;
    Scores scores_;
    std::vector<NodeId> path_;
    /// The records of a point in its leaf and in the trunk, to be changed.
    std::vector<Word*> owned_;
    std::vector<Word*> in_trunk_;
    std::size_t node_bytes_ = 0;
    /// Of these, the memory that pausing frees.
    std::size_t search_bytes_ = 0;
    /// Whether a model was refused memory since the last point.
    bool starved_ = false;
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
        if (nodes_[i].search) wider_searches[i] = widened(*nodes_[i].search, n_classes);
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
