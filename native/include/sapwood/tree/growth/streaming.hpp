#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/tree/forgetting.hpp"
#include "sapwood/tree/growth/alternates.hpp"
#include "sapwood/tree/growth/error_watch.hpp"
#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/growth/save_following.hpp"
#include "sapwood/tree/growth/splitting.hpp"
#include "sapwood/tree/node_list.hpp"
#include "sapwood/tree/pausing.hpp"

namespace sapwood {

/// The growth of `StreamingTreeClassifier`: a leaf is split when its split test says that there is something to split
/// on, and a split is made anew when another one is better, as in EFDT (extremely_fast.hpp); but an inner node counts
/// only a sample of the points that pass it, so that to keep splits right costs a fraction of what finding them does.
///
/// A node counts one point in eight at first, and half as many whenever what it has counted doubles from a thousand on:
/// of n points about sqrt(n) times a constant, as a split that has stood for long needs less watching. Which points is
/// a hash of how many came before, not of the point: a sample that does not look at labels or features takes nothing
/// from the validity of a test.
///
/// With `drift`, it follows a stream that changes: every node watches its errors, and an alternate, which grows in the
/// same way, begins beside one whose error has risen (error_watch.hpp). No point is taken back, so that all that holds
/// of a split test holds in the tree and in its alternates.
class StreamingGrowth final : public GrowthPolicy {
public:
    explicit StreamingGrowth(const TreeOptions& options)
        : splitting_(options, Rival::no_split), alternates_(options), follows_(options.follows_change()) {}

    void learn(TreeBody& tree, const Point& point, Label label, Weight weight) override {
        // A point of rarity r is one of 2^r.
        const int rarity = std::countr_zero(TreeBody::mixed(static_cast<std::uint64_t>(tree.n())));
        way_.clear();
        path_.clear();
        const NodeId leaf = tree.nodes().walk(point, Nodes::root, [&](NodeId at) {
            if (follows_) way_.push_back(at);
            if (is_counted(tree, at, rarity)) path_.push_back(at);
        });
        if (path_.empty() || path_.back() != leaf) path_.push_back(leaf);
        if (!follows_) {
            tree.teach(leaf, point, label, weight);
            tree.note_point(weight);
            count(tree, path_.span(), point, label, weight);
            if (tree.budget().is_limited()) Pausing(tree).keep_within(path_.span());
            return;
        }
        touched_.clear();
        Forgetting forgetting(tree);
        if (forgetting.make_room(point, touched_)) forgetting.keep(point, label, weight);
        alternates_.learn(tree, way_.span(), point, label, weight, touched_,
                          [&](NodeId, std::span<const NodeId> nodes) {
                              beside_.clear();
                              for (const NodeId at : nodes) {
                                  if (at == nodes.back() || is_counted(tree, at, rarity)) beside_.push_back(at);
                              }
                              count(tree, beside_.span(), point, label, weight);
                          });
        const bool is_right = tree.judge_and_teach(leaf, point, label, weight);
        tree.note_point(weight);
        alternates_.note(tree, is_right);
        const NodeId remade = count(tree, path_.span(), point, label, weight);
        // All below a node that was split anew is gone.
        if (remade != no_node)
            way_.shorten(static_cast<std::size_t>(std::find(way_.begin(), way_.end(), remade) - way_.begin()) + 1);
        ErrorWatch::note(tree, way_.span(), way_.back(), is_right, [](NodeId, std::int64_t) {});
        alternates_.decide(tree, way_.span());
        if (!tree.budget().is_limited()) return;
        touched_.insert(touched_.end(), way_.begin(), way_.end());
        touched_.insert(touched_.end(), path_.begin(), path_.end());
        Pausing(tree).keep_within(touched_);
        forgetting.keep_within();
    }

    bool counts_inner_nodes() const override { return true; }
    bool counts_all_points() const override { return false; }
    void save(ByteWriter& out, const TreeBody& tree) const override {
        if (follows_) save_following(out, tree);
    }
    void load(ByteReader& in, TreeBody& tree, std::int64_t n_features) override {
        if (follows_) load_following(in, tree, n_features);
    }

private:
    /// On real streams the tree was as good with an eighth as with all, for a fifth less time.
    static constexpr int first_rarity = 3;
    /// Where a node begins to count less: the radius of the selection test (selection.hpp) is then a few per cent of
    /// the largest gain, and halving it takes four times the points.
    static constexpr Count calm = 1024;

    /// Whether an inner node counts a point of some rarity.
    static bool is_counted(const TreeBody& tree, NodeId inner, int rarity) {
        if (rarity < first_rarity) return false;
        const auto counted = static_cast<std::uint32_t>(tree.node(inner).statistics.n() / calm);
        return rarity >= first_rarity + static_cast<int>(std::bit_width(counted));
    }

    /// Counts a point in nodes, the leaf last, and splits one if it is time. Returns the one that was split anew, none
    /// if there is none. The leaf counts it before a node above is split anew, which then knows all that passed it.
    NodeId count(TreeBody& tree, std::span<const NodeId> nodes, const Point& point, Label label, Weight weight) {
        tree.count(nodes, point, label, weight);
        for (const NodeId at : nodes.first(nodes.size() - 1)) {
            if (splitting_.split_anew_if_due(tree, at)) return at;
        }
        splitting_.split_if_due(tree, nodes.back());
        return no_node;
    }

    Splitting splitting_;
    Alternates alternates_;
    bool follows_;
    /// The nodes on the way of the last point, those of them that count it, and all that it has changed.
    NodeList way_;
    NodeList path_;
    std::vector<NodeId> touched_;
    /// The nodes of an alternate that count it.
    NodeList beside_;
};

}  // namespace sapwood
