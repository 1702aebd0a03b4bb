#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "sapwood/storage/shared_table.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// How long the steps of AdaGrad are.
struct AdaGrad {
    /// The length of a step, before it is divided by the root of the sum of squared gradients.
    double rate;
    /// Added to every sum of squares: keeps the first steps from being as long as all later ones.
    double first_square;
};

/// The steps of leaves that do not mix. A compromise over the streams of docs/benchmarks.md: long texts would do with
/// smaller steps, short points with larger ones (leaves that mix scale theirs, mixer.hpp). The first square is about
/// that of a point that is foretold with a probability of 3/4.
inline constexpr AdaGrad plain_steps{0.15, 0.05};

namespace detail {

/// A step of a weight, with its sum of squared gradients, against the gradient.
SAPWOOD_INLINE inline void adagrad_step(float& weight, float& squares, double gradient, const AdaGrad& steps) {
    squares = static_cast<float>(squares + gradient * gradient);
    weight = static_cast<float>(weight - steps.rate * gradient / std::sqrt(steps.first_square + squares));
}

/// The same of many weights that have the gradient in common.
SAPWOOD_WIDE_VECTORS
inline void adagrad_steps(float* __restrict weights, float* __restrict squares, std::size_t size, double gradient,
                          double rate, double first_square) {
    for (std::size_t i = 0; i < size; ++i) adagrad_step(weights[i], squares[i], gradient, {rate, first_square});
}

}  // namespace detail

/// Sparse online logistic regression with AdaGrad steps (Duchi, Hazan and Singer, JMLR 12, 2011), in O(m): one linear
/// function for two classes, one a class (softmax) for more. A record of a feature, or of the intercept, holds a weight
/// for each output, and `room` words after each the sum of its squared gradients: there is room for so many outputs.
class LogisticRegression {
public:
    /// Adds the weights of a record to the scores.
    static void add_scores(const Word* record, std::span<double> scores) {
        for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += static_cast<double>(record[k].weight);
    }

    /// Adds the weights of many records, each of which begins with `at` other words, to the scores.
    static void add_scores(Records records, std::size_t at, std::span<double> scores) {
        if (scores.size() == 1) {
            double sum = scores[0];
            for (const Word* record : records) sum += static_cast<double>(record[at].weight);
            scores[0] = sum;
        } else {
            for (const Word* record : records) add_scores(record + at, scores);
        }
    }

    /// A step of a record against the gradient.
    static void step(Word* record, std::size_t room, std::span<const double> gradient,
                     const AdaGrad& steps = plain_steps) {
        for (std::size_t k = 0; k < gradient.size(); ++k) {
            detail::adagrad_step(record[k].weight, record[room + k].weight, gradient[k], steps);
        }
    }

    /// The same of many records, each of which begins with `at` other words.
    static void step(std::span<Word* const> records, std::size_t at, std::size_t room, std::span<const double> gradient,
                     const AdaGrad& steps = plain_steps) {
        if (gradient.size() != 1) {
            for (Word* record : records) step(record + at, room, gradient, steps);
            return;
        }
        constexpr std::size_t block = 64;
        std::array<float, block> weights;
        std::array<float, block> squares;
        for (std::size_t first = 0; first < records.size(); first += block) {
            const std::size_t size = std::min(block, records.size() - first);
            for (std::size_t i = 0; i < size; ++i) {
                weights[i] = records[first + i][at].weight;
                squares[i] = records[first + i][at + 1].weight;
            }
            detail::adagrad_steps(weights.data(), squares.data(), size, gradient[0], steps.rate, steps.first_square);
            for (std::size_t i = 0; i < size; ++i) {
                records[first + i][at].weight = weights[i];
                records[first + i][at + 1].weight = squares[i];
            }
        }
    }

    /// From scores to the probabilities of the classes: of two classes from one score, of more from one each.
    static void probabilities(std::span<const double> scores, std::span<double> out) {
        if (scores.size() == 1) {
            out[1] = 1 / (1 + std::exp(-scores[0]));
            out[0] = 1 - out[1];
        } else {
            std::copy(scores.begin(), scores.end(), out.begin());
            normalise_logarithms(out);
        }
    }

    /// From the scores of a point to the derivative of its logistic loss by each of them, times its weight;
    /// `probabilities` has room for those of the classes.
    static void become_gradient(std::span<double> scores, Label label, double weight, std::span<double> probabilities) {
        LogisticRegression::probabilities(scores, probabilities);
        const std::size_t first = scores.size() == 1 ? 1 : 0;
        for (std::size_t k = 0; k < scores.size(); ++k) {
            scores[k] = (probabilities[first + k] - (first + k == label ? 1 : 0)) * weight;
        }
    }

    /// The class that scores speak for; the first of several.
    static Label label(std::span<const double> scores) {
        if (scores.size() == 1) return scores[0] > 0 ? 1 : 0;
        return static_cast<Label>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    }

    /// Writes a record over more outputs that gives the same probabilities to the classes that there were: one output
    /// for two classes, the score of the second less that of the first, becomes half of it for each.
    static void widen(const Word* narrow, std::size_t n_narrow, std::size_t narrow_room, Word* wide,
                      std::size_t wide_room) {
        if (n_narrow == 1) {
            wide[0].weight = -narrow[0].weight / 2;
            wide[1].weight = narrow[0].weight / 2;
            wide[wide_room].weight = wide[wide_room + 1].weight = narrow[1].weight;
        } else {
            std::copy(narrow, narrow + n_narrow, wide);
            std::copy(narrow + narrow_room, narrow + narrow_room + n_narrow, wide + wide_room);
        }
    }

    /// From logarithms of what is proportional to probabilities to those.
    static void normalise_logarithms(std::span<double> values) {
        const double largest = *std::max_element(values.begin(), values.end());
        double sum = 0;
        for (double& value : values) sum += value = std::exp(value - largest);
        for (double& value : values) value /= sum;
    }
};

}  // namespace sapwood
