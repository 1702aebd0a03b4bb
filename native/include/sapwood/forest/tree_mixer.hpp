#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/tree/predict/logistic_regression.hpp"
#include "sapwood/tree/predict/mixer.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Combines the answers of trees by logistic mixing, as leaves combine those of their models (mixer.hpp): the opinions
/// of the trees, in log-odds, are the inputs of one small regression over the stream.
///
/// It begins as the mean of the opinions. The loss is convex in the weights and the mixer descends on it, so that in
/// the long run it is about as good as the best fixed weights, of which each tree alone is one. What the trees of a
/// forest say is much alike, and what counts most is by how much their mean is to be trusted: so that is a weight of
/// its own, the mean is one more expert, and weights of single trees begin at 0.
class TreeMixer {
public:
    explicit TreeMixer(std::size_t n_trees) : weights_(n_trees + 1) { weights_.back() = 1; }

    std::size_t n_trees() const { return weights_.size() - 1; }
    /// Those of the trees, and last that of the mean.
    std::span<const double> weights() const { return weights_; }
    void restore(std::vector<double> weights) { weights_ = std::move(weights); }

    /// Makes the opinion of a tree comparable with others.
    static void prepare(std::span<double> opinion) {
        if (opinion.size() == 1) {
            opinion[0] = mixing::clipped(opinion[0]);
        } else {
            mixing::level(opinion);
        }
    }

    /// Mixes the opinions of the trees, a row of outputs each, and after them room for a row, into `mixed`.
    void mix(std::span<double> opinions, std::span<double> mixed) const {
        add_mean(opinions, mixed.size());
        if (mixed.size() == 1) {
            mixed[0] = mixing::mix_of(weights(), std::span<const double>(opinions));
        } else {
            mixing::mix_of(weights(), opinions, mixed);
        }
    }

    /// Learns from a point, of which `probabilities` are what the mix amounts to; overwrites `mixed`.
    void learn(std::span<const double> opinions, std::span<double> mixed, std::span<const double> probabilities,
               Label label, double weight) {
        // Where all say much the same, a step of each weight is one of their sum, as many times as long.
        weight /= static_cast<double>(weights_.size());
        const std::span<double> all(weights_);
        if (mixed.size() == 1) {
            mixing::learn_of(all, opinions, probabilities[1] - label, weight);
            return;
        }
        for (std::size_t k = 0; k < mixed.size(); ++k) mixed[k] = probabilities[k] - (k == label ? 1 : 0);
        mixing::learn_of(all, opinions, std::span<const double>(mixed), weight);
    }

private:
    void add_mean(std::span<double> opinions, std::size_t n_outputs) const {
        const std::span<double> mean = opinions.subspan(n_trees() * n_outputs, n_outputs);
        for (std::size_t k = 0; k < n_outputs; ++k) {
            double sum = 0;
            for (std::size_t t = 0; t < n_trees(); ++t) sum += opinions[t * n_outputs + k];
            mean[k] = sum / static_cast<double>(n_trees());
        }
    }

    std::vector<double> weights_;
};

}  // namespace sapwood
