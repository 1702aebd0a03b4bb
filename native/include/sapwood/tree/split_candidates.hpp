#pragma once

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
/// same chance as any other. Nothing is kept but the seed. A number and all values of a category are drawn together.
/// What the models of leaves see is not concerned.
class SplitCandidates {
public:
    /// `rate`: the share of the features, above 0 and below 1. `is_of_node`: whether every node draws its own.
    SplitCandidates(double rate, std::uint64_t seed, bool is_of_node)
        : below_(static_cast<std::uint64_t>(rate * 0x1p64)), seed_(seed), is_of_node_(is_of_node) {}

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
        on_.clear();
        for (const FeatureId feature : point.on) {
            if (admits_by(seed, root_of(feature, point.attributes))) on_.push_back(feature);
        }
        numbers_.clear();
        for (const NumberValue& each : point.numbers) {
            if (admits_by(seed, point.attributes->number(each.attribute).presence)) numbers_.push_back(each);
        }
        seen_.on = on_;
        seen_.numbers = numbers_;
        seen_.attributes = point.attributes;
        return seen_;
    }

private:
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

    std::uint64_t below_;
    std::uint64_t seed_;
    bool is_of_node_;
    std::vector<FeatureId> on_;
    std::vector<NumberValue> numbers_;
    Point seen_{Features()};
};

}  // namespace sapwood
