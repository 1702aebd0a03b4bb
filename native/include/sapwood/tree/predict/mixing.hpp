#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/tree/predict/binary_records.hpp"
#include "sapwood/tree/predict/label_runs.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/predict/mixed_trunk.hpp"
#include "sapwood/tree/predict/mixer.hpp"
#include "sapwood/tree/predict/trunk_says.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Leaves that mix (mixer.hpp): what all of them share, how one answers, and how it learns. A point costs O(m) in every
/// model, and O(experts) in the mixer, each times the classes where there are more than two.
class Mixing {
public:
    explicit Mixing(const ModelLayout& layout) : layout_(layout), trunk_(layout) {}

    const ModelLayout& layout() const { return layout_; }
    const MixedTrunk& trunk() const { return trunk_; }
    MixedTrunk& trunk() { return trunk_; }
    /// The points that were learned, each once, and how many features were on in them.
    std::int64_t n_points() const { return n_points_; }
    std::int64_t n_active() const { return n_active_; }
    const LabelRuns& runs() const { return runs_; }
    void restore(std::int64_t n_points, std::int64_t n_active, const LabelRuns::State& runs) {
        n_points_ = n_points;
        n_active_ = n_active;
        runs_.restore(runs);
    }

    /// Whether the labels of the stream come sorted, as far as one can see.
    bool is_sorted() const { return runs_.are_sorted(trunk_.n_of_class()); }

    /// The weight of each expert at a leaf. While labels come sorted, the one expert that does not depend on the order
    /// of points has them all: naive Bayes of the stream.
    std::span<const double, n_experts> weights(const LeafModels& models) const { return weights(models, is_sorted()); }
    static std::span<const double, n_experts> weights(const LeafModels& models, bool is_sorted) {
        return is_sorted ? mixing::weights_of_sorted : std::span<const double, n_experts>(models.mixer->weights);
    }

    /// Computes the probability of each class for a point, into `scores.probabilities`.
    void predict(std::span<const std::int64_t> of_class, const LeafModels& models, const Point& point,
                 Scores& scores) const {
        trunk_.find(point.for_models, scores.in_trunk);
        models.find(point.for_models, scores.records);
        consult(of_class, models, point, scores.in_trunk, scores.records, scores);
        LogisticRegression::probabilities(scores.mixed, scores.probabilities);
    }

    /// The class of the largest probability, where it is certain before the leaf is asked; else as `predict`.
    std::optional<Label> predict_label(std::span<const std::int64_t> of_class, const LeafModels& models,
                                       const Point& point, Scores& scores) const {
        trunk_.find(point.for_models, scores.in_trunk);
        ask_trunks(scores.in_trunk, scores);
        if (const std::optional<Label> certain = certain_label(models, scores)) return certain;
        models.find(point.for_models, scores.records);
        ask_others(of_class, models, point, scores.in_trunk, scores.records, scores);
        LogisticRegression::probabilities(scores.mixed, scores.probabilities);
        return std::nullopt;
    }

    /// Lets a leaf learn a point from its records in the trunk and in the leaf, of which those in `owned` may be
    /// changed; all but what it and the trunk know of numbers as numbers (gaussians.hpp). The mix and the regressions
    /// take its weight as it is, naive Bayes as it is counted. The trunk learns too, if it is to.
    void teach(LeafModels& models, std::span<const std::int64_t> of_class, const Point& point,
               std::span<Word* const> in_trunk, Records in_leaf, std::span<Word* const> owned, Label label,
               Weight weight, bool teaches_trunk, Scores& scores) {
        if (teaches_trunk) {
            ++n_points_;
            n_active_ += static_cast<std::int64_t>(point.for_models.size());
        }
        const double scale = mixing::step_scale(n_active_, n_points_);
        consult(of_class, models, point, Records(in_trunk.data(), in_trunk.size()), in_leaf, scores);
        LogisticRegression::probabilities(scores.mixed, scores.probabilities_before);
        // How well an expert follows a class that does not end says nothing of what it knows.
        if (!is_sorted()) learn_mix(models, label, weight.exact, scores);
        if (teaches_trunk) runs_.note(label, trunk_.n_of_class()[label] > 0);
        const std::size_t n_outputs = layout_.n_outputs();
        for (std::size_t r = 0; r < n_regressions; ++r) {
            LogisticRegression::become_gradient(std::span(scores.regressions).subspan(r * n_outputs, n_outputs), label,
                                                weight.exact, scores.probabilities);
        }
        if (teaches_trunk) trunk_.learn(in_trunk, scores.regressions, scale, label, weight.count);
        teach_leaf(models, owned, scale, label, weight, scores);
    }

    // ---- many points at once (slopes.hpp) -------------------------------------------------------------------------

    /// The slopes of a point of some weight by the scores of all regressions, into `of_record`; by the weights of the
    /// mixer, and a bound on the curvature of its loss, into `of_mixer`.
    void slopes(std::span<const std::int64_t> of_class, const LeafModels& models, Features features, Label label,
                double weight, std::span<double> of_record, std::span<double> of_mixer, Scores& scores) const {
        trunk_.find(features, scores.in_trunk);
        models.find(features, scores.records);
        consult(of_class, models, Point(features), scores.in_trunk, scores.records, scores);
        LogisticRegression::become_gradient(scores.mixed, label, 1, scores.probabilities);
        mixing::slopes(scores.opinions, scores.mixed, weight, of_mixer);
        const std::size_t n_outputs = layout_.n_outputs();
        std::copy(scores.regressions.begin(), scores.regressions.end(), of_record.begin());
        for (std::size_t r = 0; r < n_regressions; ++r) {
            LogisticRegression::become_gradient(of_record.subspan(r * n_outputs, n_outputs), label, weight,
                                                scores.probabilities);
        }
    }

    /// Notes points that are to be learned, each once, and how many features are on in them. They have no order: no
    /// run of labels is longer than a point.
    void note_points(std::int64_t n_points, std::int64_t n_active) {
        n_points_ += n_points;
        n_active_ += n_active;
        runs_.restore({0, n_points_ > 0 ? 1 : 0, 0});
    }

    // ---- a trunk that many trees share: it is asked, and taught, once per point ----------------------------------

    /// What the trunk says of a point that is only asked about.
    void ask_trunk(const Point& point, TrunkSays& says, Scores& scores) const {
        trunk_.find(point.for_models, scores.in_trunk);
        ask_all_of_trunk(point, scores.in_trunk, says, scores);
        says.step_scale = mixing::step_scale(n_active_, n_points_);
    }

    /// What the trunk says of a point, which it then learns; all but its numbers as numbers. `in_trunk` are the records
    /// of the point.
    void teach_trunk(const Point& point, std::span<Word* const> in_trunk, Label label, Weight weight, TrunkSays& says,
                     Scores& scores) {
        ++n_points_;
        n_active_ += static_cast<std::int64_t>(point.for_models.size());
        ask_all_of_trunk(point, Records(in_trunk.data(), in_trunk.size()), says, scores);
        says.step_scale = mixing::step_scale(n_active_, n_points_);
        runs_.note(label, trunk_.n_of_class()[label] > 0);
        const std::size_t n_outputs = layout_.n_outputs();
        for (std::size_t t = 0; t < n_trunks; ++t) {
            LogisticRegression::become_gradient(std::span(scores.regressions).subspan(t * n_outputs, n_outputs), label,
                                                weight.exact, scores.probabilities);
        }
        trunk_.learn(in_trunk, scores.regressions, says.step_scale, label, weight.count);
    }

    /// As `predict`, of a leaf that builds on what another trunk says.
    void predict(std::span<const std::int64_t> of_class, const LeafModels& models, const Point& point,
                 const TrunkSays& says, Scores& scores) const {
        models.find(point.for_models, scores.records);
        consult(of_class, models, point, says, scores.records, scores);
        LogisticRegression::probabilities(scores.mixed, scores.probabilities);
    }

    /// As `teach`, of a leaf that builds on what another trunk says. What it answered before is in `scores.before`.
    void teach(LeafModels& models, std::span<const std::int64_t> of_class, const Point& point, Records in_leaf,
               std::span<Word* const> owned, Label label, Weight weight, Scores& scores) const {
        const TrunkSays& says = *point.says;
        consult(of_class, models, point, says, in_leaf, scores);
        scores.before = scores.mixed;
        LogisticRegression::probabilities(scores.mixed, scores.probabilities_before);
        if (!says.is_sorted) learn_mix(models, label, weight.exact, scores);
        const std::size_t n_outputs = layout_.n_outputs();
        LogisticRegression::become_gradient(std::span(scores.regressions).subspan(n_trunks * n_outputs, n_outputs),
                                            label, weight.exact, scores.probabilities);
        teach_leaf(models, owned, says.step_scale, label, weight, scores);
    }

    /// Has the classes of a layout from now on, for which there is room.
    void take_classes(const ModelLayout& layout) {
        trunk_.take_classes(layout);
        layout_ = layout;
    }

    Mixing widened(const ModelLayout& wider) const {
        Mixing wide(wider);
        wide.trunk_ = trunk_.widened(wider);
        wide.restore(n_points_, n_active_, runs_.state());
        return wide;
    }

    /// Forgets all that the trunk has learned, and holds no memory for it.
    void clear() { trunk_ = MixedTrunk(layout_); }

    std::size_t n_bytes() const { return trunk_.n_bytes(); }

private:
    /// The scores of the trunks, and of the first of them corrected by the leaf.
    static constexpr std::size_t n_regressions = n_trunks + 1;
    /// Far above the rounding of a sum of a few opinions.
    static constexpr double rounding = 1e-6;

    /// Asks every expert about a point, into `scores.opinions`, and mixes what they say, into `scores.mixed`.
    void consult(std::span<const std::int64_t> of_class, const LeafModels& models, const Point& point, Records in_trunk,
                 Records in_leaf, Scores& scores) const {
        ask_all_trunk(point, in_trunk, scores);
        ask_leaf(of_class, models, point, in_leaf, scores);
        mix(weights(models), scores);
    }

    /// Asks the regressions of the trunk, naive Bayes of the stream, and what it knows of numbers as numbers.
    void ask_all_trunk(const Point& point, Records in_trunk, Scores& scores) const {
        ask_gaussians(trunk_gaussians_expert, trunk_.gaussians(), trunk_.n_of_class(), point, scores);
        if (layout_.n_outputs() > 1) {
            ask_trunks(in_trunk, scores);
            ask_trunk_bayes(in_trunk, scores);
            return;
        }
        binary_records::BayesSum bayes;
        trunk_.ask_all(in_trunk, scores.regressions, bayes);
        for (std::size_t t = 0; t < n_trunks; ++t) set_opinion(trunk_expert + t, t, scores);
        set_opinion_of_trunk_bayes(NaiveBayes::log_odds(bayes.log_ratio, bayes.n_on, trunk_.n_of_class()), scores);
    }

    /// The same with what another trunk says in place of this one.
    void consult(std::span<const std::int64_t> of_class, const LeafModels& models, const Point& point,
                 const TrunkSays& says, Records in_leaf, Scores& scores) const {
        if (layout_.n_outputs() == 1) {
            for (std::size_t t = 0; t < n_trunks; ++t) scores.regressions[t] = says.regressions[t];
            scores.opinions[trunk_bayes_expert] = says.bayes[0];
            scores.opinions[trunk_gaussians_expert] = says.gaussians[0];
        } else {
            std::copy(says.regressions.begin(), says.regressions.end(), scores.regressions.begin());
            std::copy(says.bayes.begin(), says.bayes.end(), opinion(trunk_bayes_expert, scores).begin());
            std::copy(says.gaussians.begin(), says.gaussians.end(), opinion(trunk_gaussians_expert, scores).begin());
        }
        for (std::size_t t = 0; t < n_trunks; ++t) set_opinion(trunk_expert + t, t, scores);
        ask_leaf(of_class, models, point, in_leaf, scores);
        mix(weights(models, says.is_sorted), scores);
    }

    /// Asks all of the trunk that does not depend on a leaf, for leaves of any tree.
    void ask_all_of_trunk(const Point& point, Records in_trunk, TrunkSays& says, Scores& scores) const {
        ask_all_trunk(point, in_trunk, scores);
        std::copy_n(scores.regressions.begin(), says.regressions.size(), says.regressions.begin());
        const std::span<const double> bayes = opinion(trunk_bayes_expert, scores);
        std::copy(bayes.begin(), bayes.end(), says.bayes.begin());
        const std::span<const double> gaussians = opinion(trunk_gaussians_expert, scores);
        std::copy(gaussians.begin(), gaussians.end(), says.gaussians.begin());
        says.is_sorted = is_sorted();
    }

    /// The part of `teach` that changes the models of a leaf, once its gradient is known.
    void teach_leaf(LeafModels& models, std::span<Word* const> owned, double scale, Label label, Weight weight,
                    const Scores& scores) const {
        const std::size_t n_outputs = layout_.n_outputs();
        models.n_of_class[label] += weight.count;
        const auto of_leaf = std::span<const double>(scores.regressions).subspan(n_trunks * n_outputs, n_outputs);
        const AdaGrad steps{mixing::leaf_step * scale, mixing::first_square};
        LogisticRegression::step(models.intercept.data(), layout_.outputs_room(), of_leaf, steps);
        if (n_outputs == 1) {
            binary_records::teach_leaf(owned.data(), owned.size(), of_leaf[0], steps.rate, label, weight.count);
            return;
        }
        for (Word* record : owned) record[label].count += weight.count;
        LogisticRegression::step(owned, layout_.weights_at(), layout_.outputs_room(), of_leaf, steps);
    }

    /// Asks the regressions of the trunk.
    void ask_trunks(Records in_trunk, Scores& scores) const {
        trunk_.add_scores(in_trunk, scores.regressions);
        for (std::size_t t = 0; t < n_trunks; ++t) set_opinion(trunk_expert + t, t, scores);
    }

    /// Asks all other experts, once the trunk was asked, and mixes.
    void ask_others(std::span<const std::int64_t> of_class, const LeafModels& models, const Point& point,
                    Records in_trunk, Records in_leaf, Scores& scores) const {
        ask_leaf(of_class, models, point, in_leaf, scores);
        ask_gaussians(trunk_gaussians_expert, trunk_.gaussians(), trunk_.n_of_class(), point, scores);
        ask_trunk_bayes(in_trunk, scores);
        mix(weights(models), scores);
    }

    /// Asks the experts that a leaf has of its own, once the regressions of the trunk were asked.
    void ask_leaf(std::span<const std::int64_t> of_class, const LeafModels& models, const Point& point, Records in_leaf,
                  Scores& scores) const {
        const std::size_t n_outputs = layout_.n_outputs();
        const std::span<double> corrected = std::span(scores.regressions).subspan(n_trunks * n_outputs, n_outputs);
        for (std::size_t k = 0; k < n_outputs; ++k) corrected[k] = scores.regressions[k];
        if (n_outputs == 1) {
            binary_records::BayesSum bayes;
            corrected[0] += static_cast<double>(models.intercept.front().weight);
            binary_records::ask_leaf(in_leaf.data(), in_leaf.size(), corrected[0],
                                     NaiveBayes::per_point(models.n_of_class), bayes);
            set_opinion(corrected_expert, n_trunks, scores);
            const double majority = log_ratio(of_class[1], of_class[0]);
            const double leaf_bayes = NaiveBayes::log_odds(bayes.log_ratio, bayes.n_on, models.n_of_class) + majority;
            scores.opinions[majority_expert] = mixing::clipped(majority);
            scores.opinions[leaf_bayes_expert] = mixing::clipped(mixing::bayes_scale * leaf_bayes);
            ask_gaussians(gaussians_expert, models.mixer->gaussians, of_class, point, scores);
            return;
        }
        models.add_correction(in_leaf, layout_, corrected);
        set_opinion(corrected_expert, n_trunks, scores);
        for (std::size_t k = 0; k < n_outputs; ++k) {
            opinion(majority_expert, scores)[k] = std::log(static_cast<double>(of_class[k]) + 1);
        }
        mixing::level(opinion(majority_expert, scores));
        models.bayes_scores(in_leaf, of_class, scores);
        set_opinion_of_bayes(leaf_bayes_expert, scores);
        ask_gaussians(gaussians_expert, models.mixer->gaussians, of_class, point, scores);
    }

    /// Asks what a leaf or the trunk, of points of these classes, knows of numbers as numbers. A number says what it
    /// has to say once, not with three divisions into ranges, so that it is not scaled as naive Bayes of features is.
    void ask_gaussians(Expert expert, const OwnedCopy<Gaussians>& gaussians, std::span<const std::int64_t> of_class,
                       const Point& point, Scores& scores) const {
        const std::span<double> out = opinion(expert, scores);
        if (!gaussians || gaussians->empty()) {
            std::fill(out.begin(), out.end(), 0.0);
            return;
        }
        for (std::size_t k = 0; k < of_class.size(); ++k) {
            scores.bayes[k] = std::log(static_cast<double>(of_class[k]) + 1);
        }
        gaussians->add_scores(point, scores.bayes, scores.products);
        if (out.size() == 1) {
            out[0] = mixing::clipped(scores.bayes[1] - scores.bayes[0]);
        } else {
            std::copy(scores.bayes.begin(), scores.bayes.end(), out.begin());
            mixing::level(out);
        }
    }

    /// Asks naive Bayes of the stream.
    void ask_trunk_bayes(Records in_trunk, Scores& scores) const {
        if (layout_.n_outputs() == 1) {
            set_opinion_of_trunk_bayes(NaiveBayes::log_odds(in_trunk, trunk_.counts_at(), trunk_.n_of_class()), scores);
            return;
        }
        trunk_bayes(in_trunk, scores);
        set_opinion_of_bayes(trunk_bayes_expert, scores);
    }

    /// The same of two classes, from the log-odds by features alone.
    void set_opinion_of_trunk_bayes(double by_features, Scores& scores) const {
        const std::span<const std::int64_t> n = trunk_.n_of_class();
        const double log_odds = by_features + log_ratio(n[1], n[0]);
        scores.opinions[trunk_bayes_expert] = mixing::clipped(mixing::bayes_scale * log_odds);
    }

    /// Mixes what all experts said.
    void mix(std::span<const double, n_experts> w, Scores& scores) const {
        if (layout_.n_outputs() == 1) {
            scores.mixed[0] = mixing::mix(w, binary_opinions(scores));
        } else {
            mixing::mix(w, scores.opinions, scores.mixed);
        }
    }

    std::span<double> opinion(std::size_t expert, Scores& scores) const {
        return std::span(scores.opinions).subspan(expert * layout_.n_outputs(), layout_.n_outputs());
    }

    /// Takes the scores of a regression for the opinion of an expert.
    void set_opinion(std::size_t expert, std::size_t regression, Scores& scores) const {
        const std::size_t n_outputs = layout_.n_outputs();
        if (n_outputs == 1) {
            scores.opinions[expert] = mixing::clipped(scores.regressions[regression]);
            return;
        }
        const std::span<double> out = opinion(expert, scores);
        std::copy_n(scores.regressions.begin() + static_cast<std::ptrdiff_t>(regression * n_outputs), n_outputs,
                    out.begin());
        mixing::level(out);
    }

    /// Takes `scores.bayes` for it, of more than two classes.
    void set_opinion_of_bayes(std::size_t expert, Scores& scores) const {
        const std::span<double> out = opinion(expert, scores);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = mixing::bayes_scale * scores.bayes[k];
        mixing::level(out);
    }

    static std::span<const double, n_experts> binary_opinions(const Scores& scores) {
        return std::span<const double, n_experts>(scores.opinions.data(), n_experts);
    }

    /// The class of the largest probability, if it is certain from what the trunk says alone: no expert can say of two
    /// classes that their logarithms differ by more than `clip`, and so those not asked yet cannot turn a larger lead.
    std::optional<Label> certain_label(const LeafModels& models, Scores& scores) const {
        const std::span<const double, n_experts> w = weights(models);
        double others = 0;
        for (std::size_t e = 0; e < n_experts; ++e) {
            if (e < trunk_expert || e >= trunk_expert + n_trunks) others += std::abs(w[e]);
        }
        const double lead_needed = mixing::clip * others + rounding;
        if (layout_.n_outputs() == 1) {
            double z = 0;
            for (std::size_t e = trunk_expert; e < trunk_expert + n_trunks; ++e) z += w[e] * scores.opinions[e];
            return std::abs(z) > lead_needed ? std::optional<Label>(z > 0 ? 1 : 0) : std::nullopt;
        }
        std::fill(scores.mixed.begin(), scores.mixed.end(), 0.0);
        for (std::size_t e = trunk_expert; e < trunk_expert + n_trunks; ++e) {
            const std::span<const double> said = opinion(e, scores);
            for (std::size_t k = 0; k < said.size(); ++k) scores.mixed[k] += w[e] * said[k];
        }
        const auto best = std::max_element(scores.mixed.begin(), scores.mixed.end());
        for (auto each = scores.mixed.begin(); each != scores.mixed.end(); ++each) {
            if (each != best && *best - *each <= lead_needed) return std::nullopt;
        }
        return static_cast<Label>(best - scores.mixed.begin());
    }

    void learn_mix(LeafModels& models, Label label, double weight, Scores& scores) const {
        const std::span<double, n_experts> mix(models.mixer->weights);
        if (layout_.n_outputs() == 1) {
            mixing::learn(mix, binary_opinions(scores), scores.probabilities_before[1] - label, weight);
            return;
        }
        for (std::size_t k = 0; k < scores.mixed.size(); ++k) {
            scores.mixed[k] = scores.probabilities_before[k] - (k == label ? 1 : 0);
        }
        mixing::learn(mix, scores.opinions, scores.mixed, weight);
    }

    void trunk_bayes(Records in_trunk, Scores& scores) const {
        const std::span<const std::int64_t> n = trunk_.n_of_class();
        for (std::size_t k = 0; k < n.size(); ++k) scores.bayes[k] = std::log(static_cast<double>(n[k]) + 1);
        scores.trunk_counts.clear();
        for (const Word* record : in_trunk) scores.trunk_counts.push_back(record + trunk_.counts_at());
        NaiveBayes::add_scores(scores.trunk_counts, n, scores.bayes, scores.products);
    }

    static double log_ratio(std::int64_t above, std::int64_t below) {
        return std::log((static_cast<double>(above) + 1) / (static_cast<double>(below) + 1));
    }

    ModelLayout layout_;
    MixedTrunk trunk_;
    std::int64_t n_points_ = 0;
    std::int64_t n_active_ = 0;
    LabelRuns runs_;
};

}  // namespace sapwood
