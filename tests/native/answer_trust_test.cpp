// The trust in the answers of a forest against Bayes' rule over all ways in which the best answer may have changed, and
// against what it promises: never much worse than the mix, nor than any tree.
#include "sapwood/forest/answer_trust.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "check.hpp"
#include "sapwood/random.hpp"

namespace {

using sapwood::AnswerTrust;
using sapwood::Label;
using sapwood::Random;

bool is_close(double found, double expected) { return std::abs(found - expected) <= 1e-12 + 1e-9 * std::abs(expected); }

/// Points with their labels, and what each answer tells of each: a row of probabilities each.
struct Told {
    std::size_t n_answers;
    std::size_t n_classes;
    std::vector<std::vector<double>> answers;
    std::vector<Label> labels;

    double of(std::size_t a, std::size_t i, std::size_t k) const { return answers[i][a * n_classes + k]; }
    double of_label(std::size_t a, std::size_t i) const { return of(a, i, labels[i]); }
};

/// Answers of which each is good for a while, and one or another certain that a class is impossible, as often as is
/// said: where none ever is, all losses stay finite.
Told told(std::size_t n_answers, std::size_t n_classes, std::size_t n, double impossible, Random random) {
    Told all{n_answers, n_classes, {}, {}};
    for (std::size_t i = 0; i < n; ++i) {
        const auto label = static_cast<Label>(random.below(static_cast<std::int64_t>(n_classes)));
        std::vector<double> row(n_answers * n_classes);
        for (std::size_t a = 0; a < n_answers; ++a) {
            const bool is_good = a == (3 * i / n) % n_answers;
            double sum = 0;
            for (std::size_t k = 0; k < n_classes; ++k) {
                double p = random.uniform();
                if (is_good && k == label) p += 2;
                if (!is_good && random.chance(impossible)) p = 0;
                sum += row[a * n_classes + k] = p;
            }
            for (std::size_t k = 0; k < n_classes; ++k) {
                double& p = row[a * n_classes + k];
                p = sum > 0 ? p / sum : 1 / static_cast<double>(n_classes);
            }
        }
        all.labels.push_back(label);
        all.answers.push_back(std::move(row));
    }
    return all;
}

double first_trust(std::size_t a, std::size_t n_answers) {
    return a + 1 == n_answers ? 0.5 : 0.5 / static_cast<double>(n_answers - 1);
}

/// The trust in each answer after all points, by summing over every sequence of answers, each the best for one point:
/// it begins as drawn by the first trust, and before the next point is drawn anew with the chance of a share.
std::vector<double> by_all_sequences(const Told& all) {
    const std::size_t n = all.labels.size();
    std::vector<double> trust(all.n_answers);
    std::vector<std::size_t> best(n + 1);
    const auto visit = [&](auto&& self, std::size_t i, double weight) -> void {
        if (i == n + 1) {
            trust[best[n]] += weight;
            return;
        }
        for (std::size_t a = 0; a < all.n_answers; ++a) {
            const double drawn = first_trust(a, all.n_answers);
            const double share = 1 / (static_cast<double>(i) + 1);
            const double stays = i > 0 && best[i - 1] == a ? 1 - share : 0;
            const double chance = i == 0 ? drawn : stays + share * drawn;
            best[i] = a;
            self(self, i + 1, weight * chance * (i < n ? all.of_label(a, i) : 1));
        }
    };
    visit(visit, 0, 1);
    const double sum = std::accumulate(trust.begin(), trust.end(), 0.0);
    for (double& each : trust) each /= sum;
    return trust;
}

void is_bayes_rule() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::size_t n_answers = 2 + seed % 3;
        const Told all = told(n_answers, 2 + seed % 2, 5, 0.02, Random({seed + 1, 2, 3, 4}));
        AnswerTrust trust(n_answers - 1);
        for (std::size_t i = 0; i < all.labels.size(); ++i) {
            trust.learn(all.answers[i], all.labels[i], 1, static_cast<std::int64_t>(i) + 1);
        }
        const std::vector<double> expected = by_all_sequences(all);
        for (std::size_t a = 0; a < n_answers; ++a) CHECK(is_close(trust.values()[a], expected[a]));
    }
}

void loses_no_more_than_it_promises(double impossible) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const std::size_t n_trees = 1 + seed % 12;
        const std::size_t n_classes = 2 + seed % 4;
        const Told all = told(n_trees + 1, n_classes, 300, impossible, Random({seed + 1, 2, 3, 4}));
        AnswerTrust trust(n_trees);
        std::vector<double> answer(n_classes);
        std::vector<double> losses(n_trees + 1);
        double loss = 0;
        for (std::size_t i = 0; i < all.labels.size(); ++i) {
            trust.weigh(all.answers[i], answer);
            CHECK(is_close(std::accumulate(answer.begin(), answer.end(), 0.0), 1));
            loss -= std::log(answer[all.labels[i]]);
            for (std::size_t a = 0; a <= n_trees; ++a) losses[a] -= std::log(all.of_label(a, i));
            const auto n = static_cast<double>(i + 1);
            const auto trees = static_cast<double>(n_trees);
            for (std::size_t t = 0; t < n_trees; ++t) CHECK(loss <= losses[t] + std::log(2 * trees * n) + 1e-9);
            CHECK(loss <= losses[n_trees] + std::log(2 * n) + 1e-9);
            trust.learn(all.answers[i], all.labels[i], 1, static_cast<std::int64_t>(i) + 1);
            CHECK(is_close(std::accumulate(trust.values().begin(), trust.values().end(), 0.0), 1));
        }
    }
}

/// A weight is a power of what was told; one of 0 teaches nothing, and none that is huge makes trust anything but
/// shares.
void weights_are_powers() {
    const std::vector<double> answers{0.2, 0.8, 0.6, 0.4, 0.5, 0.5};
    for (const double weight : {0.25, 1.0, 2.0, 7.5}) {
        AnswerTrust trust(2);
        trust.learn(answers, 1, weight, 1);
        std::vector<double> expected{0.25 * std::pow(0.8, weight), 0.25 * std::pow(0.4, weight),
                                     0.5 * std::pow(0.5, weight)};
        const double sum = expected[0] + expected[1] + expected[2];
        for (std::size_t a = 0; a < 3; ++a) {
            CHECK(is_close(trust.values()[a], 0.5 * expected[a] / sum + 0.5 * first_trust(a, 3)));
        }
    }
    AnswerTrust trust(2);
    trust.learn(answers, 1, 0, 1);
    for (std::size_t a = 0; a < 3; ++a) CHECK(trust.values()[a] == first_trust(a, 3));
    trust.learn(answers, 0, 2147483647.0, 1000);
    CHECK(is_close(trust.values()[1], 1 - (1 - first_trust(1, 3)) / 1001));
    // All are certain of another class: nobody is to be trusted more for it.
    const std::vector<double> before(trust.values().begin(), trust.values().end());
    trust.learn(std::vector<double>{0, 1, 0, 1, 0, 1}, 0, 1, 1001);
    for (std::size_t a = 0; a < 3; ++a) CHECK(trust.values()[a] == before[a]);
}

/// Where all are certain, so is their mean, and no more than certain, however trust was rounded.
void certain_answers() {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const std::size_t n_answers = 2 + seed % 11;
        const Told all = told(n_answers, 2, 200, 0, Random({seed + 1, 2, 3, 4}));
        std::vector<double> certain;
        for (std::size_t a = 0; a < n_answers; ++a) certain.insert(certain.end(), {1, 0});
        AnswerTrust trust(n_answers - 1);
        std::vector<double> answer(2);
        for (std::size_t i = 0; i < all.labels.size(); ++i) {
            trust.learn(all.answers[i], all.labels[i], 1, static_cast<std::int64_t>(i) + 1);
            trust.weigh(certain, answer);
            CHECK(answer[0] == 1 && answer[1] == 0);
        }
    }
}

}  // namespace

int main() {
    is_bayes_rule();
    loses_no_more_than_it_promises(0);
    loses_no_more_than_it_promises(0.02);
    weights_are_powers();
    certain_answers();
    return sapwood::check::finish();
}
