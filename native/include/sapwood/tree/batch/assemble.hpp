#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/search/make_search.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/batch/shard.hpp"
#include "sapwood/tree/growth/make_growth.hpp"
#include "sapwood/tree/split_test/make_split_notes.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// A tree with what its shards have counted, and its features in the order of their numbers.
struct Assembled {
    StreamingTree tree;
    std::vector<SharedId> features;
};

namespace detail {

/// What several shards have counted, by the numbers that one machine gives to features: in the order in which the tree
/// first met them.
class GatheredCounts {
public:
    explicit GatheredCounts(std::span<const Shard> shards) : shards_(shards) {
        std::vector<std::pair<std::uint64_t, SharedId>> order;
        for (const Shard& shard : shards) {
            for (std::size_t i = 0; i < shard.n_features(); ++i) order.emplace_back(shard.met()[i], shard.ids()[i]);
        }
        std::sort(order.begin(), order.end());
        for (const auto& [met, id] : order) {
            if (!numbers_.emplace(id, static_cast<FeatureId>(features_.size())).second) {
                throw std::invalid_argument("shards must hold each feature once, got " + std::to_string(id) + " twice");
            }
            features_.push_back(id);
        }
    }

    const std::vector<SharedId>& features() const { return features_; }
    FeatureId number(SharedId id) const {
        const auto found = numbers_.find(id);
        if (found == numbers_.end()) {
            throw std::invalid_argument("shards must hold all features of the tree, got none with " +
                                        std::to_string(id));
        }
        return found->second;
    }

    /// The state of the search of a leaf, and its features in the order of their ranks.
    std::pair<SearchState, std::vector<FeatureId>> leaf(std::uint64_t born, const std::vector<Count>& of_class) const {
        struct Item {
            FeatureId feature;
            RankKey key;
            std::span<const Count> on;
        };
        std::vector<Item> items;
        for (const Shard& shard : shards_) {
            for (const Shard::Leaf& leaf : shard.leaves()) {
                if (leaf.born != born) continue;
                if (leaf.of_class != of_class) {
                    throw std::invalid_argument("shards must have counted what the tree has, got others in node " +
                                                std::to_string(born));
                }
                for (std::size_t i = 0; i < leaf.keys.size(); ++i) {
                    items.push_back({number(leaf.keys[i].id), leaf.keys[i], leaf.row(i)});
                }
            }
        }
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.feature < b.feature; });
        SearchState state;
        state.of_class = of_class;
        state.on.resize(of_class.size());
        for (const Item& item : items) {
            state.ids.push_back(item.feature);
            for (std::size_t k = 0; k < of_class.size(); ++k) state.on[k].push_back(item.on[k]);
        }
        std::erase_if(items, [](const Item& item) { return !item.key.has_rank(); });
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
        std::vector<FeatureId> ranked;
        for (const Item& item : items) ranked.push_back(item.feature);
        return {std::move(state), std::move(ranked)};
    }

private:
    std::span<const Shard> shards_;
    std::vector<SharedId> features_;
    std::unordered_map<SharedId, FeatureId> numbers_;
};

}  // namespace detail

/// The tree that holds itself what its shards have counted (sharded_growth.hpp): that of one machine, to the byte.
/// `id_of(feature)` is the id of a feature of the tree. Throws std::invalid_argument if the shards are not those of the
/// tree.
template <class IdOf>
Assembled assembled(const StreamingTree& tree, std::span<const Shard> shards, IdOf id_of) {
    const detail::GatheredCounts counts(shards);
    const TreeBody& from = tree.body();
    const Nodes& nodes = from.nodes();
    TreeBody body(from.options(), from.n_classes());
    body.restore_counts(from.n(), from.tally(), nodes.n_born());
    body.restore_weights(from.n_met(), from.weights().state());
    std::unordered_map<NodeId, NodeId> made;
    for (const NodeId at : nodes.in_order()) {
        const Node& node = from.node(at);
        const NodeStatistics& statistics = node.statistics;
        Node copy;
        copy.of_class = node.of_class;
        copy.split = node.split;
        std::unique_ptr<SplitSearch> search;
        std::unique_ptr<SplitNotes> notes;
        if (statistics.is_counting()) {
            auto [state, ranked] = counts.leaf(nodes.born(at), statistics.counted());
            search = make_search(body.search_choice(body.n_classes()));
            search->restore(std::move(state));
            notes = make_split_notes(body.options());
            if (notes) {
                ByteWriter out;
                out.put(static_cast<std::uint32_t>(ranked.size()));
                out.put_all(std::span<const FeatureId>(ranked));
                const std::string bytes = out.take();
                ByteReader in({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
                notes->load(in, *search);
            }
        }
        copy.statistics = NodeStatistics::restored(statistics.state(), statistics.counted(), statistics.tested_at(),
                                                   statistics.n_missed(), 0, std::move(search), std::move(notes));
        Nodes::Place place;
        if (at != Nodes::root) {
            place.parent = made.at(nodes.parent(at));
            place.passes = nodes.child(nodes.parent(at), true) == at;
        }
        const Test test = nodes.is_leaf(at) ? Test() : Test(counts.number(id_of(nodes.test(at).feature())));
        made.emplace(at, body.restore_node(place, nodes.born(at), test, std::move(copy), nullptr));
    }
    return {StreamingTree(std::move(body), make_growth(from.options())), counts.features()};
}

/// Lets all leaves that look for a split count afresh: for a tree that leaves its shards, and goes on without. Throws
/// std::invalid_argument, and changes nothing, if its split test is to have counted all points by their weights.
inline void begin_afresh(StreamingTree& tree) {
    if (!tree.options().counts_points_once()) {
        throw std::invalid_argument("split_test must be 'evidence' to count afresh, got '" +
                                    std::string(word_of(tree.options().split_test)) + "'");
    }
    TreeBody& body = tree.parts();
    for (const NodeId at : body.nodes().in_order()) {
        if (!body.nodes().is_leaf(at) || !body.statistics(at).is_counting()) continue;
        body.start_statistics(at);
        body.measure(at);
    }
}

}  // namespace sapwood
