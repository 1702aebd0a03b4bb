#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
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
#include "sapwood/tree/batch/counts_of_delta.hpp"
#include "sapwood/tree/batch/delta.hpp"
#include "sapwood/tree/batch/features_of_bins.hpp"
#include "sapwood/tree/batch/gradients.hpp"
#include "sapwood/tree/batch/meet_values.hpp"
#include "sapwood/tree/batch/router.hpp"
#include "sapwood/tree/batch/sum_gradients.hpp"
#include "sapwood/tree/batch/value_counts.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood {

/// What leads points in a tree now, and divides their numbers. `names` has, for keys and ids: `id_of` and `key_of` of
/// features, `id_of_number` and `key_of_number` of numbers.
template <class Names>
Router make_router(const StreamingTree& tree, const Vocabulary& vocabulary, const Names& names) {
    const Vocabulary::Reading reading(vocabulary);
    const std::vector<NumberGrid>& grids = tree.body().known().grids;
    std::vector<Router::Number> numbers;
    for (std::size_t i = 0; i < grids.size(); ++i) {
        numbers.push_back({names.id_of_number(reading.number_keys()[i]), grids[i].edges(), grids[i].is_settled()});
    }
    return {tree.nodes(), tree.n_classes(),
            [&](FeatureId feature) { return names.id_of(reading.keys()[static_cast<std::size_t>(feature)]); },
            tree.attributes(), std::move(numbers)};
}

namespace detail {

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

/// Throws std::invalid_argument unless the bins of a delta are those of the tree, and each point has one bin of a
/// number and one value of a category at most. `category_of(id)` is that of a feature, or -1.
template <class CategoryOf>
void check_attributes(const FeaturesOfBins& bins, const Delta& delta, CategoryOf category_of) {
    std::size_t at = 0;
    for (const Delta::Leaf& leaf : delta.leaves()) {
        std::map<std::pair<bool, std::size_t>, std::vector<std::int64_t>> sums;
        for (; at < delta.entries().size() && delta.entries()[at].born == leaf.born; ++at) {
            const Delta::Entry& entry = delta.entries()[at];
            std::pair<bool, std::size_t> of{true, 0};
            if (is_bin_id(entry.feature)) {
                if (!bins.knows(entry.feature)) {
                    throw std::invalid_argument("delta must have bins of the numbers of the tree, got the id " +
                                                std::to_string(entry.feature));
                }
                of.second = number_of_bin_id(entry.feature);
            } else {
                const CategoryId category = category_of(entry.feature);
                if (category == no_category) continue;
                of = {false, static_cast<std::size_t>(category)};
            }
            std::vector<std::int64_t>& of_class = sums.try_emplace(of, 2 * delta.n_classes()).first->second;
            of_class[entry.label] += entry.count;
            of_class[delta.n_classes() + entry.label] += entry.points;
            if (of_class[entry.label] > leaf.of_class[entry.label] ||
                of_class[delta.n_classes() + entry.label] > leaf.points[entry.label]) {
                throw std::invalid_argument("a point must have one value of " +
                                            std::string(of.first ? "a number" : "a category") +
                                            " at most, got more in node " + std::to_string(leaf.born));
            }
        }
    }
}

/// Lets a tree know which features are values of categories, and in how many points of a delta numbers are.
inline void meet_attributes(StreamingTree& tree, const Vocabulary::Writing& vocabulary, const Delta& delta) {
    meet_features(tree, vocabulary);
    for (const Delta::Entry& entry : delta.entries()) {
        if (is_bin_id(entry.feature)) {
            tree.attributes().note_present(attribute_at(number_of_bin_id(entry.feature)), entry.points);
        }
    }
}

/// The slopes of some entries, by the features that models see.
template <class OfEntries>
void add_slopes(FeatureSlopes& into, const OfEntries& of_entries, SharedId id, std::span<const std::int64_t> sums) {
    std::vector<FeatureId> features;
    of_entries.append(id, features);
    for (const FeatureId feature : features) into.add(feature, sums);
}

/// Lets what all leaves share learn from the points of a delta.
template <class OfEntries>
void absorb_shared(StreamingTree& tree, const Delta& delta, const Gradients& gradients, const OfEntries& of_entries) {
    const auto& sums = gradients.entries();
    FeatureSlopes of_features(sums.width);
    for (std::size_t i = 0; i < sums.keys.size(); ++i) {
        add_slopes(of_features, of_entries, sums.keys[i].feature, sums.of(i));
    }
    std::vector<std::int64_t> of_intercept(sums.width);
    for (std::size_t i = 0; i < gradients.leaves().keys.size(); ++i) {
        for (std::size_t s = 0; s < sums.width; ++s) of_intercept[s] += gradients.leaves().of(i)[s];
    }
    const auto [leaf, entries] = of_all_leaves(delta);
    std::int64_t n_active = 0;
    std::vector<FeatureId> features;
    for (const Delta::Entry& entry : entries) {
        features.clear();
        of_entries.append(entry.feature, features);
        n_active += entry.points * static_cast<std::int64_t>(features.size());
    }
    tree.absorb_shared(added_to_models(leaf, entries, of_entries), of_features.summed(of_intercept), delta.n_met(),
                       n_active);
}

}  // namespace detail

/// Lets the leaves of a tree that grows by batches count a delta, and their models learn from its gradients, which
/// there must be if they are not counts alone. Features that are new are met in ascending order of
/// their ids. Where weights are no evidence, the statistics count each point once. `names` as `make_router` has it.
/// Throws std::invalid_argument or std::overflow_error, and changes
/// nothing, if the delta is of another version of the tree, which `version` is, or has more points than there is room.
template <class Names>
void absorb(StreamingTree& tree, Vocabulary& vocabulary, const Delta& delta, const Gradients* gradients,
            std::uint64_t version, const Names& names) {
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
    std::vector<SharedId> ids = delta.features();
    std::erase_if(ids, is_bin_id);
    std::vector<KeyId> keys;
    keys.reserve(ids.size());
    for (const SharedId id : ids) keys.push_back(names.key_of(id));
    const auto place_of = [&](SharedId id) {
        return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
    };
    KnownAttributes& known = tree.known();
    Vocabulary::Writing writing(vocabulary);
    const bool has_attributes = writing.has_categories() || !known.attributes.empty();
    if (has_attributes || ids.size() < delta.features().size()) {
        detail::check_attributes(FeaturesOfBins(known), delta,
                                 [&](SharedId id) { return writing.category_of(keys[place_of(id)]); });
    }
    std::vector<FeatureId> features;
    writing.find_or_insert(keys, features);
    if (has_attributes) detail::meet_attributes(tree, writing, delta);
    const detail::FeaturesOfEntries of_entries(
        known, [&](SharedId id) { return features[place_of(id)]; }, tree.n_met() + delta.n_met());
    if (gradients != nullptr) detail::absorb_shared(tree, delta, *gradients, of_entries);
    const bool are_apart = delta.is_weighted() && tree.options().counts_points_once();
    std::size_t at = 0;
    std::size_t at_slopes = 0;
    for (std::size_t i = 0; i < delta.leaves().size(); ++i) {
        const Delta::Leaf& leaf = delta.leaves()[i];
        const std::size_t first = at;
        while (at < delta.entries().size() && delta.entries()[at].born == leaf.born) ++at;
        const std::span<const Delta::Entry> entries(delta.entries().data() + first, at - first);
        using detail::Counted;
        const AddedCounts added = detail::added_to_models(leaf, entries, of_entries);
        std::optional<SummedSlopes> summed;
        if (gradients != nullptr) {
            const auto& sums = gradients->entries();
            detail::FeatureSlopes of_features(sums.width);
            for (; at_slopes < sums.keys.size() && sums.keys[at_slopes].born == leaf.born; ++at_slopes) {
                detail::add_slopes(of_features, of_entries, sums.keys[at_slopes].feature, sums.of(at_slopes));
            }
            summed = of_features.summed(gradients->leaves().of(i));
        }
        const SummedSlopes* const slopes = summed ? &*summed : nullptr;
        // Without numbers and weights, models and statistics learn the same.
        if (are_apart || known.attributes.n_numbers() > 0) {
            const Counted counted = are_apart ? Counted::each_once : Counted::by_weight;
            tree.absorb(leaf_born.at(leaf.born), added, detail::added_to_statistics(leaf, entries, of_entries, counted),
                        slopes);
        } else {
            tree.absorb(leaf_born.at(leaf.born), added, added, slopes);
        }
    }
    tree.note_points(delta.n(), delta.n_met());
}

/// Learns from one batch: the values of its numbers are met, and then its parts (`part_of`) one after the other are
/// counted, absorbed, and the tree grows. The rows were checked, and the classes covered. `names` as `make_router` has
/// it, `find` as `sum_gradients`.
template <class Names, class Find>
void learn_batch(StreamingTree& tree, Vocabulary& vocabulary, const SharedRows& rows, const Names& names, Find find) {
    const auto n_parts = static_cast<std::uint32_t>(tree.options().sub_batches);
    const bool needs_gradients = SlopeLayout::of(tree.body().predictor()).is_needed();
    meet_values(tree, vocabulary, count_values(make_router(tree, vocabulary, names), rows), names);
    for (std::uint32_t part = 0; part < n_parts; ++part) {
        const Router router = make_router(tree, vocabulary, names);
        std::optional<Gradients> gradients;
        if (needs_gradients) gradients = sum_gradients(tree, router, rows, find, part, n_parts);
        absorb(tree, vocabulary, count_rows(router, rows, part, n_parts), gradients ? &*gradients : nullptr,
               router.version(), names);
        tree.grow();
    }
}

}  // namespace sapwood
