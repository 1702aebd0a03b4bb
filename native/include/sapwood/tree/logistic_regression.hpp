#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "sapwood/tree/shared_table.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Sparse online logistic regression with AdaGrad steps (Duchi, Hazan and Singer, JMLR 12, 2011), in O(m): one linear
/// function for two classes, one a class (softmax) for more. A record of a feature, or of the intercept, holds a weight
/// for each output, then the sum of its squared gradients.
class LogisticRegression {
public:
    static constexpr double rate = 0.15;
    /// Added to every sum of squares: keeps the first steps from being as long as all later ones.
    static constexpr double first_square = 0.05;

    /// Adds the weights of a record to the scores.
    static void add_scores(const Word* record, std::span<double> scores) {
        for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += static_cast<double>(record[k].weight);
    }

    /// A step of a record against the gradient.
    static void step(Word* record, std::span<const double> gradient) {
        const std::size_t n_outputs = gradient.size();
        for (std::size_t k = 0; k < n_outputs; ++k) {
            Word& weight = record[k];
            Word& squares = record[n_outputs + k];
            squares.weight = static_cast<float>(static_cast<double>(squares.weight) + gradient[k] * gradient[k]);
            weight.weight =
                static_cast<float>(static_cast<double>(weight.weight) -
                                   rate * gradient[k] / std::sqrt(first_square + static_cast<double>(squares.weight)));
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

    /// The class that scores speak for; the first of several.
    static Label label(std::span<const double> scores) {
        if (scores.size() == 1) return scores[0] > 0 ? 1 : 0;
        return static_cast<Label>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    }

    /// Writes a record over more outputs that gives the same probabilities to the classes that there were: one output
    /// for two classes, the score of the second less that of the first, becomes half of it for each.
    static void widen(const Word* narrow, std::size_t n_narrow, Word* wide, std::size_t n_wide) {
        if (n_narrow == 1) {
            wide[0].weight = -narrow[0].weight / 2;
            wide[1].weight = narrow[0].weight / 2;
            wide[n_wide].weight = wide[n_wide + 1].weight = narrow[1].weight;
        } else {
            std::copy(narrow, narrow + n_narrow, wide);
            std::copy(narrow + n_narrow, narrow + 2 * n_narrow, wide + n_wide);
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
