#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The numbers and categories of a point by their names. A name is there once; what is missing is not there.
struct NamedValues {
    std::vector<std::pair<std::string, double>> numbers;
    std::vector<std::pair<std::string, std::string>> categories;

    bool empty() const { return numbers.empty() && categories.empty(); }
};

/// The numbers and categories of one search by their names, and what is known of them.
///
/// A number, which is the feature of its being present, and every value of a category have a feature each, from
/// `first_feature` on in the order in which they were met. So features that come as ids must be below that.
class NamedAttributes {
public:
    /// Half of all ids: either kind has more than memory has room for.
    static constexpr FeatureId first_feature = FeatureId{1} << 30;

    /// What a feature from `first_feature` on is: a number, or a value of a category.
    struct Meaning {
        bool is_number;
        /// Of the number or of the category.
        std::string name;
        std::string value;
    };

    const Attributes& attributes() const { return attributes_; }
    std::span<const Meaning> meanings() const { return meanings_; }
    const Meaning& meaning(FeatureId feature) const { return meanings_[place_of(feature)]; }
    const std::string& name(AttributeId number) const { return meaning(attributes_.number(number).presence).name; }

    /// Throws std::invalid_argument unless each of some ids is that of a feature without a name.
    static void check_ids(Features features) {
        for (const FeatureId id : features) {
            if (id >= first_feature) {
                throw std::invalid_argument("features must be below " + std::to_string(first_feature) +
                                            " in a finder that has numbers or categories, got " + std::to_string(id));
            }
        }
    }

    /// Appends what a search looks at in a point that it is about to learn. What is new becomes known.
    void meet(const NamedValues& values, std::vector<FeatureId>& on, std::vector<NumberValue>& numbers) {
        for (const auto& [name, value] : values.numbers) {
            const auto [found, is_new] = number_ids_.try_emplace(name, attribute_at(attributes_.n_numbers()));
            if (is_new) attributes_.add_number({make({true, name, {}}), value});
            attributes_.meet(found->second, value);
            numbers.push_back({found->second, value});
            on.push_back(attributes_.number(found->second).presence);
        }
        for (const auto& [name, value] : values.categories) {
            const auto category =
                category_ids_.try_emplace(name, static_cast<std::int32_t>(category_ids_.size())).first->second;
            const auto [found, is_new] = value_ids_.try_emplace({category, value}, next_feature());
            if (is_new) {
                make({false, name, value});
                attributes_.skip_to(static_cast<std::size_t>(found->second));
                attributes_.add_feature(category);
            }
            on.push_back(found->second);
        }
    }

    /// Appends what a search looks at in a point that it has learned. Throws std::invalid_argument if something in it
    /// was never met.
    void find(const NamedValues& values, std::vector<FeatureId>& on, std::vector<NumberValue>& numbers) const {
        for (const auto& [name, value] : values.numbers) {
            const auto found = number_ids_.find(name);
            if (found == number_ids_.end()) refuse("the number '" + name + "'");
            numbers.push_back({found->second, value});
            on.push_back(attributes_.number(found->second).presence);
        }
        for (const auto& [name, value] : values.categories) {
            const auto category = category_ids_.find(name);
            if (category == category_ids_.end()) refuse("the category '" + name + "'");
            const auto found = value_ids_.find({category->second, value});
            if (found == value_ids_.end()) refuse("'" + value + "' for the category '" + name + "'");
            on.push_back(found->second);
        }
    }

    /// Knows a number, or a value, that another one knew next. Throws std::invalid_argument if it is known already.
    void restore_number(const std::string& name, double first, bool varies) {
        if (!number_ids_.try_emplace(name, attribute_at(attributes_.n_numbers())).second) {
            throw std::invalid_argument("the numbers of a state must have different names, got '" + name + "' twice");
        }
        attributes_.add_number({make({true, name, {}}), first, varies});
    }
    void restore_value(const std::string& name, const std::string& value) {
        const std::size_t n_known = meanings_.size();
        std::vector<FeatureId> on;
        std::vector<NumberValue> none;
        meet({{}, {{name, value}}}, on, none);
        if (meanings_.size() == n_known) {
            throw std::invalid_argument("the values of a category must differ in a state, got '" + value + "' twice");
        }
    }

    std::size_t n_bytes() const {
        // A node of a map has three pointers and a colour besides what it holds.
        constexpr std::size_t of_node = 4 * sizeof(void*) + sizeof(std::pair<std::string, std::int64_t>);
        std::size_t bytes = attributes_.n_bytes() + meanings_.capacity() * sizeof(Meaning) +
                            (number_ids_.size() + category_ids_.size() + value_ids_.size()) * of_node;
        for (const Meaning& each : meanings_) bytes += 2 * (each.name.size() + each.value.size());
        return bytes;
    }

private:
    [[noreturn]] static void refuse(const std::string& got) {
        throw std::invalid_argument("the point must have been added, got " + got + ", which no point had");
    }

    static std::size_t place_of(FeatureId feature) { return static_cast<std::size_t>(feature - first_feature); }
    FeatureId next_feature() const { return first_feature + static_cast<FeatureId>(meanings_.size()); }

    FeatureId make(Meaning meaning) {
        const FeatureId feature = next_feature();
        meanings_.push_back(std::move(meaning));
        return feature;
    }

    Attributes attributes_;
    std::vector<Meaning> meanings_;
    // Ordered, so that no choice of names makes them slow.
    std::map<std::string, AttributeId> number_ids_;
    std::map<std::string, std::int32_t> category_ids_;
    std::map<std::pair<std::int32_t, std::string>, FeatureId> value_ids_;
};

}  // namespace sapwood
