#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/points.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/tree/predict/number_ranges.hpp"
#include "sapwood/tree/vocabulary.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// A point by its keys: of the features that are on, and of its numbers with their values.
struct KeyedPoint {
    std::span<const KeyId> keys;
    std::span<const KeyId> numbers = {};
    std::span<const double> values = {};
};

/// Points by their keys, in compressed rows.
struct KeyedRows {
    CsrView keys;
    /// Either as many rows of numbers, with a value for each, or none at all.
    CsrView numbers = {};
    std::span<const double> values = {};

    std::size_t size() const { return keys.size(); }

    KeyedPoint row(std::size_t i) const {
        if (numbers.indptr.empty()) return {keys.row(i)};
        const Features of_row = numbers.row(i);
        return {keys.row(i), of_row, values.subspan(static_cast<std::size_t>(numbers.indptr[i]), of_row.size())};
    }
};

/// Makes points of keys, one at a time: each is valid until the next is made. A learner is a tree, or many that share
/// what is known of numbers and categories: it has `attributes`, `ranges`, `n_met`, `meet_number` and `use_attributes`.
class PointMaker {
public:
    /// The point, which the tree is about to learn: what is new in it becomes known.
    template <class Learner>
    Point to_learn(Learner& tree, Vocabulary::Writing& vocabulary, const KeyedPoint& keyed) {
        vocabulary.find_or_insert(keyed.keys, features_);
        numbers_.clear();
        if (keyed.numbers.empty() && !vocabulary.has_categories() && tree.attributes().empty()) {
            return Features(features_);
        }
        Attributes& attributes = tree.attributes();
        const std::size_t n_flags = features_.size();
        for (std::size_t i = 0; i < keyed.numbers.size(); ++i) {
            // Negative zero is zero.
            const double value = keyed.values[i] + 0.0;
            const AttributeId attribute = vocabulary.insert_number(keyed.numbers[i]);
            tree.meet_number(attribute, value, [&] { return vocabulary.reserve(); });
            numbers_.push_back({attribute, value});
            features_.push_back(attributes.number(attribute).presence);
        }
        while (attributes.n_features() < vocabulary.size()) {
            attributes.add_feature(vocabulary.category_of(vocabulary.keys()[attributes.n_features()]));
        }
        attributes.meet(Features(features_).first(n_flags));
        tree.use_attributes();
        return made(tree, n_flags, tree.n_met() + 1);
    }

    /// The point, which the tree is only asked about: what is new in it is left out. `Known` is a reading or a writing
    /// of the vocabulary.
    template <class Learner, class Known>
    Point to_ask(const Learner& tree, const Known& vocabulary, const KeyedPoint& keyed) {
        vocabulary.find(keyed.keys, features_);
        numbers_.clear();
        if (keyed.numbers.empty()) return Features(features_);
        const std::size_t n_flags = features_.size();
        const Attributes& attributes = tree.attributes();
        for (std::size_t i = 0; i < keyed.numbers.size(); ++i) {
            AttributeId attribute{};
            if (!vocabulary.find_number(keyed.numbers[i], attribute) || !attributes.knows(attribute)) continue;
            numbers_.push_back({attribute, keyed.values[i] + 0.0});
            features_.push_back(attributes.number(attribute).presence);
        }
        return made(tree, n_flags, tree.n_met());
    }

private:
    /// `n_points`: those of the tree, with this one if it is to be learned.
    template <class Learner>
    Point made(const Learner& tree, std::size_t n_flags, std::int64_t n_points) {
        Point point(Features(features_), numbers_);
        point.attributes = &tree.attributes();
        if (numbers_.empty()) return point;
        const std::size_t most = n_flags + numbers_.size() * (1 + NumberRanges::most_features);
        if (models_.size() < most) models_.resize(most);
        FeatureId* end = std::copy_n(features_.data(), n_flags, models_.data());
        const Attributes& attributes = tree.attributes();
        const NumberRanges& ranges = tree.ranges();
        for (const NumberValue& each : numbers_) {
            const Attributes::Number& number = attributes.number(each.attribute);
            // That a number is present tells nothing if it always is.
            if (number.was_missing(n_points)) *end++ = number.presence;
            end = ranges.write(each.attribute, each.value, end);
        }
        point.for_models = Features(models_.data(), static_cast<std::size_t>(end - models_.data()));
        return point;
    }

    std::vector<FeatureId> features_;
    std::vector<NumberValue> numbers_;
    /// Room for the features that the models of leaves see.
    std::vector<FeatureId> models_;
};

}  // namespace sapwood
