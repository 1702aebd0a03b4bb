#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/points.hpp"
#include "sapwood/tree/growth/make_growth.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// A tree that grows with a stream, after every point: a body and its growth policy.
///
/// Features and classes are numbered from 0 in the order in which they were first seen, so that ties between splits do
/// not depend on their names. With an exact search the tree depends only on the points and their order, not on the
/// search. Any number of threads may read one tree while none changes it.
class StreamingTree {
public:
    explicit StreamingTree(const TreeOptions& options) : body_(options), growth_(make_growth(options)) {}

    /// A tree of what was saved, which goes on where the one stopped that it is of.
    StreamingTree(TreeBody body, std::unique_ptr<GrowthPolicy> growth)
        : body_(std::move(body)), growth_(std::move(growth)) {}

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

    /// Learns from a point of a weight above 0. The label is below `n_classes()`; the points are at most `max_points`
    /// in all, else std::overflow_error is thrown and nothing changed. A point whose weight was rounded to 0 teaches
    /// the models of its leaf, and is counted nowhere.
    void learn(const Point& point, Label label, Weight weight = 1) {
        check_room(static_cast<Count>(n()), weight.count);
        growth_->learn(body_, point, label, weight);
    }

    /// A weight from 0 to `max_points`, for `learn`: it is rounded for what counts.
    Weight rounded(double weight) { return body_.rounded(weight); }

    /// Computes the probability of each class for a point, into `scores.probabilities`.
    void predict(const Point& point, Scores& scores) const { body_.predict(point, scores); }
    Scores make_scores() const { return Scores(body_.predictor().layout()); }

    /// The class of the largest probability. Of several, it is the one with the first place; `places` are those of the
    /// classes in the order of whoever asks, and a class without one comes after all others, as it was seen.
    static Label label_of(std::span<const double> probabilities, std::span<const std::int64_t> places = {}) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < probabilities.size(); ++k) {
            const bool ties = probabilities[k] == probabilities[best] && k < places.size();
            if (probabilities[k] > probabilities[best] || (ties && places[k] < places[best])) best = k;
        }
        return static_cast<Label>(best);
    }

    /// Throws std::invalid_argument unless the tree can have `n_classes` classes, at any time from now on.
    void check_classes(std::size_t n_classes) const {
        if (n_classes <= this->n_classes()) return;
        sapwood::check_classes(options(), n_classes);
        Pausing::check_classes(body_, n_classes);
    }

    /// Makes room for `n_classes` classes, if they are more than before. Throws std::invalid_argument, and changes
    /// nothing, if `check_classes` does.
    void cover_classes(std::size_t n_classes) {
        if (n_classes <= this->n_classes()) return;
        check_classes(n_classes);
        Pausing(body_).make_room_to_widen(n_classes);
        body_.widen(n_classes);
        Pausing(body_).keep_within_after_widening();
    }

    /// The search of a node, to be saved: it may bring itself up to date for that.
    SplitSearch* search(NodeId at) { return body_.statistics(at).search(); }

    /// Throws std::logic_error with what is broken if an invariant does not hold. O(everything). In validate_tree.hpp.
    void validate() const { body_.validate(growth_->counts_inner_nodes(), growth_->counts_all_points()); }

private:
    // For the tests of the validator.
    friend class NodesBreaker;

    TreeBody body_;
    std::unique_ptr<GrowthPolicy> growth_;
};

}  // namespace sapwood
