// Layer 1: the two criteria against their definitions, computed in long double.
#include "sapwood/impurity.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "check.hpp"

namespace {

using sapwood::Count;

struct EntropyByDefinition {
    static long double of(long double p) {
        return p <= 0 || p >= 1 ? 0.0L : -p * std::log(p) - (1 - p) * std::log(1 - p);
    }
};

struct GiniByDefinition {
    static long double of(long double p) { return p * (1 - p) + (1 - p) * p; }
};

template <class Definition>
long double weighted(Count u, Count v) {
    const long double n = static_cast<long double>(u) + v;
    return n > 0 ? n * Definition::of(v / n) : 0.0L;
}

template <class Criterion, class Definition>
void scores_follow_the_definition(Count c0, Count c1) {
    Criterion criterion;
    criterion.cover(c0 + c1);
    for (Count a = 0; a <= c0; ++a) {
        for (Count b = 0; b <= c1; ++b) {
            const double score = criterion.score(a, b, c0, c1);
            const long double expected = weighted<Definition>(a, b) + weighted<Definition>(c0 - a, c1 - b);
            CHECK(std::abs(static_cast<long double>(score) - expected) < 1e-11L);
            // The vectorised loop is the same arithmetic, so the same bits: ties must not depend on which one ran.
            double in_loop = -1;
            criterion.scores(&a, &b, 1, c0, c1, &in_loop);
            CHECK(in_loop == score);
        }
    }
}

template <class Criterion>
void pure_sides_cost_exactly_nothing() {
    Criterion criterion;
    for (const Count n : {1, 2, 3, 1000, 1 << 20, (1 << 20) + 1, sapwood::max_points}) {
        criterion.cover(n);
        CHECK(criterion.weighted(n, 0) == 0.0);
        CHECK(criterion.weighted(0, n) == 0.0);
        CHECK(criterion.score(n / 2, 0, n / 2, n - n / 2) == 0.0);
    }
    CHECK(criterion.weighted(0, 0) == 0.0);
}

template <class Criterion>
void classes_are_symmetric() {
    Criterion criterion;
    criterion.cover(5000);
    for (const Count u : {0, 1, 7, 999}) {
        for (const Count v : {0, 1, 40, 4001}) {
            CHECK(criterion.weighted(u, v) == criterion.weighted(v, u));
        }
    }
}

// Counts past the end of the largest table of x ln x go through the logarithm itself.
void entropy_beyond_the_table() {
    sapwood::Entropy criterion;
    const Count n = 1 << 22;
    criterion.cover(n);
    const std::array<Count, 3> on0{1, n / 8, n / 4};
    const std::array<Count, 3> on1{n / 2, 5, n / 4};
    std::array<double, 3> scores{};
    criterion.scores(on0.data(), on1.data(), scores.size(), n / 2, n / 2, scores.data());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const long double expected = weighted<EntropyByDefinition>(on0[i], on1[i]) +
                                     weighted<EntropyByDefinition>(n / 2 - on0[i], n / 2 - on1[i]);
        CHECK(std::abs(scores[i] - expected) < 1e-13L * n * std::log(static_cast<long double>(n)));
    }
}

}  // namespace

int main() {
    for (const Count c0 : {0, 1, 13, 40}) {
        for (const Count c1 : {0, 1, 17, 40}) {
            scores_follow_the_definition<sapwood::Entropy, EntropyByDefinition>(c0, c1);
            scores_follow_the_definition<sapwood::Gini, GiniByDefinition>(c0, c1);
        }
    }
    pure_sides_cost_exactly_nothing<sapwood::Entropy>();
    pure_sides_cost_exactly_nothing<sapwood::Gini>();
    classes_are_symmetric<sapwood::Entropy>();
    classes_are_symmetric<sapwood::Gini>();
    entropy_beyond_the_table();
    return sapwood::check::finish();
}
