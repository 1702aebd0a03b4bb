#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "sapwood/forest/forest_options.hpp"
#include "sapwood/forest/tree_mixer.hpp"
#include "sapwood/forest/watched_tree.hpp"
#include "sapwood/random.hpp"
#include "sapwood/tree/split_candidates.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// How often a forest has met a change, and what it did.
struct ForestTally {
    std::int64_t warnings = 0;
    std::int64_t drifts = 0;
    /// Trees that took the place of another: from the background, or new.
    std::int64_t swapped = 0;
    std::int64_t reset = 0;

    ForestTally& operator+=(const ForestTally& other) {
        warnings += other.warnings;
        drifts += other.drifts;
        swapped += other.swapped;
        reset += other.reset;
        return *this;
    }
};

/// Calls `visit(name, count)` for every count, in the order of the file format.
template <class Tally, class Visit>
void for_each_forest_count(Tally& tally, Visit visit) {
    visit("warnings", tally.warnings);
    visit("drifts", tally.drifts);
    visit("swapped", tally.swapped);
    visit("reset", tally.reset);
}

/// A place in a forest: the tree that answers, and one that may take its place when the stream changes.
///
/// What a tree answered before it learned a point is what its detectors see. If they see its error rise with some
/// confidence, a tree in the background begins to learn; if with more, that one takes the place, or a new one where
/// there is none (adaptive random forests: Gomes et al., 2017).
class Member {
public:
    Member(const ForestOptions& options, std::shared_ptr<KnownAttributes> known, std::size_t place)
        : options_(&options),
          known_(std::move(known)),
          place_(place),
          seed_(hashed(hashed(options.seed()) + place)),
          tree_(make_tree()),
          scores_(tree_->tree.make_scores()) {}

    /// A place without a tree, to be filled with what was saved.
    struct Empty {};
    Member(const ForestOptions& options, std::shared_ptr<KnownAttributes> known, std::size_t place, Empty)
        : options_(&options),
          known_(std::move(known)),
          place_(place),
          seed_(hashed(hashed(options.seed()) + place)),
          scores_(ModelLayout::of(options.tree.leaf_prediction, 2)) {}

    const StreamingTree& tree() const { return tree_->tree; }
    StreamingTree& tree() { return tree_->tree; }
    const WatchedTree& watched() const { return *tree_; }
    WatchedTree& watched() { return *tree_; }
    /// The tree in the background; null if there is none.
    const WatchedTree* background() const { return background_.get(); }
    WatchedTree* background() { return background_.get(); }
    const ForestTally& tally() const { return tally_; }
    /// The trees made in this place so far.
    std::uint64_t n_made() const { return n_made_; }
    /// What the draws of how often points are learned depend on.
    std::uint64_t seed_of_draws() const { return hashed(seed_ + of_draws); }

    void use_attributes() {
        tree_->tree.use_attributes();
        if (background_) background_->tree.use_attributes();
    }

    void check_classes(std::size_t n_classes) const {
        tree_->tree.check_classes(n_classes);
        if (background_) background_->tree.check_classes(n_classes);
    }
    void expect_classes(std::size_t n_classes) {
        tree_->tree.expect_classes(n_classes);
        if (background_) background_->tree.expect_classes(n_classes);
    }
    void cover_classes(std::size_t n_classes) {
        tree_->tree.cover_classes(n_classes);
        if (background_) background_->tree.cover_classes(n_classes);
        scores_ = tree_->tree.make_scores();
    }

    /// What the tree says of a point, as the forest combines it, into `out`: an opinion for the mixer, or votes.
    void answer(const Point& point, Scores& scores, std::span<double> out) const {
        if (options_->combining == Combining::mixed) {
            tree().body().opinion(point, scores, out);
            TreeMixer::prepare(out);
            return;
        }
        tree().predict(point, scores);
        const std::size_t said = label_of(scores.probabilities);
        const double trust =
            options_->combining == Combining::inverse_error ? tree_->recent_error.inverse_square() : tree_->accuracy();
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] = options_->combining == Combining::votes ? (k == said ? 1 : 0) : trust * scores.probabilities[k];
        }
    }
    void answer(const Point& point, std::span<double> out) { answer(point, scores_, out); }

    void probabilities(const Point& point, std::span<double> out) {
        tree().predict(point, scores_);
        std::copy(scores_.probabilities.begin(), scores_.probabilities.end(), out.begin());
    }

    /// Learns a point, if its weight is not 0. What the tree said before goes to `before`.
    void learn(const Point& point, Label label, Weight weight, std::span<double> before) {
        Label said = 0;
        // A leaf that builds on a shared trunk says what it thinks of a point as it learns it.
        if (weight.exact > 0 && point.says != nullptr && options_->combining == Combining::mixed) {
            tree().learn(point, label, weight);
            const std::span<const double> opinion = tree().body().predictor().before();
            for (std::size_t k = 0; k < before.size(); ++k) before[k] = opinion[k];
            TreeMixer::prepare(before);
            said = LogisticRegression::label(before);
        } else {
            answer(point, before);
            said = options_->combining == Combining::mixed ? LogisticRegression::label(before)
                                                           : label_of(scores_.probabilities);
            if (weight.exact > 0) tree().learn(point, label, weight);
        }
        tree_->note(said == label);
        watch(point, label, weight, said != label);
    }

    /// The same where nobody asks what the tree said.
    void learn(const Point& point, Label label, Weight weight) {
        if (weight.exact > 0) tree().learn(point, label, weight);
    }

    /// Whether the last point made the detector of drift of this tree see its error rise; for a forest that resets.
    bool has_drifted() const { return has_drifted_; }
    /// The error of the tree that its detector of drift sees.
    double error() const { return tree_->detectors.error(); }

    /// Puts a new tree in place of this one.
    void reset() {
        ++tally_.reset;
        tree_ = make_tree();
    }

    void restore(std::uint64_t n_made, std::unique_ptr<WatchedTree> tree, std::unique_ptr<WatchedTree> background,
                 const ForestTally& tally) {
        n_made_ = n_made;
        tree_ = std::move(tree);
        background_ = std::move(background);
        tally_ = tally;
        scores_ = tree_->tree.make_scores();
        restrict(*tree_);
        if (background_) restrict(*background_);
    }

    /// Which features the nodes of a tree of this place may split on; nothing if all.
    std::optional<SplitCandidates> candidates(std::uint64_t number) const {
        if (options_->max_features == 1) return std::nullopt;
        return SplitCandidates(options_->max_features, hashed(hashed(seed_ + of_splits) + number),
                               options_->subspace == Subspace::node);
    }

    std::size_t n_bytes() const { return tree_->n_bytes() + (background_ ? background_->n_bytes() : 0); }

    /// The options moved with the forest.
    void refer_to(const ForestOptions& options) { options_ = &options; }

private:
    /// Set random numbers of one tree apart: "draws" and "splits" in ASCII.
    static constexpr std::uint64_t of_draws = 0x6472617773U;
    static constexpr std::uint64_t of_splits = 0x73706C697473U;

    static Label label_of(std::span<const double> probabilities) {
        return static_cast<Label>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
    }

    std::unique_ptr<WatchedTree> make_tree() {
        auto made = std::make_unique<WatchedTree>(*options_, known_, place_, n_made_++);
        if (tree_) {
            made->tree.expect_classes(tree_->tree.body().expected_classes());
            made->tree.cover_classes(tree_->tree.n_classes());
        }
        restrict(*made);
        return made;
    }

    void restrict(WatchedTree& made) const {
        if (const auto which = candidates(made.number)) made.tree.restrict_splits(*which);
    }

    /// Lets the detectors see whether the tree was wrong about a point, and the tree in the background learn it.
    void watch(const Point& point, Label label, Weight weight, bool was_wrong) {
        has_drifted_ = false;
        if (options_->on_drift == OnDrift::nothing) return;
        if (background_ && weight.exact > 0) {
            background_->tree.learn(point, label, weight);
        }
        const ErrorDetectors::Changes seen = tree_->detectors.update(was_wrong ? 1 : 0);
        if (seen.warning == Change::rose) {
            ++tally_.warnings;
            background_ = make_tree();
            tree_->detectors.restart_warning();
        }
        if (seen.drift != Change::rose) return;
        ++tally_.drifts;
        has_drifted_ = true;
        if (options_->on_drift != OnDrift::swap) return;
        if (background_) {
            ++tally_.swapped;
            tree_ = std::move(background_);
        } else {
            reset();
        }
    }

    const ForestOptions* options_;
    std::shared_ptr<KnownAttributes> known_;
    std::size_t place_;
    std::uint64_t seed_;
    std::uint64_t n_made_ = 0;
    std::unique_ptr<WatchedTree> tree_;
    std::unique_ptr<WatchedTree> background_;
    ForestTally tally_;
    bool has_drifted_ = false;
    Scores scores_;
};

}  // namespace sapwood
