#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/random.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/search/test.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Which features a node may split on: a share of them, drawn by a seeded hash of the feature, for a tree as a whole or
/// for each of its nodes.
///
/// Guarantee: a feature is a candidate, or is none, for as long as the node lives, whenever it is first met, with the
/// same chance as any other. All that is kept follows from the seed. A number and all values of a category are drawn
/// together. What the models of leaves see is not concerned.
class SplitCandidates {
public:
    /// `rate`: the share of the features, above 0 and below 1. `is_of_node`: whether every node draws its own.
    SplitCandidates(double rate, std::uint64_t seed, bool is_of_node)
        : below_(static_cast<std::uint64_t>(rate * 0x1p64)), seed_(seed), is_of_node_(is_of_node) {}

    /// Whether every node draws its own; otherwise all see the same of a point.
    bool is_of_node() const { return is_of_node_; }

    /// Whether a node, by its number in the order of birth, may split on a feature.
    bool admits(FeatureId feature, std::uint64_t born) const { return admits_by(seed_of(born), feature); }
    /// The same of what a test asks about.
    bool admits(const Test& test, const Attributes& attributes, std::uint64_t born) const {
        if (test.kind() == TestKind::is_above) return admits(attributes.number(test.attribute()).presence, born);
        const FeatureId asked = test.kind() == TestKind::is_among ? test.categories().front() : test.feature();
        return admits(root_of(asked, &attributes), born);
    }

    /// A point as a node sees it, valid until the next: with the features and numbers that it may split on.
    const Point& seen(const Point& point, std::uint64_t born) {
        const std::uint64_t seed = seed_of(born);
        const bool has_categories = point.attributes != nullptr && point.attributes->n_categories() > 0;
        if (is_of_node_) {
            keep(point, has_categories, [&](FeatureId root) { return admits_by(seed, root); });
        } else if (draw_for(point.on) && !has_categories) {
            keep(point, false, [drawn = drawn_.data()](FeatureId root) { return is_on(drawn, root); });
        } else {
            keep(point, has_categories, [&](FeatureId root) { return is_drawn(root); });
        }
        numbers_.clear();
        for (const NumberValue& each : point.numbers) {
            if (admits_by(seed, point.attributes->number(each.attribute).presence)) numbers_.push_back(each);
        }
        seen_.numbers = numbers_;
        seen_.attributes = point.attributes;
        return seen_;
    }

    /// The memory held for draws that were made, at most `most_bytes`.
    std::size_t n_bytes() const { return drawn_.capacity() * sizeof(std::uint64_t); }
    static constexpr std::size_t most_bytes = 1 << 11;

private:
    /// The words of the draws that are kept: those of the first features, which are the frequent ones.
    static constexpr std::size_t most_words = most_bytes / sizeof(std::uint64_t);

    /// The feature by which others are drawn with it: the first value of a category, else itself.
    static FeatureId root_of(FeatureId feature, const Attributes* attributes) {
        if (attributes == nullptr || attributes->n_categories() == 0) return feature;
        const std::int32_t category = attributes->category_of(feature);
        return category < 0 ? feature : attributes->category(static_cast<std::size_t>(category)).values.front();
    }

    std::uint64_t seed_of(std::uint64_t born) const { return is_of_node_ ? hashed(seed_ + born) : seed_; }

    bool admits_by(std::uint64_t seed, FeatureId feature) const {
        return hashed(seed ^ hashed(static_cast<std::uint64_t>(feature))) < below_;
    }

    /// Keeps the features of a point whose roots are admitted. Without a branch, which nobody could foresee.
    template <class Admits>
    void keep(const Point& point, bool has_categories, Admits admits) {
        if (on_.size() < point.on.size()) on_.resize(point.on.size());
        FeatureId* const kept = on_.data();
        std::size_t n = 0;
        for (const FeatureId feature : point.on) {
            kept[n] = feature;
            n += admits(has_categories ? root_of(feature, point.attributes) : feature) ? 1 : 0;
        }
        seen_.on = Features(on_).first(n);
    }

    /// Draws, for a tree as a whole, the features of a point and those before them, as far as draws are kept. Returns
    /// whether those of all features of the point are.
    bool draw_for(Features features) {
        FeatureId largest = -1;
        for (const FeatureId feature : features) largest = std::max(largest, feature);
        const std::size_t needed = static_cast<std::size_t>(largest + 1) / 64 + 1;
        if (needed > drawn_.size()) draw_words(std::min(needed, most_words));
        return needed <= drawn_.size();
    }

    void draw_words(std::size_t words) {
        if (words <= drawn_.size()) return;
        if (words > drawn_.capacity()) drawn_.reserve(std::min(2 * words, most_words));
        while (drawn_.size() < words) {
            const std::size_t first = 64 * drawn_.size();
            std::uint64_t word = 0;
            for (std::size_t i = 0; i < 64; ++i) {
                word |= std::uint64_t{admits_by(seed_, static_cast<FeatureId>(first + i))} << i;
            }
            drawn_.push_back(word);
        }
    }

    bool is_drawn(FeatureId feature) const {
        const std::size_t word = static_cast<std::size_t>(feature) / 64;
        return word >= drawn_.size() ? admits_by(seed_, feature) : is_on(drawn_.data(), feature);
    }
    static bool is_on(const std::uint64_t* drawn, FeatureId feature) {
        const auto bit = static_cast<std::uint32_t>(feature);
        return (drawn[bit / 64] >> (bit % 64) & 1) != 0;
    }

    std::uint64_t below_;
    std::uint64_t seed_;
    bool is_of_node_;
    /// A bit for each of the first features: whether all nodes may split on it.
    std::vector<std::uint64_t> drawn_;
    std::vector<FeatureId> on_;
    std::vector<NumberValue> numbers_;
    Point seen_{Features()};
};

}  // namespace sapwood
