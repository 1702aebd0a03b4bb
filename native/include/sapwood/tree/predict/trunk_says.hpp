#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sapwood/tree/predict/mixer.hpp"

namespace sapwood {

/// What the trunk of a stream says of one point, before it learned it: all that a leaf needs of it to answer and to
/// learn. Trees that share a trunk ask it once per point, and each of their leaves builds on the same words.
struct TrunkSays {
    /// The scores of its regressions, the outputs of each in turn.
    std::span<double> regressions;
    /// The opinion of naive Bayes of the stream, as the mixer takes it.
    std::span<double> bayes;
    /// The opinion of the densities of the numbers of the stream, likewise.
    std::span<double> gaussians;
    /// What the step sizes of the leaf are multiplied by.
    double step_scale = 1;
    /// Whether labels come sorted (label_runs.hpp).
    bool is_sorted = false;
};

/// What the trunk says of many points, one after the other in memory, as every tree reads it in turn.
class TrunkAnswers {
public:
    /// Makes room for points of so many outputs, of which nothing is said yet.
    void resize(std::size_t n_points, std::size_t n_outputs) {
        n_outputs_ = n_outputs;
        words_.resize(n_points * words_per_point());
        rest_.resize(n_points);
    }

    TrunkSays of(std::size_t i) {
        const std::span<double> words = std::span(words_).subspan(i * words_per_point(), words_per_point());
        const auto row = [&](std::size_t at) { return words.subspan(at * n_outputs_, n_outputs_); };
        return {words.first(n_trunks * n_outputs_), row(n_trunks), row(n_trunks + 1), rest_[i].step_scale,
                rest_[i].is_sorted};
    }
    /// Keeps what was said of a point, in the words that `of` has given.
    void set(std::size_t i, const TrunkSays& says) { rest_[i] = {says.step_scale, says.is_sorted}; }

private:
    struct Rest {
        double step_scale = 1;
        bool is_sorted = false;
    };

    std::size_t words_per_point() const { return (n_trunks + 2) * n_outputs_; }

    std::size_t n_outputs_ = 1;
    std::vector<double> words_;
    std::vector<Rest> rest_;
};

}  // namespace sapwood
