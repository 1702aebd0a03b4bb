#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/search/added_counts.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/predict/mixing.hpp"
#include "sapwood/tree/predict/trunk.hpp"
#include "sapwood/tree/predict/widen_models.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Says that models may take whatever memory they need.
struct Unlimited {};

/// What learns from a point in a leaf.
enum class Teaches {
    all,        // the models of the leaf, and what all leaves of the tree share
    leaf_only,  // the models of the leaf alone, which builds on what the leaves of the tree share
    beside      // the models of the leaf, and what the leaves of a tree beside the root share
};

/// What all leaves of a tree build on.
struct SharedModels {
    explicit SharedModels(const ModelLayout& layout) : trunk(layout) {
        if (layout.mixes) mixing.emplace(layout);
    }

    SharedModels widened(const ModelLayout& wider) const {
        SharedModels wide(wider);
        wide.trunk = trunk.widened(wider);
        if (mixing) wide.mixing.emplace(mixing->widened(wider));
        return wide;
    }

    /// Has the classes of a layout from now on, for which there is room.
    void take_classes(const ModelLayout& layout) {
        trunk.take_outputs(layout.n_outputs());
        if (mixing) mixing->take_classes(layout);
    }

    std::size_t n_bytes() const { return trunk.n_bytes() + (mixing ? mixing->n_bytes() : 0); }

    Trunk trunk;
    std::optional<Mixing> mixing;
};

/// What the leaves of a tree answer, and how they learn to: the models that a leaf keeps, and the trunk that all of
/// them build on. It does not know which leaves there are; whoever does passes the classes and the models of one.
///
/// A point costs O(m) in every model, times the classes where there are more than two.
class LeafPredictor {
public:
    /// `half_life`: the points after which half of what a leaf has learned of its models is left; nothing is lost
    /// without one. `room`: the classes that records have room for, if more.
    LeafPredictor(LeafPrediction prediction, std::size_t n_classes,
                  std::optional<std::int64_t> half_life = std::nullopt, std::size_t room = 0)
        : prediction_(prediction),
          half_life_(half_life),
          keep_(half_life ? std::exp2(-1 / static_cast<double>(*half_life)) : 1),
          layout_(ModelLayout::of(prediction, n_classes, room)),
          pool_(std::make_unique<PagePool>(layout_.record_size())),
          shared_(layout_),
          scores_(layout_) {}

    const ModelLayout& layout() const { return layout_; }
    const PagePool& pool() const { return *pool_; }
    PagePool& pool() { return *pool_; }
    const SharedModels& shared() const { return shared_; }
    SharedModels& shared() { return shared_; }
    const Trunk& trunk_model() const { return shared_.trunk; }
    /// What leaves that mix share; nothing if they do not mix.
    const std::optional<Mixing>& mixing() const { return shared_.mixing; }
    std::optional<Mixing>& mixing() { return shared_.mixing; }

    /// What the leaves of a tree beside the root share: nothing if there is none.
    const std::optional<SharedModels>& beside() const { return beside_; }
    std::optional<SharedModels>& beside() { return beside_; }
    void begin_beside() { beside_.emplace(layout_); }
    void drop_beside() { beside_.reset(); }
    /// Lets it take the place of what the leaves of the tree share.
    void take_beside() {
        shared_ = std::move(*beside_);
        beside_.reset();
    }
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

    /// Computes the probability of each class for a point, into `scores.probabilities`. `is_beside`: for a leaf of a
    /// tree beside the root.
    void predict(std::span<const std::int64_t> of_class, const std::optional<LeafModels>& models, const Point& point,
                 Scores& scores, bool is_beside = false) const {
        const Features features = point.for_models;
        const SharedModels& shared = is_beside ? *beside_ : shared_;
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
                shared.trunk.add_scores(features, scores.logistic);
                if (model == logistic) {
                    models->find(features, scores.records);
                    models->add_correction(scores.records, layout_, scores.logistic);
                }
                LogisticRegression::probabilities(scores.logistic, out);
                return;
            case mixture:
                if (point.says != nullptr) {
                    shared.mixing->predict(of_class, *models, point, *point.says, scores);
                } else {
                    shared.mixing->predict(of_class, *models, point, scores);
                }
                return;
            default:
                shares_of_classes(of_class, out);
        }
    }

    /// What a leaf says of a point, into `out`: the logarithms of what is proportional to the probabilities, or of two
    /// classes the log-odds of the second. A leaf that goes by its classes says it with one point more of each.
    void opinion(std::span<const std::int64_t> of_class, const std::optional<LeafModels>& models, const Point& point,
                 Scores& scores, std::span<double> out) const {
        predict(of_class, models, point, scores);
        const auto say = [&](auto log_of) {
            if (out.size() == 1) {
                out[0] = log_of(1) - log_of(0);
            } else {
                for (std::size_t k = 0; k < out.size(); ++k) out[k] = log_of(k);
            }
        };
        switch (model_of(models)) {
            case mixture:
                std::copy(scores.mixed.begin(), scores.mixed.end(), out.begin());
                return;
            case trunk:
            case logistic:
                std::copy(scores.logistic.begin(), scores.logistic.end(), out.begin());
                return;
            case naive_bayes:
                say([&](std::size_t k) { return scores.bayes[k]; });
                return;
            default:
                say([&](std::size_t k) { return std::log(static_cast<double>(of_class[k]) + 1); });
        }
    }

    /// As `predict`, but may stop, and return the class of the largest probability, where that one is certain before
    /// all probabilities are known.
    std::optional<Label> predict_label(std::span<const std::int64_t> of_class, const std::optional<LeafModels>& models,
                                       const Point& point, Scores& scores) const {
        if (shared_.mixing && point.says == nullptr) {
            return shared_.mixing->predict_label(of_class, *models, point, scores);
        }
        predict(of_class, models, point, scores);
        return std::nullopt;
    }

    // ---- learning -----------------------------------------------------------------------------------------------

    /// Lets the models of a leaf predict a point, then learn from it. `of_class` are the points of the leaf before it.
    /// Logistic regression takes its weight as it is, naive Bayes and what is noted of each model as it is counted.
    /// `may_take(bytes)` says whether so much more memory may be taken, and `may_take.surely(bytes)` without a trace
    /// whether there is so much; or it is `Unlimited`.
    template <class MayTake>
    void teach(LeafModels& models, std::span<const std::int64_t> of_class, const Point& point, Label label,
               Weight weight, Teaches teaches, MayTake may_take) {
        const Features features = point.for_models;
        if (weight.count == 0 && !layout_.keeps_logistic) return;
        if (shared_.mixing && point.says != nullptr) {
            const Records in_leaf = own_in_leaf(models, features, may_take);
            shared_.mixing->teach(models, of_class, point, in_leaf, owned_, label, weight, scores_);
            teach_gaussians_of_leaf(*models.mixer, point, label, weight.count, may_take);
            if (half_life_) mixing::fade(models.mixer->weights, keep_);
            return;
        }
        SharedModels& shared = teaches == Teaches::beside ? *beside_ : shared_;
        if (layout_.keeps_logistic) cover_trunk(shared, features, may_take);
        const Records records = own_records(shared, models, features, may_take);
        if (shared.mixing) {
            shared.mixing->teach(models, of_class, point, in_trunk_, records, owned_, label, weight,
                                 teaches != Teaches::leaf_only, scores_);
            teach_gaussians_of_leaf(*models.mixer, point, label, weight.count, may_take);
            if (teaches != Teaches::leaf_only) {
                teach_gaussians(shared.mixing->trunk().gaussians(), point, label, weight.count, may_take);
            }
            if (half_life_) mixing::fade(models.mixer->weights, keep_);
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
            shared.trunk.add_scores(Records(in_trunk_.data(), in_trunk_.size()), scores_.trunk);
            std::copy(scores_.trunk.begin(), scores_.trunk.end(), scores_.logistic.begin());
            models.add_correction(records, layout_, scores_.logistic);
            if (notes) {
                note(trunk, LogisticRegression::label(scores_.trunk));
                note(logistic, LogisticRegression::label(scores_.logistic));
                if (half_life_) models.fade_record(*half_life_);
            }
            LogisticRegression::become_gradient(scores_.trunk, label, weight.exact, scores_.probabilities);
            LogisticRegression::become_gradient(scores_.logistic, label, weight.exact, scores_.probabilities);
            if (teaches != Teaches::leaf_only) {
                LogisticRegression::step(shared.trunk.intercept(), shared.trunk.room(), scores_.trunk);
                LogisticRegression::step(in_trunk_, 0, shared.trunk.room(), scores_.trunk);
            }
            LogisticRegression::step(models.intercept.data(), layout_.outputs_room(), scores_.logistic);
            LogisticRegression::step(owned_, layout_.weights_at(), layout_.outputs_room(), scores_.logistic);
        }
    }

    /// Lets naive Bayes of a leaf learn from many points by their counts. What else is kept learns by slopes.hpp.
    void add_counts(LeafModels& models, const AddedCounts& added) {
        models.table.own(added.ids, owned_);
        for (std::size_t k = 0; k < added.of_class.size(); ++k) {
            models.n_of_class[k] += added.of_class[k];
            const AddedCounts::OfLabel& more = added.of_label[k];
            std::size_t at = 0;
            for (std::size_t i = 0; i < more.ids.size(); ++i) {
                while (added.ids[at] != more.ids[i]) ++at;
                owned_[at][k].count += more.on[i];
            }
        }
    }

    /// What a leaf that builds on a shared trunk answered before the last point was learned: the logarithms of what is
    /// proportional to the probabilities, or of two classes the log-odds of the second.
    std::span<const double> before() const { return scores_.before; }

    /// Asks the trunk, which other trees share, about a point, and teaches it the point.
    template <class MayTake>
    void teach_trunk(const Point& point, Label label, Weight weight, TrunkSays& says, MayTake may_take) {
        cover_trunk(shared_, point.for_models, may_take);
        shared_.mixing->trunk().find(point.for_models, in_trunk_);
        shared_.mixing->teach_trunk(point, in_trunk_, label, weight, says, scores_);
        teach_gaussians(shared_.mixing->trunk().gaussians(), point, label, weight.count, may_take);
    }

    /// Where leaves mix: the class that the leaf which was taught last had predicted for its point; the first of
    /// several.
    Label last_answer() const { return label_of(scores_.probabilities_before); }

    /// Forgets all that the trunk has learned, and holds no memory for it.
    void clear_trunk() {
        shared_.trunk = Trunk(layout_);
        if (shared_.mixing) shared_.mixing->clear();
    }

    // ---- more classes -------------------------------------------------------------------------------------------

    /// Has more classes from now on, for which there is room (`layout().has_room_for`); the models of every leaf must
    /// take them too.
    void take_classes(std::size_t n_classes) {
        ModelLayout layout = layout_;
        layout.n_classes = n_classes;
        Scores scores(layout);
        shared_.take_classes(layout);
        if (beside_) beside_->take_classes(layout);
        scores_ = std::move(scores);
        layout_ = layout;
    }

    /// The same predictor over more classes, or with more room, made aside; once every leaf has its wider models,
    /// `adopt` cannot fail.
    class Widened {
    public:
        Widened(const LeafPredictor& narrow, std::size_t n_classes, std::size_t room)
            : layout_(ModelLayout::of(narrow.prediction_, n_classes, room)),
              pool_(std::make_unique<PagePool>(layout_.record_size())),
              shared_(narrow.shared_.widened(layout_)),
              scores_(layout_),
              pages_(*pool_, narrow.layout_, layout_) {
            if (narrow.beside_) beside_.emplace(narrow.beside_->widened(layout_));
        }

        LeafModels models(const LeafModels& narrow) { return pages_.widened(narrow); }

    private:
        friend class LeafPredictor;
        ModelLayout layout_;
        std::unique_ptr<PagePool> pool_;
        SharedModels shared_;
        std::optional<SharedModels> beside_;
        Scores scores_;
        PageWidener pages_;
    };

    /// Becomes a predictor over more classes. No table of the old pool must be left.
    void adopt(Widened&& wider) {
        layout_ = wider.layout_;
        shared_ = std::move(wider.shared_);
        beside_ = std::move(wider.beside_);
        scores_ = std::move(wider.scores_);
        wider.pages_.release();
        pool_ = std::move(wider.pool_);
    }

    // ---- memory -------------------------------------------------------------------------------------------------

    std::size_t n_bytes() const { return pool_->n_bytes() + shared_.n_bytes() + (beside_ ? beside_->n_bytes() : 0); }

    /// The bytes of a predictor with this layout that has learned nothing.
    static std::size_t least_bytes(const ModelLayout& layout) {
        return intercept_bytes(layout) + (layout.mixes ? MixedTrunk(layout).n_bytes() : 0);
    }
    /// The least bytes of the models of a leaf with this layout.
    static std::size_t least_bytes_of_models(const ModelLayout& layout) {
        if (!layout.keeps_anything()) return 0;
        const std::size_t mixer = layout.mixes ? LeafMixer().n_bytes() : 0;
        return layout.n_classes * sizeof(std::int64_t) + intercept_bytes(layout) + mixer;
    }

private:
    static std::size_t intercept_bytes(const ModelLayout& layout) { return 2 * layout.outputs_room() * sizeof(Word); }

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
    Records own_records(SharedModels& shared, LeafModels& models, Features features, MayTake may_take) {
        if (shared.mixing) {
            shared.mixing->trunk().find(features, in_trunk_);
        } else if (layout_.keeps_logistic) {
            shared.trunk.find(features, in_trunk_);
        }
        return own_in_leaf(models, features, may_take);
    }

    /// The part of that which is about the leaf.
    template <class MayTake>
    Records own_in_leaf(LeafModels& models, Features features, MayTake may_take) {
        if constexpr (std::is_same_v<MayTake, Unlimited>) {
            models.table.own(features, owned_);
            return {owned_.data(), owned_.size()};
        } else {
            if (may_take.surely(models.table.bytes_to_own(features))) {
                models.table.own(features, owned_);
                return {owned_.data(), owned_.size()};
            }
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

    /// Lets a leaf that mixes learn the numbers of a point as numbers. With the first of them its experts on numbers
    /// join, unless it has them from its parent.
    template <class MayTake>
    void teach_gaussians_of_leaf(LeafMixer& mixer, const Point& point, Label label, Count weight,
                                 MayTake may_take) const {
        teach_gaussians(mixer.gaussians, point, label, weight, may_take);
        const bool knows_numbers = mixer.gaussians && !mixer.gaussians->empty();
        if (knows_numbers && !mixing::mixes_numbers(mixer.weights)) mixing::let_numbers_join(mixer.weights);
    }

    /// Lets a leaf that mixes, or the trunk, learn the numbers of a point as numbers.
    template <class MayTake>
    void teach_gaussians(OwnedCopy<Gaussians>& gaussians, const Point& point, Label label, Count weight,
                         MayTake may_take) const {
        if (point.numbers.empty() || weight == 0) return;
        const auto may = [&](std::size_t more) {
            if constexpr (std::is_same_v<MayTake, Unlimited>) {
                return true;
            } else {
                return may_take(more);
            }
        };
        if (!gaussians) {
            if (!may(sizeof(Gaussians))) return;
            gaussians = OwnedCopy<Gaussians>(Gaussians());
        }
        gaussians->learn(point, label, weight, layout_.n_classes, may);
    }

    template <class MayTake>
    static void cover_trunk(SharedModels& shared, Features features, MayTake may_take) {
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
        if (shared.mixing) {
            cover(shared.mixing->trunk());
        } else {
            cover(shared.trunk);
        }
    }

    LeafPrediction prediction_;
    std::optional<std::int64_t> half_life_;
    /// What one point leaves of how far the weights of a mixer are from those that it began with.
    double keep_;
    ModelLayout layout_;
    std::unique_ptr<PagePool> pool_;
    SharedModels shared_;
    std::optional<SharedModels> beside_;
    Scores scores_;
    /// The records of a point in its leaf and in the trunk, to be changed.
    std::vector<Word*> owned_;
    std::vector<Word*> in_trunk_;
};

}  // namespace sapwood
