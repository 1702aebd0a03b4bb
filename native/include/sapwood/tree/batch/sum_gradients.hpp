#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/random.hpp"
#include "sapwood/tree/batch/features_of_bins.hpp"
#include "sapwood/tree/batch/gradients.hpp"
#include "sapwood/tree/batch/router.hpp"
#include "sapwood/tree/predict/slopes.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

namespace detail {

/// Sums by leaf and feature, in the order in which these were first met.
class SlopeTable {
public:
    explicit SlopeTable(std::size_t width) : width_(width) {}

    void add(std::size_t leaf, SharedId id, std::span<const std::int64_t> slopes) {
        const auto [found, is_new] = places_.try_emplace({leaf, id}, keys_.size());
        if (is_new) {
            keys_.push_back(found->first);
            sums_.resize(sums_.size() + width_);
        }
        std::int64_t* const into = sums_.data() + found->second * width_;
        for (std::size_t s = 0; s < width_; ++s) into[s] += slopes[s];
    }

    /// In the order of birth of the leaves, and of the ids there.
    Gradients::Sums<Gradients::Entry> sorted(const Router& router) const {
        std::vector<std::size_t> order(keys_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto key = [&](std::size_t i) { return std::pair(router.born(keys_[i].first), keys_[i].second); };
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        Gradients::Sums<Gradients::Entry> found{width_, {}, {}};
        for (const std::size_t i : order) {
            found.add({key(i).first, key(i).second}, std::span(sums_).subspan(i * width_, width_));
        }
        return found;
    }

private:
    using Key = std::pair<std::size_t, SharedId>;
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return Random::mixed(key.second + key.first * 0x9E3779B97F4A7C15u);
        }
    };

    std::size_t width_;
    std::unordered_map<Key, std::size_t, Hash> places_;
    std::vector<Key> keys_;
    std::vector<std::int64_t> sums_;
};

}  // namespace detail

/// The slopes of points at the weights of a tree, of those in one of `n_parts` parts (`part_of`). Changes nothing; any
/// number of threads may do so with one tree. `find(ids, features)` appends the features of ids that the tree knows, in
/// their order. The rows were checked, and the router is that of the tree.
template <class Find>
Gradients sum_gradients(const StreamingTree& tree, const Router& router, const SharedRows& rows, Find find,
                        std::uint32_t part = 0, std::uint32_t n_parts = 1) {
    const LeafPredictor& predictor = tree.body().predictor();
    const SlopeLayout layout = SlopeLayout::of(predictor);
    std::unordered_map<std::uint64_t, NodeId> leaf_born;
    for (const NodeId at : tree.nodes().in_order()) {
        if (tree.nodes().is_leaf(at)) leaf_born.emplace(tree.nodes().born(at), at);
    }
    std::vector<std::int64_t> of_leaves(router.n_leaves() * layout.per_leaf());
    std::vector<bool> is_touched(router.n_leaves());
    detail::SlopeTable table(layout.per_record());
    Router::Walk walk(router);
    Scores scores = tree.make_scores();
    const FeaturesOfBins of_numbers(tree.body().known());
    std::vector<SharedId> ids;
    std::vector<SharedId> bins;
    std::vector<FeatureId> features;
    std::vector<double> values(layout.per_leaf());
    std::vector<std::int64_t> whole(layout.per_leaf());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Count weight = rows.weight(i);
        const Label label = rows.labels[i];
        if (weight == 0 || part_of(rows.row(i), label, n_parts) != part) continue;
        const SharedPoint row = rows.row(i);
        const std::size_t leaf = walk.leaf_of(row);
        // Sums of scores are rounded: the same order wherever the features of a point stand.
        ids.assign(row.ids.begin(), row.ids.end());
        std::sort(ids.begin(), ids.end());
        features.clear();
        find(std::span<const SharedId>(ids), features);
        bins.clear();
        walk.append_bins(row, bins);
        std::sort(bins.begin(), bins.end());
        for (const SharedId bin : bins) of_numbers.append(bin, tree.n_met(), features);
        const Node& node = tree.node(leaf_born.at(router.born(leaf)));
        slopes::of_point(predictor, node.of_class, *node.models, features, label, weight, scores, values);
        std::transform(values.begin(), values.end(), whole.begin(), Gradients::rounded);
        is_touched[leaf] = true;
        for (std::size_t s = 0; s < whole.size(); ++s) of_leaves[leaf * whole.size() + s] += whole[s];
        for (const SharedId id : ids) table.add(leaf, id, whole);
        for (const SharedId bin : bins) table.add(leaf, bin, whole);
    }
    std::vector<std::size_t> touched;
    for (std::size_t leaf = 0; leaf < router.n_leaves(); ++leaf) {
        if (is_touched[leaf]) touched.push_back(leaf);
    }
    std::sort(touched.begin(), touched.end(),
              [&](std::size_t a, std::size_t b) { return router.born(a) < router.born(b); });
    Gradients::Sums<Gradients::Leaf> leaves{layout.per_leaf(), {}, {}};
    for (const std::size_t leaf : touched) {
        leaves.add({router.born(leaf)}, std::span(of_leaves).subspan(leaf * layout.per_leaf(), layout.per_leaf()));
    }
    return {Gradients::version_of(router.version(), tree.n_met()), std::move(leaves), table.sorted(router)};
}

}  // namespace sapwood
