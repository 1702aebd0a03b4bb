// Every search over counts up to 2^31 - 1, where 32 bits overflow if they are multiplied or added once too often: the
// exact searches against each other and against the definition, the approximate ones within their factor. Built with
// the undefined-behaviour sanitizer, an overflow that changes no answer is found too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "brute_force.hpp"
#include "check.hpp"
#include "sapwood/search/make_search.hpp"

namespace {

using sapwood::Count;
using sapwood::Criterion;
using sapwood::FeatureId;
using sapwood::Label;
using sapwood::SearchChoice;
using sapwood::SearchKind;
using sapwood::Split;
using sapwood::SplitSearch;

struct Step {
    std::vector<FeatureId> features;
    Label label;
    Count weight;
    bool removes;
};

/// Points whose weights are of every size, until a node can hold no more; some are taken back.
std::vector<Step> steps(std::mt19937& random, std::size_t n_classes, bool with_removals) {
    std::vector<Step> list;
    std::vector<Step> added;
    std::int64_t room = sapwood::max_points;
    const int size = 40;
    for (int i = 0; i < size; ++i) {
        if (with_removals && !added.empty() && random() % 4 == 0) {
            const std::size_t which = random() % added.size();
            Step step = added[which];
            step.removes = true;
            added.erase(added.begin() + static_cast<std::ptrdiff_t>(which));
            room += step.weight;
            list.push_back(step);
            continue;
        }
        if (room == 0) continue;
        const int bits = static_cast<int>(random() % 31) + 1;
        std::int64_t weight = 1 + static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits));
        if (i == 0 && random() % 4 == 0) weight = (std::int64_t{1} << 30) + static_cast<std::int64_t>(random() % 2);
        if (i == size - 1 || random() % 16 == 0) weight = room;
        weight = std::min(weight, room);
        room -= weight;
        Step step{{}, static_cast<Label>(random() % n_classes), static_cast<Count>(weight), false};
        for (FeatureId id = 0; id < 6; ++id) {
            // Feature 0 tells the classes apart, feature 1 is always on, the others are on at random.
            const bool on = id == 0 ? step.label == 0 : id == 1 || random() % 3 == 0;
            if (on) step.features.push_back(id == 5 ? sapwood::max_points : id);
        }
        list.push_back(step);
        added.push_back(step);
    }
    return list;
}

template <class Definition>
void run(Criterion criterion, std::size_t n_classes, double alpha, bool with_removals, std::mt19937& random) {
    const int classes = static_cast<int>(n_classes);
    const auto exhaustive = sapwood::make_search(SearchChoice{criterion, SearchKind::exhaustive, 0.1, classes});
    const auto certified = sapwood::make_search(SearchChoice{criterion, SearchKind::certified, 0.1, classes});
    const bool has_bins = n_classes == 2 && criterion != Criterion::kearns_mansour && !with_removals;
    const auto approximate =
        has_bins ? sapwood::make_search(SearchChoice{criterion, SearchKind::approximate, alpha, 2}) : nullptr;
    sapwood::oracle::BruteForce<Definition> oracle(n_classes);
    double n = 0;
    for (const Step& step : steps(random, n_classes, with_removals)) {
        for (SplitSearch* search : {exhaustive.get(), certified.get(), approximate.get()}) {
            if (search == nullptr) continue;
            if (step.removes) {
                search->remove(step.features, step.label, step.weight);
            } else {
                search->add(step.features, step.label, step.weight);
            }
        }
        if (step.removes) {
            oracle.remove(step.features, step.label, step.weight);
        } else {
            oracle.add(step.features, step.label, step.weight);
        }
        n += step.removes ? -step.weight : step.weight;
        const std::optional<Split> exact = exhaustive->best();
        const std::optional<Split> same = certified->best();
        bool holds = CHECK(exact.has_value() == same.has_value());
        if (!exact || !same) continue;
        holds &= CHECK(exact->feature() == same->feature() && exact->score == same->score && exact->gain == same->gain);
        // Both the score and the definition round, by some units in the last place of n ln n.
        const double rounding = 1e-13 * (n + 2) * std::log(n + 2);
        const double best = oracle.scores()[0];
        holds &= CHECK(std::abs(exact->score - best) <= rounding);
        if (approximate) {
            const double score = approximate->best()->score;
            holds &= CHECK(score <= best * (1 + alpha) + rounding * (1 + alpha));
            approximate->validate();
        }
        if (!holds) {
            std::fprintf(stderr, "  criterion %d, %zu classes, alpha %g, n %.0f, best %g\n",
                         static_cast<int>(criterion), n_classes, alpha, n, best);
            return;
        }
    }
}

/// Two features of one bin, of which the better is on in more than 2^30 points of a class and the other in fewer: a
/// product of counts that has 32 bits would put them in the wrong order.
void order_across_two_to_the_30(Criterion criterion, Label larger) {
    constexpr Count most_off = 60'000'000;
    constexpr Count of_larger = (1 << 30) + (1 << 24);
    const auto smaller = static_cast<Label>(1 - larger);
    const auto approximate = sapwood::make_search(SearchChoice{criterion, SearchKind::approximate, 1.0, 2});
    const auto exact = sapwood::make_search(SearchChoice{criterion, SearchKind::exhaustive, 1.0, 2});
    for (SplitSearch* search : {approximate.get(), exact.get()}) {
        search->add(std::vector<FeatureId>{0, 1}, larger, of_larger - most_off);
        search->add(std::vector<FeatureId>{0}, larger, most_off - 1);
        search->add(std::vector<FeatureId>{}, larger, 1);
        search->add(std::vector<FeatureId>{}, smaller, 1 << 29);
        CHECK(search->best()->feature() == 0);
    }
    CHECK(approximate->best()->score <= 2 * exact->best()->score);
}

}  // namespace

int main() {
    using namespace sapwood;
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini}) {
        for (const Label larger : {Label{0}, Label{1}}) order_across_two_to_the_30(criterion, larger);
    }
    std::mt19937 random(20);
    for (int trial = 0; trial < 300; ++trial) {
        const bool with_removals = trial % 3 == 2;
        for (const double alpha : {0.01, 0.1, 1.0, 1e9}) {
            run<oracle::EntropyByDefinition>(Criterion::entropy, 2, alpha, with_removals, random);
            run<oracle::GiniByDefinition>(Criterion::gini, 2, alpha, with_removals, random);
        }
        run<oracle::KearnsMansourByDefinition>(Criterion::kearns_mansour, 2, 0.1, with_removals, random);
        for (const std::size_t n_classes : {3u, 9u}) {
            run<oracle::EntropyByDefinition>(Criterion::entropy, n_classes, 0.1, with_removals, random);
            run<oracle::GiniByDefinition>(Criterion::gini, n_classes, 0.1, with_removals, random);
        }
    }
    return check::finish();
}
