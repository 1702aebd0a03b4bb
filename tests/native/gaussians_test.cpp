// What leaves know of numbers as numbers: after every point the clouds against all values that were learned, and the
// scores against the definition; values that are huge, alike or missing, classes that come late, memory that is
// refused.
#include "sapwood/tree/predict/gaussians.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "check.hpp"

namespace {

using namespace sapwood;

struct Learned {
    std::size_t number;
    double value;
    Label label;
    Count weight;
};

struct Moments {
    double n = 0;
    double mean = 0;
    double variance = 0;
};

/// Keeps every value, and computes all that is asked from them.
class Twin {
public:
    void learn(std::span<const NumberValue> numbers, Label label, Count weight) {
        for (const NumberValue& each : numbers) {
            if (std::abs(each.value) <= Gaussians::largest_value) {
                learned_.push_back({index_of(each.attribute), each.value, label, weight});
            }
        }
    }

    std::vector<double> scores(std::span<const NumberValue> numbers, std::size_t n_classes) const {
        std::vector<double> found(n_classes);
        for (const NumberValue& each : numbers) {
            const Moments all = moments(index_of(each.attribute), nullptr);
            if (all.n == 0 || !(all.variance > 0) || std::abs(each.value) > Gaussians::largest_value) continue;
            for (Label k = 0; k < n_classes; ++k) {
                const Moments own = moments(index_of(each.attribute), &k);
                const double mean = (own.n * own.mean + all.mean) / (own.n + 1);
                const double spread = (own.n * (own.variance + std::pow(own.mean - mean, 2)) + all.variance +
                                       std::pow(all.mean - mean, 2)) /
                                      (own.n + 1);
                found[k] -= std::min(std::pow(each.value - mean, 2) / spread, 16.0) / 2;
                found[k] -= std::log(spread / all.variance) / 2;
            }
        }
        return found;
    }

    Moments moments(std::size_t number, const Label* label) const {
        Moments found;
        double first = 0;
        const auto is_it = [&](const Learned& each) {
            return each.number == number && (label == nullptr || each.label == *label);
        };
        for (const Learned& each : learned_) {
            if (!is_it(each)) continue;
            if (found.n == 0) first = each.value;
            found.n += each.weight;
            found.mean += each.weight * (each.value - first);
        }
        if (found.n == 0) return found;
        found.mean = first + found.mean / found.n;
        for (const Learned& each : learned_) {
            if (is_it(each)) found.variance += each.weight * std::pow(each.value - found.mean, 2) / found.n;
        }
        return found;
    }

private:
    std::vector<Learned> learned_;
};

bool is_close(double found, double expected, double scale) {
    return std::abs(found - expected) <= 1e-9 * std::max({1.0, std::abs(expected), scale});
}

const auto unlimited = [](std::size_t) { return true; };

/// Numbers that vary, all of them.
Attributes varying(std::size_t n_numbers) {
    Attributes attributes;
    for (std::size_t i = 0; i < n_numbers; ++i) {
        attributes.add_number({static_cast<FeatureId>(i), 0, true});
    }
    return attributes;
}

std::vector<double> scores_of(const Gaussians& gaussians, const Point& point, std::size_t n_classes) {
    std::vector<double> scores(n_classes);
    std::vector<double> products(n_classes);
    gaussians.add_scores(point, scores, products);
    return scores;
}

void check_like_twin(unsigned seed, std::size_t n_numbers, std::size_t most_classes, double scale) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return random() % n; };
    const Attributes attributes = varying(n_numbers);
    Gaussians gaussians;
    Twin twin;
    std::normal_distribution<double> normal;
    std::size_t n_classes = 2;
    for (int step = 0; step < 120; ++step) {
        std::vector<NumberValue> numbers;
        for (std::size_t i = 0; i < n_numbers; ++i) {
            if (below(4) == 0) continue;  // missing
            const double value = below(5) == 0 ? scale : scale * (normal(random) + static_cast<double>(i));
            numbers.push_back({attribute_at(i), value});
        }
        if (below(20) == 0 && n_classes < most_classes) ++n_classes;
        const auto label = static_cast<Label>(below(n_classes));
        const auto weight = static_cast<Count>(1 + below(3));
        Point point(Features(), numbers);
        point.attributes = &attributes;
        const std::vector<double> found = scores_of(gaussians, point, n_classes);
        const std::vector<double> expected = twin.scores(numbers, n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) CHECK(is_close(found[k], expected[k], 1));
        gaussians.learn(point, label, weight, n_classes, unlimited);
        twin.learn(numbers, label, weight);
        for (std::size_t i = 0; i < gaussians.n_numbers(); ++i) {
            for (Label k = 0; k < gaussians.clouds_at(i).size(); ++k) {
                const Gaussians::Cloud& cloud = gaussians.clouds_at(i)[k];
                const Moments all = twin.moments(index_of(gaussians.number_at(i)), &k);
                CHECK(cloud.n == all.n);
                CHECK(is_close(cloud.mean / scale, all.mean / scale, 1));
                CHECK(is_close(cloud.squares / scale / scale, all.n * all.variance / scale / scale, all.n));
            }
        }
    }
}

void check_hostile_values() {
    const Attributes attributes = varying(2);
    const double largest = std::numeric_limits<double>::max();
    const double least = std::numeric_limits<double>::denorm_min();
    const std::vector<double> values{0,     -0.0,  1,      largest, -largest, 1e100, -1e100,  1e99,
                                     -1e99, least, -least, 1e-160,  1e-300,   1e16,  1e16 + 2};
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        Gaussians gaussians;
        for (int step = 0; step < 40; ++step) {
            const std::vector<NumberValue> numbers{{attribute_at(0), values[random() % values.size()]},
                                                   {attribute_at(1), values[random() % values.size()]}};
            Point point(Features(), numbers);
            point.attributes = &attributes;
            for (const double score : scores_of(gaussians, point, 3)) CHECK(std::isfinite(score));
            const Count weight = random() % 5 == 0 ? (1 << 28) : 1;
            gaussians.learn(point, static_cast<Label>(random() % 3), weight, 3, unlimited);
            for (std::size_t i = 0; i < gaussians.n_numbers(); ++i) {
                for (const Gaussians::Cloud& cloud : gaussians.clouds_at(i)) {
                    CHECK(std::isfinite(cloud.mean) && std::isfinite(cloud.squares) && cloud.squares >= 0);
                }
            }
        }
    }
}

void check_what_says_nothing() {
    Attributes attributes;
    attributes.add_number({0, 7, false});
    const std::vector<NumberValue> numbers{{attribute_at(0), 7}};
    Point point(Features(), numbers);
    point.attributes = &attributes;
    Gaussians gaussians;
    gaussians.learn(point, 0, 1, 2, unlimited);
    CHECK(gaussians.empty());  // it never differed
    attributes.note_varies(attribute_at(0));
    gaussians.learn(point, 0, 1, 2, unlimited);
    CHECK(gaussians.n_numbers() == 1);
    for (const double score : scores_of(gaussians, point, 2)) CHECK(score == 0);  // of one value
    Gaussians refused;
    refused.learn(point, 0, 1, 2, [](std::size_t) { return false; });
    CHECK(refused.empty());
}

void check_price_is_enough() {
    const std::size_t n_numbers = 3000;
    const Attributes attributes = varying(n_numbers);
    Gaussians gaussians;
    for (std::size_t i = 0; i < n_numbers; ++i) {
        const std::size_t at = i * 7919 % n_numbers;
        const std::vector<NumberValue> numbers{{attribute_at(at), 1.5}};
        Point point(Features(), numbers);
        point.attributes = &attributes;
        const std::size_t before = gaussians.n_bytes();
        std::size_t asked = 0;
        gaussians.learn(point, 1, 1, 2, [&](std::size_t more) {
            asked += more;
            return true;
        });
        CHECK(gaussians.n_bytes() <= before + asked);
    }
}

}  // namespace

int main() {
    unsigned seed = 0;
    for (const std::size_t n_numbers : {std::size_t{1}, std::size_t{3}, std::size_t{40}}) {
        for (const std::size_t most_classes : {std::size_t{2}, std::size_t{5}}) {
            for (const double scale : {1.0, 1e-6, 1e60}) check_like_twin(++seed, n_numbers, most_classes, scale);
        }
    }
    check_hostile_values();
    check_what_says_nothing();
    check_price_is_enough();
    return sapwood::check::finish();
}
