#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/search/split_search.hpp"
#include "sapwood/tree/split_test/split_notes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The statistics from which a node finds its next split: the points per class since it began, and a split search over
/// them.
///
/// One of four states:
///
///     absent ──start──> counting ──pause──> paused ──start──> counting
///                           └─────end──> ended
///
/// absent: the node is at the maximum depth and looks for no split. paused: the search was given up for lack of memory.
/// ended: the node was split, and its growth does not check it again. Only a counting node has a search.
class NodeStatistics {
public:
    /// The numbers are those of the file format.
    enum class State : std::uint8_t { absent = 0, counting = 1, paused = 2, ended = 3 };

    explicit NodeStatistics(std::size_t n_classes = 0) : counted_(n_classes) {}

    State state() const { return state_; }
    bool is_counting() const { return state_ == State::counting; }
    bool is_paused() const { return state_ == State::paused; }

    /// The points of each class that were counted, and how many they are.
    const std::vector<Count>& counted() const { return counted_; }
    Count n() const { return n_; }
    /// The points that came while the node was not counting.
    std::int64_t n_missed() const { return n_missed_; }
    std::int64_t n_reached() const { return n_ + n_missed_; }
    /// `n` when a split was last looked for.
    Count tested_at() const { return tested_at_; }
    /// What the search held when it was given up.
    std::size_t paused_bytes() const { return is_paused() ? paused_bytes_ : 0; }

    bool is_pure() const { return std::find(counted_.begin(), counted_.end(), n_) != counted_.end(); }

    // ---- counting -----------------------------------------------------------------------------------------------

    /// Begins afresh, with a search that has seen nothing.
    void start(std::unique_ptr<SplitSearch> search, std::unique_ptr<SplitNotes> notes) {
        std::fill(counted_.begin(), counted_.end(), 0);
        n_ = 0;
        tested_at_ = 0;
        n_missed_ = 0;
        forget_answers();
        search_ = std::move(search);
        notes_ = std::move(notes);
        state_ = State::counting;
    }

    /// Counts a point `weight` >= 0 times; one that counts for nothing leaves no trace.
    void add(const Point& point, Label label, Count weight) {
        if (weight == 0) return;
        if (!search_) {
            n_missed_ += weight;
            return;
        }
        counted_[label] += weight;
        n_ += weight;
        search_->add_point(point, label, weight);
        if (notes_) notes_->note(point.on, *search_);
    }

    /// Counts many points at once: at most as many as there is room for.
    void add_counts(const AddedCounts& added) {
        if (!search_) {
            n_missed_ += added.n();
            return;
        }
        for (std::size_t k = 0; k < counted_.size(); ++k) counted_[k] += added.of_class[k];
        n_ += added.n();
        search_->add_counts(added);
        if (notes_) notes_->note_counts(added, *search_);
    }

    /// Takes back a point that was counted, the oldest one that is left: so it came before the last test, if any of
    /// them did. For statistics without notes, which cannot be taken back.
    void remove(const Point& point, Label label, Count weight) {
        if (weight == 0) return;
        if (!search_) {
            if (state_ == State::absent) n_missed_ -= weight;
            return;
        }
        search_->take_back_point(point, label, weight);
        counted_[label] -= weight;
        n_ -= weight;
        tested_at_ = std::max(0, tested_at_ - weight);
        if (weight > most_removed - n_removed_) {
            forget_answers();
        } else {
            n_removed_ = static_cast<std::uint8_t>(n_removed_ + weight);
            if (label == 0) n_removed_first_ = static_cast<std::uint8_t>(n_removed_first_ + weight);
        }
        // A stream that changes brings ever new features; those that left for good are given up once they are most,
        // which takes a time in proportion to what was removed since.
        const auto size = static_cast<std::uint32_t>(point.on.size());
        if (until_look_ == 0) until_look_ = until_next_look(search_->n_features());
        if (until_look_ > size) {
            until_look_ -= size;
            return;
        }
        const std::size_t left = search_->n_with_at_least(1);
        if (2 * left < search_->n_features()) search_->forget_gone();
        until_look_ = until_next_look(left);
    }

    /// Has counted what another node has, of the same points, and looks for splits as that does. For statistics without
    /// notes.
    void copy_counts(const NodeStatistics& other) {
        search_ = other.search_->clone();
        counted_ = other.counted_;
        n_ = other.n_;
        forget_answers();
    }

    /// Counts all that another node has counted, of other points.
    void merge(NodeStatistics& other) {
        search_->merge(*other.search_, Merge::points);
        if (notes_) notes_->note_merged(*other.notes_, *search_);
        for (std::size_t k = 0; k < counted_.size(); ++k) counted_[k] += other.counted_[k];
        n_ += other.n_;
        forget_answers();
    }

    /// Gives the search up for want of memory.
    void pause() {
        const std::size_t held = search_bytes();
        search_.reset();
        notes_.reset();
        paused_bytes_ = held;
        n_missed_ = 0;
        state_ = State::paused;
    }
    /// Forgets what was counted before the search was given up.
    void forget_counted() {
        std::fill(counted_.begin(), counted_.end(), 0);
        n_ = 0;
        tested_at_ = 0;
    }
    /// Begins to count anew the points that pass by while the node is paused.
    void forget_missed() { n_missed_ = 0; }

    /// Gives the search up for good; the counts stay.
    void end() {
        search_.reset();
        notes_.reset();
        state_ = State::ended;
    }

    // ---- asking -------------------------------------------------------------------------------------------------

    /// Notes that a split is looked for now.
    void note_test() { tested_at_ = n_; }
    Count n_since_test() const { return n_ - tested_at_; }

    /// Lets sets of many values rest until `end_rest`, but now and then (numbers/attribute_search.hpp), at a node that
    /// was last asked when it had `asked_at` points.
    void rest_sets(Count asked_at) {
        if (search_->rest_sets(asked_at, n_)) forget_bounds();
    }
    void end_rest() {
        if (search_) search_->end_rest();
    }
    /// From now on bounds are of all sets.
    void wake() {
        if (search_->wake()) forget_bounds();
    }

    // A search need not be asked where the answer is known. A point that is added never lowers the weighted impurity of
    // a side, which is concave, and so no score. Hence no feature, not even one that is new, has a score below the
    // least one when the search was asked, and
    //     n * gain <= weighted impurity of the node now - least score then
    // for all of them. A leaf without a good split is asked a few dozen times instead of after every point.
    //
    // A point that is taken back lowers a score by what its side loses: by concavity no more than if it was the only
    // one of its class there, and no more than if all points of other classes were there, of one class. So with r
    // points of a class taken back since, beside at most m of others at a time, no score is below
    //     least score then - sum over classes of r * weighted impurity of one point of a class beside m of another.

    /// Asks for the best split.
    std::optional<Split> ask() {
        const std::optional<Split> best = search_->best();
        if (best && search_->is_exact()) {
            least_score_ = best->score;
            n_removed_ = 0;
            n_removed_first_ = 0;
        }
        leaders_ = {no_feature, no_feature};
        return best;
    }

    std::vector<Split> top(std::size_t k) { return search_->top(k); }

    /// Remembers the best two splits, both of which have a gain, as bounds for later, if they are exact and tests of
    /// features: others are not kept.
    void note_leaders(const Split& best, const Split& second) {
        const bool are_features = best.test.kind() == TestKind::is_on && second.test.kind() == TestKind::is_on;
        if (search_->is_exact() && are_features) leaders_ = {best.feature(), second.feature()};
    }

    /// The points of each class that pass a test: one that was just found, or that of the node.
    std::vector<Count> passing(const Test& test) const { return search_->passing(test); }
    /// Keeps the test of the node, about which `passing` will be asked.
    void keep(const Test& test) {
        if (search_) search_->keep(test);
    }

    /// Lets a node that counts look at numbers and categories too, of which it has met none.
    void use_attributes(const SearchChoice& choice, const Attributes& attributes) {
        if (search_) search_ = with_attributes(choice, std::move(search_), attributes);
    }

    /// The least score when the search was last asked, which no feature has fallen below since but by points taken
    /// back; nothing if it was not asked, or is not exact.
    std::optional<double> least_score() const {
        return !is_counting() || least_score_ < 0 ? std::nullopt : std::optional<double>(least_score_);
    }
    /// The points taken back since then, and those of the first class among them.
    Count n_removed() const { return n_removed_; }
    Count n_removed_first() const { return n_removed_first_; }
    /// The best two splits when two were last asked for, where both had a gain.
    std::optional<std::pair<FeatureId, FeatureId>> leaders() const {
        return leaders_.first == no_feature ? std::nullopt : std::optional(leaders_);
    }

    // ---- for others ---------------------------------------------------------------------------------------------

    const SplitSearch* search() const { return search_.get(); }
    SplitSearch* search() { return search_.get(); }
    /// What the split test keeps; null if it keeps nothing, or the node does not count.
    const SplitNotes* notes() const { return notes_.get(); }
    SplitNotes* notes() { return notes_.get(); }

    /// Has more classes from now on. A search that has no room for them is made anew, as `wider` says.
    void take_classes(std::size_t n_classes, const SearchChoice& wider) {
        counted_.resize(n_classes);
        if (search_ && !search_->take_classes(n_classes)) search_ = widened(*search_, wider);
    }

    /// The same search over more classes, to be put in place by `widen`; nothing if there is none.
    std::unique_ptr<SplitSearch> widened_search(const SearchChoice& wider) const {
        return search_ ? widened(*search_, wider) : nullptr;
    }
    /// Makes room for more classes. Does not fail once `counted` has room for them.
    void reserve_classes(std::size_t n_classes) { counted_.reserve(n_classes); }
    void widen(std::size_t n_classes, std::unique_ptr<SplitSearch> search) {
        counted_.resize(n_classes);
        search_ = std::move(search);
    }

    /// The statistics that were saved: all of it but the search of a counting node, which is in `search`.
    static NodeStatistics restored(State state, std::vector<Count> counted, Count tested_at, std::int64_t n_missed,
                                   std::size_t paused_bytes, std::unique_ptr<SplitSearch> search,
                                   std::unique_ptr<SplitNotes> notes = nullptr) {
        NodeStatistics made;
        made.state_ = state;
        made.counted_ = std::move(counted);
        for (const Count count : made.counted_) made.n_ += count;
        made.tested_at_ = tested_at;
        made.n_missed_ = n_missed;
        if (state == State::paused) made.paused_bytes_ = paused_bytes;
        made.search_ = std::move(search);
        made.notes_ = std::move(notes);
        return made;
    }

    /// The memory that pausing gives back.
    std::size_t search_bytes() const { return (search_ ? search_->n_bytes() : 0) + (notes_ ? notes_->n_bytes() : 0); }
    std::size_t n_bytes() const { return counted_.capacity() * sizeof(Count) + search_bytes(); }

private:
    // For the tests of the validator.
    friend class NodesBreaker;

    void forget_bounds() {
        forget_answers();
        if (notes_) notes_->forget_bound();
    }

    void forget_answers() {
        least_score_ = unknown;
        n_removed_ = 0;
        n_removed_first_ = 0;
        leaders_ = {no_feature, no_feature};
    }

    static std::uint32_t until_next_look(std::size_t n_features) {
        const std::uint64_t features = 8 * static_cast<std::uint64_t>(n_features) + 1;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(features, std::numeric_limits<std::uint32_t>::max()));
    }

    /// No score is negative.
    static constexpr double unknown = -1;
    /// After so many points were taken back, to ask again is a small part of what that took.
    static constexpr Count most_removed = std::numeric_limits<std::uint8_t>::max();

    std::vector<Count> counted_;
    std::unique_ptr<SplitSearch> search_;
    std::unique_ptr<SplitNotes> notes_;
    union {
        /// Of a node that counts.
        double least_score_ = unknown;
        /// Of a paused one.
        std::size_t paused_bytes_;
    };
    std::pair<FeatureId, FeatureId> leaders_{no_feature, no_feature};
    std::int64_t n_missed_ = 0;
    Count n_ = 0;
    Count tested_at_ = 0;
    /// How many features of points are yet to be removed before the search gives up those that are gone; 0 if it is
    /// yet to be found out, which takes a look at all features.
    std::uint32_t until_look_ = 0;
    std::uint8_t n_removed_ = 0;
    std::uint8_t n_removed_first_ = 0;
    State state_ = State::absent;
};

}  // namespace sapwood
