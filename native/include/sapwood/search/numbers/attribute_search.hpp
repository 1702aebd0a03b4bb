#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/criterion.hpp"
#include "sapwood/point.hpp"
#include "sapwood/search/added_counts.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/search/numbers/attribute_scores.hpp"
#include "sapwood/search/numbers/category_sets.hpp"
#include "sapwood/search/numbers/histogram.hpp"
#include "sapwood/search/numbers/resting_sets.hpp"
#include "sapwood/search/split.hpp"
#include "sapwood/search/split_search.hpp"
#include "sapwood/storage/feature_index.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// Finds the best thresholds of numbers and the best sets of categories at one node.
///
/// Guarantee: the best of all thresholds between the intervals of every number (histogram.hpp), each with the missing
/// values on either side, and with two classes the best of all sets of the values of every category that does not rest:
/// bit for bit what scoring all of them gives. An attribute comes with its best test only, and a category only if that
/// is better than the test of any single value.
///
/// How: a point that is added never lowers the weighted impurity of a side, which is concave, and so no score; and a
/// new threshold, or a new value, begins as a division that there was. So the least score of an attribute when it was
/// last examined is a lower bound of all its scores since, and it is examined again only when that bound does not
/// exceed the score to beat. A removal lowers every score by a bounded amount, which is taken off all bounds at once.
class AttributeSearch {
public:
    /// `examines_all`: every attribute is examined whenever it is asked, as an exhaustive search does.
    AttributeSearch(Criterion criterion, std::size_t n_classes, bool examines_all, const Attributes& attributes)
        : scores_(criterion, n_classes), attributes_(&attributes), examines_all_(examines_all) {}

    const Attributes& attributes() const { return *attributes_; }
    /// Looks from now on at a copy of what it looked at.
    void look_at(const Attributes& copy) { attributes_ = &copy; }
    std::uint64_t n_examined() const { return examined_; }
    /// The numbers that have differed, in the order in which the node met them.
    std::size_t n_numbers() const { return histograms_.size(); }
    AttributeId number_at(std::size_t i) const { return static_cast<AttributeId>(index_.id(slot_at(i))); }
    /// Whether there are sets of the values of categories.
    bool has_sets() const { return scores_.n_classes() == 2 && attributes_->n_categories() > 0; }

    // ---- sets that rest (resting_sets.hpp) ----------------------------------------------------------------------

    /// Looks for now at features, numbers and small categories, and at large ones only if it is time, at a node that
    /// has n points and had `asked_at` when it was last asked. Returns whether bounds that came with earlier answers do
    /// not hold, or are far from what can be: those of a look at a large one, and those before it.
    bool rest_sets(Count asked_at, Count n) { return resting_.rest(*attributes_, has_sets(), asked_at, n); }
    /// Looks at all sets again.
    void end_rest() { resting_.end(); }
    /// Whether some set rested when it was last asked, so that bounds from then do not hold for all; says so once.
    bool wake() { return resting_.wake(); }
    /// Whether it looks at any sets now.
    bool looks_at_sets() const { return has_sets() && resting_.leaves_any(*attributes_); }

    // ---- points -------------------------------------------------------------------------------------------------

    /// To be called before `flags`, the search over the features of the same node, has counted the point.
    void add(const Point& point, Label label, Count weight, const SplitSearch& flags) {
        for (const NumberValue& number : point.numbers) {
            if (attributes_->number(number.attribute).varies) {
                histogram_of(number.attribute, flags).add(number.value, label, weight);
            }
        }
    }

    /// The same of many points by their counts.
    void add_counts(const AddedCounts& added, const SplitSearch& flags) {
        std::vector<Histogram::Bin> bins;
        for (const AddedCounts::OfNumber& number : added.numbers) {
            if (!attributes_->number(number.attribute).varies) continue;
            bins.clear();
            for (std::size_t b = 0; b < number.low.size(); ++b) {
                const std::size_t n_classes = scores_.n_classes();
                bins.push_back(
                    {number.low[b], number.high[b], std::span(number.counts).subspan(b * n_classes, n_classes)});
            }
            histogram_of(number.attribute, flags).add_bins(bins);
        }
    }

    /// Throws std::invalid_argument unless the numbers of a point can have been added.
    void check_removal(const Point& point, Label label, Count weight) const {
        for (const NumberValue& number : point.numbers) {
            const Slot slot = index_.find(static_cast<FeatureId>(number.attribute));
            const bool may = slot != no_slot ? histograms_[index_of(slot)].may_remove(number.value, label, weight)
                                             : number.value == attributes_->number(number.attribute).first;
            if (!may) {
                throw std::invalid_argument("the point must have been added, got " +
                                            sapwood::detail::shortest(number.value) + " for number " +
                                            std::to_string(index_of(number.attribute)));
            }
        }
    }

    /// Takes a counted point back, which was checked. `n`: the points of the node before.
    void remove(const Point& point, Label label, Count weight, Count n) {
        for (const NumberValue& number : point.numbers) {
            const Slot slot = index_.find(static_cast<FeatureId>(number.attribute));
            if (slot != no_slot) histograms_[index_of(slot)].remove(number.value, label, weight);
        }
        lowered_ += scores_.most_lost(n, weight);
        least_bound_ = unknown;
    }

    /// Counts what another node has counted. To be called before `flags` has taken over what `others` has.
    void merge(const AttributeSearch& other, const SplitSearch& flags, const SplitSearch& others) {
        for (const FeatureId id : other.index_.ids()) histogram_of(static_cast<AttributeId>(id), flags);
        for (std::size_t i = 0; i < histograms_.size(); ++i) {
            const FeatureId id = index_.id(slot_at(i));
            const Slot theirs = other.index_.find(id);
            histograms_[i].merge(theirs != no_slot ? other.histograms_[index_of(theirs)]
                                                   : other.first_histogram(static_cast<AttributeId>(id), others));
        }
        forget_bounds();
    }

    /// One like this that has counted nothing.
    AttributeSearch like_new() const {
        AttributeSearch made(*this);
        made.index_ = FeatureIndex();
        made.histograms_.clear();
        made.bounds_.clear();
        made.forget_bounds();
        return made;
    }

    void widen(std::size_t n_classes) {
        scores_.set_classes(n_classes);
        for (Histogram& each : histograms_) each.widen(n_classes);
        // Sets of categories are searched with two classes only.
        if (n_classes > 2) category_bounds_.clear();
        forget_bounds();
    }

    // ---- answers ------------------------------------------------------------------------------------------------

    /// Puts the best splits of attributes among the best k of others, which are in order; k at most remain.
    void join(std::vector<Split>& top, std::size_t k, const SplitSearch& flags) {
        const Count n = flags.n();
        scores_.cover(n);
        // A bound and the score to beat are both rounded.
        const double slack = 2 * scores_.rounding(n);
        const auto must_examine = [&](double bound) {
            return examines_all_ || top.size() < k || bound - lowered_ - slack <= top.back().score;
        };
        if (scores_.n_classes() == 2 && category_bounds_.size() < attributes_->n_categories()) {
            category_bounds_.resize(attributes_->n_categories(), unknown);
            least_bound_ = unknown;
        }
        if (!must_examine(least_bound_)) return;
        const std::vector<Count> of_class = flags.of_classes();
        const double whole = scores_.weighted(of_class);
        const auto put = [&](std::optional<Split>& found) {
            if (!found) return;
            found->gain = n == 0 ? 0 : (whole - found->score) / n;
            if (top.size() == k && !comes_before(*found, top.back())) return;
            if (top.size() == k) top.pop_back();
            top.insert(std::upper_bound(top.begin(), top.end(), *found, comes_before), std::move(*found));
        };
        // Those that may be best come first: what they score leaves little of the others to examine.
        order_.resize(histograms_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return bounds_[a] < bounds_[b]; });
        for (const std::size_t i : order_) {
            if (!must_examine(bounds_[i])) break;
            ++examined_;
            auto [least, best] = scores_.of_number(number_at(i), histograms_[i], of_class);
            bounds_[i] = least + lowered_;
            put(best);
        }
        for (std::size_t i = 0; i < category_bounds_.size(); ++i) {
            const Attributes::Category& category = attributes_->category(i);
            if (!category.is_exclusive || resting_.rests(category) || !must_examine(category_bounds_[i])) continue;
            ++examined_;
            auto [least, best] = sets_.best_of(category, flags, of_class, scores_);
            category_bounds_[i] = least + lowered_;
            put(best);
        }
        least_bound_ = std::numeric_limits<double>::infinity();
        for (const double bound : bounds_) least_bound_ = std::min(least_bound_, bound);
        for (std::size_t i = 0; i < category_bounds_.size(); ++i) {
            if (attributes_->category(i).is_exclusive) least_bound_ = std::min(least_bound_, category_bounds_[i]);
        }
    }

    /// The points of each class that pass a test. Exact for a test that `join` has just given, and for one that is
    /// kept.
    std::vector<Count> passing(const Test& test, const SplitSearch& flags) const {
        if (test.kind() == TestKind::is_on) return flags.on(test.feature());
        std::vector<Count> passed(scores_.n_classes());
        const std::vector<Count> of_class = flags.of_classes();
        if (test.kind() == TestKind::is_among) {
            for (const FeatureId id : test.categories()) {
                const std::vector<Count> on = flags.on(id);
                // No more than all, also where a point had two values after all.
                for (std::size_t k = 0; k < on.size(); ++k) {
                    passed[k] =
                        static_cast<Count>(std::min<std::int64_t>(of_class[k], std::int64_t{passed[k]} + on[k]));
                }
            }
            return passed;
        }
        const Attributes::Number& number = attributes_->number(test.attribute());
        const std::vector<Count> present = flags.on(number.presence);
        const Slot slot = index_.find(static_cast<FeatureId>(test.attribute()));
        if (slot != no_slot) {
            passed = histograms_[index_of(slot)].above(test.threshold());
        } else if (number.first > test.threshold()) {
            passed = present;
        }
        for (std::size_t k = 0; test.missing_passes() && k < passed.size(); ++k) passed[k] += of_class[k] - present[k];
        return passed;
    }

    /// Keeps a test, which `passing` is to answer from now on; the one that was kept before is kept no more.
    void keep(const Test& test, const SplitSearch& flags) {
        for (Histogram& each : histograms_) each.keep(std::numeric_limits<double>::quiet_NaN());
        if (test.kind() == TestKind::is_above) histogram_of(test.attribute(), flags).keep(test.threshold());
    }

    /// The number of the gap that a threshold is in, in the order in which the gaps of its attribute came; 0 if in
    /// none.
    std::uint32_t gap_of(const Test& test) const {
        const Slot slot = index_.find(static_cast<FeatureId>(test.attribute()));
        return slot == no_slot ? 0 : histograms_[index_of(slot)].gap_of(test.threshold());
    }

    /// The histogram of a number, if the node has one.
    const Histogram* histogram(AttributeId attribute) const {
        const Slot slot = index_.find(static_cast<FeatureId>(attribute));
        return slot == no_slot ? nullptr : &histograms_[index_of(slot)];
    }

    // ---- kept and continued -------------------------------------------------------------------------------------

    void save(ByteWriter& out) const {
        std::vector<FeatureId> ids;
        for (const FeatureId id : index_.ids()) {
            // One that never had two values, of which only a threshold is kept, is made again with it. One that has
            // lost all of its values goes on with the numbers of its gaps.
            const Histogram& each = *histogram(static_cast<AttributeId>(id));
            if (each.size() > 0 || each.n_gaps() > 0) ids.push_back(id);
        }
        std::sort(ids.begin(), ids.end());
        out.put(static_cast<std::uint32_t>(ids.size()));
        for (const FeatureId id : ids) {
            out.put(id);
            histogram(static_cast<AttributeId>(id))->save(out);
        }
    }

    /// Becomes what was saved beside `flags`; this one must have seen nothing. Throws ModelFormatError unless a node
    /// with that search can have saved it.
    void load(ByteReader& in, const SplitSearch& flags) {
        const auto size = in.get<std::uint32_t>("the numbers of a search");
        FeatureId last = -1;
        for (std::uint32_t i = 0; i < size; ++i) {
            const auto id = in.get<FeatureId>("a number of a search");
            const auto attribute = static_cast<AttributeId>(id);
            if (id <= last || !attributes_->knows(attribute) || !attributes_->number(attribute).varies) {
                throw ModelFormatError(
                    "the numbers of a search must be numbers of the model that vary, ascending, got " +
                    std::to_string(id));
            }
            last = id;
            index_.find_or_insert(id);
            histograms_.emplace_back(scores_.n_classes());
            bounds_.push_back(unknown);
            histograms_.back().load(in);
            if (!adds_up(attribute, histograms_.back(), flags)) {
                throw ModelFormatError(
                    "the intervals of a number must hold the points in which it is present, got others");
            }
        }
        if (!are_exclusive(flags)) {
            throw ModelFormatError("the values of a category must be in no more points than there are, got more");
        }
    }

    void validate(const SplitSearch& flags) const {
        if (!are_exclusive(flags)) throw std::logic_error("a category has two values at once");
        for (std::size_t i = 0; i < histograms_.size(); ++i) {
            Histogram copy = histograms_[i];
            const auto attribute = static_cast<AttributeId>(index_.id(slot_at(i)));
            const char* fault = copy.why_broken();
            if (fault != nullptr || !adds_up(attribute, copy, flags)) {
                throw std::logic_error("the intervals of number " + std::to_string(index_of(attribute)) +
                                       " are broken");
            }
        }
    }

    std::size_t n_bytes() const {
        std::size_t bytes = index_.n_bytes() + histograms_.capacity() * sizeof(Histogram) +
                            (bounds_.capacity() + category_bounds_.capacity()) * sizeof(double) + sets_.n_bytes() +
                            order_.capacity() * sizeof(std::size_t);
        for (const Histogram& each : histograms_) bytes += each.n_bytes();
        return bytes;
    }

private:
    static constexpr double unknown = -std::numeric_limits<double>::infinity();

    /// What a number was while all of its values were the first.
    Histogram first_histogram(AttributeId attribute, const SplitSearch& flags) const {
        const Attributes::Number& number = attributes_->number(attribute);
        const std::vector<Count> present = flags.on(number.presence);
        if (std::all_of(present.begin(), present.end(), [](Count count) { return count == 0; })) {
            return Histogram(scores_.n_classes());
        }
        return {number.first, present};
    }

    Histogram& histogram_of(AttributeId attribute, const SplitSearch& flags) {
        const Slot slot = index_.find_or_insert(static_cast<FeatureId>(attribute));
        if (index_of(slot) == histograms_.size()) {
            histograms_.push_back(first_histogram(attribute, flags));
            bounds_.push_back(unknown);
            least_bound_ = unknown;
        }
        return histograms_[index_of(slot)];
    }

    bool adds_up(AttributeId attribute, const Histogram& histogram, const SplitSearch& flags) const {
        std::vector<std::int64_t> sums(scores_.n_classes());
        for (std::size_t i = 0; i < histogram.size(); ++i) {
            for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += histogram.counts(i)[k];
        }
        const std::vector<Count> present = flags.on(attributes_->number(attribute).presence);
        return std::equal(sums.begin(), sums.end(), present.begin(), present.end());
    }

    /// Whether the values of each category whose points have one at most are in no more points than there are.
    bool are_exclusive(const SplitSearch& flags) const {
        const std::vector<Count> of_class = flags.of_classes();
        for (std::size_t i = 0; i < attributes_->n_categories(); ++i) {
            if (!attributes_->category(i).is_exclusive) continue;
            std::vector<std::int64_t> sums(of_class.size());
            for (const FeatureId id : attributes_->category(i).values) {
                const std::vector<Count> on = flags.on(id);
                for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += on[k];
            }
            for (std::size_t k = 0; k < sums.size(); ++k) {
                if (sums[k] > of_class[k]) return false;
            }
        }
        return true;
    }

    void forget_bounds() {
        std::fill(bounds_.begin(), bounds_.end(), unknown);
        std::fill(category_bounds_.begin(), category_bounds_.end(), unknown);
        least_bound_ = unknown;
    }

    AttributeScores scores_;
    const Attributes* attributes_;
    bool examines_all_;
    /// The numbers that have differed, in the order in which the node met them.
    FeatureIndex index_;
    std::vector<Histogram> histograms_;
    /// No score of an attribute is below its bound less what removals have taken away.
    std::vector<double> bounds_;
    std::vector<double> category_bounds_;
    double least_bound_ = unknown;
    double lowered_ = 0;
    RestingSets resting_;
    std::uint64_t examined_ = 0;
    CategorySets sets_;
    std::vector<std::size_t> order_;
};

}  // namespace sapwood
