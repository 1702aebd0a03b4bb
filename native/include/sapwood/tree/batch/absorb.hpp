#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/points.hpp"
#include "sapwood/search/added_counts.hpp"
#include "sapwood/tree/batch/count_rows.hpp"
#include "sapwood/tree/batch/delta.hpp"
#include "sapwood/tree/batch/gradients.hpp"
#include "sapwood/tree/batch/router.hpp"
#include "sapwood/tree/batch/sum_gradients.hpp"
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

/// The slopes of some features, whose sums come in another order than the features.
class FeatureSlopes {
public:
    explicit FeatureSlopes(std::size_t width) : width_(width) {}

    void add(FeatureId feature, std::span<const std::int64_t> sums) {
        order_.emplace_back(feature, sums_.size());
        sums_.insert(sums_.end(), sums.begin(), sums.end());
    }

    /// The slopes in ascending order of the features, those of one feature added, after those of a leaf.
    SummedSlopes summed(std::span<const std::int64_t> of_leaf) {
        std::sort(order_.begin(), order_.end());
        SummedSlopes made;
        for (const std::int64_t sum : of_leaf) made.of_leaf.push_back(Gradients::value(sum));
        std::vector<std::int64_t> all(width_);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            for (std::size_t s = 0; s < width_; ++s) all[s] += sums_[order_[i].second + s];
            if (i + 1 < order_.size() && order_[i + 1].first == order_[i].first) continue;
            for (std::int64_t& sum : all) {
                made.of_features.push_back(Gradients::value(sum));
                sum = 0;
            }
        }
        return made;
    }

private:
    std::size_t width_;
    std::vector<std::pair<FeatureId, std::size_t>> order_;
    std::vector<std::int64_t> sums_;
};

/// The counts of all leaves of a delta as those of one.
inline std::pair<Delta::Leaf, std::vector<Delta::Entry>> of_all_leaves(const Delta& delta) {
    const std::size_t n_classes = delta.n_classes();
    Delta::Leaf all{0, std::vector<std::int64_t>(n_classes), std::vector<std::int64_t>(n_classes)};
    for (const Delta::Leaf& leaf : delta.leaves()) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            all.of_class[k] += leaf.of_class[k];
            all.points[k] += leaf.points[k];
        }
    }
    std::vector<Delta::Entry> entries(delta.entries());
    for (Delta::Entry& entry : entries) entry.born = 0;
    std::sort(entries.begin(), entries.end(),
              [](const Delta::Entry& a, const Delta::Entry& b) { return a.key() < b.key(); });
    std::vector<Delta::Entry> joined;
    for (const Delta::Entry& entry : entries) {
        if (joined.empty() || joined.back().key() != entry.key()) {
            joined.push_back(entry);
        } else {
            joined.back().count += entry.count;
            joined.back().points += entry.points;
        }
    }
    return {std::move(all), std::move(joined)};
}

/// Throws std::invalid_argument unless the sums of gradients can be those of the points of a delta, of which there are
/// not too many; `gradients` has its leaves and features.
inline void check_sums(const SlopeLayout& layout, const Delta& delta, const Gradients& gradients) {
    const auto check = [](std::int64_t sum, std::int64_t least, std::int64_t most) {
        if (sum < least || sum > most) {
            throw std::invalid_argument("gradients must be of the points of the delta, got the sum " +
                                        std::to_string(sum));
        }
    };
    std::size_t at = 0;
    for (std::size_t i = 0; i < delta.leaves().size(); ++i) {
        const Delta::Leaf& leaf = delta.leaves()[i];
        const std::int64_t n = std::accumulate(leaf.of_class.begin(), leaf.of_class.end(), std::int64_t{0});
        const std::int64_t most = Gradients::largest_sum_of(n);
        const std::span<const std::int64_t> sums = gradients.leaves().of(i);
        for (std::size_t s = 0; s < sums.size(); ++s) check(sums[s], s < layout.of_no_sign() ? -most : 0, most);
        for (const std::int64_t right : sums.last(layout.of_choice())) {
            check(right, 0, n << Gradients::fraction_bits);
        }
        for (; at < gradients.entries().keys.size() && gradients.entries().keys[at].born == leaf.born; ++at) {
            for (const std::int64_t sum : gradients.entries().of(at)) check(sum, -most, most);
        }
    }
}

/// Throws std::invalid_argument unless gradients are of the weights of a tree and of the points of a delta, of which
/// there are not too many.
inline void check_gradients(const StreamingTree& tree, const Delta& delta, const Gradients* gradients) {
    const SlopeLayout layout = SlopeLayout::of(tree.body().predictor());
    if (layout.is_needed() != (gradients != nullptr)) {
        throw std::invalid_argument("gradients must " + std::string(layout.is_needed() ? "be given" : "be left out") +
                                    " for the leaf_prediction '" +
                                    std::string(word_of(tree.options().leaf_prediction)) + "', got " +
                                    (gradients == nullptr ? "none" : "some"));
    }
    if (gradients == nullptr) return;
    const std::uint64_t version = Gradients::version_of(delta.version(), tree.n_met());
    if (gradients->version() != version || gradients->leaves().width != layout.per_leaf() ||
        gradients->entries().width != layout.per_record()) {
        throw std::invalid_argument("gradients must be of these weights of the tree, " + std::to_string(version) +
                                    ", got " + std::to_string(gradients->version()));
    }
    std::size_t n_features = 0;
    bool same = std::equal(delta.leaves().begin(), delta.leaves().end(), gradients->leaves().keys.begin(),
                           gradients->leaves().keys.end(),
                           [](const Delta::Leaf& leaf, const Gradients::Leaf& key) { return leaf.born == key.born; });
    const std::vector<Delta::Entry>& entries = delta.entries();
    const std::vector<Gradients::Entry>& keys = gradients->entries().keys;
    for (std::size_t i = 0; i < entries.size() && same; ++i) {
        const std::pair key(entries[i].born, entries[i].feature);
        if (i > 0 && key == std::pair(entries[i - 1].born, entries[i - 1].feature)) continue;
        same = n_features < keys.size() && keys[n_features].key() == key;
        ++n_features;
    }
    if (!same || n_features != keys.size()) {
        throw std::invalid_argument("gradients must be of the points of the delta, got those of others");
    }
    check_sums(layout, delta, *gradients);
}

/// Lets what all leaves share learn from the points of a delta.
template <class FeatureOf>
void absorb_shared(StreamingTree& tree, const Delta& delta, const Gradients& gradients, FeatureOf feature_of) {
    const auto& sums = gradients.entries();
    FeatureSlopes of_features(sums.width);
    for (std::size_t i = 0; i < sums.keys.size(); ++i) {
        of_features.add(feature_of(sums.keys[i].feature), sums.of(i));
    }
    std::vector<std::int64_t> of_intercept(sums.width);
    for (std::size_t i = 0; i < gradients.leaves().keys.size(); ++i) {
        for (std::size_t s = 0; s < sums.width; ++s) of_intercept[s] += gradients.leaves().of(i)[s];
    }
    const auto [leaf, entries] = of_all_leaves(delta);
    std::int64_t n_active = 0;
    for (const Delta::Entry& entry : entries) n_active += entry.points;
    tree.absorb_shared(added_to_leaf(leaf, entries, feature_of, Counted::by_weight), of_features.summed(of_intercept),
                       delta.n_met(), n_active);
}

}  // namespace detail

/// Lets the leaves of a tree that grows by batches count a delta, and their models learn from its gradients, which
/// there must be if they are not counts alone. Features that are new are met in ascending order of
/// their ids. Where weights are no evidence, the statistics count each point once. `key_of(id)` is the key of a
/// feature. Throws std::invalid_argument or std::overflow_error, and changes
/// nothing, if the delta is of another version of the tree, which `version` is, or has more points than there is room.
template <class KeyOf>
void absorb(StreamingTree& tree, Vocabulary& vocabulary, const Delta& delta, const Gradients* gradients,
            std::uint64_t version, KeyOf key_of) {
    if (delta.version() != version) {
        throw std::invalid_argument("delta must be counted by this version of the tree, " + std::to_string(version) +
                                    ", got " + std::to_string(delta.version()));
    }
    check_room(static_cast<Count>(tree.n()), delta.n());
    detail::check_gradients(tree, delta, gradients);
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
    if (gradients != nullptr) detail::absorb_shared(tree, delta, *gradients, feature_of);
    const bool are_apart = delta.is_weighted() && tree.options().counts_points_once();
    std::size_t at = 0;
    std::size_t at_slopes = 0;
    for (std::size_t i = 0; i < delta.leaves().size(); ++i) {
        const Delta::Leaf& leaf = delta.leaves()[i];
        const std::size_t first = at;
        while (at < delta.entries().size() && delta.entries()[at].born == leaf.born) ++at;
        const std::span<const Delta::Entry> entries(delta.entries().data() + first, at - first);
        using detail::Counted;
        const AddedCounts added = detail::added_to_leaf(leaf, entries, feature_of, Counted::by_weight);
        std::optional<SummedSlopes> summed;
        if (gradients != nullptr) {
            const auto& sums = gradients->entries();
            detail::FeatureSlopes of_features(sums.width);
            for (; at_slopes < sums.keys.size() && sums.keys[at_slopes].born == leaf.born; ++at_slopes) {
                of_features.add(feature_of(sums.keys[at_slopes].feature), sums.of(at_slopes));
            }
            summed = of_features.summed(gradients->leaves().of(i));
        }
        const SummedSlopes* const slopes = summed ? &*summed : nullptr;
        if (are_apart) {
            tree.absorb(leaf_born.at(leaf.born), added,
                        detail::added_to_leaf(leaf, entries, feature_of, Counted::each_once), slopes);
        } else {
            tree.absorb(leaf_born.at(leaf.born), added, added, slopes);
        }
    }
    tree.note_points(delta.n(), delta.n_met());
}

/// Learns from one batch: its parts (`part_of`) one after the other are counted, absorbed, and the tree grows. The rows
/// were checked, and the classes covered. `find` as `sum_gradients` has it.
template <class IdOf, class KeyOf, class Find>
void learn_batch(StreamingTree& tree, Vocabulary& vocabulary, const SharedRows& rows, IdOf id_of, KeyOf key_of,
                 Find find) {
    const auto n_parts = static_cast<std::uint32_t>(tree.options().sub_batches);
    const bool needs_gradients = SlopeLayout::of(tree.body().predictor()).is_needed();
    for (std::uint32_t part = 0; part < n_parts; ++part) {
        const Router router = make_router(tree, Vocabulary::Reading(vocabulary).keys(), id_of);
        std::optional<Gradients> gradients;
        if (needs_gradients) gradients = sum_gradients(tree, router, rows, find, part, n_parts);
        absorb(tree, vocabulary, count_rows(router, rows, part, n_parts), gradients ? &*gradients : nullptr,
               router.version(), key_of);
        tree.grow();
    }
}

}  // namespace sapwood
