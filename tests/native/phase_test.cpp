// The phases of a certified search: each is reached, and after every operation the phase is one that the diagram leads
// to. Every single step is asserted by the search itself (Certificates::move_to), here and in certified_test.cpp.
#include "sapwood/search/certified/phase.hpp"

#include <array>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/search/certified/certificate.hpp"
#include "sapwood/search/certified/certified.hpp"
#include "sapwood/search/certified/multiclass_certificate.hpp"
#include "streams.hpp"

namespace {

using namespace sapwood;
using streams::Point;

constexpr std::array<const char*, n_phases> names{"unpromised", "calm", "alert", "renewing", "idle"};
constexpr std::array phases{Phase::unpromised, Phase::calm, Phase::alert, Phase::renewing, Phase::idle};

const char* name(Phase phase) { return names[static_cast<std::size_t>(phase)]; }

/// What was seen from one operation to the next.
std::set<std::pair<Phase, Phase>> seen;

void see(Phase before, Phase after, bool (*may)(Phase, Phase), const char* operation) {
    if (before != after) seen.emplace(before, after);
    if (!CHECK(may(before, after))) std::fprintf(stderr, "  %s: %s to %s\n", operation, name(before), name(after));
}

/// Only queries examine certificates; the first removal gives them up.
bool stays(Phase before, Phase after) { return before == after; }
bool is_forgotten(Phase, Phase after) { return after == Phase::unpromised; }

/// What a query may lead to. A renewal on the spot begins and ends within it, and its certificates may turn out to be
/// too dear at once; a renewal of all features that cannot grant anything ends in none.
bool may_query_lead(Phase before, Phase after) {
    // From each row to each column: unpromised, calm, alert, renewing, idle.
    constexpr std::array<std::array<bool, n_phases>, n_phases> leads{{
        {true, true, true, false, false},  // unpromised
        {true, true, true, true, true},    // calm
        {true, true, true, true, true},    // alert
        {true, true, true, true, false},   // renewing
        {true, true, true, false, true},   // idle
    }};
    return leads[static_cast<std::size_t>(before)][static_cast<std::size_t>(after)];
}

template <class Search>
void run(const std::vector<Point>& points, std::size_t n_classes, unsigned seed) {
    std::mt19937 random(seed);
    Search search(n_classes);
    CHECK(search.phase() == Phase::unpromised);
    const bool removes = seed % 3 == 2;
    const std::size_t window = std::size_t{1} << (4 + seed % 7);
    const std::size_t every = std::array<std::size_t, 4>{1, 1, 7, 30}[random() % 4];
    bool has_removed = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        Phase before = search.phase();
        search.add(points[i].features, points[i].label);
        see(before, search.phase(), stays, "add");
        if (i % every == 0) {
            before = search.phase();
            if (random() % 4 == 0) {
                search.top(1 + random() % 3);
            } else {
                search.best();
            }
            see(before, search.phase(), may_query_lead, "query");
        }
        if (!removes || i < window) continue;
        before = search.phase();
        search.remove(points[i - window].features, points[i - window].label);
        see(before, search.phase(), has_removed ? stays : is_forgotten, "remove");
        has_removed = true;
    }
    const Phase before = search.phase();
    CertifiedSearch copy(search);
    CHECK(copy.phase() == before);
    search.restore(search.state());
    CHECK(search.phase() == Phase::unpromised);
}

/// Where a feature tells the classes apart, nearly all queries find and leave the search calm.
void a_plain_stream_is_calm() {
    std::mt19937 random(3);
    CertifiedSearch<BinaryCertificate<Entropy>> search(2);
    int calm = 0;
    for (int i = 0; i < 5000; ++i) {
        const auto label = static_cast<Label>(random() % 2);
        std::vector<FeatureId> features;
        if (random() % 10 < (label == 1 ? 8 : 2)) features.push_back(0);
        for (FeatureId id = 1; id < 400; ++id) {
            if (random() % 40 == 0) features.push_back(id);
        }
        search.add(features, label);
        search.best();
        calm += i >= 1000 && search.phase() == Phase::calm ? 1 : 0;
    }
    CHECK(calm > 3900);
}

void hostile_streams_lead_to_every_phase() {
    for (unsigned seed = 0; seed < 24; ++seed) {
        for (const std::string_view stream : streams::names) {
            const int d = seed % 4 == 3 ? 60 + static_cast<int>(seed) * 5 : 4 + static_cast<int>(seed % 9);
            const int n = d > 12 ? 500 : 1500;
            const int n_classes = seed % 4 == 1 ? 5 : 2;
            const auto points = streams::make(stream, n, d, seed, n_classes);
            if (n_classes == 2) {
                run<CertifiedSearch<BinaryCertificate<Entropy>>>(points, 2, seed);
                run<CertifiedSearch<BinaryCertificate<Gini>>>(points, 2, seed + 1);
            } else {
                run<CertifiedSearch<MulticlassCertificate<Entropy>>>(points, 5, seed);
            }
        }
    }
    for (const Phase to : phases) {
        bool reached = false;
        for (const Phase from : phases) reached |= seen.contains({from, to});
        if (!CHECK(reached)) std::fprintf(stderr, "  %s\n", name(to));
    }
    // Every arrow between two phases is taken, by itself or, where a renewal begins and ends within a query, as a part
    // of what that query does.
    using enum Phase;
    for (const auto& [from, to] : {std::pair{unpromised, calm},
                                   {calm, alert},
                                   {calm, renewing},
                                   {calm, idle},
                                   {alert, calm},
                                   {alert, idle},
                                   {alert, renewing},
                                   {renewing, calm},
                                   {idle, calm}}) {
        if (!CHECK(seen.contains({from, to}))) std::fprintf(stderr, "  %s to %s\n", name(from), name(to));
    }
}

/// Certificates do not allow for removals before there are any.
void the_first_removal_ends_every_phase() {
    std::set<Phase> ended;
    for (unsigned seed = 0; seed < 16; ++seed) {
        for (const std::string_view stream : streams::names) {
            const auto points = streams::make(stream, 600, seed % 2 == 0 ? 8 : 80, seed);
            CertifiedSearch<BinaryCertificate<Gini>> search(2);
            for (const Point& point : points) {
                search.add(point.features, point.label);
                search.best();
                if (ended.contains(search.phase())) continue;
                ended.insert(search.phase());
                const auto copy = search.clone();
                copy->remove(point.features, point.label);
                const auto& removed = dynamic_cast<const CertifiedSearch<BinaryCertificate<Gini>>&>(*copy);
                CHECK(removed.phase() == Phase::unpromised);
                copy->validate();
            }
        }
    }
    CHECK(ended.size() == n_phases);
}

/// The diagram: every phase can be left and be reached, and all that there is follows a renewal.
void the_diagram_is_whole() {
    for (const Phase phase : phases) {
        bool left = false;
        bool reached = false;
        for (const Phase other : phases) {
            if (other == phase) continue;
            left |= may_follow(phase, other);
            reached |= may_follow(other, phase);
        }
        CHECK(left && reached);
        CHECK(may_follow(Phase::unpromised, phase) == (phase == Phase::renewing));
        CHECK(may_follow(phase, Phase::renewing));
    }
}

}  // namespace

int main() {
    the_diagram_is_whole();
    a_plain_stream_is_calm();
    hostile_streams_lead_to_every_phase();
    the_first_removal_ends_every_phase();
    return check::finish();
}
