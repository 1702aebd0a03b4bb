#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/points.hpp"
#include "sapwood/search/added_counts.hpp"
#include "sapwood/tree/batch/count_rows.hpp"
#include "sapwood/tree/batch/delta.hpp"
#include "sapwood/tree/batch/router.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood {

/// What leads points in a tree now. `id_of(key)` is the id of the feature of a key.
template <class IdOf>
Router make_router(const StreamingTree& tree, const std::vector<KeyId>& keys, IdOf id_of) {
    return {tree.nodes(), tree.n_classes(),
            [&](FeatureId feature) { return id_of(keys[static_cast<std::size_t>(feature)]); }};
}

namespace detail {

/// Which counts of a delta are meant.
enum class Counted { by_weight, each_once };

/// The counts of one leaf, by the features of the tree.
template <class FeatureOf>
AddedCounts added_to_leaf(const Delta::Leaf& leaf, std::span<const Delta::Entry> entries, FeatureOf feature_of,
                          Counted counted) {
    const bool by_weight = counted == Counted::by_weight;
    struct Item {
        FeatureId feature;
        Label label;
        Count count;
    };
    std::vector<Item> items;
    items.reserve(entries.size());
    for (const Delta::Entry& entry : entries) {
        items.push_back(
            {feature_of(entry.feature), entry.label, static_cast<Count>(by_weight ? entry.count : entry.points)});
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.feature < b.feature; });
    AddedCounts added;
    for (const std::int64_t count : by_weight ? leaf.of_class : leaf.points) {
        added.of_class.push_back(static_cast<Count>(count));
    }
    added.of_label.resize(leaf.of_class.size());
    for (const Item& item : items) {
        if (added.ids.empty() || added.ids.back() != item.feature) {
            added.ids.push_back(item.feature);
            added.n_on.push_back(0);
        }
        added.n_on.back() += item.count;
        added.of_label[item.label].ids.push_back(item.feature);
        added.of_label[item.label].on.push_back(item.count);
    }
    return added;
}

}  // namespace detail

/// Lets the leaves of a tree that grows by batches count a delta. Features that are new are met in ascending order of
/// their ids. Where weights are no evidence, the statistics count each point once. `key_of(id)` is the key of a
/// feature. Throws std::invalid_argument or std::overflow_error, and changes
/// nothing, if the delta is of another version of the tree, which `version` is, or has more points than there is room.
template <class KeyOf>
void absorb(StreamingTree& tree, Vocabulary& vocabulary, const Delta& delta, std::uint64_t version, KeyOf key_of) {
    if (delta.version() != version) {
        throw std::invalid_argument("delta must be counted by this version of the tree, " + std::to_string(version) +
                                    ", got " + std::to_string(delta.version()));
    }
    check_room(static_cast<Count>(tree.n()), delta.n());
    std::unordered_map<std::uint64_t, NodeId> leaf_born;
    for (const NodeId at : tree.nodes().in_order()) {
        if (tree.nodes().is_leaf(at)) leaf_born.emplace(tree.nodes().born(at), at);
    }
    for (const Delta::Leaf& leaf : delta.leaves()) {
        if (!leaf_born.contains(leaf.born)) {
            throw std::invalid_argument("delta must be of the leaves of the tree, got node " +
                                        std::to_string(leaf.born));
        }
    }
    const std::vector<SharedId> ids = delta.features();
    std::vector<KeyId> keys;
    keys.reserve(ids.size());
    for (const SharedId id : ids) keys.push_back(key_of(id));
    std::vector<FeatureId> features;
    Vocabulary::Writing(vocabulary).find_or_insert(keys, features);
    const auto feature_of = [&](SharedId id) {
        return features[static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin())];
    };
    const bool are_apart = delta.is_weighted() && tree.options().counts_points_once();
    std::size_t at = 0;
    for (const Delta::Leaf& leaf : delta.leaves()) {
        const std::size_t first = at;
        while (at < delta.entries().size() && delta.entries()[at].born == leaf.born) ++at;
        const std::span<const Delta::Entry> entries(delta.entries().data() + first, at - first);
        using detail::Counted;
        const AddedCounts added = detail::added_to_leaf(leaf, entries, feature_of, Counted::by_weight);
        if (are_apart) {
            tree.absorb(leaf_born.at(leaf.born), added,
                        detail::added_to_leaf(leaf, entries, feature_of, Counted::each_once));
        } else {
            tree.absorb(leaf_born.at(leaf.born), added, added);
        }
    }
    tree.note_points(delta.n(), delta.n_met());
}

/// Learns from one batch: its parts (`part_of`) one after the other are counted, absorbed, and the tree grows. The rows
/// were checked, and the classes covered.
template <class IdOf, class KeyOf>
void learn_batch(StreamingTree& tree, Vocabulary& vocabulary, const SharedRows& rows, IdOf id_of, KeyOf key_of) {
    const auto n_parts = static_cast<std::uint32_t>(tree.options().sub_batches);
    for (std::uint32_t part = 0; part < n_parts; ++part) {
        const Router router = make_router(tree, Vocabulary::Reading(vocabulary).keys(), id_of);
        absorb(tree, vocabulary, count_rows(router, rows, part, n_parts), router.version(), key_of);
        tree.grow();
    }
}

}  // namespace sapwood
