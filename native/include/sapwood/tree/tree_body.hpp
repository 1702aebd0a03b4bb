#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/random.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/search/search_choice.hpp"
#include "sapwood/tree/class_room.hpp"
#include "sapwood/tree/following.hpp"
#include "sapwood/tree/known_attributes.hpp"
#include "sapwood/tree/memory_budget.hpp"
#include "sapwood/tree/node.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/tree/points_through.hpp"
#include "sapwood/tree/predict/leaf_predictor.hpp"
#include "sapwood/tree/predict/slopes.hpp"
#include "sapwood/tree/split_candidates.hpp"
#include "sapwood/tree/split_test/split_test.hpp"
#include "sapwood/tree/tree_options.hpp"
#include "sapwood/tree/tree_tally.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The parts of a tree, and the operations that involve several of them: teaching a point to a leaf, splitting a node,
/// giving up a subtree. A growth policy (growth/) decides when; pausing.hpp decides which nodes pause for memory. What
/// does not happen at every point is in native/src/tree/: tree_body.cpp, grow_nodes.cpp, alternate_nodes.cpp and
/// tree_memory.cpp.
///
/// Guarantee: a split forgets nothing that predicts. The children start with the points of each class that the split
/// implies, and with the models of their parent; only their statistics start afresh.
class TreeBody {
public:
    /// A tree of a single leaf. `known`: what is known of numbers and categories, if other trees share it.
    explicit TreeBody(const TreeOptions& options, std::shared_ptr<KnownAttributes> known = nullptr);

    /// A tree without a node, to be filled with what was saved: options that were checked.
    TreeBody(const TreeOptions& options, std::size_t n_classes, std::shared_ptr<KnownAttributes> known = nullptr);

    ~TreeBody();
    TreeBody(TreeBody&&);
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
    /// What is known of numbers and categories.
    const KnownAttributes& known() const { return *known_; }
    KnownAttributes& known() { return *known_; }
    const Attributes& attributes() const { return known_->attributes; }
    Attributes& attributes() { return known_->attributes; }
    /// What the models of leaves see of numbers.
    const NumberRanges& ranges() const { return known_->ranges; }
    NumberRanges& ranges() { return known_->ranges; }

    // ---- a point ------------------------------------------------------------------------------------------------

    /// Lets a leaf predict a point and learn from it; one of an alternate by itself, so that others see nothing of it.
    void teach(NodeId leaf, const Point& point, Label label, Weight weight, Teaches teaches = Teaches::all) {
        Node& here = content(leaf);
        if (here.models) {
            if (budget_.is_limited()) {
                predictor_.teach(*here.models, here.of_class, point, label, weight, teaches, MayTake{*this});
            } else {
                predictor_.teach(*here.models, here.of_class, point, label, weight, teaches, Unlimited());
            }
        }
        here.of_class[label] += weight.count;
    }

    /// Lets a leaf learn from many points by their counts, in a tree that grows by batches: its models from `added`,
    /// by weight, and from the slopes of the points, if they are not counts alone; its statistics from `seen`.
    void absorb(NodeId leaf, const AddedCounts& added, const AddedCounts& seen, const SummedSlopes* summed) {
        Node& here = content(leaf);
        if (summed != nullptr) {
            slopes::step_leaf(predictor_, *here.models, added, *summed);
        } else if (here.models) {
            predictor_.add_counts(*here.models, added);
        }
        for (std::size_t k = 0; k < here.of_class.size(); ++k) here.of_class[k] += added.of_class[k];
        here.statistics.add_counts(seen);
    }

    /// Lets what all leaves share learn from the points of a batch, of all leaves; before the leaves do.
    void absorb_shared(const AddedCounts& added, const SummedSlopes& summed, std::int64_t n_met,
                       std::int64_t n_active) {
        if (predictor_.mixing()) predictor_.mixing()->note_points(n_met, n_active);
        slopes::step_trunk(predictor_, added, summed);
    }

    /// As `teach`; returns whether the leaf had predicted the class of the point, the first of several.
    bool judge_and_teach(NodeId leaf, const Point& point, Label label, Weight weight, Teaches teaches = Teaches::all) {
        if (predictor_.layout().mixes) {
            // It is asked when it is taught.
            teach(leaf, point, label, weight, teaches);
            return predictor_.last_answer() == label;
        }
        if (scores_.probabilities.size() != n_classes()) scores_ = Scores(predictor_.layout());
        predictor_.predict(node(leaf).of_class, node(leaf).models, point, scores_, teaches == Teaches::beside);
        const std::vector<double>& all = scores_.probabilities;
        const auto answer = static_cast<Label>(std::max_element(all.begin(), all.end()) - all.begin());
        teach(leaf, point, label, weight, teaches);
        return answer == label;
    }

    /// Notes that a point was learned.
    void note_point(Weight weight) {
        n_ += weight.count;
        ++n_met_;
    }

    /// Notes that points were learned: `n` by weight, `n_met` each once.
    void note_points(std::int64_t n, std::int64_t n_met) {
        n_ += n;
        n_met_ += n_met;
    }

    Weight rounded(double weight) { return weights_.rounded(weight); }

    void predict(const Point& point, Scores& scores) const {
        const Node& leaf = node(nodes_.leaf_of(point));
        predictor_.predict(leaf.of_class, leaf.models, point, scores);
    }

    /// What the leaf of a point says, in logarithms, into `out` (leaf_predictor.hpp).
    void opinion(const Point& point, Scores& scores, std::span<double> out) const {
        const Node& leaf = node(nodes_.leaf_of(point));
        predictor_.opinion(leaf.of_class, leaf.models, point, scores, out);
    }

    /// As `predict`, unless the class of the largest probability is certain before: then returns it.
    std::optional<Label> predict_label(const Point& point, Scores& scores) const {
        const Node& leaf = node(nodes_.leaf_of(point));
        return predictor_.predict_label(leaf.of_class, leaf.models, point, scores);
    }

    // ---- statistics ---------------------------------------------------------------------------------------------

    NodeStatistics& statistics(NodeId at) { return content(at).statistics; }

    /// Lets a node count afresh, unless it is as deep as may be.
    void start_statistics(NodeId at);

    /// Lets all nodes look at numbers and categories, when the first of them is met. The memory that this takes is
    /// counted with the next point of a node.
    void use_attributes();
    bool uses_attributes() const { return uses_attributes_; }

    /// Notes that a split is looked for.
    void note_test() { ++tally_.tested; }

    /// Lets a node count a point, at most once if weights are no evidence; of its features those that it may split on.
    void count(NodeId at, const Point& point, Label label, Weight weight) {
        statistics(at).add(candidates_ ? candidates_->seen(point, nodes_.born(at)) : point, label, times_of(weight));
    }
    /// The same of several nodes, of which there is one.
    void count(std::span<const NodeId> nodes, const Point& point, Label label, Weight weight) {
        if (candidates_ && candidates_->is_of_node()) {
            for (const NodeId at : nodes) count(at, point, label, weight);
            return;
        }
        const Point& seen = candidates_ ? candidates_->seen(point, 0) : point;
        for (const NodeId at : nodes) statistics(at).add(seen, label, times_of(weight));
    }

    /// From now on, and before the first point, nodes may split on some features only.
    void restrict_splits(const SplitCandidates& candidates) { candidates_ = candidates; }
    /// The memory that the draw of what may be split on holds; no part of `n_bytes`.
    std::size_t bytes_of_candidates() const { return candidates_ ? candidates_->n_bytes() : 0; }

    NodeContext context(NodeId at) const { return {nodes_.born_in_own_tree(at)}; }

    // ---- growing ------------------------------------------------------------------------------------------------

    /// Whether there may be one more leaf in the tree that a node is of. An alternate has the leaves of its node to
    /// spend, and those that the tree has not, so that it can take the place of its node.
    bool may_have_more_leaves(NodeId at) const;

    /// Whether the tree would have no more leaves than it may if the alternate of a node took its place.
    bool may_swap(NodeId at) const {
        return !options_.max_leaves || n_leaves_after_swap(at) <= static_cast<std::size_t>(*options_.max_leaves);
    }

    /// Whether the children of a leaf would fit into memory, if every node gave up its search.
    bool has_room_for_children(NodeId leaf) const;

    /// With a seed: one of the splits that are exactly as good as the best, at random; otherwise the best itself.
    Split chosen_among_ties(NodeId at, const Split& best);

    /// Turns a leaf into an inner node with two leaves, to which its models go. Its statistics stay as they are.
    void split(NodeId leaf, const DueSplit& due);

    /// Gives an inner node another split, two leaves below it, and its subtree up. The models of the leaf below it that
    /// most points have reached go to both.
    void split_anew(NodeId inner, DueSplit due);

    /// The points of each class that have passed a node since it was made (points_through.hpp).
    std::vector<std::int64_t> points_through(NodeId top) const {
        return sapwood::points_through(nodes_, contents_, top);
    }

    /// Turns an inner node into a leaf, with the points that its leaves had, and statistics that start afresh.
    void collapse(NodeId inner);

    /// Gives the root up, with all below it but a child, which takes its place with its own subtree. In cut_tree.hpp.
    void drop_root(NodeId kept);

    /// Gives all nodes up, and begins with a new root that has seen nothing. What was learned of the whole stream, the
    /// trunk that models build on, stays. In cut_tree.hpp.
    void start_over();

    /// Ends the statistics of a node that was split, for a learner that looks at it no more.
    void end_statistics(NodeId inner) {
        statistics(inner).end();
        measure(inner);
    }

    // ---- following a stream that changes: growth/alternates.hpp decides, forgetting.hpp forgets ------------------

    /// The parts that only a tree has which follows a changing stream.
    const std::optional<Following>& following() const { return following_; }
    Following& follow() { return *following_; }
    const NodeWatch& watch(NodeId at) const { return *following_->watches[static_cast<std::size_t>(at)]; }
    NodeWatch& watch(NodeId at) { return *following_->watches[static_cast<std::size_t>(at)]; }

    /// Every node: each before its alternate, and that before its children.
    std::vector<NodeId> all_nodes() const;

    /// What learns from a point in the alternate of a node. That of the root has a trunk of its own: the errors of the
    /// trunk are errors of all leaves.
    static Teaches taught_beside(NodeId at) { return at == Nodes::root ? Teaches::beside : Teaches::leaf_only; }

    /// Begins an alternate of a node: a leaf that has seen nothing, in a place of its own.
    NodeId begin_alternate(NodeId at);

    /// Gives the alternate of a node up.
    void drop_alternate(NodeId at);

    /// Lets the alternate of a node take its place, and gives up all that was there.
    void swap_alternate(NodeId at);

    void add_to_classes(NodeId leaf, Label label, Count count) { content(leaf).of_class[label] += count; }
    void set_classes(NodeId at, std::vector<std::int64_t> of_class) { content(at).of_class = std::move(of_class); }

    // ---- memory -------------------------------------------------------------------------------------------------

    /// What is not in any one node.
    std::size_t shared_bytes() const {
        return price_of_tree + nodes_.capacity() * price_of_node + nodes_.n_bytes() + predictor_.n_bytes() +
               (following_ ? following_->recent.n_bytes() : 0);
    }

    /// The memory held, in bytes.
    std::size_t n_bytes() const;

    /// The memory that a node holds outside the lists of nodes.
    MemoryCharge measured(NodeId at) const {
        MemoryCharge charge = node(at).measured();
        if (following_ && following_->watches[static_cast<std::size_t>(at)]) charge.bytes += watch(at).n_bytes();
        return charge;
    }

    /// Charges a node for what it holds now.
    void measure(NodeId at) { budget_.charge(content(at).charge, measured(at)); }

    void pause(NodeId at);
    void resume(NodeId at);

    /// Lets the models of a leaf forget what they know of features.
    void clear_models(NodeId leaf);
    void clear_trunk() { predictor_.clear_trunk(); }

    bool take_refusal() { return budget_.take_refusal(); }
    bool take_crowding() { return budget_.take_crowding(); }

    /// Gives back the room for nodes that are no more, of a tree that is a single leaf.
    void shrink_to_root();

    /// The bytes of the tree with `n_classes` classes, and the room for more that it is to have then, and nothing
    /// learned but the points of each class.
    std::size_t least_bytes(std::size_t n_classes) const;

    /// The same of a tree that is a single leaf, without room for more.
    std::size_t least_bytes_of_root(std::size_t n_classes) const;

    // ---- more classes -------------------------------------------------------------------------------------------

    /// The classes that are expected, so that records have room for them.
    std::size_t expected_classes() const { return expected_classes_; }
    void set_expected_classes(std::size_t n_classes) { expected_classes_ = n_classes; }

    /// The classes that records are to have room for where there are `n_classes`.
    std::size_t class_room(std::size_t n_classes) const {
        return room_for_classes(n_classes, expected_classes_, options_.max_bytes);
    }
    /// How often all records were made anew for more classes. It is not saved.
    std::size_t n_rewrites() const { return n_rewrites_; }

    /// What makes the search of a node that counts `n_classes` classes.
    SearchChoice search_choice(std::size_t n_classes) const {
        SearchChoice choice = options_.search_choice(n_classes);
        choice.class_room = class_room(n_classes);
        return choice;
    }

    /// Whether records have room for so many classes.
    bool has_room_for(std::size_t n_classes) const { return predictor_.layout().has_room_for(n_classes); }

    /// Has more classes from now on, for which there is room: no record is moved. In widen_tree.hpp.
    SAPWOOD_COLD void take_classes(std::size_t n_classes);

    /// Makes all records anew, with the room for `n_classes` classes that they are to have. If it throws, nothing has
    /// changed. It may exceed the limit of memory. In widen_tree.hpp.
    SAPWOOD_COLD void widen(std::size_t n_classes);

    // ---- what was saved -----------------------------------------------------------------------------------------

    LeafPredictor& restored_predictor() { return predictor_; }
    void restore_births_beside(std::uint64_t n_born) { nodes_.set_n_born_beside(n_born); }
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
    NodeId restore_node(const Nodes::Place& place, std::uint64_t born, const Test& test, Node contents,
                        std::unique_ptr<NodeWatch> watched) {
        const NodeId at = nodes_.restore(place, born, test);
        if (place.beside != no_node) watch(place.beside).alternate = at;
        contents_.push_back(std::move(contents));
        if (following_) following_->watches.push_back(std::move(watched));
        measure(at);
        return at;
    }

    /// A number without apparent relation to the one given.
    static std::uint64_t mixed(std::uint64_t x) { return hashed(x); }

    /// Throws std::logic_error with what is broken if an invariant does not hold. O(everything).
    /// `counts_inner_nodes`, `counts_all_points`, `forgets_points`: as the growth policy says.
    /// `with_contents`: also what is within searches and pages.
    void validate(bool counts_inner_nodes, bool counts_all_points, bool forgets_points,
                  bool with_contents = true) const;

private:
    // For the tests of the validator.
    friend class NodesBreaker;
    // Takes a subtree apart and makes another of it: an operation like those here, in a file of its own.
    friend class Restructuring;

    /// Whether models may take more memory.
    struct MayTake {
        TreeBody& tree;

        bool operator()(std::size_t more) const {
            return tree.budget_.may_take(tree.shared_bytes(), tree.predictor_.n_bytes(), more);
        }
        bool surely(std::size_t more) const {
            return tree.budget_.has_room_for(tree.shared_bytes(), tree.predictor_.n_bytes(), more);
        }
    };

    static constexpr std::size_t fewest_classes = 2;
    /// What a tree is charged for itself; a price, like that of a node.
    static constexpr std::size_t price_of_tree = 456;

    static std::size_t bytes_of_counts(std::size_t n_classes) {
        return n_classes * (sizeof(std::int64_t) + sizeof(Count));
    }

    Count times_of(Weight weight) const {
        return options_.counts_points_once() ? std::min(weight.count, 1) : weight.count;
    }

    Node& content(NodeId at) { return contents_[static_cast<std::size_t>(at)]; }

    std::size_t n_leaves_after_swap(NodeId at) const {
        return nodes_.n_leaves() - nodes_.n_leaves_below(at) + nodes_.n_leaves_below(watch(at).alternate);
    }

    NodeId make_node(NodeId at, bool beside = false);

    const Attributes* used_attributes() const { return uses_attributes_ ? &attributes() : nullptr; }

    void grow_children(NodeId at, const DueSplit& due, std::optional<LeafModels> models);

    /// Frees all nodes below one, and returns the models of the leaf among them that most points have reached.
    std::optional<LeafModels> give_up_below(NodeId top);

    /// Frees all nodes below one, with their alternates.
    void free_below(NodeId top);

    void free_content(NodeId at);

    std::unique_ptr<NodeWatch>& slot_of_watch(NodeId at) { return following_->watches[static_cast<std::size_t>(at)]; }

    TreeOptions options_;
    /// Like the names of features, no part of what a limit of memory is of. Nodes refer to it.
    std::shared_ptr<KnownAttributes> known_;
    bool uses_attributes_ = false;
    /// Which features nodes may split on; nothing if all.
    std::optional<SplitCandidates> candidates_;
    // Before the nodes, whose models give their pages back to its pool.
    LeafPredictor predictor_;
    Nodes nodes_;
    /// By the id of the node.
    std::vector<Node> contents_;
    MemoryBudget budget_;
    TreeTally tally_;
    WeightRounding weights_;
    std::optional<Following> following_;
    /// Room for what `answer` computes.
    Scores scores_;
    std::int64_t n_ = 0;
    std::int64_t n_met_ = 0;
    std::size_t expected_classes_ = 0;
    std::size_t n_rewrites_ = 0;
};

}  // namespace sapwood
