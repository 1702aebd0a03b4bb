#pragma once

#include <cstdint>
#include <span>

#include "sapwood/types.hpp"

namespace sapwood {

/// The value of a numeric attribute in a point: finite.
struct NumberValue {
    FeatureId attribute;
    double value;
};

/// The value of a categorical attribute in a point: a number of the category, 0 or more.
struct CategoryValue {
    FeatureId attribute;
    std::int32_t value;
};

/// What a tree is asked about: the features that are on, and the attributes that have a value. An attribute that is not
/// listed is missing, each is listed at most once, and no attribute has the id of a feature.
struct Point {
    Features on;
    std::span<const NumberValue> numbers;
    std::span<const CategoryValue> categories;

    // Implicit: a set of features is the usual point.
    Point(Features features) : on(features) {}
    Point(Features features, std::span<const NumberValue> numbers_, std::span<const CategoryValue> categories_)
        : on(features), numbers(numbers_), categories(categories_) {}
};

}  // namespace sapwood
