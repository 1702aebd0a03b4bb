#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/storage/owned_copy.hpp"
#include "sapwood/storage/shared_table.hpp"
#include "sapwood/tree/predict/gaussians.hpp"
#include "sapwood/tree/predict/logistic_regression.hpp"
#include "sapwood/tree/predict/mixer.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/tree/predict/naive_bayes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Room for the scores of one point; each thread that asks has one of its own.
struct Scores {
    explicit Scores(const ModelLayout& layout)
        : bayes(layout.n_classes),
          products(layout.n_classes),
          trunk(layout.n_outputs()),
          logistic(layout.n_outputs()),
          regressions(layout.mixes ? (n_trunks + 1) * layout.n_outputs() : 0),
          opinions(layout.mixes ? n_experts * layout.n_outputs() : 0),
          mixed(layout.mixes ? layout.n_outputs() : 0),
          probabilities_before(layout.mixes ? layout.n_classes : 0),
          probabilities(layout.n_classes) {}

    std::vector<double> bayes;
    std::vector<double> products;
    std::vector<double> trunk;
    std::vector<double> logistic;
    /// Where leaves mix: the scores of every regression, what each expert says, and what that amounts to.
    std::vector<double> regressions;
    std::vector<double> opinions;
    std::vector<double> mixed;
    /// What the opinions amounted to before the last point was learned, where a trunk is shared.
    std::vector<double> before;
    /// What a leaf that mixes had predicted for the point that it learned last.
    std::vector<double> probabilities_before;
    std::vector<double> probabilities;
    /// The records of the features of the point, in its leaf and in the trunk; and the counts in the latter.
    std::vector<const Word*> records;
    std::vector<const Word*> in_trunk;
    std::vector<const Word*> trunk_counts;
};

/// What a leaf that mixes has besides what others have: the weights of its experts (mixer.hpp), and what it knows of
/// numbers as numbers, once it has met one.
struct LeafMixer {
    MixerWeights weights = mixing::first_weights;
    OwnedCopy<Gaussians> gaussians;

    std::size_t n_bytes() const { return sizeof(*this) + (gaussians ? gaussians->n_bytes() : 0); }
};

/// What a leaf predicts with besides the counts of its classes. A copy shares the records of features with the original
/// until one of the two changes, so that the children of a leaf start with all that it has learned.
struct LeafModels {
    LeafModels(PagePool& pool, const ModelLayout& layout)
        : table(pool),
          n_of_class(layout.keeps_naive_bayes ? layout.n_classes : 0),
          intercept(layout.keeps_logistic ? 2 * layout.outputs_room() : 0) {
        if (layout.mixes) mixer = OwnedCopy<LeafMixer>(LeafMixer());
    }

    SharedTable table;
    /// The points that the counts of naive Bayes are of.
    std::vector<std::int64_t> n_of_class;
    /// The record of the intercept of the leaf's own correction.
    std::vector<Word> intercept;
    /// If leaves mix.
    OwnedCopy<LeafMixer> mixer;
    /// How often each model has been right, since before the leaf was made.
    std::array<std::int64_t, n_models> right{};

    /// Has the classes of a layout from now on, for which there is room.
    void take_classes(const ModelLayout& layout) { n_of_class.resize(layout.n_counts()); }

    /// Forgets what is of the points of one leaf alone, and not handed down to its children.
    void forget_own_points() {
        if (mixer) mixer->gaussians = {};
    }

    /// The model that has been right most often.
    Model most_right() const {
        Model best = majority;
        for (const Model model : {naive_bayes, trunk, logistic}) {
            if (right[model] >= right[best]) best = model;
        }
        return best;
    }

    /// Lets what was before count half, each time that the model which is right most often has been right `half_life`
    /// times more.
    void fade_record(std::int64_t half_life) {
        if (right[most_right()] < 2 * half_life) return;
        for (std::int64_t& each : right) each /= 2;
    }

    /// Finds the records of features, to be read.
    void find(Features features, std::vector<const Word*>& records) const {
        table.prefetch(features);
        records.clear();
        for (const FeatureId id : features) records.push_back(table.find(id));
    }

    void bayes_scores(Records records, std::span<const std::int64_t> of_class, Scores& scores) const {
        for (std::size_t k = 0; k < of_class.size(); ++k) {
            scores.bayes[k] = std::log(static_cast<double>(of_class[k]) + 1);
        }
        NaiveBayes::add_scores(records, n_of_class, scores.bayes, scores.products);
    }

    /// Adds the leaf's own correction to the scores of the trunk.
    void add_correction(Records records, const ModelLayout& layout, std::span<double> scores) const {
        LogisticRegression::add_scores(intercept.data(), scores);
        LogisticRegression::add_scores(records, layout.weights_at(), scores);
    }

    std::size_t n_bytes() const {
        return table.n_bytes() + n_of_class.capacity() * sizeof(std::int64_t) + intercept.capacity() * sizeof(Word) +
               (mixer ? mixer->n_bytes() : 0);
    }
};

}  // namespace sapwood
