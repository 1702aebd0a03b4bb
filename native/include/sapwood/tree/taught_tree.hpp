#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/tree/bounded_tree.hpp"

namespace sapwood {

/// A tree whose leaves learn to predict: the models of a leaf, and the trunk that all of them build on.
class TaughtTree : public BoundedTree {
protected:
    explicit TaughtTree(TreeOptions options) : BoundedTree(std::move(options)), scores_(layout_) {}
    explicit TaughtTree(TreeState&& state) : BoundedTree(std::move(state)), scores_(layout_) {}

    /// Lets the models of a leaf predict a point, then learn from it.
    void teach(Node& leaf, Features features, Label label, Count weight) {
        if (!layout_.keeps_anything()) return;
        LeafModels& models = *leaf.models;
        if (layout_.keeps_logistic) cover_trunk(features);
        const Records records = own_records(models, features);
        const auto note = [&](Model model, Label predicted) {
            if (predicted == label) models.right[model] += weight;
        };
        if (!always_) {
            note(majority, static_cast<Label>(std::max_element(leaf.of_class.begin(), leaf.of_class.end()) -
                                              leaf.of_class.begin()));
        }
        if (layout_.keeps_naive_bayes) {
            if (!always_) {
                models.bayes_scores(records, leaf.of_class, scores_);
                note(naive_bayes, label_of(scores_.bayes));
            }
            models.n_of_class[label] += weight;
            for (Word* record : owned_) record[label].count += weight;
        }
        if (layout_.keeps_logistic) {
            std::fill(scores_.trunk.begin(), scores_.trunk.end(), 0.0);
            trunk_.add_scores(Records(in_trunk_.data(), in_trunk_.size()), scores_.trunk);
            std::copy(scores_.trunk.begin(), scores_.trunk.end(), scores_.logistic.begin());
            models.add_correction(records, layout_, scores_.logistic);
            if (!always_) {
                note(trunk, LogisticRegression::label(scores_.trunk));
                note(logistic, LogisticRegression::label(scores_.logistic));
            }
            become_gradient(scores_.trunk, label, weight);
            become_gradient(scores_.logistic, label, weight);
            LogisticRegression::step(trunk_.intercept(), scores_.trunk);
            LogisticRegression::step(models.intercept.data(), scores_.logistic);
            LogisticRegression::step(in_trunk_, 0, scores_.trunk);
            LogisticRegression::step(owned_, layout_.weights_at(), scores_.logistic);
        }
    }

    Scores scores_;

private:
    /// Finds the records of a point, once for all that is done with them: to be changed, in the trunk and, where there
    /// is room for a record of the leaf's own, in a leaf. Returns those in the leaf to be read.
    Records own_records(LeafModels& models, Features features) {
        if (layout_.keeps_logistic) trunk_.find(features, in_trunk_);
        if (!options_.max_bytes) {
            models.table.own(features, owned_);
            return {owned_.data(), owned_.size()};
        }
        owned_.clear();
        scores_.records.clear();
        for (const FeatureId id : features) {
            if (may_own(models.table, id)) {
                owned_.push_back(models.table.own(id));
                scores_.records.push_back(owned_.back());
            } else {
                scores_.records.push_back(models.table.find(id));
            }
        }
        return scores_.records;
    }

    /// From the scores of a point to the derivative of its logistic loss by each of them, times its weight.
    void become_gradient(std::span<double> scores, Label label, Count weight) {
        LogisticRegression::probabilities(scores, scores_.probabilities);
        const std::size_t first = scores.size() == 1 ? 1 : 0;
        for (std::size_t k = 0; k < scores.size(); ++k) {
            scores[k] = (scores_.probabilities[first + k] - (first + k == label ? 1 : 0)) * weight;
        }
    }

    void cover_trunk(Features features) {
        FeatureId largest = -1;
        for (const FeatureId id : features) largest = std::max(largest, id);
        if (largest < 0 || trunk_.contains(largest)) return;
        const auto size = static_cast<std::size_t>(largest) + 1;
        if (!options_.max_bytes || may_take(trunk_.bytes_to_cover(size))) trunk_.cover(size);
    }

    /// The records of a point in its leaf and in the trunk, to be changed.
    std::vector<Word*> owned_;
    std::vector<Word*> in_trunk_;
};

}  // namespace sapwood
