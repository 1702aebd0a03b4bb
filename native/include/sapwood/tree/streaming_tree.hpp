#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sapwood/points.hpp"
#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// A tree that grows with a stream, after every point: a body and its growth policy.
///
/// Features and classes are numbered from 0 in the order in which they were first seen, so that ties between splits do
/// not depend on their names. With an exact search the tree depends only on the points and their order, not on the
/// search. Any number of threads may read one tree while none changes it.
class StreamingTree {
public:
    /// `known`: what is known of numbers and categories, if other trees share it.
    explicit StreamingTree(const TreeOptions& options, std::shared_ptr<KnownAttributes> known = nullptr);

    /// A tree of what was saved, which goes on where the one stopped that it is of.
    StreamingTree(TreeBody body, std::unique_ptr<GrowthPolicy> growth);

    StreamingTree(StreamingTree&&) noexcept;
    ~StreamingTree();

    const TreeBody& body() const { return body_; }
    const GrowthPolicy& growth() const { return *growth_; }
    const TreeOptions& options() const { return body_.options(); }
    const Nodes& nodes() const { return body_.nodes(); }
    const Node& node(NodeId at) const { return body_.node(at); }
    const TreeTally& tally() const { return body_.tally(); }
    std::size_t n_classes() const { return body_.n_classes(); }
    std::int64_t n() const { return body_.n(); }
    std::int64_t n_met() const { return body_.n_met(); }
    std::size_t n_bytes() const { return body_.n_bytes(); }
    /// What is known of numbers and categories.
    const Attributes& attributes() const { return body_.attributes(); }
    Attributes& attributes() { return body_.attributes(); }

    /// To be called when the attributes know a number or a category that the next point has.
    void use_attributes();

    /// Notes a number that the next point to learn has: `reserve()` gives a feature without a name.
    template <class Reserve>
    void meet_number(AttributeId attribute, double value, Reserve reserve) {
        body_.known().meet_number(attribute, value, n_met(), body_.predictor().layout().keeps_anything(), reserve);
    }
    const NumberRanges& ranges() const { return body_.ranges(); }
    const KnownAttributes& known() const { return body_.known(); }
    KnownAttributes& known() { return body_.known(); }

    /// Throws std::invalid_argument if points cannot be learned one by one, before anything of one becomes known.
    void check_learns_points() const { growth_->check_learns_points(); }

    /// Learns from a point of a weight above 0. The label is below `n_classes()`; the points are at most `max_points`
    /// in all, else std::overflow_error is thrown and nothing changed. A point whose weight was rounded to 0 teaches
    /// the models of its leaf, and is counted nowhere.
    void learn(const Point& point, Label label, Weight weight = 1);

    /// Lets a leaf learn from many points by their counts, by weight, and as the split test counts them: each once
    /// where weights are no evidence. `note_points` says how many they were in all, and `grow` splits the leaves for
    /// which it is time then, and returns how many. For growth by batches (batch/absorb.hpp).
    /// Where models are not counts alone, they also learn from the slopes of the points: what all leaves share first.
    void absorb(NodeId leaf, const AddedCounts& added, const AddedCounts& seen, const SummedSlopes* summed = nullptr);
    void absorb_shared(const AddedCounts& added, const SummedSlopes& summed, std::int64_t n_met, std::int64_t n_active);
    void note_points(std::int64_t n, std::int64_t n_met);
    std::size_t grow();

    /// The parts of the tree, for who grows it by statistics that are elsewhere (batch/sharded_growth.hpp).
    TreeBody& parts() { return body_; }

    /// Before the first point: nodes may split on some features only.
    void restrict_splits(const SplitCandidates& candidates);

    /// Has a copy of a trunk, which it shared with other trees, for its own from now on.
    void adopt_trunk(const Mixing& trunk);

    /// A weight from 0 to `max_points`, for `learn`: it is rounded for what counts.
    Weight rounded(double weight);

    /// Computes the probability of each class for a point, into `scores.probabilities`.
    void predict(const Point& point, Scores& scores) const;
    /// The class of the largest probability that `predict` would compute, as `label_of` says; in less time where it is
    /// certain before all models were asked.
    Label predict_label(const Point& point, Scores& scores, std::span<const std::int64_t> places = {}) const;
    Scores make_scores() const;

    /// The class of the largest probability. Of several, it is the one with the first place; `places` are those of the
    /// classes in the order of whoever asks, and a class without one comes after all others, as it was seen.
    static Label label_of(std::span<const double> probabilities, std::span<const std::int64_t> places = {});

    /// Throws std::invalid_argument unless the tree can have `n_classes` classes, at any time from now on.
    void check_classes(std::size_t n_classes) const;

    /// Makes room for `n_classes` classes, if they are more than before. Throws std::invalid_argument, and changes
    /// nothing, if `check_classes` does.
    void cover_classes(std::size_t n_classes);

    /// Says how many classes there will be, so that those yet to come find room: when they come no record is moved, but
    /// for the third class, with which records become of another kind, and in a tree with a limit of memory that is
    /// small for so many (class_room.hpp). No answer depends on it, unless such a limit binds.
    void expect_classes(std::size_t n_classes);

    /// The search of a node, to be saved: it may bring itself up to date for that.
    SplitSearch* search(NodeId at) { return body_.statistics(at).search(); }

    /// Throws std::logic_error with what is broken if an invariant does not hold. O(everything).
    void validate() const { validate(true); }
    /// The same of all but what is within searches and pages: O(nodes * classes).
    void validate_nodes() const { validate(false); }

private:
    // For the tests of the validator.
    friend class NodesBreaker;

    /// Has `n_classes` classes from now on, and room for more. What does not fit any more is given up.
    void widen(std::size_t n_classes);

    void validate(bool with_contents) const;

    TreeBody body_;
    std::unique_ptr<GrowthPolicy> growth_;
};

}  // namespace sapwood
