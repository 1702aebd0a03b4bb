#pragma once

#include <span>

#include "sapwood/types.hpp"

namespace sapwood {

class Attributes;
struct TrunkSays;

/// The value of a numeric attribute in a point: finite.
struct NumberValue {
    AttributeId attribute;
    double value;
};

/// What a tree is asked about: the features that are on, and the numbers. An attribute that is not listed is missing,
/// and each is listed at most once.
///
/// A number also has features: one that is on wherever it is present, which is in `on`, and those that say in which
/// ranges it is, which only the models of leaves look at. `for_models` is what those look at in place of `on`.
struct Point {
    Features on;
    std::span<const NumberValue> numbers;
    Features for_models;
    /// What is known of numbers and categories (search/attributes.hpp); null if there are none.
    const Attributes* attributes = nullptr;
    /// What the trunk says of it, where trees share one (tree/predict/trunk_says.hpp); null if each has its own.
    const TrunkSays* says = nullptr;

    // Implicit: a set of features is the usual point.
    Point(Features features) : on(features), for_models(features) {}
    Point(Features features, std::span<const NumberValue> numbers_) : Point(features) { numbers = numbers_; }
};

}  // namespace sapwood
