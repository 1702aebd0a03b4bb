#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sapwood/dynamic/dynamic_node.hpp"
#include "sapwood/dynamic/dynamic_options.hpp"
#include "sapwood/dynamic/feature_order.hpp"
#include "sapwood/dynamic/old_nodes.hpp"
#include "sapwood/dynamic/point_store.hpp"
#include "sapwood/dynamic/split_chooser.hpp"
#include "sapwood/dynamic/sum_of_points.hpp"
#include "sapwood/points.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// A tree that is kept up to date while points come and go.
///
/// Guarantee, after `settle`, with an exact search:
///   - beta = 0: the tree is the one that a batch learner with the same stopping rule builds from the points held, node
///     for node: a function of their multiset and of the order of features, whatever came or went before. ID5R (Utgoff
///     1989), settled when it is asked, as ITI does (Utgoff, Berkman and Clouse 1997).
///   - beta > 0: every inner node has a test whose gain is within beta of the best of all features on the points below
///     it, and every leaf that the stopping rule does not make has no test with a gain above min_gain + beta: a fully
///     dynamic tree (Bressan, Damay and Sozio, AAAI 2023). A node is built anew only when its regret exceeds beta.
///
/// Cost of an update: O(m) per node on its way, and that of settling; docs/dynamic.md has the amortised bound.
class DynamicTree {
public:
    explicit DynamicTree(const DynamicOptions& options)
        : options_((check_dynamic_options(options), options)), chooser_(options, fewest_classes) {
        make_node(no_node);
    }

    const DynamicOptions& options() const { return options_; }
    const Nodes& nodes() const { return nodes_; }
    const DynamicNode& node(NodeId at) const { return contents_[static_cast<std::size_t>(at)]; }
    const PointStore& points() const { return points_; }
    const DynamicTally& tally() const { return tally_; }
    std::size_t n_classes() const { return n_classes_; }
    std::int64_t n() const { return points_.n(); }
    bool is_settled() const { return !node(Nodes::root).is_stale; }

    // ---- points -------------------------------------------------------------------------------------------------

    /// Adds a point; its label is below `n_classes()`, its features ascend. Returns its entry in the store.
    /// Throws std::overflow_error, and changes nothing, if there is no room for it.
    PointId learn(Features features, Label label, Count weight = 1) {
        check_room(static_cast<Count>(n()), weight);
        const bool is_new = points_.find(features, label) == no_point;
        const PointId id = points_.add(features, label, weight);
        const NodeId leaf = pass(features, weight, [&](DynamicNode& node) {
            node.totals.add(features.size(), label, weight);
            if (node.search) node.search->add(features, label, weight);
        });
        if (is_new) put(leaf, id);
        return id;
    }

    /// Takes weight from an entry that holds as much.
    void forget(PointId id, Count weight = 1) {
        const Taken one{id, weight};
        forget(std::span<const Taken>(&one, 1));
    }

    /// Takes weight from entries, each of which comes once and holds as much. Node by node, not point by point, and
    /// where they are many by their sums: the counts of a node are read from memory once for all of them.
    void forget(std::span<const Taken> gone);

    /// Keeps a part of the weight of an entry for whoever knows it by name.
    void add_named(PointId id, Count weight) { points_.add_named(id, weight); }

    /// Has `n_classes` classes from now on; class k gets the number `numbers[k]`. Every class that points have must be
    /// below it. The tree is built anew when it is next settled: the sums over classes are in their order.
    void renumber(std::span<const Label> numbers, std::size_t n_classes) {
        check_dynamic_classes(options_, n_classes);
        points_.renumber(numbers);
        n_classes_ = n_classes;
        chooser_.set_classes(n_classes);
        start_afresh();
    }

    // ---- settling -----------------------------------------------------------------------------------------------

    /// Makes the tree what the guarantee says. O(1) if nothing changed.
    void settle(const FeatureOrder& order) {
        std::vector<NodeId> waiting{Nodes::root};
        while (!waiting.empty()) {
            const NodeId at = waiting.back();
            waiting.pop_back();
            if (!node(at).is_stale) continue;
            content(at).is_stale = false;
            std::optional<Candidate> best;
            if (is_safe(at) || is_good(at, order, best)) {
                if (nodes_.is_leaf(at)) {
                    prepare(at);
                    continue;
                }
                waiting.push_back(nodes_.child(at, false));
                waiting.push_back(nodes_.child(at, true));
            } else {
                rebuild(at, order, waiting, best);
            }
        }
    }

    /// Builds the whole tree anew, with the best test at every node.
    void rebuild_all(const FeatureOrder& order) {
        start_afresh();
        content(Nodes::root).is_stale = false;
        std::vector<NodeId> kept;
        rebuild(Nodes::root, order, kept, std::nullopt);
    }

    /// Lets the tree have these tests, `no_feature` for a leaf, in the order of `Nodes::in_order`; what does not fit
    /// the points is put right by `settle`, which is due. Throws std::invalid_argument if they are no tree.
    void take_tests(std::span<const FeatureId> tests) {
        start_afresh();
        std::vector<NodeId> waiting{Nodes::root};
        for (const FeatureId test : tests) {
            if (waiting.empty()) throw std::invalid_argument("tests must end with the last leaf, got more");
            const NodeId at = waiting.back();
            waiting.pop_back();
            content(at).is_stale = true;
            if (test == no_feature) continue;
            if (node(at).totals.n < options_.min_samples) {
                throw std::invalid_argument("tests must be of nodes with min_samples points, got one with " +
                                            std::to_string(node(at).totals.n));
            }
            split(at, Test(test));
            waiting.push_back(nodes_.child(at, true));
            waiting.push_back(nodes_.child(at, false));
        }
        if (!waiting.empty()) throw std::invalid_argument("tests must go on to the last leaf, got fewer");
    }

    /// How far the gain of an inner node is from the best one; of a leaf, how far not splitting is: 0 where the
    /// stopping rule makes it a leaf.
    double regret(NodeId at, const FeatureOrder& order) {
        if (must_stop(at)) return 0;
        const std::optional<Candidate> best = best_of(at, order);
        if (!best || !may_split_on(*best, at)) return 0;
        return best->gain - (nodes_.is_leaf(at) ? least_wanted() : gain_of_test(at));
    }

    /// How far the gain of the test of an inner node is ahead of that of the best other feature, if there is one.
    double margin(NodeId at) {
        const FeatureId feature = nodes_.test(at).feature();
        const SplitSearch* search = search_of(at);
        const double other = search != nullptr
                                 ? chooser_.best_gain_besides(*content(at).search, feature, node(at).totals)
                                 : with_points(at, [&](std::span<const PointId> points) {
                                       return chooser_.best_gain_besides(points_, points, feature, node(at).totals);
                                   });
        return gain_of_test(at) - other;
    }

    /// The gain of the test of an inner node, in the unit of the tree.
    double gain(NodeId at) { return gain_of_test(at); }

    // ---- memory -------------------------------------------------------------------------------------------------

    std::size_t points_bytes() const { return points_.n_bytes() + position_.capacity() * sizeof(std::uint32_t); }
    /// The memory held, in bytes.
    std::size_t n_bytes() const {
        std::size_t bytes = points_bytes() + chooser_.n_bytes() + nodes_.n_bytes() +
                            nodes_.capacity() * (sizeof(Nodes::Route) + sizeof(Nodes::Family));
        for (const DynamicNode& each : contents_) bytes += each.n_bytes();
        return bytes;
    }
    std::size_t statistics_bytes() const {
        std::size_t bytes = 0;
        for (const DynamicNode& each : contents_) bytes += each.search ? each.search->n_bytes() + block_overhead : 0;
        return bytes;
    }

    /// Gives back the memory of all searches. Those that are needed count again.
    void drop_statistics() {
        for (DynamicNode& each : contents_) each.search.reset();
    }

    /// The search of a node, if it has one.
    SplitSearch* search(NodeId at) { return content(at).search.get(); }

    /// The points below a node.
    std::vector<PointId> points_below(NodeId top) const {
        std::vector<PointId> found;
        for (const NodeId at : nodes_.in_order(top)) {
            found.insert(found.end(), node(at).points.begin(), node(at).points.end());
        }
        return found;
    }

    /// Throws std::logic_error with what is broken if an invariant does not hold. O(everything). In
    /// validate_dynamic.hpp.
    void validate();

private:
    static constexpr std::size_t fewest_classes = 2;
    /// From this many points on a node keeps a search, and below half of it no more: counting so few on demand takes
    /// about as long as keeping their counts along the way.
    static constexpr Count many = 64;
    /// A scan of so many features, in vectors, takes no longer than counting one. An estimate: 1 and 16 were tried on a
    /// stream of texts, and 16 was the faster when many points are forgotten at once.
    static constexpr std::int64_t scanned_per_counted = 16;

    DynamicNode& content(NodeId at) { return contents_[static_cast<std::size_t>(at)]; }

    NodeId make_node(NodeId parent) {
        const NodeId id = nodes_.make(parent);
        if (contents_.size() < nodes_.n_ids()) contents_.resize(nodes_.n_ids());
        content(id) = DynamicNode();
        content(id).totals.of_class.resize(n_classes_);
        return id;
    }

    /// Calls `use(node)` for every node from the root to the leaf of a point, which have to be settled.
    template <class Use>
    NodeId pass(Features features, Count weight, Use use) {
        return nodes_.walk(features, Nodes::root, [&](NodeId at) {
            content(at).note_change(features.size(), weight);
            use(content(at));
        });
    }

    void put(NodeId leaf, PointId id) {
        if (id >= position_.size()) position_.resize(std::max<std::size_t>(id + 1, position_.size() * 3 / 2));
        position_[id] = static_cast<std::uint32_t>(node(leaf).points.size());
        content(leaf).points.push_back(id);
    }

    void drop(NodeId leaf, PointId id) {
        std::vector<PointId>& points = content(leaf).points;
        points[position_[id]] = points.back();
        position_[points.back()] = position_[id];
        points.pop_back();
    }

    /// Turns a node into a leaf with all points below it.
    void gather(NodeId at) {
        if (nodes_.is_leaf(at)) return;
        std::vector<PointId> points = points_below(at);
        const std::vector<NodeId> gone = nodes_.prune(at);
        for (const NodeId each : gone) content(each) = DynamicNode();
        tally_.pruned += static_cast<std::int64_t>(gone.size());
        place(at, std::move(points));
    }

    /// Makes the tree a single leaf that has to be settled.
    void start_afresh() {
        gather(Nodes::root);
        DynamicNode& root = content(Nodes::root);
        root.search.reset();
        root.totals = {std::vector<Count>(n_classes_), 0, 0};
        for (const PointId id : root.points) {
            root.totals.add(points_.features(id).size(), points_.label(id), points_.weight(id));
        }
        root.is_stale = true;
    }

    // ---- what a node should be ----------------------------------------------------------------------------------

    /// Whether a node is a leaf whatever its features say. A node that was split before stays so when it is pure, if
    /// some regret is allowed: to build it anew whenever a single point of another class comes and goes costs more.
    bool must_stop(NodeId at) const {
        const NodeTotals& totals = node(at).totals;
        return !options_.may_split_at(nodes_.depth(at)) || totals.n < options_.min_samples ||
               (totals.is_pure() && (options_.beta == 0 || nodes_.is_leaf(at)));
    }

    /// The gain that a split must exceed.
    double least_wanted() const { return std::max(options_.min_gain, least_gain); }

    bool may_split_on(const Candidate& best, NodeId at) {
        return options_.stopping != Stopping::evidence || chooser_.has_evidence(best, node(at).totals);
    }

    /// Calls `use` with the points of a node.
    template <class Use>
    std::invoke_result_t<Use, std::span<const PointId>> with_points(NodeId at, Use use) {
        if (nodes_.is_leaf(at)) return use(std::span<const PointId>(node(at).points));
        return use(std::span<const PointId>(points_below(at)));
    }

    std::optional<Candidate> best_of(NodeId at, const FeatureOrder& order) {
        if (SplitSearch* search = search_of(at)) {
            return chooser_.best(*search, node(at).totals, order, scans(content(at)));
        }
        return with_points(at, [&](std::span<const PointId> points) {
            return chooser_.best(points_, points, node(at).totals, order);
        });
    }

    /// Whether to look at every feature of a node: where that takes no longer than it took to count what came and went
    /// since the last look; and the first time that it takes longer. Only who asks again so soon gains by certificates.
    static bool scans(DynamicNode& node) {
        const bool is_cheap = std::exchange(node.changed, 0) * scanned_per_counted >= node.n_seen;
        return !std::exchange(node.is_asked_often, !is_cheap) || is_cheap;
    }

    double gain_of_test(NodeId at) {
        const FeatureId feature = nodes_.test(at).feature();
        if (SplitSearch* search = search_of(at)) return chooser_.of(*search, feature, node(at).totals).gain;
        return with_points(at, [&](std::span<const PointId> points) {
            return chooser_.of(points_, points, feature, node(at).totals).gain;
        });
    }

    /// The test that a node is to have if it is built now: the best one, if it is worth a split.
    /// `known`: the best one, if a look has just found it.
    std::optional<Candidate> wanted(NodeId at, const FeatureOrder& order, const std::optional<Candidate>& known) {
        if (must_stop(at)) return std::nullopt;
        std::optional<Candidate> best = known ? known : best_of(at, order);
        if (!best || !(best->gain > least_wanted()) || !may_split_on(*best, at)) return std::nullopt;
        return best;
    }

    /// Whether a node may stay what it is, because too few points have come or gone since it was last looked at.
    bool is_safe(NodeId at) const {
        const DynamicNode& here = node(at);
        return here.safe > 0 && (nodes_.is_leaf(at) || !(must_stop(at) || has_shrunk(at)));
    }

    /// How many points may come or go before a regret below beta can exceed it. A point changes a gain by Gini by at
    /// most 3 / n, n the points of the node with it (docs/dynamic.md), and so the difference of two by at most 6 / n.
    /// Other criteria have no such bound of use here, and evidence may change with every point.
    Count safe_for(double regret, Count n) const {
        if (options_.criterion != Criterion::gini || options_.stopping != Stopping::none) return 0;
        // Less by far more than rounding.
        const double slack = options_.beta - regret - least_gain;
        return slack <= 0 ? 0 : static_cast<Count>(std::min(0.5, slack / (6 + slack)) * n);
    }

    /// Whether half of the points of an inner node have gone: so many updates pay for another tree, and what is left
    /// has one of its own size.
    bool has_shrunk(NodeId at) const { return node(at).totals.n <= node(at).n_split / 2; }

    /// Whether a node may stay what it is. `known` is the best split, if that had to be found.
    bool is_good(NodeId at, const FeatureOrder& order, std::optional<Candidate>& known) {
        ++tally_.looked;
        const bool is_leaf = nodes_.is_leaf(at);
        if (must_stop(at)) return is_leaf;
        // Whether a regret is allowed depends on the largest gain, not on the feature that has it; evidence does on
        // both.
        SplitSearch* search = options_.beta > 0 && options_.stopping == Stopping::none ? search_of(at) : nullptr;
        const std::optional<Candidate> best =
            search != nullptr ? chooser_.any_best(*search, node(at).totals) : best_of(at, order);
        if (search == nullptr) known = best;
        if (!best || !may_split_on(*best, at)) return is_leaf;
        if (options_.beta == 0) {
            const bool splits = best->gain > least_wanted();
            return is_leaf ? !splits : splits && best->feature == nodes_.test(at).feature();
        }
        if (!is_leaf && has_shrunk(at)) return false;
        const double regret = best->gain - (is_leaf ? least_wanted() : gain_of_test(at));
        content(at).safe = safe_for(regret, node(at).totals.n);
        return regret <= options_.beta;
    }

    // ---- forgetting (forget_dynamic.hpp) ------------------------------------------------------------------------

    /// Fewer points than this are taken from a node one by one.
    static constexpr std::size_t few_taken = 16;
    /// To see which of so many features are on takes no longer than counting one: both are walks over an array.
    static constexpr std::size_t summed_per_counted = 8;

    /// Points that leave a node and all below it.
    struct Leaving {
        NodeId at;
        std::vector<Taken> points;
    };

    bool are_many(std::span<const Taken> points) const;
    void take_one_by_one(const Leaving& group, std::vector<Leaving>& waiting);
    void take_from(NodeId at, std::span<const Taken> gone, const SummedCounts* sums);
    std::array<Leaving, 2> parted(const Leaving& group) const;
    void drop_from(NodeId leaf, std::span<const Taken> gone);

    // ---- building (build_dynamic.hpp) ---------------------------------------------------------------------------

    /// The points of a node that is being built: old nodes whose points were not looked at yet, and single points.
    struct Part {
        std::vector<OldNodes::Piece> pieces;
        std::vector<PointId> points;
    };

    /// Builds all below a node anew. What was below it is kept where the same points come together again, and appended
    /// to `kept`: it may have to be settled. `known`: its best split, if a look has just found it.
    void rebuild(NodeId top, const FeatureOrder& order, std::vector<NodeId>& kept,
                 const std::optional<Candidate>& known);
    /// Turns a node into a leaf without points of its own, if what is below it may be worth keeping.
    OldNodes cut(NodeId top);
    /// Splits a leaf.
    void split(NodeId at, const Test& test);
    std::vector<Condition> conditions_of(NodeId top, NodeId above, Condition last) const;
    std::array<Part, 2> divided(const OldNodes& old, const Part& part, const Test& test) const;
    std::vector<PointId> points_of(const OldNodes& old, const Part& part) const;
    NodeTotals totals_of(const OldNodes& old, const Part& part) const;
    void join(NodeId at, const Test& test, const std::array<NodeId, 2>& children);
    /// To copy so many records takes no longer than to count one feature.
    static constexpr std::int64_t copied_per_counted = 4;
    void inherit(NodeId at, NodeId other, const OldNodes& old, const Part& part);
    std::optional<bool> smaller_of_divided(NodeId at, const std::array<NodeId, 2>& children) const;
    void subtract(NodeId at, NodeId larger, std::span<const PointId> smaller);

    /// Lets a leaf that answers by the counts of features have them.
    void prepare(NodeId leaf) {
        if (options_.leaf_prediction == LeafPrediction::naive_bayes) search_of(leaf);
    }

    bool passes(const Test& test, PointId id) const {
        const Features features = points_.features(id);
        return std::binary_search(features.begin(), features.end(), test.feature());
    }

    /// Gives a leaf its points.
    void place(NodeId leaf, std::vector<PointId> points) {
        for (std::size_t i = 0; i < points.size(); ++i) position_[points[i]] = static_cast<std::uint32_t>(i);
        content(leaf).points = std::move(points);
    }

    /// The search of a node with many points, counted now if it has none; none for a node with few.
    SplitSearch* search_of(NodeId at) {
        DynamicNode& here = content(at);
        if (here.search) {
            if (here.totals.n >= many / 2) {
                here.forget_gone();
                return here.search.get();
            }
            here.search.reset();
        }
        if (here.totals.n < many) return nullptr;
        std::unique_ptr<SplitSearch> search = make_search(options_.search_choice(n_classes_));
        with_points(at, [&](std::span<const PointId> points) {
            for (const PointId id : points) {
                search->add(points_.features(id), points_.label(id), points_.weight(id));
            }
        });
        here.take(std::move(search));
        tally_.counted += here.totals.nonzeros;
        return here.search.get();
    }

    DynamicOptions options_;
    std::size_t n_classes_ = fewest_classes;
    Nodes nodes_;
    std::vector<DynamicNode> contents_;
    PointStore points_;
    /// Where each point stands in the list of its leaf.
    std::vector<std::uint32_t> position_;
    SplitChooser chooser_;
    DynamicTally tally_;
};

}  // namespace sapwood
