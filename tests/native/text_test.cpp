// Zipf's law, and the concepts of a stream with drift.
#include "sapwood/generate/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "check.hpp"

namespace {

using sapwood::Changes;
using sapwood::Drift;
using sapwood::FeatureId;
using sapwood::Generated;
using sapwood::Random;
using sapwood::TextStream;
using sapwood::Zipf;

void frequencies_follow_the_law(std::int64_t d, double exponent) {
    const Zipf zipf(d, exponent);
    Random random({1, 2, 3, static_cast<std::uint64_t>(d)});
    std::vector<double> drawn(static_cast<std::size_t>(d));
    const int draws = 400000;
    for (int i = 0; i < draws; ++i) drawn[zipf.draw(random)] += 1;
    double sum = 0;
    for (std::int64_t r = 1; r <= d; ++r) sum += std::pow(static_cast<double>(r), -exponent);
    for (std::int64_t r = 1; r <= d; ++r) {
        const double expected = draws * std::pow(static_cast<double>(r), -exponent) / sum;
        CHECK(std::abs(drawn[static_cast<std::size_t>(r - 1)] - expected) <= 6 * std::sqrt(expected) + 6);
    }
}

TextStream stream_of(Drift drift, Changes changes, std::int64_t n_changes) {
    return {2000, 300, 20, 1.1, 0.5, 0.9, drift, changes, n_changes, 1.0};
}

void points_are_sets_of_words() {
    for (const Drift drift : {Drift::none, Drift::abrupt, Drift::gradual, Drift::recurring}) {
        for (const Changes changes : {Changes::labels, Changes::vocabulary}) {
            const TextStream stream = stream_of(drift, changes, 5);
            int polls = 0;
            const Generated points =
                sapwood::generate_text(stream, Random({1, 1, 2, 3}), stream.n, [&](const Generated&) { ++polls; });
            CHECK(polls == stream.n);
            CHECK(points.indptr.size() == 2001 && points.labels.size() == 2000);
            CHECK(points.indptr.back() == static_cast<std::int64_t>(points.indices.size()));
            bool ascending = true;
            for (std::size_t i = 0; i < 2000; ++i) {
                for (auto k = points.indptr[i] + 1; k < points.indptr[i + 1]; ++k) {
                    const auto at = static_cast<std::size_t>(k);
                    ascending = ascending && points.indices[at - 1] < points.indices[at];
                }
            }
            CHECK(ascending);
            CHECK(points.indices.end() == std::find_if(points.indices.begin(), points.indices.end(),
                                                       [](FeatureId id) { return id < 0 || id >= 300; }));
        }
    }
}

/// The concepts in the order of the points, as numbers given in order of appearance.
std::vector<std::size_t> sequence(Drift drift, std::int64_t n_changes) {
    const TextStream stream = stream_of(drift, Changes::vocabulary, n_changes);
    sapwood::Concepts concepts(stream, Random({4, 4, 4, 4}));
    Random random({5, 5, 5, 5});
    std::vector<std::vector<FeatureId>> known;
    std::vector<std::size_t> numbers;
    for (std::int64_t i = 0; i < stream.n; ++i) {
        const std::vector<FeatureId>& word = concepts.of_point(i, random).word;
        const auto place = std::find(known.begin(), known.end(), word);
        numbers.push_back(static_cast<std::size_t>(place - known.begin()));
        if (place == known.end()) known.push_back(word);
    }
    return numbers;
}

void concepts_follow_each_other() {
    const auto still = sequence(Drift::none, 3);
    CHECK(std::set<std::size_t>(still.begin(), still.end()).size() == 1);
    const auto abrupt = sequence(Drift::abrupt, 3);
    const auto recurring = sequence(Drift::recurring, 3);
    const auto gradual = sequence(Drift::gradual, 3);
    int before = 0, after = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
        CHECK(abrupt[i] == i / 500);
        CHECK(recurring[i] == i / 500 % 2);
        // At most one concept away from that of the stage, and none away in the middle of it.
        CHECK(gradual[i] + 1 >= i / 500 && gradual[i] <= i / 500 + 1);
        if (i % 500 >= 125 && i % 500 <= 375) CHECK(gradual[i] == i / 500);
        if (i >= 375 && i < 500) before += gradual[i] == 1;
        if (i >= 500 && i < 625) after += gradual[i] == 1;
    }
    // A quarter of the points on one side of the border, three quarters on the other.
    CHECK(before > 10 && before < 55);
    CHECK(after > 70 && after < 115);
}

}  // namespace

int main() {
    frequencies_follow_the_law(1, 1.0);
    frequencies_follow_the_law(7, 0.0);
    frequencies_follow_the_law(200, 1.1);
    frequencies_follow_the_law(1000, 2.5);
    points_are_sets_of_words();
    concepts_follow_each_other();
    return sapwood::check::finish();
}
