#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/predict/mixing.hpp"
#include "sapwood/tree/predict/trunk.hpp"
#include "sapwood/tree/predict/widen_models.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Says that models may take whatever memory they need.
struct Unlimited {};

/// What the leaves of a tree answer, and how they learn to: the models that a leaf keeps, and the trunk that all of
/// them build on. It does not know which leaves there are; whoever does passes the classes and the models of one.
///
/// A point costs O(m) in every model, times the classes where there are more than two.
class LeafPredictor {
public:
    LeafPredictor(LeafPrediction prediction, std::size_t n_classes)
        : prediction_(prediction),
          layout_(ModelLayout::of(prediction, n_classes)),
          pool_(std::make_unique<PagePool>(layout_.record_size())),
          trunk_(layout_.n_outputs()),
          scores_(layout_) {
        if (layout_.mixes) mixing_.emplace(layout_);
    }

    const ModelLayout& layout() const { return layout_; }
    const PagePool& pool() const { return *pool_; }
    PagePool& pool() { return *pool_; }
    const Trunk& trunk_model() const { return trunk_; }
    Trunk& trunk_model() { return trunk_; }
    /// What leaves that mix share; nothing if they do not mix.
    const std::optional<Mixing>& mixing() const { return mixing_; }
    std::optional<Mixing>& mixing() { return mixing_; }
    /// Whether every leaf notes which of its models are right, and answers with the best.
    bool chooses() const { return !model_for_all(prediction_); }

    /// The models of a leaf that has learned nothing; none if the classes of its points are all that is kept.
    std::optional<LeafModels> make_models() {
        if (!layout_.keeps_anything()) return std::nullopt;
        return LeafModels(*pool_, layout_);
    }

    // ---- answers ------------------------------------------------------------------------------------------------

    /// The model that answers for a leaf.
    Model model_of(const std::optional<LeafModels>& models) const {
        const std::optional<Model> always = model_for_all(prediction_);
        return always ? *always : models->most_right();
    }

    /// Computes the probability of each class for a point, into `scores.probabilities`.
    void predict(std::span<const std::int64_t> of_class, const std::optional<LeafModels>& models, Features features,
                 Scores& scores) const {
        const std::span<double> out = scores.probabilities;
        const Model model = model_of(models);
        switch (model) {
            case naive_bayes:
                models->find(features, scores.records);
                models->bayes_scores(scores.records, of_class, scores);
                std::copy(scores.bayes.begin(), scores.bayes.end(), out.begin());
                LogisticRegression::normalise_logarithms(out);
                return;
            case trunk:
            case logistic:
                std::fill(scores.logistic.begin(), scores.logistic.end(), 0.0);
                trunk_.add_scores(features, scores.logistic);
                if (model == logistic) {
                    models->find(features, scores.records);
                    models->add_correction(scores.records, layout_, scores.logistic);
                }
                LogisticRegression::probabilities(scores.logistic, out);
                return;
            case mixture:
                mixing_->predict(of_class, *models, features, scores);
                return;
            default:
                shares_of_classes(of_class, out);
        }
    }

    // ---- learning -----------------------------------------------------------------------------------------------

    /// Lets the models of a leaf predict a point, then learn from it. `of_class` are the points of the leaf before it.
    /// Logistic regression takes its weight as it is, naive Bayes and what is noted of each model as it is counted.
    /// `may_take(bytes)` says whether so much more memory may be taken, or is `Unlimited`.
    template <class MayTake>
    void teach(LeafModels& models, std::span<const std::int64_t> of_class, Features features, Label label,
               Weight weight, MayTake may_take) {
        if (weight.count == 0 && !layout_.keeps_logistic) return;
        if (layout_.keeps_logistic) cover_trunk(features, may_take);
        const Records records = own_records(models, features, may_take);
        if (mixing_) {
            mixing_->teach(models, of_class, in_trunk_, records, owned_, features.size(), label, weight, scores_);
            return;
        }
        const bool notes = chooses();
        const auto note = [&](Model model, Label predicted) {
            if (predicted == label) models.right[model] += weight.count;
        };
        if (notes) {
            note(majority, static_cast<Label>(std::max_element(of_class.begin(), of_class.end()) - of_class.begin()));
        }
        if (layout_.keeps_naive_bayes) {
            if (notes) {
                models.bayes_scores(records, of_class, scores_);
                note(naive_bayes, label_of(scores_.bayes));
            }
            models.n_of_class[label] += weight.count;
            for (Word* record : owned_) record[label].count += weight.count;
        }
        if (layout_.keeps_logistic) {
            std::fill(scores_.trunk.begin(), scores_.trunk.end(), 0.0);
            trunk_.add_scores(Records(in_trunk_.data(), in_trunk_.size()), scores_.trunk);
            std::copy(scores_.trunk.begin(), scores_.trunk.end(), scores_.logistic.begin());
            models.add_correction(records, layout_, scores_.logistic);
            if (notes) {
                note(trunk, LogisticRegression::label(scores_.trunk));
                note(logistic, LogisticRegression::label(scores_.logistic));
            }
            become_gradient(scores_.trunk, label, weight.exact);
            become_gradient(scores_.logistic, label, weight.exact);
            LogisticRegression::step(trunk_.intercept(), scores_.trunk);
            LogisticRegression::step(models.intercept.data(), scores_.logistic);
            LogisticRegression::step(in_trunk_, 0, scores_.trunk);
            LogisticRegression::step(owned_, layout_.weights_at(), scores_.logistic);
        }
    }

    /// Forgets all that the trunk has learned, and holds no memory for it.
    void clear_trunk() {
        trunk_ = Trunk(layout_.n_outputs());
        if (mixing_) mixing_->clear();
    }

    // ---- more classes -------------------------------------------------------------------------------------------

    /// The same predictor over more classes, made aside; once every leaf has its wider models, `adopt` cannot fail.
    class Widened {
    public:
        Widened(const LeafPredictor& narrow, std::size_t n_classes)
            : layout_(ModelLayout::of(narrow.prediction_, n_classes)),
              pool_(std::make_unique<PagePool>(layout_.record_size())),
              trunk_(narrow.trunk_.widened(layout_)),
              scores_(layout_),
              pages_(*pool_, narrow.layout_, layout_) {
            if (narrow.mixing_) mixing_.emplace(narrow.mixing_->widened(layout_));
        }

        LeafModels models(const LeafModels& narrow) { return pages_.widened(narrow); }

    private:
        friend class LeafPredictor;
        ModelLayout layout_;
        std::unique_ptr<PagePool> pool_;
        Trunk trunk_;
        std::optional<Mixing> mixing_;
        Scores scores_;
        PageWidener pages_;
    };

    /// Becomes a predictor over more classes. No table of the old pool must be left.
    void adopt(Widened&& wider) {
        layout_ = wider.layout_;
        trunk_ = std::move(wider.trunk_);
        mixing_ = std::move(wider.mixing_);
        scores_ = std::move(wider.scores_);
        wider.pages_.release();
        pool_ = std::move(wider.pool_);
    }

    // ---- memory -------------------------------------------------------------------------------------------------

    std::size_t n_bytes() const { return pool_->n_bytes() + trunk_.n_bytes() + (mixing_ ? mixing_->n_bytes() : 0); }

    /// The bytes of a predictor with this layout that has learned nothing.
    static std::size_t least_bytes(const ModelLayout& layout) {
        return intercept_bytes(layout) + (layout.mixes ? MixedTrunk(layout).n_bytes() : 0);
    }
    /// The least bytes of the models of a leaf with this layout.
    static std::size_t least_bytes_of_models(const ModelLayout& layout) {
        if (!layout.keeps_anything()) return 0;
        const std::size_t mixer = layout.mixes ? n_experts * sizeof(double) : 0;
        return layout.n_classes * sizeof(std::int64_t) + intercept_bytes(layout) + mixer;
    }

private:
    static std::size_t intercept_bytes(const ModelLayout& layout) { return 2 * layout.n_outputs() * sizeof(Word); }

    static Label label_of(std::span<const double> scores) {
        return static_cast<Label>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    }

    static void shares_of_classes(std::span<const std::int64_t> of_class, std::span<double> out) {
        double n = 0;
        for (const std::int64_t count : of_class) n += static_cast<double>(count);
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] = n > 0 ? static_cast<double>(of_class[k]) / n : 1 / static_cast<double>(out.size());
        }
    }

    /// Finds the records of a point, once for all that is done with them: to be changed, in the trunk and, where there
    /// is room for a record of the leaf's own, in a leaf. Returns those in the leaf to be read.
    template <class MayTake>
    Records own_records(LeafModels& models, Features features, MayTake may_take) {
        if (mixing_) {
            mixing_->trunk().find(features, in_trunk_);
        } else if (layout_.keeps_logistic) {
            trunk_.find(features, in_trunk_);
        }
        if constexpr (std::is_same_v<MayTake, Unlimited>) {
            models.table.own(features, owned_);
            return {owned_.data(), owned_.size()};
        } else {
            owned_.clear();
            scores_.records.clear();
            for (const FeatureId id : features) {
                // The table may have grown since its node was measured, so it is counted once more.
                if (models.table.owns(id) || may_take(models.table.n_bytes() + models.table.bytes_to_own(id))) {
                    owned_.push_back(models.table.own(id));
                    scores_.records.push_back(owned_.back());
                } else {
                    scores_.records.push_back(models.table.find(id));
                }
            }
            return scores_.records;
        }
    }

    template <class MayTake>
    void cover_trunk(Features features, MayTake may_take) {
        FeatureId largest = -1;
        for (const FeatureId id : features) largest = std::max(largest, id);
        const auto cover = [&](auto& trunk) {
            if (largest < 0 || trunk.contains(largest)) return;
            const auto size = static_cast<std::size_t>(largest) + 1;
            if constexpr (!std::is_same_v<MayTake, Unlimited>) {
                if (!may_take(trunk.bytes_to_cover(size))) return;
            }
            trunk.cover(size);
        };
        if (mixing_) {
            cover(mixing_->trunk());
        } else {
            cover(trunk_);
        }
    }

    /// From the scores of a point to the derivative of its logistic loss by each of them, times its weight.
    void become_gradient(std::span<double> scores, Label label, double weight) {
        LogisticRegression::probabilities(scores, scores_.probabilities);
        const std::size_t first = scores.size() == 1 ? 1 : 0;
        for (std::size_t k = 0; k < scores.size(); ++k) {
            scores[k] = (scores_.probabilities[first + k] - (first + k == label ? 1 : 0)) * weight;
        }
    }

    LeafPrediction prediction_;
    ModelLayout layout_;
    std::unique_ptr<PagePool> pool_;
    Trunk trunk_;
    std::optional<Mixing> mixing_;
    Scores scores_;
    /// The records of a point in its leaf and in the trunk, to be changed.
    std::vector<Word*> owned_;
    std::vector<Word*> in_trunk_;
};

}  // namespace sapwood
