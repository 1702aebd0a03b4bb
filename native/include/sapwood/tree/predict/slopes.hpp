#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sapwood/search/added_counts.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/predict/leaf_predictor.hpp"
#include "sapwood/types.hpp"

// Models that learn from many points at once, in a tree that grows by batches: the slopes of every point are taken at
// the weights from before the batch, added, and followed by one step. A batch of one point is learned as `teach` learns
// it, but that labels have no order here, so that none come sorted (label_runs.hpp).

namespace sapwood {

/// What is added up of points: for the intercept and for every feature of a leaf the slopes of the loss by the scores
/// of each regression, of which the last is the leaf's own; and of a leaf also what its mixer, or its choice, learns.
struct SlopeLayout {
    std::size_t n_outputs = 0;
    std::size_t n_regressions = 0;
    bool mixes = false;
    bool chooses = false;

    static SlopeLayout of(const LeafPredictor& predictor) {
        const ModelLayout& layout = predictor.layout();
        if (!layout.keeps_logistic) return {};
        return {layout.n_outputs(), layout.mixes ? n_trunks + 1 : 2, layout.mixes, predictor.chooses()};
    }

    /// Whether there is anything to add up.
    bool is_needed() const { return n_regressions > 0; }
    std::size_t of_own() const { return (n_regressions - 1) * n_outputs; }
    std::size_t per_record() const { return n_regressions * n_outputs; }
    /// A leaf that mixes has the slopes of its mixer and a bound on their curvature, one that chooses how often each
    /// model was right.
    std::size_t per_leaf() const { return per_record() + (mixes ? n_common_experts + 1 : 0) + of_choice(); }

    /// The sums of a leaf that are of no sign but that of points: the curvature, and how often models were right.
    std::size_t of_no_sign() const { return per_record() + (mixes ? n_common_experts : 0); }

    std::size_t of_choice() const { return chooses ? std::size_t{n_models} : 0; }
};

/// The sums of slopes of one leaf, or of all of them: `of_leaf` as the layout says, and for each of some features.
struct SummedSlopes {
    std::vector<double> of_leaf;
    std::vector<double> of_features;

    std::span<const double> of_feature(std::size_t i, std::size_t per_record) const {
        return std::span(of_features).subspan(i * per_record, per_record);
    }
};

namespace slopes {

/// The slopes of one point, into `out`, which `SlopeLayout::per_leaf` says the size of. `of_class` and `models` are
/// those of its leaf.
inline void of_point(const LeafPredictor& predictor, std::span<const std::int64_t> of_class, const LeafModels& models,
                     Features features, Label label, Count weight, Scores& scores, std::span<double> out) {
    const SlopeLayout layout = SlopeLayout::of(predictor);
    const SharedModels& shared = predictor.shared();
    const std::span<double> of_record = out.first(layout.per_record());
    const std::span<double> rest = out.subspan(layout.per_record());
    if (layout.mixes) {
        shared.mixing->slopes(of_class, models, features, label, weight, of_record, rest, scores);
        return;
    }
    const std::span<double> of_trunk = of_record.first(layout.n_outputs);
    const std::span<double> of_own = of_record.subspan(layout.of_own());
    std::fill(of_trunk.begin(), of_trunk.end(), 0.0);
    shared.trunk.add_scores(features, of_trunk);
    std::copy(of_trunk.begin(), of_trunk.end(), of_own.begin());
    models.find(features, scores.records);
    models.add_correction(scores.records, predictor.layout(), of_own);
    if (layout.chooses) {
        std::fill(rest.begin(), rest.end(), 0.0);
        const auto note = [&](Model model, Label predicted) { rest[model] = predicted == label ? weight : 0; };
        const auto first_largest = [](const auto& all) {
            return static_cast<Label>(std::max_element(all.begin(), all.end()) - all.begin());
        };
        note(majority, first_largest(of_class));
        models.bayes_scores(scores.records, of_class, scores);
        note(naive_bayes, first_largest(scores.bayes));
        note(trunk, LogisticRegression::label(of_trunk));
        note(logistic, LogisticRegression::label(of_own));
    }
    LogisticRegression::become_gradient(of_trunk, label, weight, scores.probabilities);
    LogisticRegression::become_gradient(of_own, label, weight, scores.probabilities);
}

/// The length of steps where all points so far have been noted.
inline double step_scale(const LeafPredictor& predictor) {
    const std::optional<Mixing>& mixing = predictor.mixing();
    return mixing ? mixing::step_scale(mixing->n_active(), mixing->n_points()) : 1;
}

/// Lets the models of a leaf learn counts and slopes of many points: `summed` has the features of `added`, in order.
inline void step_leaf(LeafPredictor& predictor, LeafModels& models, const AddedCounts& added,
                      const SummedSlopes& summed) {
    const SlopeLayout layout = SlopeLayout::of(predictor);
    const ModelLayout& of_models = predictor.layout();
    if (of_models.keeps_naive_bayes) predictor.add_counts(models, added);
    const double leaf_rate = layout.mixes ? mixing::leaf_step * step_scale(predictor) : plain_steps.rate;
    const AdaGrad steps{leaf_rate, layout.mixes ? mixing::first_square : plain_steps.first_square};
    const auto own = [&](std::span<const double> sums) { return sums.subspan(layout.of_own(), layout.n_outputs); };
    const std::span<const double> of_leaf = summed.of_leaf;
    LogisticRegression::step(models.intercept.data(), of_models.outputs_room(), own(of_leaf), steps);
    std::vector<Word*> owned;
    models.table.own(added.ids, owned);
    for (std::size_t i = 0; i < owned.size(); ++i) {
        LogisticRegression::step(owned[i] + of_models.weights_at(), of_models.outputs_room(),
                                 own(summed.of_feature(i, layout.per_record())), steps);
    }
    const std::span<const double> rest = of_leaf.subspan(layout.per_record());
    if (layout.mixes) mixing::learn_sums(models.mixer->weights, rest.first<n_common_experts>(), rest[n_common_experts]);
    if (layout.chooses) {
        for (std::size_t m = 0; m < n_models; ++m) models.right[m] += static_cast<std::int64_t>(rest[m]);
    }
}

/// Lets what all leaves share learn counts and slopes of points of all leaves; what was noted of them comes before.
inline void step_trunk(LeafPredictor& predictor, const AddedCounts& added, const SummedSlopes& summed) {
    const SlopeLayout layout = SlopeLayout::of(predictor);
    SharedModels& shared = predictor.shared();
    if (layout.mixes) {
        shared.mixing->trunk().learn_sums(added, summed.of_leaf, summed.of_features, step_scale(predictor));
        return;
    }
    Trunk& trunk = shared.trunk;
    if (!added.ids.empty() && !trunk.contains(added.ids.back())) {
        trunk.cover(static_cast<std::size_t>(added.ids.back()) + 1);
    }
    LogisticRegression::step(trunk.intercept(), trunk.room(), std::span(summed.of_leaf).first(layout.n_outputs));
    for (std::size_t i = 0; i < added.ids.size(); ++i) {
        LogisticRegression::step(trunk.record(added.ids[i]), trunk.room(),
                                 summed.of_feature(i, layout.per_record()).first(layout.n_outputs));
    }
}

}  // namespace slopes

}  // namespace sapwood
