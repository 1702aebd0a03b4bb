// The test by evidence: its sums and bounds against definitions, and the test itself against a look at all features
// after every point of every hostile stream.
#include "sapwood/tree/split_test/evidence_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "streams.hpp"

namespace {

std::size_t allocated = 0;

}  // namespace

// Not inlined: the compiler would take what comes from `malloc` for something that `delete` must not have.
[[gnu::noinline]] void* operator new(std::size_t size) {
    allocated += size;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace sapwood;

using Counts = std::vector<Count>;

bool is_close(double found, double true_value, double relative) {
    return std::abs(found - true_value) <= relative * std::max(1.0, std::abs(true_value));
}

Count sum(std::span<const Count> counts) {
    Count n = 0;
    for (const Count count : counts) n += count;
    return n;
}

Counts less(std::span<const Count> all, std::span<const Count> part) {
    Counts rest(all.begin(), all.end());
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= part[k];
    return rest;
}

// ---- by definition -----------------------------------------------------------------------------------------------

double log_kt_by_definition(std::span<const Count> counts) {
    const auto n_classes = static_cast<long double>(counts.size());
    long double found = std::lgamma(n_classes / 2) - std::lgamma(sum(counts) + n_classes / 2);
    for (const Count count : counts) found += std::lgamma(count + 0.5L) - std::lgamma(0.5L);
    return static_cast<double>(found);
}

double weighted_entropy_by_definition(std::span<const Count> counts) {
    const auto n = static_cast<long double>(sum(counts));
    long double found = 0;
    for (const Count count : counts) {
        if (count > 0) found -= static_cast<long double>(count) * std::log(static_cast<long double>(count) / n);
    }
    return static_cast<double>(found);
}

double log_evidence_by_definition(std::span<const Count> on, std::span<const Count> of_class) {
    return log_kt_by_definition(on) + log_kt_by_definition(less(of_class, on)) +
           weighted_entropy_by_definition(of_class);
}

/// n times the gain, in nats.
double weighted_gain_by_definition(std::span<const Count> on, std::span<const Count> of_class) {
    return weighted_entropy_by_definition(of_class) - weighted_entropy_by_definition(on) -
           weighted_entropy_by_definition(less(of_class, on));
}

// ---- sums --------------------------------------------------------------------------------------------------------

void log_sums() {
    const auto half = [](std::int64_t x) { return static_cast<double>(std::lgamma(x + 0.5L) - std::lgamma(0.5L)); };
    const auto whole = [](std::int64_t x) { return static_cast<double>(std::lgamma(x + 1.0L)); };
    for (const Count covered : {0, 5'000, 1 << 19, 1 << 25}) {
        LogSums sums;
        sums.cover(covered);
        CHECK(sums.half(0) == 0 && sums.whole(0) == 0 && sums.whole(1) == 0);
        // All that is small, then ever larger steps; across the ends of all tables, and far beyond them.
        for (std::int64_t x = 1; x < (std::int64_t{1} << 32); x += x < 5'000 ? 1 : 1 + x / 100) {
            if (!CHECK(is_close(sums.half(x), half(x), 1e-14)) || !CHECK(is_close(sums.whole(x), whole(x), 1e-14))) {
                return;
            }
        }
        for (std::int64_t x = (1 << 20) - 3; x < (1 << 20) + 3; ++x) {
            CHECK(is_close(sums.half(x), half(x), 1e-14) && is_close(sums.whole(x), whole(x), 1e-14));
        }
    }
    // When a table grows, nothing changes, to the last bit.
    const LogSums small;
    LogSums large;
    large.cover(1 << 20);
    for (std::int64_t x = 0; x < 1 << 20; x += 1 + x / 1000) {
        CHECK(small.half(x) == large.half(x) && small.whole(x) == large.whole(x) &&
              small.x_log_x(x) == large.x_log_x(x));
    }
}

/// Tables that doubled beside the old ones took 48 MiB of a process whose nodes have a million points.
void tables_of_logarithms_are_made_once() {
    const std::size_t before = allocated;
    for (int bits = 0; bits < 31; ++bits) {
        Evidence evidence(3);
        evidence.cover(Count{1} << bits);
        CHECK(std::isfinite(evidence.regret(Count{1} << bits)));
    }
    CHECK(allocated - before <= 128 << 10);
}

void kt_is_a_probability() {
    // Of all sequences of 9 labels: with u of the first class there are 9 over u.
    Evidence evidence(2);
    double of_all = 0;
    for (Count u = 0; u <= 9; ++u) {
        const Counts counts{u, 9 - u};
        of_all += std::exp(evidence.log_kt(counts) + std::lgamma(10.0) - std::lgamma(u + 1.0) - std::lgamma(10.0 - u));
    }
    CHECK(is_close(of_all, 1, 1e-13));
    // By hand: 1/2 for the first point, then (1 + 1/2) / (1 + 1) for the same class again.
    CHECK(is_close(evidence.log_kt(Counts{2, 0}), std::log(3.0 / 8), 1e-14));
    CHECK(is_close(evidence.log_kt(Counts{1, 1}), std::log(1.0 / 8), 1e-14));
}

void kt_and_evidence() {
    std::mt19937 random(1);
    for (const std::size_t n_classes : {2u, 3u, 4u, 5u, 20u, 301u}) {
        Evidence evidence(n_classes);
        for (const Count most : {3, 60, 9'000, 3'000'000}) {
            for (int round = 0; round < 40; ++round) {
                Counts on(n_classes);
                Counts of_class(n_classes);
                for (std::size_t k = 0; k < n_classes; ++k) {
                    of_class[k] = static_cast<Count>(random() % static_cast<unsigned>(most + 1));
                    on[k] = static_cast<Count>(random() % static_cast<unsigned>(of_class[k] + 1));
                }
                const Count n = sum(of_class);
                evidence.cover(n);
                const double tolerance = 1e-11 * std::max<double>(100, n);
                CHECK(std::abs(evidence.log_kt(of_class) - log_kt_by_definition(of_class)) < tolerance);
                CHECK(std::abs(evidence.weighted_entropy(of_class) - weighted_entropy_by_definition(of_class)) <
                      tolerance);
                const double found = evidence.log_evidence(on, of_class);
                CHECK(std::abs(found - log_evidence_by_definition(on, of_class)) < tolerance);
                // A point multiplies the probability of one side by (u_k + 1/2) / (m + K/2), which is below 1.
                const std::size_t label = random() % n_classes;
                const bool is_on = random() % 2 == 0;
                const double before = evidence.log_probability(on, of_class);
                const Counts side = is_on ? on : less(of_class, on);
                const double factor = (side[label] + 0.5) / (sum(side) + static_cast<double>(n_classes) / 2);
                if (is_on) ++on[label];
                ++of_class[label];
                CHECK(std::abs(evidence.log_probability(on, of_class) - (before + std::log(factor))) < tolerance);
            }
        }
    }
}

/// Calls `visit(counts)` for all counts up to `most` for each class.
template <class Visit>
void for_all_counts(std::size_t n_classes, Count most, Visit visit) {
    Counts counts(n_classes);
    while (true) {
        visit(counts);
        std::size_t k = 0;
        while (k < n_classes && counts[k] == most) counts[k++] = 0;
        if (k == n_classes) return;
        ++counts[k];
    }
}

void regret_of_all_small_counts() {
    constexpr std::array<std::pair<std::size_t, Count>, 4> sizes{{{2, 16}, {3, 5}, {4, 3}, {7, 1}}};
    for (const auto& size : sizes) {
        const std::size_t n_classes = size.first;
        const Count most = size.second;
        Evidence evidence(n_classes);
        long least_is_near = 0;
        for_all_counts(n_classes, most, [&](const Counts& on) {
            const Count n_on = sum(on);
            CHECK(-weighted_entropy_by_definition(on) - log_kt_by_definition(on) >= evidence.regret(n_on) - 1e-9);
            for_all_counts(on.size(), most, [&](const Counts& off) {
                const Count n = n_on + sum(off);
                if (n_on == 0 || n_on == n) return;
                Counts of_class(on);
                for (std::size_t k = 0; k < on.size(); ++k) of_class[k] += off[k];
                const double room = weighted_gain_by_definition(on, of_class) - evidence.least_regret(n) -
                                    log_evidence_by_definition(on, of_class);
                CHECK(room >= -1e-9);
                least_is_near += room < static_cast<double>(n_classes);
            });
        });
        // A bound that is never near would save no question.
        CHECK(least_is_near > 0);
    }
    // Increasing and concave, far beyond what can be enumerated.
    for (const std::size_t n_classes : {2u, 3u, 5u, 20u}) {
        Evidence evidence(n_classes);
        evidence.cover(100'000);
        double last = std::numeric_limits<double>::infinity();
        for (Count m = 0; m < 20'000; ++m) {
            const double rise = evidence.regret(m + 1) - evidence.regret(m);
            if (!CHECK(rise > -1e-9 && rise < last + 1e-9)) break;
            last = rise;
        }
    }
}

void shares_of_delta() {
    double spent = 0;
    constexpr std::int64_t n = 1'000'000;
    for (std::int64_t r = 1; r <= n; ++r) spent += std::exp(-price_of_rank(r));
    // What comes after is at most the integral of 1 / (2.11 k ln^2 k) from n + 1 on.
    spent += 1 / (2.11 * std::log(static_cast<double>(n + 1)));
    CHECK(spent < 1 && spent > 0.6);
    // The shares of all features of all leaves together: a product of two such sums.
    CHECK(is_close(evidence_needed(std::log(0.05), 3, 7), price_of_rank(3) + price_of_rank(7) + std::log(20), 1e-14));
    CHECK(is_close(price_of_rank(1), std::log(2.11 * 2 * std::log(3) * std::log(3)), 1e-14));
}

void selection() {
    // Robbins: sqrt(v (n + rho) (ln((n + rho) / rho) + 2 ln(1 / delta))) / n, with rho = 100.
    CHECK(is_close(selection_radius(0.25, 100, 2), std::sqrt(0.25 * 200 * (std::log(2) + 4)) / 100, 1e-14));
    // Of another unit, the radius is in that unit: bits, nats.
    CHECK(is_close(selection_radius(0.25 * 4, 100, 2), 2 * selection_radius(0.25, 100, 2), 1e-14));
}

// ---- the test, against a look at all features --------------------------------------------------------------------

/// What is near enough to be decided by rounding, in nats.
constexpr double near = 1e-8;

/// A node by its definition: counts in a map, ranks in a list.
class PlainNode {
public:
    void widen(std::size_t n_classes) {
        of_class_.resize(n_classes);
        for (auto& [id, on] : on_) on.resize(n_classes);
    }

    void add(const streams::Point& point) {
        ++of_class_[point.label];
        for (const FeatureId id : point.features) {
            Counts& on = on_.try_emplace(id, of_class_.size()).first->second;
            ++on[point.label];
            if (sum(on) == 3) ranked_.push_back(id);
        }
    }

    struct Feature {
        FeatureId id;
        double weighted_gain;
        double missing;  // of the evidence that is needed; infinite without a rank
    };

    /// All features, the largest gain first.
    std::vector<Feature> features(double delta, std::int64_t leaf) const {
        std::vector<Feature> all;
        for (const auto& [id, on] : on_) {
            const auto at = std::find(ranked_.begin(), ranked_.end(), id);
            double missing = std::numeric_limits<double>::infinity();
            if (at != ranked_.end()) {
                const auto penalty = [](double r) { return 2.11 * (r + 1) * std::log(r + 2) * std::log(r + 2); };
                const double share =
                    delta / penalty(static_cast<double>(leaf)) / penalty(static_cast<double>(at - ranked_.begin() + 1));
                missing = std::log(1 / share) - log_evidence_by_definition(on, of_class_);
            }
            all.push_back({id, weighted_gain_by_definition(on, of_class_), missing});
        }
        std::sort(all.begin(), all.end(),
                  [](const Feature& a, const Feature& b) { return a.weighted_gain > b.weighted_gain; });
        return all;
    }

    const std::vector<FeatureId>& ranked() const { return ranked_; }
    const Counts& of_class() const { return of_class_; }

private:
    Counts of_class_ = Counts(2);
    std::map<FeatureId, Counts> on_;
    std::vector<FeatureId> ranked_;
};

struct Seen {
    long splits = 0;
    long more_by_all = 0;
    long asked = 0;
    long ruled_out = 0;
};

/// A node that goes on after it would have been split, so that evidence comes and goes; classes appear when they do.
void follow(const std::vector<streams::Point>& points, SearchKind search, double delta, std::uint64_t born,
            Seen& seen) {
    EvidenceTest test(delta, 0);
    NodeStatistics node(2);
    node.start(make_search({Criterion::entropy, search, 0.1, 2}), std::make_unique<EvidenceNotes>());
    const auto& notes = static_cast<const EvidenceNotes&>(*node.notes());
    PlainNode plain;
    for (const streams::Point& point : points) {
        const std::size_t n_classes = std::size_t{point.label} + 1;
        if (n_classes > node.counted().size()) {
            plain.widen(n_classes);
            node.widen(n_classes, node.widened_search({Criterion::entropy, search, 0.1, static_cast<int>(n_classes)}));
        }
        node.add(Features(point.features), point.label, 1);
        plain.add(point);
        if (!CHECK(notes.ranked() == plain.ranked())) return;
        if (node.is_pure()) continue;

        const std::optional<DueSplit> due = test.due_split(node, {born}, Rival::no_split);
        const std::vector<PlainNode::Feature> all = plain.features(delta, static_cast<std::int64_t>(born) + 1);
        const auto has_enough = [](const PlainNode::Feature& f) { return f.missing <= -near; };
        const auto may_have_enough = [](const PlainNode::Feature& f) { return f.missing <= near; };
        ++seen.asked;
        // Never where all features together would not.
        if (due && !CHECK(std::any_of(all.begin(), all.end(), may_have_enough))) return;
        // A node is ruled out only if no feature at all has enough.
        if (notes.bound() + weighted_entropy_by_definition(plain.of_class()) < -1e-6) {
            ++seen.ruled_out;
            if (!CHECK(!due && std::none_of(all.begin(), all.end(), has_enough))) return;
        }
        // Always where one of the best four has enough, unless another one might be in its place.
        const auto is_among_four = [&](const PlainNode::Feature& f) {
            const auto before = std::count_if(all.begin(), all.end(), [&](const PlainNode::Feature& other) {
                return other.weighted_gain >= f.weighted_gain - near;
            });
            return before <= 4;
        };
        const bool must = std::any_of(all.begin(), all.end(),
                                      [&](const PlainNode::Feature& f) { return has_enough(f) && is_among_four(f); });
        if (must && !CHECK(due)) return;
        seen.more_by_all += !due && std::any_of(all.begin(), all.end(), has_enough);
        if (!due) continue;
        ++seen.splits;
        const double per_point = std::numbers::log2e / node.n();
        const double second = all.size() > 1 ? std::max(0.0, all[1].weighted_gain) : 0;
        CHECK(std::any_of(all.begin(), all.end(), [&](const PlainNode::Feature& f) {
            return f.id == due->split.feature() && f.weighted_gain >= all[0].weighted_gain - near;
        }));
        CHECK(is_close(due->gain, all[0].weighted_gain * per_point, 1e-9));
        CHECK(is_close(due->margin, (all[0].weighted_gain - second) * per_point, 1e-9));
    }
}

void against_all_features() {
    Seen seen;
    for (const std::string_view name : streams::names) {
        for (const int n_classes : {2, 3, 5}) {
            // Short points with few features and long ones with many.
            const auto few = streams::make(name, 500, 6, 1, n_classes);
            const auto many = streams::make(name, name == "never repeated" ? 120 : 250, 30, 2, n_classes);
            follow(few, SearchKind::certified, 0.05, 0, seen);
            follow(few, SearchKind::exhaustive, 0.4, 6, seen);
            follow(many, SearchKind::certified, 0.4, 1, seen);
        }
    }
    // Both answers were tested, and most questions were never put to the search.
    CHECK(seen.splits > 1000 && seen.asked > seen.splits * 3 / 2 && seen.ruled_out > seen.asked / 4);
    std::fprintf(stderr, "asked %ld, ruled out %ld, due %ld, due by all features alone %ld\n", seen.asked,
                 seen.ruled_out, seen.splits, seen.more_by_all);
}

/// Where the best four are not enough: a feature of the first rank has the evidence that it needs, and five that tell a
/// little more have not, as they need more. The node is split all the same, a few points later.
void crowded_out() {
    std::vector<streams::Point> points(6);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].label = i % 2;
        if (i < 3) points[i].features = {0};
        // Four hundred features take the ranks that follow.
        for (FeatureId j = 100; i >= 3 && j < 500; ++j) points[i].features.push_back(j);
    }
    for (unsigned i = 0; i < 60; ++i) {
        points.push_back({{}, static_cast<Label>(i % 2)});
        if (i % 2 == 1) points.back().features = {1, 2, 3, 4, 5};
        if (i % 2 == 1 && i % 20 != 1) points.back().features.push_back(0);
    }
    for (const SearchKind search : {SearchKind::certified, SearchKind::exhaustive}) {
        Seen seen;
        follow(points, search, 0.05, 0, seen);
        CHECK(seen.more_by_all > 0 && seen.more_by_all < 15 && seen.splits > 0);
    }
}

/// The guarantee itself: in streams where no feature informs, the share of those ever split is at most delta. That of
/// the first leaf is delta / 5.1, and the features spend at most .62 of it.
void splits_of_noise() {
    constexpr int n_streams = 300;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (const unsigned n_classes : {2u, 5u}) {
        int split = 0;
        for (int stream = 0; stream < n_streams; ++stream) {
            EvidenceTest test(0.4, 0);
            NodeStatistics node(n_classes);
            node.start(make_search({Criterion::entropy, SearchKind::exhaustive, 0.1, static_cast<int>(n_classes)}),
                       std::make_unique<EvidenceNotes>());
            std::vector<FeatureId> features;
            for (int i = 0; i < 300; ++i) {
                features.clear();
                for (FeatureId j = 0; j < 20; ++j) {
                    if (uniform(random) < 1.0 / (j + 3)) features.push_back(j);
                }
                node.add(Features(features), static_cast<Label>(random() % n_classes), 1);
                if (node.is_pure() || !test.due_split(node, {0}, Rival::no_split)) continue;
                ++split;
                break;
            }
        }
        CHECK(split <= 0.4 / 5 * n_streams);
    }
}

}  // namespace

int main() {
    tables_of_logarithms_are_made_once();
    log_sums();
    kt_is_a_probability();
    kt_and_evidence();
    regret_of_all_small_counts();
    shares_of_delta();
    selection();
    against_all_features();
    crowded_out();
    splits_of_noise();
    return check::finish();
}
