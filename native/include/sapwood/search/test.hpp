#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

inline constexpr FeatureId no_feature = -1;

/// The kind of a test. The numbers are those of the file format: never change one, add after the last.
enum class TestKind : std::uint8_t {
    nothing = 0,   // a leaf: no test
    is_on = 1,     // is the feature on?
    is_above = 2,  // is the number above the threshold?
    is_among = 3   // is one of these features on, which are values of one category?
};
inline constexpr std::uint8_t n_test_kinds = 4;

/// What a node asks of a point, and what a split search recommends. A value: copied and compared, never changed.
///
/// A point passes or it does not. A feature that is not listed is off. A missing number passes if the test says so. A
/// category that is missing, or was never seen, is in no set.
class Test {
public:
    /// The features of the values of a category.
    using Categories = std::vector<FeatureId>;

    /// No test at all.
    Test() = default;

    // Implicit: a feature names the test of its being on, which is what sparse data asks.
    Test(FeatureId feature) : feature_(feature), kind_(feature == no_feature ? TestKind::nothing : TestKind::is_on) {}

    static Test is_above(AttributeId attribute, double threshold, bool missing_passes) {
        Test test;
        test.feature_ = static_cast<FeatureId>(attribute);
        test.kind_ = TestKind::is_above;
        test.missing_passes_ = missing_passes;
        test.threshold_ = threshold;
        return test;
    }

    /// `categories` in any order, each once, and at least one.
    static Test is_among(Categories categories) {
        std::sort(categories.begin(), categories.end());
        Test test;
        test.feature_ = categories.front();
        test.kind_ = TestKind::is_among;
        test.categories_ = std::make_shared<const Categories>(std::move(categories));
        return test;
    }

    TestKind kind() const { return kind_; }
    /// The feature that is asked about; of several the first.
    FeatureId feature() const { return feature_; }
    /// The number that is asked about, if the test is about one.
    AttributeId attribute() const { return static_cast<AttributeId>(feature_); }
    double threshold() const { return threshold_; }
    /// The set, ascending; empty unless the test is about a category.
    const Categories& categories() const {
        static const Categories none;
        return categories_ ? *categories_ : none;
    }
    bool missing_passes() const { return missing_passes_; }

    /// Whether a point passes; O(numbers of the point, or categories of the test). `is_on(feature)` says whether a
    /// feature is on: whoever routes knows that faster than by a look at the list.
    template <class IsOn>
    bool passes(const Point& point, IsOn is_on) const {
        switch (kind_) {
            case TestKind::is_on:
                return is_on(feature_);
            case TestKind::is_above:
                for (const NumberValue& number : point.numbers) {
                    if (number.attribute == attribute()) return number.value > threshold_;
                }
                return missing_passes_;
            case TestKind::is_among:
                return std::any_of(categories_->begin(), categories_->end(), is_on);
            case TestKind::nothing:
                break;
        }
        return false;
    }

    bool passes(const Point& point) const {
        return passes(point,
                      [&](FeatureId id) { return std::find(point.on.begin(), point.on.end(), id) != point.on.end(); });
    }

    /// Two tests are equal if they ask the same.
    friend bool operator==(const Test& a, const Test& b) {
        return a.kind_ == b.kind_ && a.feature_ == b.feature_ && a.missing_passes_ == b.missing_passes_ &&
               a.threshold_ == b.threshold_ && (a.categories_ == b.categories_ || a.categories() == b.categories());
    }

    /// The order in which equally good tests are preferred: features before numbers before sets, then by feature or
    /// attribute, threshold and set, so that the answer does not depend on how a search goes through them.
    friend bool operator<(const Test& a, const Test& b) {
        if (a.kind_ != b.kind_) return a.kind_ < b.kind_;
        if (a.feature_ != b.feature_) return a.feature_ < b.feature_;
        if (a.threshold_ != b.threshold_) return a.threshold_ < b.threshold_;
        if (a.missing_passes_ != b.missing_passes_) return b.missing_passes_;
        return a.categories_ != b.categories_ && a.categories() < b.categories();
    }

private:
    FeatureId feature_ = no_feature;
    TestKind kind_ = TestKind::nothing;
    bool missing_passes_ = false;
    double threshold_ = 0;
    std::shared_ptr<const Categories> categories_;
};

}  // namespace sapwood
