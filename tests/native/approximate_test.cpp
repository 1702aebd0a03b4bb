// UpdEnt and UpdGini against brute force after every point, more than a million points in all, on hostile streams.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "brute_force.hpp"
#include "check.hpp"
#include "sapwood/search/approximate/n_trees.hpp"
#include "sapwood/search/families.hpp"
#include "sapwood/search/search_choice.hpp"
#include "streams.hpp"

namespace {

using sapwood::Criterion;
using sapwood::Split;
using sapwood::SplitSearch;
using sapwood::streams::Point;

constexpr double rounding = 1 + 1e-9;

/// Whether a score is within a factor 1 + alpha of the best possible; so 0 where 0 is possible.
bool within(double score, double best, double alpha) { return score <= best * (1 + alpha) * rounding; }

template <class Definition>
bool agrees(SplitSearch& search, const sapwood::oracle::BruteForce<Definition>& oracle, double alpha, int step) {
    const std::optional<Split> best = search.best();
    if (!best) return CHECK(oracle.n_features() == 0);
    const std::vector<double> scores = oracle.scores();
    bool holds = CHECK(within(best->score, scores[0], alpha));
    holds &= CHECK(std::abs(best->score - oracle.score(best->feature())) < 1e-8);
    holds &= CHECK(std::abs(best->gain - oracle.gain(best->feature())) < 1e-8);
    if (step % 8 != 0) return holds;
    const std::size_t k = static_cast<std::size_t>(step) / 8 % (scores.size() + 2) + 1;
    const std::vector<Split> top = search.top(k);
    holds &= CHECK(top.size() == std::min(k, scores.size()));
    for (std::size_t i = 0; i < top.size(); ++i) {
        holds &= CHECK(within(top[i].score, scores[i], alpha));
        holds &= CHECK(i == 0 || comes_before(top[i - 1], top[i]));
    }
    return holds;
}

/// Runs one stream; `every` is how many points go by between queries. The number of points that were checked.
template <class Definition>
long run(Criterion criterion, const std::vector<Point>& points, double alpha, int every, const std::string& name) {
    const std::unique_ptr<SplitSearch> made = sapwood::make_approximate(criterion, alpha);
    SplitSearch& search = *made;
    sapwood::oracle::BruteForce<Definition> oracle;
    int step = 0;
    for (const Point& point : points) {
        search.add(point.features, point.label);
        oracle.add(point.features, point.label);
        if (++step % every != 0) continue;
        bool holds = agrees(search, oracle, alpha, step);
        try {
            search.validate();
        } catch (const std::exception& error) {
            constexpr bool structure_is_valid = false;
            holds = CHECK(structure_is_valid);
            std::fprintf(stderr, "  %s\n", error.what());
        }
        if (!holds) {
            std::fprintf(stderr, "  %s, alpha %g, a query every %d, point %d\n", name.c_str(), alpha, every, step);
            break;
        }
    }
    return step;
}

std::uint64_t moves_of(const SplitSearch& search) {
    for (const auto& [name, number] : search.stats()) {
        if (name == "moves") return number;
    }
    return 0;
}

/// A copy and a restored state answer as the original does from then on.
void continues_after_copy_and_restore(Criterion criterion) {
    const auto points = sapwood::streams::make("slow drift", 300, 20, 7);
    const std::unique_ptr<SplitSearch> search = sapwood::make_approximate(criterion, 0.05);
    for (std::size_t i = 0; i < 150; ++i) {
        search->add(points[i].features, points[i].label);
        search->best();
    }
    const std::unique_ptr<SplitSearch> copy = search->clone();
    const std::unique_ptr<SplitSearch> restored = sapwood::make_approximate(criterion, 0.05);
    restored->restore(search->state());
    for (std::size_t i = 150; i < points.size(); ++i) {
        for (SplitSearch* each : {search.get(), copy.get(), restored.get()}) {
            each->add(points[i].features, points[i].label);
            each->validate();
        }
        CHECK(search->best()->feature() == copy->best()->feature());
        CHECK(search->best()->feature() == restored->best()->feature());
        CHECK(sapwood::n_trees(*search) > 0);
        CHECK(sapwood::n_trees(*search) == sapwood::n_trees(*copy));
        CHECK(sapwood::n_trees(*search) == sapwood::n_trees(*restored));
    }
    CHECK(moves_of(*search) == moves_of(*copy));
    CHECK(moves_of(*search) == moves_of(*restored));
}

/// With the smallest alpha there are millions of bins, and a feature that is off goes through hundreds of thousands of
/// them: as many moves as the paper allows, each of which takes logarithmic time. (If making a bin took time for all
/// others, this would take minutes.)
void takes_the_smallest_alpha() {
    constexpr double alpha = sapwood::smallest_alpha;
    const std::unique_ptr<SplitSearch> search = sapwood::make_approximate(Criterion::entropy, alpha);
    sapwood::oracle::BruteForce<sapwood::oracle::EntropyByDefinition> oracle;
    for (int i = 0; i < 40; ++i) {
        const std::vector<sapwood::FeatureId> features(i % 10 == 0 ? 1 : 0);
        search->add(features, i % 3 == 0);
        oracle.add(features, i % 3 == 0);
        agrees(*search, oracle, alpha, i);
    }
    CHECK(moves_of(*search) > 100'000);
    CHECK(static_cast<double>(moves_of(*search)) < 1 / alpha);
}

}  // namespace

/// Of the streams, with a part and a number of parts as arguments, those whose turn it is.
int main(int argc, char** argv) {
    using namespace sapwood;
    const auto [part, parts] = check::part_of(argc, argv);
    long points = 0;
    std::size_t turn = 0;
    for (const std::string_view name : streams::names) {
        for (unsigned seed = 0; seed < 10; ++seed) {
            if (turn++ % parts != part) continue;
            const int d = seed % 3 == 0 ? 3 : 10;
            const auto stream = streams::make(name, 500, d, seed);
            for (const double alpha : {0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 40.0}) {
                // A small alpha means thousands of bins, and as many steps of a feature through them.
                if (alpha < 0.1 && seed % 4 != 0) continue;
                const int every = seed % 7 == 6 ? 17 : 1;
                points += run<oracle::EntropyByDefinition>(Criterion::entropy, stream, alpha, every,
                                                           "UpdEnt, " + std::string(name));
                points += run<oracle::GiniByDefinition>(Criterion::gini, stream, alpha, every,
                                                        "UpdGini, " + std::string(name));
            }
        }
    }
    CHECK(points * static_cast<long>(parts) >= 900'000);
    continues_after_copy_and_restore(Criterion::entropy);
    continues_after_copy_and_restore(Criterion::gini);
    takes_the_smallest_alpha();
    std::fprintf(stderr, "%ld points\n", points);
    return check::finish();
}
