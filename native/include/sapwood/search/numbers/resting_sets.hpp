#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include "sapwood/search/attributes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Says at which categories a node does not look until a later point.
///
/// To find the best set of V values takes V log V. Where most values are rare, as those of an id are, some set always
/// divides the classes well, by chance, so that a tree that asks after every point would look for it after every point.
/// So sets of many values may rest in between: a node of n points then looks at them whenever n passes a multiple of a
/// power of two that is about V / 8, which takes O(log V) per point.
class RestingSets {
public:
    /// Lets large categories rest, but for those whose time it is: at a node that has n points and had `asked_at` when
    /// it was last asked. Returns whether any large one is looked at now, or was when it was last asked.
    bool rest(const Attributes& attributes, bool has_sets, Count asked_at, Count n) {
        is_on_ = has_sets && attributes.most_values() >= many_values;
        asked_at_ = asked_at;
        n_ = n;
        bool looks = false;
        rested_ = false;
        for (std::size_t i = 0; is_on_ && i < attributes.n_categories(); ++i) {
            const Attributes::Category& category = attributes.category(i);
            if (!category.is_exclusive || category.values.size() < many_values) continue;
            (rests(category) ? rested_ : looks) = true;
        }
        const bool is_other = looks || looked_;
        looked_ = looks;
        return is_other;
    }

    /// Lets none rest.
    void end() { is_on_ = false; }

    /// Whether some category rested when it was last asked; says so once.
    bool wake() { return std::exchange(rested_, false); }

    bool rests(const Attributes::Category& category) const {
        if (!is_on_ || category.values.size() < many_values) return false;
        const auto between = static_cast<Count>(std::bit_floor(category.values.size() / 8));
        return n_ / between == asked_at_ / between;
    }

    /// Whether there is a category with sets to look at now.
    bool leaves_any(const Attributes& attributes) const {
        if (!is_on_) return true;
        for (std::size_t i = 0; i < attributes.n_categories(); ++i) {
            if (attributes.category(i).is_exclusive && !rests(attributes.category(i))) return true;
        }
        return false;
    }

private:
    /// The fewest values of which sets rest: to look at fewer takes no longer than the rest of a point.
    static constexpr std::size_t many_values = 64;

    bool is_on_ = false;
    bool rested_ = false;
    /// Whether it looked at sets of many values when it was last asked.
    bool looked_ = false;
    Count asked_at_ = 0;
    Count n_ = 0;
};

}  // namespace sapwood
