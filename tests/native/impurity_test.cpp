// Layer 1: the criteria against their definitions, computed in long double.
#include "sapwood/impurity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "check.hpp"

namespace {

using sapwood::Count;
using Counts = std::vector<Count>;

/// |u| times the impurity of the shares of u, as a sum over the classes.
struct EntropyByDefinition {
    static long double term(long double count, long double n) { return count > 0 ? -count * std::log(count / n) : 0; }
};

struct GiniByDefinition {
    static long double term(long double count, long double n) { return count * (n - count) / n; }
};

/// For two classes, each of which is half of 2 sqrt(p (1 - p)).
struct KearnsMansourByDefinition {
    static long double term(long double count, long double n) { return std::sqrt(count) * std::sqrt(n - count); }
};

template <class Definition>
long double weighted(std::span<const Count> counts) {
    long double n = 0;
    for (const Count count : counts) n += count;
    long double sum = 0;
    if (n > 0) {
        for (const Count count : counts) sum += Definition::term(count, n);
    }
    return sum;
}

template <class Definition>
long double weighted(Count u, Count v) {
    return weighted<Definition>(std::array{u, v});
}

Counts difference(const Counts& all, const Counts& some) {
    Counts rest(all);
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= some[k];
    return rest;
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
            CHECK(score == criterion.score(c0 - a, c1 - b, c0, c1));
            CHECK(score == criterion.score(b, a, c1, c0));
            // The loops are the same arithmetic, so the same bits: ties must not depend on which one ran.
            double in_loop = -1;
            criterion.scores(&a, &b, 1, c0, c1, &in_loop);
            CHECK(in_loop == score);
        }
    }
}

/// Many scores at once, from counts side by side and from counts in records of four words, are the single scores.
template <class Criterion>
void loops_are_the_same_arithmetic(Count c0, Count c1, std::mt19937& random) {
    Criterion criterion;
    criterion.cover(c0 + c1);
    // Not a multiple of any vector's length.
    constexpr std::size_t size = 53;
    const auto draw = [&](Count most) { return static_cast<Count>(random() % (static_cast<unsigned>(most) + 1)); };
    std::array<Count, size> on0;
    std::array<Count, size> on1;
    for (std::size_t i = 0; i < size; ++i) {
        on0[i] = i == 0 ? 0 : i == 1 ? c0 : draw(c0);
        on1[i] = i == 0 ? 0 : i == 1 ? c1 : draw(c1);
    }
    std::array<double, size> scores;
    criterion.scores(on0.data(), on1.data(), size, c0, c1, scores.data());
    for (std::size_t i = 0; i < size; ++i) CHECK(scores[i] == criterion.score(on0[i], on1[i], c0, c1));
}

/// Counts that sum to at most n, in one of the shapes that sums are hard on: alike, most in one class, few points.
Counts drawn(std::size_t n_classes, Count n, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> shares(n_classes);
    const unsigned shape = random() % 4;
    for (double& share : shares) share = shape == 0 ? 1 : std::pow(uniform(random), shape == 1 ? 1 : 20);
    if (shape == 3) std::fill(shares.begin() + 1, shares.end(), 1e-9);
    std::shuffle(shares.begin(), shares.end(), random);
    double sum = 0;
    for (const double share : shares) sum += share;
    Counts counts(n_classes);
    for (std::size_t k = 0; k < n_classes; ++k) counts[k] = static_cast<Count>(shares[k] / (sum * (1 + 1e-12)) * n);
    return counts;
}

/// Parts of counts: any, nearly none, nearly all, or as near to the share of the whole as they can be.
Counts part_of(const Counts& counts, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0, 1);
    const unsigned shape = random() % 4;
    const double of_all = uniform(random);
    Counts part(counts);
    for (Count& count : part) {
        const Count few = std::min(static_cast<Count>(random() % 3), count);
        if (shape == 0) count = static_cast<Count>(uniform(random) * count);
        if (shape == 1) count = few;
        if (shape == 2) count -= few;
        if (shape == 3) count = static_cast<Count>(of_all * count);
    }
    return part;
}

/// The weighted form for any number of classes, and that for two where there are two.
template <class Criterion, class Definition>
void weighted_follows_the_definition(std::size_t n_classes, Count n, std::mt19937& random) {
    Criterion criterion;
    criterion.cover(n);
    const Counts counts = drawn(n_classes, n, random);
    const long double expected = weighted<Definition>(counts);
    const double bound = criterion.rounding(n, n_classes);
    const double value = criterion.weighted(std::span<const Count>(counts));
    CHECK(std::abs(value - expected) <= bound);
    if (n_classes == 2) CHECK(std::abs(criterion.weighted(counts[0], counts[1]) - expected) <= bound);
    // Classes without points change nothing, wherever they are.
    Counts padded(counts);
    padded.insert(padded.begin() + static_cast<std::ptrdiff_t>(random() % (n_classes + 1)), 0);
    padded.push_back(0);
    CHECK(criterion.weighted(std::span<const Count>(padded)) == value);
}

/// How far a computed n * gain is from the true one, as a part of what `rounding` says it may be.
template <class Criterion, class Definition>
double rounding_used(const Criterion& criterion, const Counts& all, const Counts& on, bool for_two_classes) {
    const Counts off = difference(all, on);
    const long double expected = weighted<Definition>(all) - weighted<Definition>(on) - weighted<Definition>(off);
    double value = 0;
    if (for_two_classes) {
        value = criterion.weighted(all[0], all[1]) - criterion.score(on[0], on[1], all[0], all[1]);
    } else if constexpr (sapwood::MulticlassCriterion<Criterion>) {
        const auto of = [&](const Counts& counts) { return criterion.weighted(std::span<const Count>(counts)); };
        value = of(all) - (of(on) + of(off));
    }
    double n = 0;
    for (const Count count : all) n += count;
    return static_cast<double>(std::abs(value - expected)) / criterion.rounding(n, all.size());
}

/// `rounding` is a bound, and no idle one: a hundredth of it would not do.
template <class Criterion, class Definition>
void rounding_is_a_bound(std::size_t n_classes, int cases, std::mt19937& random) {
    Criterion criterion;
    criterion.cover(sapwood::max_points);
    double worst = 0;
    for (int i = 0; i < cases; ++i) {
        const Count n = i % 4 == 0 ? sapwood::max_points : static_cast<Count>((random() >> 1) >> random() % 31);
        const Counts all = drawn(n_classes, n, random);
        const Counts on = part_of(all, random);
        if (sapwood::MulticlassCriterion<Criterion>) {
            worst = std::max(worst, rounding_used<Criterion, Definition>(criterion, all, on, false));
        }
        if (n_classes == 2) worst = std::max(worst, rounding_used<Criterion, Definition>(criterion, all, on, true));
    }
    CHECK(worst <= 1.0);
    CHECK(worst > 0.01);
}

template <class Criterion>
void pure_sides_cost_exactly_nothing() {
    Criterion criterion;
    for (const Count n : {1, 2, 3, 1000, 1 << 20, (1 << 20) + 1, sapwood::max_points}) {
        criterion.cover(n);
        CHECK(criterion.weighted(n, 0) == 0.0);
        CHECK(criterion.weighted(0, n) == 0.0);
        CHECK(criterion.score(n / 2, 0, n / 2, n - n / 2) == 0.0);
        if constexpr (sapwood::MulticlassCriterion<Criterion>) {
            CHECK(criterion.weighted(std::array{0, n, 0, 0, 0}) == 0.0);
            CHECK(criterion.weighted(std::array{0, 0, 0}) == 0.0);
        }
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

template <class Criterion, class Definition>
void check_for_two_classes(std::mt19937& random) {
    for (const Count c0 : {0, 1, 13, 40}) {
        for (const Count c1 : {0, 1, 17, 40}) scores_follow_the_definition<Criterion, Definition>(c0, c1);
    }
    for (const Count c : {0, 1, 2, 100, 5000, 1 << 19, 1 << 25, sapwood::max_points / 2}) {
        loops_are_the_same_arithmetic<Criterion>(c, c, random);
        loops_are_the_same_arithmetic<Criterion>(c, sapwood::max_points / 2, random);
        loops_are_the_same_arithmetic<Criterion>(3, c, random);
    }
    pure_sides_cost_exactly_nothing<Criterion>();
    classes_are_symmetric<Criterion>();
    rounding_is_a_bound<Criterion, Definition>(2, 200000, random);
}

template <class Criterion, class Definition>
void check_for_many_classes(std::mt19937& random) {
    for (const std::size_t n_classes : {1U, 2U, 3U, 5U, 20U, 300U}) {
        for (const Count n : {0, 1, 2, 10, 4095, 4096, 1 << 20, 1 << 24, sapwood::max_points}) {
            for (int i = 0; i < 20; ++i) weighted_follows_the_definition<Criterion, Definition>(n_classes, n, random);
        }
    }
    for (const std::size_t n_classes : {3U, 5U, 20U}) {
        rounding_is_a_bound<Criterion, Definition>(n_classes, 30000, random);
    }
    rounding_is_a_bound<Criterion, Definition>(1000, 300, random);
}

}  // namespace

int main() {
    static_assert(sapwood::MulticlassCriterion<sapwood::Entropy> && sapwood::MulticlassCriterion<sapwood::Gini>);
    static_assert(!sapwood::MulticlassCriterion<sapwood::KearnsMansour>);
    std::mt19937 random(1);
    check_for_two_classes<sapwood::Entropy, EntropyByDefinition>(random);
    check_for_two_classes<sapwood::Gini, GiniByDefinition>(random);
    check_for_two_classes<sapwood::KearnsMansour, KearnsMansourByDefinition>(random);
    check_for_many_classes<sapwood::Entropy, EntropyByDefinition>(random);
    check_for_many_classes<sapwood::Gini, GiniByDefinition>(random);
    entropy_beyond_the_table();
    return sapwood::check::finish();
}
