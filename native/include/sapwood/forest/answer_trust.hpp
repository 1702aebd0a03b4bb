#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// How far each of several answers to a point is trusted: those of the trees of a forest, and last their mix
/// (tree_mixer.hpp). The answer of the forest is the mean of the probabilities that all tell, weighted by trust.
///
/// Trust is the posterior of Bayes' rule: it is multiplied by the probability which an answer gave to the label of a
/// point, to the power of its weight. The best answer may change as trees grow and streams drift, so that after point n
/// a share 1 / (n + 1) goes back to the trust that all began with (fixed shares: Herbster and Warmuth, Machine Learning
/// 32, 1998; which fall with n: Mourtada and Maillard, ALT 2017). That of the mix is a half, that of all trees the
/// rest.
///
/// Guarantee: over n points of weight 1, the sum of -ln(probability of the label) of the forest exceeds that of the mix
/// by at most ln 2n, and that of each of T trees by at most ln 2Tn. The mix is good where trees differ by chance, and a
/// single tree where the others must not split on what matters: no forest is worse than both by more than that.
class AnswerTrust {
public:
    explicit AnswerTrust(std::size_t n_trees) : trust_(first(n_trees)) {}

    /// One for each tree, and one for the mix: all above 0, and 1 together.
    std::span<const double> values() const { return trust_; }
    std::size_t n_answers() const { return trust_.size(); }
    void restore(std::vector<double> values) { trust_ = std::move(values); }

    /// The mean of the answers, a row of probabilities each: from 0 to 1, also where rounding would go beyond.
    void weigh(std::span<const double> answers, std::span<double> out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t a = 0; a < trust_.size(); ++a) {
            for (std::size_t k = 0; k < out.size(); ++k) out[k] += trust_[a] * answers[a * out.size() + k];
        }
        double sum = 0;
        for (const double each : out) sum += each;
        for (double& each : out) each /= sum;
    }

    /// Learns from the answers to point `n`, from 1 on, before it was learned.
    void learn(std::span<const double> answers, Label label, double weight, std::int64_t n) {
        if (weight == 0) return;
        const std::size_t n_classes = answers.size() / trust_.size();
        const auto told = [&](std::size_t a) { return answers[a * n_classes + label]; };
        double largest = 0;
        for (std::size_t a = 0; a < trust_.size(); ++a) largest = std::max(largest, told(a));
        if (largest == 0) return;
        double sum = 0;
        for (std::size_t a = 0; a < trust_.size(); ++a) {
            const double ratio = told(a) / largest;
            sum += trust_[a] *= weight == 1 ? ratio : std::pow(ratio, weight);
        }
        const double share = 1 / (static_cast<double>(n) + 1);
        const std::size_t n_trees = trust_.size() - 1;
        for (std::size_t a = 0; a < trust_.size(); ++a) {
            trust_[a] = (1 - share) * trust_[a] / sum + share * first_of(a, n_trees);
        }
    }

private:
    static double first_of(std::size_t answer, std::size_t n_trees) {
        return answer == n_trees ? 0.5 : 0.5 / static_cast<double>(n_trees);
    }
    static std::vector<double> first(std::size_t n_trees) {
        std::vector<double> trust(n_trees + 1);
        for (std::size_t a = 0; a <= n_trees; ++a) trust[a] = first_of(a, n_trees);
        return trust;
    }

    std::vector<double> trust_;
};

}  // namespace sapwood
