// Points that are taken back by their sums, and scans that look at frequent features alone, against a search that
// takes back one by one and looks at all.

#include "sapwood/search/summed_counts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sapwood/search/make_search.hpp"

using namespace sapwood;

namespace {

struct Held {
    std::vector<FeatureId> features;
    Label label;
    Count weight;
};

SummedCounts sum_of(const std::vector<Held>& points, std::size_t n_classes, FeatureId also) {
    SummedCounts sum;
    sum.of_class.resize(n_classes);
    std::map<FeatureId, std::vector<Count>> on;
    on[also].resize(n_classes);  // on in none of them
    for (const Held& each : points) {
        sum.of_class[each.label] += each.weight;
        for (const FeatureId id : each.features) {
            on.try_emplace(id, n_classes).first->second[each.label] += each.weight;
        }
    }
    for (const auto& [id, counts] : on) {
        sum.ids.push_back(id);
        sum.on.insert(sum.on.end(), counts.begin(), counts.end());
    }
    return sum;
}

bool are_equal(const std::vector<Split>& a, const std::vector<Split>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Split& x, const Split& y) {
        return x.feature() == y.feature() && x.score == y.score && x.gain == y.gain;
    });
}

struct Case {
    Criterion criterion;
    SearchKind search;
    std::size_t n_classes;
    /// Ids are multiples of this: far ones are hashed.
    FeatureId gap;
    /// The heaviest point.
    Count heaviest;
};

/// Feature j is on in about one of j + 2 points; two of them tell the class.
Held random_point(std::mt19937& random, const Case& of) {
    constexpr int d = 400;
    Held point{{}, static_cast<Label>(random() % of.n_classes), 1 + static_cast<Count>(random() % 8 == 0)};
    if (of.heaviest > 1 && random() % 10 == 0) point.weight = static_cast<Count>(random()) % of.heaviest + 1;
    if (point.weight <= 0) point.weight = of.heaviest;
    for (int j = 0; j < d; ++j) {
        const bool tells = j == 5 || j == 9;
        const bool is_on = random() % static_cast<unsigned>(tells ? 4 : j + 2) == 0;
        if (tells ? is_on != (point.label == 0) : is_on) point.features.push_back(j * of.gap);
    }
    return point;
}

/// Returns how often a scan looked at few features.
int compare(const Case& of, unsigned seed) {
    const auto made = [&](SearchKind kind) {
        SearchChoice choice;
        choice.criterion = of.criterion;
        choice.search = kind;
        choice.n_classes = static_cast<int>(of.n_classes);
        return make_search(choice);
    };
    std::unique_ptr<SplitSearch> search = made(of.search);
    const std::unique_ptr<SplitSearch> twin = made(SearchKind::exhaustive);
    std::mt19937 random(seed);
    std::vector<Held> held;
    int n_small = 0;
    for (int round = 0; round < 60; ++round) {
        const int n_new = round == 0 ? 3000 : random() % 4 == 0 ? 400 : 20;
        for (int i = 0; i < n_new; ++i) {
            held.push_back(random_point(random, of));
            search->add(held.back().features, held.back().label, held.back().weight);
            twin->add(held.back().features, held.back().label, held.back().weight);
        }
        // By ourselves, as every standard library shuffles in its own way, and the rounds below are counted.
        for (std::size_t i = held.size(); i > 1; --i) std::swap(held[i - 1], held[random() % i]);
        const std::size_t n_gone = std::min<std::size_t>(held.size(), round == 58 ? held.size() : random() % 120);
        std::vector<Held> gone(held.end() - static_cast<std::ptrdiff_t>(n_gone), held.end());
        held.resize(held.size() - n_gone);
        search->take_back_counts(sum_of(gone, of.n_classes, 1'000'000'007));
        for (const Held& each : gone) twin->remove(each.features, each.label, each.weight);
        if (random() % 8 == 0) search = search->clone();
        if (!CHECK(search->of_classes() == twin->of_classes())) return n_small;
        for (const FeatureId id : twin->state().ids) {
            if (!CHECK(search->on(id) == twin->on(id))) return n_small;
        }
        const std::size_t k = random() % 3 == 0 ? 5 : 2;
        const std::uint64_t before = search->n_examined();
        const bool is_right = random() % 5 == 0 ? CHECK(are_equal(search->top(k), twin->top(k)))
                                                : CHECK(are_equal(search->scan(k), twin->scan(k)));
        if (!is_right) return n_small;
        n_small += search->n_examined() - before < search->n_features() / 2 ? 1 : 0;
        search->validate();
    }
    return n_small;
}

}  // namespace

int main() {
    unsigned seed = 0;
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini}) {
        for (const FeatureId gap : {1, 3, 5'000'000}) {
            const int n_small = compare({criterion, SearchKind::certified, 2, gap, 1}, ++seed);
            CHECK(n_small > 10);
        }
        // Weights that no addition of one word can count.
        compare({criterion, SearchKind::certified, 2, 1, 5'000}, ++seed);
        compare({criterion, SearchKind::certified, 2, 5'000'000, 5'000}, ++seed);
        compare({criterion, SearchKind::certified, 2, 1, 100'000}, ++seed);
        compare({criterion, SearchKind::certified, 3, 1, 1}, ++seed);
        compare({criterion, SearchKind::certified, 3, 5'000'000, 5'000}, ++seed);
        compare({criterion, SearchKind::exhaustive, 2, 1, 1}, ++seed);
        compare({criterion, SearchKind::exhaustive, 3, 3, 1}, ++seed);
    }
    return check::finish();
}
