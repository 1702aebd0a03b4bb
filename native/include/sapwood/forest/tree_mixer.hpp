#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/tree/predict/logistic_regression.hpp"
#include "sapwood/tree/predict/mixer.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Combines the answers of trees by logistic mixing, as leaves combine those of their models (mixer.hpp): the opinions
/// of the trees, in log-odds, are the inputs of one small regression over the stream.
///
/// It begins as the mean of the opinions. The loss is convex in the weights and the mixer descends on it, so that in
/// the long run it is about as good as the best fixed weights, of which each tree alone is one. What the trees of a
/// forest say is much alike, and what counts most is by how much their mean is to be trusted: so that is a weight of
/// its own, the mean is one more expert, and weights of single trees begin at 0.
///
/// Where leaves answer by counts, one expert more is the sum of what each tree adds to the share of the classes in the
/// stream, in log-odds: naive Bayes over the trees. A leaf that has found nothing says the share of the classes, and
/// ten leaves, of which one has found something and nine have not, are drawn to the share by their mean, but not by
/// that sum. Its weight begins at 0, as it is too sure where trees say the same for the same reason.
class TreeMixer {
public:
    /// `adds_up`: whether there is that sum.
    TreeMixer(std::size_t n_trees, bool adds_up)
        : n_trees_(n_trees), weights_(n_trees + (adds_up ? 2 : 1)), of_class_(adds_up ? 2 : 0) {
        weights_[n_trees] = 1;
    }

    std::size_t n_trees() const { return n_trees_; }
    bool adds_up() const { return weights_.size() > n_trees_ + 1; }
    /// The trees, their mean, and where there is one the sum of what they add.
    std::size_t n_experts() const { return weights_.size(); }
    /// Those of the experts.
    std::span<const double> weights() const { return weights_; }
    /// Where it adds up: the points of each class that were learned.
    std::span<const std::int64_t> of_class() const { return of_class_; }
    void restore(std::vector<double> weights, std::vector<std::int64_t> of_class) {
        weights_ = std::move(weights);
        of_class_ = std::move(of_class);
    }

    void cover_classes(std::size_t n_classes) {
        if (adds_up()) of_class_.resize(n_classes);
    }

    /// Makes the opinion of a tree comparable with others.
    static void prepare(std::span<double> opinion) {
        if (opinion.size() == 1) {
            opinion[0] = mixing::clipped(opinion[0]);
        } else {
            mixing::level(opinion);
        }
    }

    /// Mixes the opinions of the trees, a row of outputs each, and after them room for those of the other experts, into
    /// `mixed`.
    void mix(std::span<double> opinions, std::span<double> mixed) const {
        add_experts(opinions, mixed.size());
        if (mixed.size() == 1) {
            mixed[0] = mixing::mix_of(weights(), std::span<const double>(opinions));
        } else {
            mixing::mix_of(weights(), opinions, mixed);
        }
    }

    /// Learns from a point, of which `probabilities` are what the mix amounts to; overwrites `mixed`.
    void learn(std::span<const double> opinions, std::span<double> mixed, std::span<const double> probabilities,
               Label label, Weight weight) {
        if (adds_up()) of_class_[label] += weight.count;
        // Where all say much the same, a step of each weight is one of their sum, as many times as long.
        const double times = weight.exact / static_cast<double>(n_experts());
        const std::span<double> all(weights_);
        if (mixed.size() == 1) {
            mixing::learn_of(all, opinions, probabilities[1] - label, times);
            return;
        }
        for (std::size_t k = 0; k < mixed.size(); ++k) mixed[k] = probabilities[k] - (k == label ? 1 : 0);
        mixing::learn_of(all, opinions, std::span<const double>(mixed), times);
    }

private:
    void add_experts(std::span<double> opinions, std::size_t n_outputs) const {
        const auto trees = static_cast<double>(n_trees());
        const std::span<double> mean = opinions.subspan(n_trees() * n_outputs, n_outputs);
        for (std::size_t k = 0; k < n_outputs; ++k) {
            double sum = 0;
            for (std::size_t t = 0; t < n_trees(); ++t) sum += opinions[t * n_outputs + k];
            mean[k] = sum / trees;
        }
        if (!adds_up()) return;
        const std::span<double> added = opinions.subspan((n_trees() + 1) * n_outputs, n_outputs);
        for (std::size_t k = 0; k < n_outputs; ++k) {
            const double share = n_outputs == 1 ? log_count(1) - log_count(0) : log_count(k);
            added[k] = trees * mean[k] - (trees - 1) * share;
        }
        prepare(added);
    }

    /// As a leaf that goes by its classes says it.
    double log_count(std::size_t k) const { return std::log(static_cast<double>(of_class_[k]) + 1); }

    std::size_t n_trees_;
    std::vector<double> weights_;
    std::vector<std::int64_t> of_class_;
};

}  // namespace sapwood
