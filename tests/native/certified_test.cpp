// The certified search after every operation, 20 million in all, against a twin that computes every score: the same
// feature, score and gain, to the last bit, on hostile streams with weights, removals, merging, copies and seldom
// queries.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "brute_force.hpp"
#include "check.hpp"
#include "operations.hpp"
#include "sapwood/impurity.hpp"
#include "sapwood/search/families.hpp"
#include "short_run.hpp"
#include "streams.hpp"

namespace {

using namespace sapwood;
using operations::Case;
using operations::Kind;
using operations::Operation;
using streams::Point;

constexpr long wanted_operations = check::is_short_run ? 1'000'000 : 20'000'000;

/// Turns a stream into operations, in a way that depends on the seed.
class Plan {
public:
    Plan(const std::vector<Point>& points, int n_classes, unsigned seed) : random_(seed), points_(points) {
        case_.n_classes = static_cast<std::size_t>(n_classes);
        // Mostly the weight 1, which leaves the most to chance.
        weights_ = std::array{Weights::ones,  Weights::ones,   Weights::ones,  Weights::ones, Weights::small,
                              Weights::small, Weights::bursts, Weights::jumps, Weights::huge}[random_() % 9];
        removal_ = static_cast<Removal>(random_() % 5);
        queries_ = static_cast<Queries>(random_() % 6);
        merges_ = random_() % 4 == 0;
        validation_ = random_() % 6 == 0 ? 1 : random_() % 3 == 0 ? 50 : 0;
        window_ = std::size_t{1} << (1 + random_() % 10);
        choose_ids();
    }

    Case make() {
        for (const Point& point : points_) {
            const Count weight = draw_weight();
            put(Kind::add, point, weight);
            live_.push_back({&point, weight});
            if (merges_ && one_in(100)) change_structure();
            remove_some();
        }
        return std::move(case_);
    }

private:
    enum class Weights { ones, small, bursts, jumps, huge };
    enum class Removal { none, none_either, window, random, tides };
    enum class Queries { best, top_two, top_any, bursts, seldom, mixed };
    struct Live {
        const Point* point;
        Count weight;
    };

    bool one_in(unsigned n) { return random_() % n == 0; }

    /// Ids in order, in the opposite order, at the upper end, half of them there, and anywhere.
    void choose_ids() {
        FeatureId largest = 0;
        for (const Point& point : points_) {
            for (const FeatureId id : point.features) largest = std::max(largest, id);
        }
        const auto kind = random_() % 5;
        for (FeatureId j = 0; j <= largest; ++j) {
            FeatureId id = j;
            if (kind == 1) id = largest - j;
            if (kind == 2) id = max_points - j;
            if (kind == 3 && j % 2 == 1) id = max_points - 77 * j;
            if (kind == 4) id = static_cast<FeatureId>((std::int64_t{j} * 1'640'531'527 + 12345) & max_points);
            case_.ids.push_back(id);
        }
    }

    Count draw_weight() {
        switch (weights_) {
            case Weights::ones:
                return 1;
            case Weights::small:
                return 1 + static_cast<Count>(random_() % 4);
            case Weights::bursts:
                return one_in(60) ? 1 + static_cast<Count>(random_() % 2000) : 1;
            case Weights::jumps:
                return one_in(15) ? 1 + static_cast<Count>(random_() % static_cast<unsigned>(n_ / 8 + 1)) : 1;
            case Weights::huge:
                break;
        }
        // Up to the largest number of points that there may be, and exactly that many.
        const std::int64_t room = max_points - n_;
        if (room == 0 || one_in(3)) return 1;
        if (one_in(20)) return static_cast<Count>(room);
        return 1 + static_cast<Count>(static_cast<std::int64_t>(random_()) % ((room >> (random_() % 8)) + 1) % room);
    }

    std::size_t draw_query() {
        const std::size_t any = 1 + random_() % 20;
        switch (queries_) {
            case Queries::best:
                return 1;
            case Queries::top_two:
                return 2;
            case Queries::top_any:
                return any;
            case Queries::bursts:
                return case_.list.size() / 64 % 2;
            case Queries::seldom:
                return one_in(30) ? 1 + random_() % 2 : 0;
            case Queries::mixed:
                break;
        }
        return one_in(8) ? any : random_() % 3;
    }

    void put(Kind kind, const Point& point, Count weight) {
        Operation operation{kind, {}, point.label, weight, draw_query(), false};
        for (const FeatureId j : point.features) operation.features.push_back(static_cast<std::size_t>(j));
        operation.validates = validation_ > 0 && case_.list.size() % validation_ == 0;
        case_.list.push_back(std::move(operation));
        if (kind == Kind::add && weight <= max_points - n_) n_ += weight;
        if (kind == Kind::remove) n_ = std::max<std::int64_t>(0, n_ - weight);
    }

    void put(Kind kind) { put(kind, Point{{}, 0}, 1); }

    void change_structure() {
        const auto which = random_() % 5;
        if (which == 0) put(Kind::clone);
        if (which == 1) put(Kind::restore);
        if (which == 2) put(Kind::merge_features);
        if (which < 3) return;
        for (auto more = random_() % 40; more > 0; --more) {
            const Point& point = points_[random_() % points_.size()];
            put(Kind::add_to_other, point, 1);
            live_.push_back({&point, 1});
        }
        put(Kind::merge_points);
    }

    void remove_some() {
        // Most likely a point that was never added.
        if (removal_ > Removal::none_either && one_in(50)) put(Kind::remove, points_[random_() % points_.size()], 1);
        if (removal_ == Removal::window && live_.size() > window_) remove_at(0);
        if (removal_ == Removal::random && random_() % 5 < 2) remove_at(random_() % live_.size());
        // Now and then nearly everything goes, or all of it.
        if (removal_ == Removal::tides && live_.size() > window_) {
            for (const std::size_t rest = random_() % 3; live_.size() > rest;) remove_at(random_() % live_.size());
        }
    }

    void remove_at(std::size_t at) {
        if (live_.empty()) return;
        auto& [point, weight] = live_[at];
        const Count part = one_in(4) ? 1 + static_cast<Count>(random_() % static_cast<unsigned>(weight)) : weight;
        put(Kind::remove, *point, part);
        weight -= part;
        if (weight > 0) return;
        if (removal_ == Removal::window) {
            live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            live_[at] = live_.back();
            live_.pop_back();
        }
    }

    std::mt19937 random_;
    const std::vector<Point>& points_;
    Case case_;
    Weights weights_;
    Removal removal_;
    Queries queries_;
    bool merges_;
    std::size_t validation_;
    std::size_t window_;
    std::vector<Live> live_;
    std::int64_t n_ = 0;
};

long compared = 0;

/// Runs a case; one that fails is shortened and written down.
template <class Impurity, bool Binary, class Make>
bool passes(const Case& the_case, Make make, const std::string& name) {
    operations::Runner<Impurity, Binary, Make> runner(the_case, make);
    const auto failure = runner.run();
    compared += runner.compared();
    if (CHECK(!failure)) return true;
    std::fprintf(stderr, "  %s, operation %zu: %s. Shortened:\n", name.c_str(), failure->at, failure->what.c_str());
    Case failing = the_case;
    failing.list.resize(failure->at + 1);
    operations::print(operations::shortened(std::move(failing), [&](const Case& candidate) {
        return operations::Runner<Impurity, Binary, Make>(candidate, make).run().has_value();
    }));
    return false;
}

auto binary(Criterion criterion) {
    return [criterion](std::size_t) { return make_binary_certified(criterion); };
}

auto multiclass(Criterion criterion) {
    return [criterion](std::size_t n_classes) { return make_multiclass_certified(criterion, n_classes); };
}

auto exhaustive(Criterion criterion) {
    return [criterion](std::size_t n_classes) { return make_exhaustive(criterion, n_classes); };
}

bool runs_binary(const Case& the_case, const std::string& name) {
    return passes<Entropy, true>(the_case, binary(Criterion::entropy), name + ", entropy") &&
           passes<Gini, true>(the_case, binary(Criterion::gini), name + ", gini") &&
           passes<KearnsMansour, true>(the_case, binary(Criterion::kearns_mansour), name + ", kearns_mansour");
}

bool runs_multiclass(const Case& the_case, const std::string& name) {
    return passes<Entropy, false>(the_case, multiclass(Criterion::entropy), name + ", multiclass entropy") &&
           passes<Gini, false>(the_case, multiclass(Criterion::gini), name + ", multiclass gini");
}

/// The twin is the exhaustive search, which the definitions are compared with.
template <class Impurity, class Definition, bool Binary, class Make>
void the_twin_is_right(const Case& the_case, Make make, const std::string& name) {
    if (!passes<Impurity, Binary>(the_case, make, name)) return;
    operations::Runner<Impurity, Binary, Make> runner(the_case, make);
    oracle::BruteForce<Definition> definition(the_case.n_classes);
    for (const Operation& operation : the_case.list) {
        if (operation.kind != Kind::add && operation.kind != Kind::remove) continue;
        std::vector<FeatureId> ids;
        for (const std::size_t j : operation.features) ids.push_back(the_case.ids[j]);
        if (operation.kind == Kind::add) {
            if (operation.weight > max_points - runner.twin().n()) continue;
            definition.add(ids, operation.label, operation.weight);
        } else {
            const bool may = definition.may_remove(ids, operation.label, operation.weight);
            CHECK(may == runner.twin().may_remove(operation.features, operation.label, operation.weight));
            if (!may) continue;
            definition.remove(ids, operation.label, operation.weight);
        }
        CHECK(runner.step(operation) == nullptr);
        const double n = runner.twin().n();
        const double tolerance = 1e-13 * (n + 1) * (1 + std::log(n + 1));
        const std::vector<Split> top = runner.search().top(3);
        const std::vector<double> scores = definition.scores();
        if (!CHECK(top.size() == std::min<std::size_t>(3, scores.size()))) return;
        for (std::size_t i = 0; i < top.size(); ++i) {
            CHECK(std::abs(top[i].score - scores[i]) <= tolerance);
            CHECK(std::abs(top[i].score - definition.score(top[i].feature())) <= tolerance);
            CHECK(n == 0 || std::abs(top[i].gain - definition.gain(top[i].feature())) <= tolerance / n);
        }
    }
}

/// Every so many seeds, from the one given on, until enough operations have been compared.
void hostile_streams(unsigned seed, unsigned step, long wanted) {
    for (; compared < wanted; seed += step) {
        for (const std::string_view stream : streams::names) {
            // Few features make operations cheap; many make renewals take more than one query, and records move.
            const int d = seed % 8 == 7 ? 40 + static_cast<int>(seed % 100) : 4 + static_cast<int>(seed % 9);
            const bool grows = stream == "never repeated";
            const int n = grows || d > 12 ? 400 : seed % 16 == 3 ? 12000 : 1200;
            const int n_classes = seed % 3 != 2 ? 2 : seed % 9 == 2 ? 3 : seed % 9 == 5 ? 5 : 20;
            const auto points = streams::make(stream, n, d, seed, n_classes);
            const Case the_case = Plan(points, n_classes, seed + 1000).make();
            const std::string name =
                std::string(stream) + ", seed " + std::to_string(seed) + ", " + std::to_string(n_classes) + " classes";
            if (!(n_classes == 2 ? runs_binary(the_case, name) : runs_multiclass(the_case, name))) return;
            if (n_classes == 2 && seed % 10 == 0 && !runs_multiclass(the_case, name)) return;
        }
    }
    std::fprintf(stderr, "seeds below %u\n", seed);
}

/// Class counts left the box of a renewal under way, while they were still in the box in force: what the renewal had
/// certified so far was not certified, and what it went on to certify had counts above the box.
const Case left_the_next_box{2,
                             {0, 2, 5, 6, 8, 16, 17, 18, 21, 22, 23},
                             {{Kind::add, {4, 8}, 0, 1, 0},
                              {Kind::add, {0, 1, 2, 6, 9, 10}, 0, 3},
                              {Kind::remove, {}, 0},
                              {Kind::add, {3, 5, 7}, 0},
                              {Kind::remove, {}, 0},
                              {Kind::remove, {}, 0},
                              {Kind::add, {0, 1}, 0, 4},
                              {Kind::remove, {}, 0},
                              {Kind::add, {0, 1}, 0, 4},
                              {Kind::remove, {}, 0},
                              {Kind::add, {}, 1, 4},
                              {Kind::remove, {0, 1}, 0, 2},
                              {Kind::add, {0}, 0, 3}}};

/// A renewal was begun while another was under way, and did not visit the features that only the other had listed.
const Case interrupted_renewal{2,
                               {2147483459, 2147483458, 2147483453, 2147483452, 2147483451, 2147483450, 2147483449,
                                2147483448, 2147483447, 2147483446, 2147483439},
                               {{Kind::add, {0, 1}, 0, 4},
                                {Kind::remove, {0, 1}, 0, 4, 1, true},
                                {Kind::add, {2, 3}, 0, 1, 1, true},
                                {Kind::add, {4, 5}, 0, 4, 1, true},
                                {Kind::add, {6, 7}, 0, 1, 1, true},
                                {Kind::remove, {6}, 0, 2, 1, true},
                                {Kind::remove, {2, 3}, 0, 1, 1, true},
                                {Kind::add, {8, 9}, 1, 2, 1, true},
                                {Kind::remove, {}, 0, 1, 1, true},
                                {Kind::remove, {4, 5}, 0, 1, 0},
                                {Kind::remove, {8, 9}, 1, 1, 0},
                                {Kind::add, {}, 0, 3, 0},
                                {Kind::add, {10}, 1}}};

/// A renewal that could not even begin changed the promise of the one under way.
const Case vain_renewal{2,
                        {365707141, 2006238668, 1499286547, 1618961711, 1112009590, 605057469, 98105348, 1738636875,
                         1231684754, 309204211, 548554539, 41602418, 1801809109},
                        {{Kind::add, {0, 1}, 0, 1, 0},
                         {Kind::add, {3, 4}, 0},
                         {Kind::add, {5, 6}, 0, 1, 1, true},
                         {Kind::remove, {5, 6}, 0, 1, 0, true},
                         {Kind::add, {7, 8}, 0, 1, 1, true},
                         {Kind::remove, {2}, 0, 1, 0, true},
                         {Kind::remove, {9}, 0, 1, 1, true},
                         {Kind::add, {}, 0, 1, 0, true},
                         {Kind::remove, {}, 1, 1, 1, true},
                         {Kind::add, {10, 11}, 1, 1, 1, true},
                         {Kind::remove, {}, 0, 1, 1, true},
                         {Kind::remove, {10, 11}, 1, 1, 2},
                         {Kind::add, {12}, 1},
                         {Kind::remove, {}, 0, 1, 0, true}}};

/// As many points as there can be, and a feature that is the label: so many occurrences are rare then that four times
/// as many are more than can be counted.
Case nearly_all_are_rare() {
    std::mt19937 random(19);
    Case the_case;
    for (FeatureId id = 0; id < 100; ++id) the_case.ids.push_back(id);
    for (int i = 0; i < 400; ++i) {
        // First heavy points that nobody asks about, then runs of a class, so that certificates are renewed.
        const bool heavy = i < 40;
        Operation operation{Kind::add, {}, static_cast<Label>(heavy ? i % 2 : i / 30 % 2)};
        operation.weight = heavy ? 49'500'000 : 1 + static_cast<Count>(random() % 500'000);
        operation.query = heavy ? 0 : 1;
        operation.validates = i % 50 == 49;
        for (std::size_t j = 0; j < the_case.ids.size(); ++j) {
            if (j == 0 ? operation.label == 1 : random() % 20 == 0) operation.features.push_back(j);
        }
        the_case.list.push_back(operation);
    }
    return the_case;
}

void the_twins_are_right() {
    for (unsigned seed = 0; seed < 4; ++seed) {
        for (const std::string_view stream : streams::names) {
            const std::string name = std::string(stream) + ", exhaustive";
            const auto two = streams::make(stream, 150, 8, seed);
            const Case binary = Plan(two, 2, seed).make();
            the_twin_is_right<Entropy, oracle::EntropyByDefinition, true>(binary, exhaustive(Criterion::entropy), name);
            the_twin_is_right<Gini, oracle::GiniByDefinition, true>(binary, exhaustive(Criterion::gini), name);
            the_twin_is_right<KearnsMansour, oracle::KearnsMansourByDefinition, true>(
                binary, exhaustive(Criterion::kearns_mansour), name);
            const auto five = streams::make(stream, 150, 8, seed, 5);
            const Case many = Plan(five, 5, seed).make();
            the_twin_is_right<Entropy, oracle::EntropyByDefinition, false>(many, exhaustive(Criterion::entropy), name);
            the_twin_is_right<Gini, oracle::GiniByDefinition, false>(many, exhaustive(Criterion::gini), name);
        }
    }
}

}  // namespace

/// Runs everything, or one part of several that can run at the same time. `program 0 1 operations seed` goes on from a
/// seed until so many operations have been compared, for runs that are longer than a test may be.
int main(int argc, char** argv) {
    if (argc == 5) {
        const long wanted = std::atol(argv[3]);
        hostile_streams(static_cast<unsigned>(std::atol(argv[4])), 1, wanted);
        CHECK(compared >= wanted);
        std::fprintf(stderr, "%ld operations\n", compared);
        return check::finish();
    }
    const auto [part, parts] = check::part_of(argc, argv);
    if (part == 0) {
        the_twins_are_right();
        runs_binary(left_the_next_box, "left the next box");
        runs_binary(interrupted_renewal, "interrupted renewal");
        runs_binary(vain_renewal, "vain renewal");
        runs_binary(nearly_all_are_rare(), "nearly all are rare");
    }
    compared = 0;
    const long wanted = wanted_operations / static_cast<long>(parts);
    hostile_streams(part, parts, wanted);
    CHECK(compared >= wanted);
    std::fprintf(stderr, "%ld operations\n", compared);
    return check::finish();
}
