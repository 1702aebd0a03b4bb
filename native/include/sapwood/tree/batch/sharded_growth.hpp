#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/search/make_search.hpp"
#include "sapwood/tree/batch/candidates.hpp"
#include "sapwood/tree/split_test/evidence_notes.hpp"
#include "sapwood/tree/split_test/make_split_notes.hpp"
#include "sapwood/tree/split_test/make_split_test.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood {

/// A feature of a leaf whose rank is asked for.
struct RankQuestion {
    std::uint64_t born = 0;
    RankKey key;

    auto operator<=>(const RankQuestion&) const = default;
};

/// A split that is due, of a leaf by its birth number: the feature, and the points of each class in which it is on.
struct ShardedSplit {
    std::uint64_t born = 0;
    SharedId feature = 0;
    std::vector<Count> on;
    double gain = 0;
    double margin = 0;
};

/// The growth by batches of a tree whose leaves have counted classes alone, and whose features are counted in shards
/// (shard.hpp): the splits of growth/batch.hpp, found from the best features of every shard.
///
/// Guarantee: the nodes are those of a tree that holds all counts itself. The split test is the same, asked about a
/// node of the candidates alone: it looks at no other features. A rank is a feature's place among all features of the
/// leaf, of which a shard knows only its own; what it knows says from where to where the rank is, and only where the
/// answer depends on it is the rank asked for.
class ShardedGrowth {
public:
    /// The tree grows by batches, by an exact search and leaves that predict by majority.
    explicit ShardedGrowth(StreamingTree& tree) : body_(tree.parts()), split_test_(make_split_test(tree.options())) {}

    /// The ranks that must be known before `due` is asked.
    std::vector<RankQuestion> questions(const Candidates& candidates) const {
        std::vector<RankQuestion> found;
        const std::unordered_map<std::uint64_t, NodeId> leaf_born = leaves();
        for (const Candidates::Leaf& said : candidates.leaves()) {
            const auto leaf = leaf_born.find(said.born);
            if (leaf == leaf_born.end() || !body_.node(leaf->second).statistics.is_counting()) continue;
            const auto rank = [&](bool most) {
                return [&, most](const Candidates::Feature& feature) {
                    const auto [first, last] = said.ranks_of(feature);
                    return most ? last : first;
                };
            };
            if (!judged(leaf->second, &said, rank(false)) || judged(leaf->second, &said, rank(true))) continue;
            for (const Candidates::Feature& feature : said.features) {
                if (feature.key.has_rank()) found.push_back({said.born, feature.key});
            }
        }
        return found;
    }

    /// The splits that are due, in the order of birth of the leaves, each of which is asked once (growth/batch.hpp).
    /// `ranks` answers the questions. Throws std::invalid_argument, and changes nothing, if one is not answered.
    std::vector<ShardedSplit> due(const Candidates& candidates, const std::map<RankQuestion, std::int64_t>& ranks) {
        check(candidates, ranks);
        const Nodes& nodes = body_.nodes();
        std::vector<NodeId> leaves = nodes.in_order();
        std::erase_if(leaves, [&](NodeId at) { return !nodes.is_leaf(at); });
        std::sort(leaves.begin(), leaves.end(), [&](NodeId a, NodeId b) { return nodes.born(a) < nodes.born(b); });
        std::vector<ShardedSplit> found;
        for (const NodeId leaf : leaves) {
            NodeStatistics& statistics = body_.statistics(leaf);
            const TreeOptions& options = body_.options();
            if (!statistics.is_counting() || statistics.n_since_test() < options.grace_period) continue;
            const std::size_t n_leaves = nodes.n_leaves() + found.size();
            if (options.max_leaves && n_leaves >= static_cast<std::size_t>(*options.max_leaves)) continue;
            statistics.note_test();
            if (statistics.is_pure()) continue;
            body_.note_test();
            const Candidates::Leaf* said = candidates.find(nodes.born(leaf));
            const std::optional<ShardedSplit> split = judged(leaf, said, [&](const Candidates::Feature& feature) {
                const auto known = ranks.find({said->born, feature.key});
                return known == ranks.end() ? said->ranks_of(feature).second : known->second;
            });
            if (split) found.push_back(*split);
        }
        return found;
    }

    /// Makes the splits that `due` has found. `key_of(id)` is the key of a feature.
    template <class KeyOf>
    void split(const std::vector<ShardedSplit>& due, Vocabulary& vocabulary, KeyOf key_of) {
        std::vector<KeyId> keys;
        const std::unordered_map<std::uint64_t, NodeId> leaf_born = leaves();
        for (const ShardedSplit& each : due) {
            keys.push_back(key_of(each.feature));
            if (leaf_born.contains(each.born)) continue;
            throw std::invalid_argument("splits must be of leaves, got node " + std::to_string(each.born));
        }
        for (std::size_t i = 0; i < due.size(); ++i) {
            const NodeId leaf = leaf_born.at(due[i].born);
            const FeatureId feature = Vocabulary::Writing(vocabulary).insert(keys[i]);
            SearchState state;
            state.of_class = body_.node(leaf).statistics.counted();
            state.ids = {feature};
            for (const Count count : due[i].on) state.on.push_back({count});
            body_.statistics(leaf).search()->restore(std::move(state));
            body_.split(leaf, {{Test(feature), 0, 0}, due[i].gain, due[i].margin});
            body_.end_statistics(leaf);
        }
    }

private:
    /// The leaves by their birth numbers.
    std::unordered_map<std::uint64_t, NodeId> leaves() const {
        std::unordered_map<std::uint64_t, NodeId> found;
        for (const NodeId at : body_.nodes().in_order()) {
            if (body_.nodes().is_leaf(at)) found.emplace(body_.nodes().born(at), at);
        }
        return found;
    }

    void check(const Candidates& candidates, const std::map<RankQuestion, std::int64_t>& ranks) const {
        if (candidates.n_classes() != body_.n_classes()) {
            throw std::invalid_argument("candidates must have " + std::to_string(body_.n_classes()) + " classes, got " +
                                        std::to_string(candidates.n_classes()));
        }
        for (const RankQuestion& question : questions(candidates)) {
            if (!ranks.contains(question)) {
                throw std::invalid_argument("ranks must answer every question, got none for feature " +
                                            std::to_string(question.key.id) + " of node " +
                                            std::to_string(question.born));
            }
        }
    }

    /// What the split test says of a node with the classes of a leaf and the features that shards have named.
    template <class RankOf>
    std::optional<ShardedSplit> judged(NodeId leaf, const Candidates::Leaf* said, RankOf rank_of) const {
        std::vector<const Candidates::Feature*> features;
        for (std::size_t i = 0; said != nullptr && i < said->features.size(); ++i) {
            features.push_back(&said->features[i]);
        }
        // Ties are settled by the order in which the tree met the features.
        std::sort(features.begin(), features.end(), [](const Candidates::Feature* a, const Candidates::Feature* b) {
            return std::pair(a->key.met, a->key.id) < std::pair(b->key.met, b->key.id);
        });
        const NodeStatistics& counted = body_.node(leaf).statistics;
        const std::size_t n_classes = body_.n_classes();
        AddedCounts added;
        added.of_class = counted.counted();
        added.of_label.resize(n_classes);
        std::vector<std::int64_t> ranks;
        for (std::size_t i = 0; i < features.size(); ++i) {
            const auto id = static_cast<FeatureId>(i);
            Count n_on = 0;
            for (std::size_t k = 0; k < n_classes; ++k) {
                const Count on = features[i]->on[k];
                if (on > added.of_class[k]) {
                    throw std::invalid_argument("candidates must be on in no more points than the leaf has, got " +
                                                std::to_string(on));
                }
                n_on += on;
                if (on == 0) continue;
                added.of_label[k].ids.push_back(id);
                added.of_label[k].on.push_back(on);
            }
            added.ids.push_back(id);
            added.n_on.push_back(n_on);
            ranks.push_back(features[i]->key.has_rank() ? rank_of(*features[i]) : 0);
        }
        NodeStatistics few(n_classes);
        few.start(make_search(body_.search_choice(n_classes)), make_split_notes(body_.options()));
        few.add_counts(added);
        const NodeContext context = body_.context(leaf);
        if (few.notes() != nullptr) {
            static_cast<EvidenceNotes&>(*few.notes())
                .give_ranks(ranks, std::log(body_.options().delta), static_cast<std::int64_t>(context.born) + 1);
        }
        const std::optional<DueSplit> due = split_test_->due_split(few, context, Rival::no_split);
        if (!due) return std::nullopt;
        const Candidates::Feature& best = *features[static_cast<std::size_t>(due->split.feature())];
        return ShardedSplit{body_.nodes().born(leaf), best.key.id, best.on, due->gain, due->margin};
    }

    TreeBody& body_;
    std::unique_ptr<SplitTest> split_test_;
};

}  // namespace sapwood
