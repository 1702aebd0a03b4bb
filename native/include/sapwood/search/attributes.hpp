#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/storage/hash_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a model knows of its attributes, for all of its nodes: which feature says that a number is present, whether a
/// number has ever differed, and which features are the values of one category.
///
/// Guarantee: as long as a number has not differed, all of its values were equal to the first. So a node need keep
/// nothing of it: the counts of the feature that says that it is present are all there is to know. A bag of words with
/// counts, most of them 1, costs what a set of words does.
class Attributes {
public:
    struct Number {
        /// The feature that is on where the number is present.
        FeatureId presence;
        double first;
        bool varies = false;
        /// The points that had been learned when the number was first met, and those with it that were since.
        std::int64_t met_after = 0;
        std::int64_t n_present = 0;

        /// Whether it was missing in one of the points since it was first met, of n in all.
        bool was_missing(std::int64_t n_points) const { return n_points - met_after > n_present; }
    };

    struct Category {
        /// The features of its values, in the order in which they were met.
        std::vector<FeatureId> values;
        /// Whether no point has had two of the values at once. If one had, they are features like all others.
        bool is_exclusive = true;
    };

    bool empty() const { return numbers_.empty() && categories_.empty(); }

    /// Whether tests other than that of its being on are made of a feature: the presence of a number, a value of a
    /// category.
    bool shares(FeatureId feature) const { return category_of(feature) >= 0 || is_presence(feature); }

    /// Whether a feature is the presence of a number.
    bool is_presence(FeatureId feature) const {
        return std::binary_search(numbers_.begin(), numbers_.end(), feature, ByPresence());
    }

    /// Which number a feature is the presence of; -1 if of none.
    std::int32_t number_present_with(FeatureId feature) const {
        const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), feature, ByPresence());
        return found != numbers_.end() && found->presence == feature
                   ? static_cast<std::int32_t>(found - numbers_.begin())
                   : -1;
    }

    // ---- numbers ------------------------------------------------------------------------------------------------

    std::size_t n_numbers() const { return numbers_.size(); }
    const Number& number(AttributeId attribute) const { return numbers_[index_of(attribute)]; }
    bool knows(AttributeId attribute) const { return index_of(attribute) < numbers_.size(); }

    /// The next number.
    void add_number(const Number& number) { numbers_.push_back(number); }
    /// Notes a value that is to be learned.
    void meet(AttributeId attribute, double value) {
        Number& number = numbers_[index_of(attribute)];
        if (value != number.first) number.varies = true;
        ++number.n_present;
    }

    /// Notes values that a batch has: whether all of them are the first, and in how many points they are.
    void note_varies(AttributeId attribute) { numbers_[index_of(attribute)].varies = true; }
    void note_present(AttributeId attribute, std::int64_t n) { numbers_[index_of(attribute)].n_present += n; }

    // ---- categories ---------------------------------------------------------------------------------------------

    std::size_t n_categories() const { return categories_.size(); }
    /// The values of the category that has most.
    std::size_t most_values() const { return most_values_; }
    const Category& category(std::size_t id) const { return categories_[id]; }

    /// The features below this are known to belong to a category or to none.
    std::size_t n_features() const { return n_features_; }
    /// The category of a feature; -1 if it has none.
    std::int32_t category_of(FeatureId feature) const { return category_of_.find(feature); }

    /// The next feature, which is a value of a category, or of none (-1). Categories are numbered here in the order of
    /// their first features, whatever number they come with.
    void add_feature(std::int32_t given) {
        const auto feature = static_cast<FeatureId>(n_features_++);
        if (given < 0) return;
        const auto at = static_cast<std::size_t>(given);
        if (at >= number_of_.size()) number_of_.resize(at + 1, -1);
        if (number_of_[at] < 0) {
            number_of_[at] = static_cast<std::int32_t>(categories_.size());
            categories_.emplace_back();
        }
        category_of_.insert(feature, number_of_[at]);
        std::vector<FeatureId>& values = categories_[static_cast<std::size_t>(number_of_[at])].values;
        values.push_back(feature);
        most_values_ = std::max(most_values_, values.size());
    }
    /// Skips features up to one, which are values of no category.
    void skip_to(std::size_t feature) { n_features_ = std::max(n_features_, feature); }
    void set_shared(std::size_t category) { categories_[category].is_exclusive = false; }

    /// Notes the features of a point that is to be learned: no category may have two values in it.
    void meet(Features on) {
        if (categories_.empty()) return;
        for (std::size_t i = 0; i < on.size(); ++i) {
            const std::int32_t category = category_of(on[i]);
            if (category < 0) continue;
            Category& here = categories_[static_cast<std::size_t>(category)];
            if (here.is_exclusive && here.values.size() > 1 &&
                std::any_of(on.begin(), on.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](FeatureId other) { return category_of(other) == category; })) {
                here.is_exclusive = false;
            }
        }
    }

    std::size_t n_bytes() const {
        std::size_t bytes = numbers_.capacity() * sizeof(Number) + categories_.capacity() * sizeof(Category) +
                            category_of_.n_bytes() + number_of_.capacity() * sizeof(std::int32_t);
        for (const Category& each : categories_) bytes += each.values.capacity() * sizeof(FeatureId);
        return bytes;
    }

private:
    /// The features of numbers ascend.
    struct ByPresence {
        bool operator()(const Number& number, FeatureId feature) const { return number.presence < feature; }
        bool operator()(FeatureId feature, const Number& number) const { return feature < number.presence; }
    };

    std::vector<Number> numbers_;
    std::vector<Category> categories_;
    std::size_t most_values_ = 0;
    std::size_t n_features_ = 0;
    /// By feature; those of no category are not there.
    HashIndex category_of_;
    /// The numbers of categories here, by those that they come with; -1 where none has come.
    std::vector<std::int32_t> number_of_;
};

}  // namespace sapwood
