// The mixer and the trunk that leaves which mix share: gradients against differences, the form for many classes against
// that for two, records against plain sums.
#include "sapwood/tree/predict/mixer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "check.hpp"
#include "sapwood/tree/predict/mixed_trunk.hpp"

namespace {

using namespace sapwood;

bool is_close(double found, double true_value, double tolerance) {
    return std::abs(found - true_value) <= tolerance * std::max(1.0, std::abs(true_value));
}

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
    std::size_t below(std::size_t n) { return random_() % n; }
    MixerWeights weights() {
        MixerWeights drawn;
        for (double& each : drawn) each = between(-0.5, 1);
        return drawn;
    }
    /// An opinion of every expert on each class, as the mixer takes them.
    std::vector<double> opinions(std::size_t n_classes) {
        std::vector<double> drawn(n_experts * n_classes);
        for (double& each : drawn) each = between(-6, 6);
        for (std::size_t e = 0; e < n_experts; ++e) mixing::level(std::span(drawn).subspan(e * n_classes, n_classes));
        return drawn;
    }

private:
    std::mt19937 random_;
};

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

std::vector<double> softmax(std::vector<double> scores) {
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& each : scores) sum += each = std::exp(each - largest);
    for (double& each : scores) each /= sum;
    return scores;
}

std::vector<double> mixed(const MixerWeights& weights, const std::vector<double>& opinions) {
    std::vector<double> found(opinions.size() / n_experts);
    mixing::mix(weights, opinions, found);
    return softmax(found);
}

using Opinions = std::array<double, n_experts>;

/// The logarithmic loss of a point.
double binary_loss(const MixerWeights& weights, const Opinions& opinions, std::size_t label) {
    const double z = mixing::mix(weights, opinions);
    return std::log1p(std::exp(label == 1 ? -z : z));
}
double loss(const MixerWeights& weights, const std::vector<double>& opinions, std::size_t label) {
    return -std::log(mixed(weights, opinions)[label]);
}

MixerWeights learned(MixerWeights weights, const Opinions& opinions, std::size_t label, double weight) {
    mixing::learn(weights, opinions, sigmoid(mixing::mix(weights, opinions)) - static_cast<double>(label), weight);
    return weights;
}
MixerWeights learned(MixerWeights weights, const std::vector<double>& opinions, std::size_t label, double weight) {
    std::vector<double> errors = mixed(weights, opinions);
    errors[label] -= 1;
    mixing::learn(weights, opinions, errors, weight);
    return weights;
}

/// The derivative of a loss by each weight, by a difference.
template <class Loss>
MixerWeights slope(const MixerWeights& weights, Loss loss_at) {
    MixerWeights found;
    constexpr double step = 1e-5;
    for (std::size_t e = 0; e < n_experts; ++e) {
        MixerWeights above = weights;
        MixerWeights below = weights;
        above[e] += step;
        below[e] -= step;
        found[e] = (loss_at(above) - loss_at(below)) / (2 * step);
    }
    return found;
}

void steps_follow_the_gradient() {
    Draw draw(1);
    for (int round = 0; round < 300; ++round) {
        const MixerWeights weights = draw.weights();
        const std::size_t label = draw.below(2);
        const double weight = draw.between(0.1, 1);
        Opinions opinions;
        for (double& each : opinions) each = mixing::clipped(draw.between(-9, 9));
        const MixerWeights after = learned(weights, opinions, label, weight);
        const MixerWeights down = slope(weights, [&](const auto& at) { return binary_loss(at, opinions, label); });
        for (std::size_t e = 0; e < n_experts; ++e) {
            CHECK(is_close((weights[e] - after[e]) / (mixing::rate * weight), down[e], 1e-6));
        }
    }
    for (const std::size_t n_classes : {2u, 3u, 5u, 20u}) {
        for (int round = 0; round < 100; ++round) {
            const MixerWeights weights = draw.weights();
            const std::size_t label = draw.below(n_classes);
            const std::vector<double> opinions = draw.opinions(n_classes);
            const MixerWeights after = learned(weights, opinions, label, 1);
            const MixerWeights down = slope(weights, [&](const auto& at) { return loss(at, opinions, label); });
            for (std::size_t e = 0; e < n_experts; ++e) {
                CHECK(is_close((weights[e] - after[e]) / mixing::rate, down[e], 1e-6));
            }
        }
    }
}

void two_classes_either_way() {
    Draw draw(2);
    for (int round = 0; round < 500; ++round) {
        const MixerWeights weights = draw.weights();
        const std::size_t label = draw.below(2);
        Opinions binary;
        std::vector<double> opinions(2 * n_experts);
        for (std::size_t e = 0; e < n_experts; ++e) {
            // As scores of two classes the same opinion is any two numbers with this difference.
            const double z = draw.between(-12, 12);
            const double any = draw.between(-30, 30);
            binary[e] = mixing::clipped(z);
            opinions[2 * e] = any;
            opinions[2 * e + 1] = any + z;
            mixing::level(std::span(opinions).subspan(2 * e, 2));
        }
        CHECK(is_close(mixed(weights, opinions)[1], sigmoid(mixing::mix(weights, binary)), 1e-12));
        const double weight = draw.between(0.1, 500);
        const MixerWeights one_way = learned(weights, binary, label, weight);
        const MixerWeights other_way = learned(weights, opinions, label, weight);
        for (std::size_t e = 0; e < n_experts; ++e) CHECK(is_close(one_way[e], other_way[e], 1e-10));
    }
}

void levelled() {
    std::vector<double> opinion{3, 1, -20, 3};
    mixing::level(opinion);
    CHECK((opinion == std::vector<double>{0, -2, -mixing::clip, 0}));
    CHECK(mixing::clipped(100) == mixing::clip && mixing::clipped(-100) == -mixing::clip &&
          mixing::clipped(0.5) == 0.5);
}

/// However heavy, a point never makes the mix worse on itself: no step is longer than the inverse of the curvature.
void heavy_points() {
    CHECK(mixing::step_length(1, 4) == mixing::rate);
    CHECK(mixing::step_length(0.25, 4) == mixing::rate / 4);
    CHECK(mixing::step_length(1e9, 50) == 4.0 / 50);
    // The largest ranges there can be without numbers: half of the inverse curvature for a point of weight 1. With
    // numbers there is one expert more, and the step is still not capped.
    const double range = mixing::clip * mixing::clip;
    const double most = static_cast<double>(n_common_experts) * range;
    CHECK(is_close(mixing::step_length(1, most), 0.5 * 4 / most, 1e-15));
    CHECK(mixing::step_length(1, static_cast<double>(n_experts) * range) == mixing::rate);
    Draw draw(3);
    for (int round = 0; round < 500; ++round) {
        const MixerWeights weights = draw.weights();
        const double weight = std::exp(draw.between(-3, 14));
        Opinions binary;
        for (double& each : binary) each = mixing::clipped(draw.between(-9, 9));
        const std::size_t label = draw.below(2);
        CHECK(binary_loss(learned(weights, binary, label, weight), binary, label) <=
              binary_loss(weights, binary, label) + 1e-12);
        const std::size_t n_classes = 2 + draw.below(6);
        const std::vector<double> opinions = draw.opinions(n_classes);
        const std::size_t one = draw.below(n_classes);
        CHECK(loss(learned(weights, opinions, one, weight), opinions, one) <= loss(weights, opinions, one) + 1e-12);
    }
    // Nobody has an opinion: nothing to learn, and nothing is divided by 0.
    const Opinions none{};
    CHECK(learned(mixing::first_weights, none, 1, 1e9) == mixing::first_weights);
}

/// Experts on numbers that join make of what a mix begins with what it would have begun with; they join once, and no
/// weights are drawn back to those of a mix without them.
void numbers_join() {
    MixerWeights weights = mixing::first_weights;
    CHECK(!mixing::mixes_numbers(weights));
    mixing::let_numbers_join(weights);
    CHECK(mixing::mixes_numbers(weights));
    for (std::size_t e = 0; e < n_experts; ++e) {
        CHECK(is_close(weights[e], mixing::first_weights_of_numbers[e], 1e-15));
    }
    Draw draw(6);
    for (const bool joins : {false, true}) {
        MixerWeights learned = draw.weights();
        learned[gaussians_expert] = learned[trunk_gaussians_expert] = 0;
        const MixerWeights before = learned;
        if (joins) mixing::let_numbers_join(learned);
        for (std::size_t e = 0; joins && e < n_common_experts; ++e) {
            CHECK(is_close(learned[e], before[e] * 2 / 3, 1e-15));
        }
        for (int i = 0; i < 200; ++i) mixing::fade(learned, 0.8);
        const MixerWeights& first = joins ? mixing::first_weights_of_numbers : mixing::first_weights;
        for (std::size_t e = 0; e < n_experts; ++e) CHECK(is_close(learned[e], first[e], 1e-12));
    }
}

void step_scales() {
    CHECK(mixing::step_scale(0, 0) == 1);
    CHECK(mixing::step_scale(3, 10) == 1);
    CHECK(is_close(mixing::step_scale(160, 10), 0.25, 1e-15));
}

// ---- the trunk ---------------------------------------------------------------------------------------------------

/// A trunk by its definition, in double precision: by regression, by feature (the intercept last), by output.
struct PlainTrunk {
    PlainTrunk(std::size_t features, std::size_t outputs, std::size_t classes)
        : n_outputs(outputs),
          weights(n_trunks, std::vector(features + 1, std::vector<double>(outputs))),
          squares(features + 1, std::vector<double>(outputs)),
          counts(features, std::vector<std::int64_t>(classes)),
          n_of_class(classes) {}

    std::vector<double> scores(std::size_t t, Features features) const {
        std::vector<double> found = weights[t].back();
        for (const FeatureId id : features) {
            for (std::size_t k = 0; k < n_outputs; ++k) found[k] += weights[t][static_cast<std::size_t>(id)][k];
        }
        return found;
    }

    void learn(Features features, std::span<const double> gradients, double scale, Label label, Count weight) {
        n_of_class[label] += weight;
        std::vector<std::size_t> places{squares.size() - 1};
        for (const FeatureId id : features) {
            places.push_back(static_cast<std::size_t>(id));
            counts[places.back()][label] += weight;
        }
        for (const std::size_t at : places) {
            for (std::size_t k = 0; k < n_outputs; ++k) {
                squares[at][k] += gradients[k] * gradients[k];
                for (std::size_t t = 0; t < n_trunks; ++t) {
                    weights[t][at][k] -=
                        mixing::trunk_steps[t] * scale * gradients[t * n_outputs + k] / std::sqrt(1 + squares[at][k]);
                }
            }
        }
    }

    std::size_t n_outputs;
    std::vector<std::vector<std::vector<double>>> weights;
    std::vector<std::vector<double>> squares;
    std::vector<std::vector<std::int64_t>> counts;
    std::vector<std::int64_t> n_of_class;
};

std::vector<double> scores_of(const MixedTrunk& trunk, Features features) {
    std::vector<const Word*> records;
    trunk.find(features, records);
    std::vector<double> found(n_trunks * trunk.n_outputs());
    trunk.add_scores(records, found);
    return found;
}

/// The probabilities of the classes by one of the regressions.
std::vector<double> probabilities(std::span<const double> scores) {
    if (scores.size() == 1) return {1 - sigmoid(scores[0]), sigmoid(scores[0])};
    return softmax({scores.begin(), scores.end()});
}

std::vector<FeatureId> some_features(Draw& draw, std::size_t n_features) {
    std::vector<FeatureId> found;
    for (std::size_t j = 0; j < n_features; ++j) {
        if (draw.below(4) == 0) found.push_back(static_cast<FeatureId>(j));
    }
    return found;
}

/// Lets a trunk learn random points with the gradients of its own scores, and its plain twin the same.
void teach(MixedTrunk& trunk, PlainTrunk& plain, Draw& draw, int n_points) {
    const std::size_t n_outputs = trunk.n_outputs();
    std::vector<Word*> records;
    for (int i = 0; i < n_points; ++i) {
        const std::vector<FeatureId> features = some_features(draw, plain.counts.size());
        const auto label = static_cast<Label>(draw.below(trunk.n_classes()));
        const auto weight = static_cast<Count>(1 + draw.below(3));
        const double scale = draw.between(0.2, 1);
        std::vector<double> gradients = scores_of(trunk, features);
        for (std::size_t t = 0; t < n_trunks; ++t) {
            const std::span<double> of = std::span(gradients).subspan(t * n_outputs, n_outputs);
            const std::vector<double> p = probabilities(of);
            const std::size_t first = n_outputs == 1 ? 1 : 0;
            for (std::size_t k = 0; k < n_outputs; ++k) of[k] = (p[first + k] - (first + k == label ? 1 : 0)) * weight;
        }
        trunk.find(features, records);
        trunk.learn(records, gradients, scale, label, weight);
        plain.learn(features, gradients, scale, label, weight);
    }
}

void layout() {
    // Two classes: three weights, one sum of squares, two counts, in half a cache line and never in two.
    MixedTrunk two(ModelLayout::of(LeafPrediction::mixed, 2));
    CHECK(two.n_outputs() == 1 && two.squares_at() == 3 && two.counts_at() == 4 && two.words_in_record() == 6);
    two.cover(10);
    CHECK(two.size() == 10 && two.contains(9) && !two.contains(10));
    for (FeatureId id = 0; id < 10; ++id) CHECK(reinterpret_cast<std::uintptr_t>(two.record(id)) % 32 == 0);
    CHECK(two.record(1) - two.record(0) == 8);
    // Five: 15 weights, 5 sums, 5 counts: 25 words, in four blocks of eight.
    MixedTrunk five(ModelLayout::of(LeafPrediction::mixed, 5));
    CHECK(five.squares_at() == 15 && five.counts_at() == 20 && five.words_in_record() == 25);
    five.cover(3);
    CHECK(five.size() == 3 && five.record(1) - five.record(0) == 32);
    // More features: those that there were keep what they know, a new one knows nothing.
    five.record(2)[24].count = 7;
    const std::size_t before = five.n_bytes();
    const std::size_t more = five.bytes_to_cover(1000);
    five.cover(1000);
    CHECK(five.n_bytes() == before + more && five.record(2)[24].count == 7 && five.record(999)[24].count == 0);
}

void trunk_against_plain_sums() {
    Draw draw(4);
    constexpr std::size_t n_features = 12;
    for (const std::size_t n_classes : {2u, 3u, 5u}) {
        MixedTrunk trunk(ModelLayout::of(LeafPrediction::mixed, n_classes));
        trunk.cover(n_features);
        PlainTrunk plain(n_features, trunk.n_outputs(), n_classes);
        teach(trunk, plain, draw, 300);
        CHECK(std::equal(plain.n_of_class.begin(), plain.n_of_class.end(), trunk.n_of_class().begin()));
        for (std::size_t j = 0; j < n_features; ++j) {
            const Word* record = trunk.record(static_cast<FeatureId>(j));
            for (std::size_t k = 0; k < n_classes; ++k) {
                CHECK(record[trunk.counts_at() + k].count == plain.counts[j][k]);
            }
            for (std::size_t k = 0; k < trunk.n_outputs(); ++k) {
                CHECK(is_close(static_cast<double>(record[trunk.squares_at() + k].weight), plain.squares[j][k], 1e-4));
            }
        }
        for (int round = 0; round < 20; ++round) {
            std::vector<FeatureId> features = some_features(draw, n_features);
            const std::vector<double> found = scores_of(trunk, features);
            for (std::size_t t = 0; t < n_trunks; ++t) {
                const std::vector<double> expected = plain.scores(t, features);
                for (std::size_t k = 0; k < expected.size(); ++k) {
                    // Weights are kept in single precision.
                    CHECK(is_close(found[t * expected.size() + k], expected[k], 1e-4));
                }
            }
            // A feature that the trunk has not met says nothing.
            features.push_back(static_cast<FeatureId>(n_features + 5));
            CHECK(scores_of(trunk, features) == found);
        }
    }
}

void widened() {
    Draw draw(5);
    constexpr std::size_t n_features = 12;
    for (const std::size_t n_classes : {2u, 3u}) {
        MixedTrunk trunk(ModelLayout::of(LeafPrediction::mixed, n_classes));
        trunk.cover(n_features);
        PlainTrunk plain(n_features, trunk.n_outputs(), n_classes);
        teach(trunk, plain, draw, 200);
        const MixedTrunk wide = trunk.widened(ModelLayout::of(LeafPrediction::mixed, 5));
        CHECK(wide.n_classes() == 5 && wide.n_outputs() == 5 && wide.size() == n_features);
        for (int round = 0; round < 50; ++round) {
            const std::vector<FeatureId> features = some_features(draw, n_features);
            const std::vector<double> before = scores_of(trunk, features);
            const std::vector<double> after = scores_of(wide, features);
            for (std::size_t t = 0; t < n_trunks; ++t) {
                const std::span<const double> of = std::span(after).subspan(t * 5, 5);
                const std::vector<double> known =
                    probabilities(std::span(before).subspan(t * trunk.n_outputs(), trunk.n_outputs()));
                const std::vector<double> among_known =
                    softmax({of.begin(), of.begin() + static_cast<std::ptrdiff_t>(n_classes)});
                for (std::size_t k = 0; k < n_classes; ++k) CHECK(is_close(among_known[k], known[k], 1e-12));
                for (std::size_t k = n_classes; k < 5; ++k) CHECK(of[k] == 0);
            }
        }
        for (std::size_t j = 0; j < n_features; ++j) {
            const Word* narrow = trunk.record(static_cast<FeatureId>(j));
            const Word* wider = wide.record(static_cast<FeatureId>(j));
            for (std::size_t k = 0; k < 5; ++k) {
                const bool is_known = k < n_classes;
                const std::size_t from = trunk.squares_at() + (trunk.n_outputs() == 1 ? 0 : k);
                CHECK(wider[wide.squares_at() + k].weight == (is_known ? narrow[from].weight : 0));
                CHECK(wider[wide.counts_at() + k].count == (is_known ? narrow[trunk.counts_at() + k].count : 0));
            }
        }
        for (std::size_t k = 0; k < 5; ++k) CHECK(wide.n_of_class()[k] == (k < n_classes ? trunk.n_of_class()[k] : 0));
    }
}

}  // namespace

int main() {
    steps_follow_the_gradient();
    two_classes_either_way();
    levelled();
    heavy_points();
    numbers_join();
    step_scales();
    layout();
    trunk_against_plain_sums();
    widened();
    return check::finish();
}
