#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/search/attributes.hpp"
#include "sapwood/tree/split_test/evidence.hpp"
#include "sapwood/tree/split_test/split_notes.hpp"

namespace sapwood {

/// What the test by evidence keeps of a node: the order in which features occurred for the third time, and a bound that
/// says when no feature can have enough evidence.
///
/// Four bytes per feature that has occurred three times. The bound and what is remembered of leaders only save
/// questions, and are not saved.
class EvidenceNotes final : public SplitNotes {
public:
    /// The rank of a feature that has none is that of the next one to get one.
    void note(Features features, const SplitSearch& search) override {
        search.append_with(features, occurrences_for_rank, ranked_);
    }

    /// Of features that occurred for the third time in the same batch, the one that was met first has the first rank:
    /// an order that labels do not decide.
    void note_counts(const AddedCounts& added, const SplitSearch& search) override {
        for (std::size_t i = 0; i < added.ids.size(); ++i) {
            const Count now = search.n_on(added.ids[i]);
            if (now >= occurrences_for_rank && now - added.n_on[i] < occurrences_for_rank) {
                ranked_.push_back(added.ids[i]);
            }
        }
    }

    /// Those that have a rank at this node keep theirs; those that have one at the other come next, in their order; and
    /// then those that have occurred three times only at both together, in the order of features. None of this depends
    /// on labels.
    void note_merged(const SplitNotes& other, SplitSearch& search) override {
        std::vector<FeatureId> known(ranked_);
        std::sort(known.begin(), known.end());
        const auto add = [&](std::vector<FeatureId> more) {
            std::erase_if(more, [&](FeatureId id) { return std::binary_search(known.begin(), known.end(), id); });
            ranked_.insert(ranked_.end(), more.begin(), more.end());
            known.insert(known.end(), more.begin(), more.end());
            std::sort(known.begin(), known.end());
        };
        add(static_cast<const EvidenceNotes&>(other).ranked_);
        std::vector<FeatureId> frequent;
        for (const FeatureId id : search.state().ids) {
            if (search.n_on(id) >= occurrences_for_rank) frequent.push_back(id);
        }
        std::sort(frequent.begin(), frequent.end());
        add(std::move(frequent));
        needs_.clear();
        forget_bound();
    }

    void note_number() override { needs_.clear(); }

    std::size_t n_ranked() const { return ranked_.size(); }
    const std::vector<FeatureId>& ranked() const { return ranked_; }

    /// What the evidence of a feature must reach at the `leaf`-th leaf; infinite if it has no rank yet.
    double needed(FeatureId feature, double log_delta, std::int64_t leaf) {
        for (const auto& [known, need] : needs_) {
            if (known == feature) return need;
        }
        const auto found = std::find(ranked_.begin(), ranked_.end(), feature);
        if (found == ranked_.end()) return std::numeric_limits<double>::infinity();
        const double need = evidence_needed(log_delta, leaf, found - ranked_.begin() + 1);
        // The leaders of a node are few and change seldom; a list of many would take longer to look through than to
        // make.
        if (needs_.size() >= most_remembered) needs_.clear();
        needs_.emplace_back(feature, need);
        return need;
    }

    /// From now on features need what their ranks say that they were given where all of the node are known, by their
    /// ids; 0 is none. For a node that is a few features of another (batch/sharded_growth.hpp).
    void give_ranks(std::span<const std::int64_t> ranks, double log_delta, std::int64_t leaf) {
        needs_.clear();
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            needs_.emplace_back(static_cast<FeatureId>(i), ranks[i] == 0 ? std::numeric_limits<double>::infinity()
                                                                         : evidence_needed(log_delta, leaf, ranks[i]));
        }
    }

    /// What the evidence of any test must reach. A feature has its share of the probability of a false split by its
    /// rank. What is made of a feature shares with it: the presence of a number has half of the share, and its
    /// thresholds have the other half, of which each is worth what the number of its gap leaves it, on either side of
    /// missing values; a value of a category has half, and the sets in which it has the last rank have the other. All
    /// of these depend on features and numbers, and not on labels.
    double needed(const Test& test, const SplitSearch& search, double log_delta, std::int64_t leaf) {
        const Attributes* attributes = search.attributes();
        if (attributes == nullptr) return needed(test.feature(), log_delta, leaf);
        constexpr double half = std::numbers::ln2;
        switch (test.kind()) {
            case TestKind::is_above: {
                const std::uint32_t gap = search.gap_of(test);
                if (gap == 0) return std::numeric_limits<double>::infinity();
                const FeatureId presence = attributes->number(test.attribute()).presence;
                return needed(presence, log_delta, leaf) + price_of_rank(gap) + 2 * half;
            }
            case TestKind::is_among:
                return needed_of_set(test.categories(), *attributes, log_delta, leaf);
            default:
                return needed(test.feature(), log_delta, leaf) + (attributes->shares(test.feature()) ? half : 0);
        }
    }

    /// While this plus the weighted entropy of the node is below 0, no feature has enough evidence.
    double bound() const { return bound_; }
    void set_bound(double bound) { bound_ = bound; }
    /// The same of features alone, and of each number, in the order in which the node met them: `bound` is the largest
    /// of these, or less.
    double bound_of_features() const { return bound_of_features_; }
    void set_bound_of_features(double bound) { bound_of_features_ = bound; }
    std::vector<double>& bounds_of_numbers(std::size_t n_numbers) {
        bounds_of_numbers_.resize(n_numbers, std::numeric_limits<double>::infinity());
        return bounds_of_numbers_;
    }
    /// To be called when points were removed, or others merged: scores may have fallen.
    void forget_bound() override {
        bound_ = bound_of_features_ = std::numeric_limits<double>::infinity();
        bounds_of_numbers_.clear();
    }

    void save(ByteWriter& out) const override {
        out.put(static_cast<std::uint32_t>(ranked_.size()));
        out.put_all(std::span<const FeatureId>(ranked_));
    }

    void load(ByteReader& in, const SplitSearch& search) override {
        const auto size = in.get<std::uint32_t>("the ranks of features");
        ranked_ = in.get_list<FeatureId>(size, "the ranks of features");
        if (const char* fault = why_broken(search)) {
            throw ModelFormatError(std::string("the ranks of a node must be of its features, got ") + fault);
        }
    }

    void validate(const SplitSearch& search) const override {
        if (const char* fault = why_broken(search)) throw std::logic_error(std::string("ranks are broken: ") + fault);
    }

    std::size_t n_bytes() const override {
        return sizeof(*this) + ranked_.capacity() * sizeof(FeatureId) + needs_.capacity() * sizeof(needs_[0]) +
               bounds_of_numbers_.capacity() * sizeof(double);
    }

private:
    static constexpr std::size_t most_remembered = 16;

    /// The sets of values of a category whose last in the order of ranks is the v-th value there are 2^(v-1) of.
    double needed_of_set(const Test::Categories& categories, const Attributes& attributes, double log_delta,
                         std::int64_t leaf) {
        std::size_t found = 0;
        std::int64_t of_category = 0;
        const std::int32_t category = attributes.category_of(categories.front());
        for (const FeatureId id : ranked_) {
            if (attributes.category_of(id) != category) continue;
            ++of_category;
            if (!std::binary_search(categories.begin(), categories.end(), id)) continue;
            if (++found == categories.size()) {
                return needed(id, log_delta, leaf) + static_cast<double>(of_category) * std::numbers::ln2;
            }
        }
        return std::numeric_limits<double>::infinity();
    }

    /// Every feature that has occurred three times has one rank, and no other has one.
    const char* why_broken(const SplitSearch& search) const {
        std::vector<FeatureId> sorted(ranked_);
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return "a feature twice";
        for (const FeatureId id : ranked_) {
            if (id < 0) return "a feature below 0";
            Count n_on = 0;
            for (const Count count : search.on(id)) n_on += count;
            if (n_on < occurrences_for_rank) return "a feature that has not occurred three times";
        }
        if (search.n_with_at_least(occurrences_for_rank) != ranked_.size()) return "not all that occurred three times";
        return nullptr;
    }

    std::vector<FeatureId> ranked_;
    std::vector<std::pair<FeatureId, double>> needs_;
    double bound_ = std::numeric_limits<double>::infinity();
    double bound_of_features_ = std::numeric_limits<double>::infinity();
    std::vector<double> bounds_of_numbers_;
};

}  // namespace sapwood
