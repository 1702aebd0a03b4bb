// The search over features, numbers and categories against one that scores every threshold, every set and every feature
// from the points themselves, after every operation, on hostile numbers.
#include "sapwood/search/numbers/composite.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"
#include "sapwood/search/make_search.hpp"

namespace {

using namespace sapwood;

// Features 0 to 3 are flags, 4 to 6 say that a number is present, 7 to 11 are the values of a category.
constexpr std::size_t n_numbers = 3;
constexpr FeatureId first_presence = 4;
constexpr FeatureId first_value = 7;
constexpr FeatureId n_features = 12;

struct Made {
    std::vector<FeatureId> on;
    std::vector<NumberValue> numbers;
    Label label = 0;
    Count weight = 1;

    Point point(const Attributes& attributes) const {
        Point made(on, numbers);
        made.attributes = &attributes;
        return made;
    }
};

/// How the values of a number come.
enum class Kind { constant, binary, few, normal, huge, subnormal, rising, drifting, missing, n_kinds };

double drawn_value(Kind kind, int step, std::mt19937& random) {
    std::normal_distribution<double> normal;
    switch (kind) {
        case Kind::constant:
            return 7;
        case Kind::binary:
            return static_cast<double>(random() % 2);
        case Kind::few:
            return static_cast<double>(random() % 9) / 4 - 1;
        case Kind::huge:
            return (random() % 2 == 0 ? -1 : 1) * 1.7e308 / static_cast<double>(1 + random() % 5);
        case Kind::subnormal:
            return static_cast<double>(random() % 40) * std::numeric_limits<double>::denorm_min();
        case Kind::rising:
            return step;
        case Kind::drifting:
            return std::exp(step / 40.0) * normal(random);
        default:
            return normal(random);
    }
}

Made drawn_point(const std::vector<Kind>& kinds, std::size_t n_classes, bool sorted_labels, int step,
                 std::mt19937& random) {
    Made made;
    made.label =
        static_cast<Label>(sorted_labels ? static_cast<std::size_t>(step) / 60 % n_classes : random() % n_classes);
    made.weight = random() % 5 == 0 ? static_cast<Count>(1 + random() % 3) : 1;
    for (FeatureId id = 0; id < first_presence; ++id) {
        if (random() % 3 == 0 || (id == 1 && made.label == 1 && random() % 4 != 0)) made.on.push_back(id);
    }
    for (std::size_t i = 0; i < n_numbers; ++i) {
        if (kinds[i] == Kind::missing || random() % 6 == 0) continue;
        double value = drawn_value(kinds[i], step, random);
        // Some numbers tell the class.
        if (i == 0 && made.label == 0 && kinds[i] == Kind::normal) value -= 1;
        made.numbers.push_back({attribute_at(i), value + 0.0});
        made.on.push_back(first_presence + static_cast<FeatureId>(i));
    }
    if (random() % 7 != 0) {
        const auto value = static_cast<FeatureId>((random() % 5 + random() % (1 + made.label)) % 5);
        made.on.push_back(first_value + value);
    }
    return made;
}

/// The points themselves.
class Twin {
public:
    Twin(Criterion criterion, std::size_t n_classes) : scores_(criterion, n_classes), n_classes_(n_classes) {}

    std::vector<Made> points;

    std::vector<Count> passing(const Test& test, const Attributes& attributes) const {
        std::vector<Count> passed(n_classes_);
        for (const Made& made : points) {
            if (test.kind() == TestKind::nothing || test.passes(made.point(attributes)))
                passed[made.label] += made.weight;
        }
        return passed;
    }

    Split split_of(const Test& test, const Attributes& attributes) {
        const std::vector<Count> of_class = passing(Test(), attributes);
        Count n = 0;
        for (const Count count : of_class) n += count;
        scores_.cover(n);
        const double score = scores_.score(passing(test, attributes), of_class);
        return {test, score, n == 0 ? 0 : (scores_.weighted(of_class) - score) / n};
    }

    /// All splits that a search is to know of, best first; of an attribute only its best.
    std::vector<Split> all(const Attributes& attributes, const AttributeSearch& search) {
        std::vector<Split> splits;
        std::set<FeatureId> seen;
        for (const Made& made : points) seen.insert(made.on.begin(), made.on.end());
        for (const FeatureId id : seen) splits.push_back(split_of(id, attributes));
        for (std::size_t i = 0; i < n_numbers; ++i) {
            std::optional<Split> best;
            const Histogram* histogram = search.histogram(attribute_at(i));
            for (std::size_t j = 0; histogram != nullptr && j + 1 < histogram->size(); ++j) {
                for (const bool passes : {false, true}) {
                    const Split split =
                        split_of(Test::is_above(attribute_at(i), histogram->threshold(j), passes), attributes);
                    if (!best || split.score < best->score) best = split;
                }
            }
            if (best) splits.push_back(*best);
        }
        if (n_classes_ == 2 && attributes.n_categories() == 1 && attributes.category(0).is_exclusive) {
            if (const std::optional<Split> best = best_set(attributes, seen)) splits.push_back(*best);
        }
        std::sort(splits.begin(), splits.end(), comes_before);
        return splits;
    }

    /// The distinct values of a number.
    std::set<double> values(std::size_t number) const {
        std::set<double> found;
        for (const Made& made : points) {
            for (const NumberValue& each : made.numbers) {
                if (index_of(each.attribute) == number) found.insert(each.value);
            }
        }
        return found;
    }

private:
    std::optional<Split> best_set(const Attributes& attributes, const std::set<FeatureId>& seen) {
        std::vector<FeatureId> values;
        for (FeatureId id = first_value; id < n_features; ++id) {
            if (seen.count(id) != 0) values.push_back(id);
        }
        double least_of_one = std::numeric_limits<double>::infinity();
        for (const FeatureId id : values) least_of_one = std::min(least_of_one, split_of(id, attributes).score);
        std::optional<Split> best;
        for (unsigned mask = 1; mask < 1u << values.size(); ++mask) {
            Test::Categories some;
            for (std::size_t i = 0; i < values.size(); ++i) {
                if ((mask >> i & 1u) != 0) some.push_back(values[i]);
            }
            if (some.size() < 2) continue;
            const Split split = split_of(Test::is_among(some), attributes);
            if (split.score < least_of_one && (!best || split.score < best->score)) best = split;
        }
        return best;
    }

    AttributeScores scores_;
    std::size_t n_classes_;
};

/// A search by certificates and an exhaustive one over the same points, and the points.
struct Searches {
    Searches(Criterion criterion, std::size_t n_classes, const Attributes& attributes_)
        : attributes(attributes_), twin(criterion, n_classes) {
        choice.criterion = criterion;
        choice.n_classes = static_cast<int>(n_classes);
        certified = make_search(choice, &attributes);
        choice.search = SearchKind::exhaustive;
        exhaustive = make_search(choice, &attributes);
    }

    void add(const Made& made) {
        for (SplitSearch* search : {certified.get(), exhaustive.get()}) {
            search->add_point(made.point(attributes), made.label, made.weight);
        }
        twin.points.push_back(made);
    }

    void remove(std::size_t i) {
        const Made made = twin.points[i];
        for (SplitSearch* search : {certified.get(), exhaustive.get()}) {
            search->remove_point(made.point(attributes), made.label, made.weight);
        }
        twin.points.erase(twin.points.begin() + static_cast<std::ptrdiff_t>(i));
    }

    bool agree(std::size_t k) {
        const auto& composite = dynamic_cast<const CompositeSearch&>(*certified);
        const std::vector<Split> expected = twin.all(attributes, composite.attribute_search());
        const std::optional<Split> best = certified->best();
        if (!CHECK(best.has_value() == !expected.empty())) return false;
        if (!best) return true;
        if (!CHECK(best->score == expected[0].score && best->gain == expected[0].gain)) return false;
        if (!CHECK(certified->passing(best->test) == twin.passing(best->test, attributes))) return false;
        const std::vector<Split> top = certified->top(k);
        const std::vector<Split> same = exhaustive->top(k);
        if (!CHECK(top.size() == std::min(k, expected.size()) && same.size() == top.size())) return false;
        for (std::size_t i = 0; i < top.size(); ++i) {
            if (!CHECK(top[i].score == expected[i].score)) return false;
            if (!CHECK(top[i].test == same[i].test && top[i].score == same[i].score)) return false;
        }
        certified->validate();
        return true;
    }

    const Attributes& attributes;
    SearchChoice choice;
    Twin twin;
    std::unique_ptr<SplitSearch> certified;
    std::unique_ptr<SplitSearch> exhaustive;
};

Attributes known_attributes() {
    Attributes attributes;
    for (std::size_t i = 0; i < n_numbers; ++i) {
        attributes.add_number({first_presence + static_cast<FeatureId>(i), 0});
    }
    for (FeatureId id = 0; id < n_features; ++id) attributes.add_feature(id < first_value ? -1 : 3);
    return attributes;
}

/// Notes what a model notes of a point before it learns it.
void meet(Attributes& attributes, std::map<std::size_t, double>& firsts, const Made& made) {
    for (const NumberValue& each : made.numbers) {
        // The first value of a number is known before it is learned; here it is 0 or that of a constant.
        firsts.emplace(index_of(each.attribute), each.value);
        attributes.meet(each.attribute, each.value);
    }
    attributes.meet(Features(made.on));
}

void agrees_after_every_operation(Criterion criterion, std::size_t n_classes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Kind> kinds;
    for (std::size_t i = 0; i < n_numbers; ++i) {
        kinds.push_back(static_cast<Kind>((seed + i * 4 + random() % 2) % static_cast<unsigned>(Kind::n_kinds)));
    }
    Attributes attributes = known_attributes();
    std::map<std::size_t, double> firsts;
    Searches searches(criterion, n_classes, attributes);
    const bool removes = seed % 3 == 1;
    for (int step = 0; step < 260; ++step) {
        const Made made = drawn_point(kinds, n_classes, seed % 4 == 3, step, random);
        meet(attributes, firsts, made);
        searches.add(made);
        if (removes && searches.twin.points.size() > 90) searches.remove(random() % searches.twin.points.size());
        if (step == 100) {
            // A search that is saved goes on.
            ByteWriter out;
            searches.certified->save(out);
            const std::string bytes = out.take();
            ByteReader in(std::as_bytes(std::span(bytes)));
            SearchChoice choice = searches.choice;
            choice.search = SearchKind::certified;
            std::unique_ptr<SplitSearch> loaded = make_search(choice, &attributes);
            loaded->load(in, {searches.certified->of_classes(), n_features});
            CHECK(in.left() == 0);
            searches.certified = std::move(loaded);
        }
        if (step == 150) {
            // Two nodes become one.
            Searches other(criterion, n_classes, attributes);
            for (int i = 0; i < 40; ++i) {
                const Made more = drawn_point(kinds, n_classes, false, step + i, random);
                meet(attributes, firsts, more);
                other.add(more);
                searches.twin.points.push_back(more);
            }
            searches.certified->merge(*other.certified, Merge::points);
            searches.exhaustive->merge(*other.exhaustive, Merge::points);
        }
        if (!CHECK(searches.agree(1 + random() % 12))) {
            std::printf("criterion %d, %zu classes, seed %u, step %d\n", static_cast<int>(criterion), n_classes, seed,
                        step);
            return;
        }
    }
}

/// While there are few distinct values, the thresholds are those between every two of them.
void few_values_are_all_told_apart() {
    std::mt19937 random(5);
    Histogram histogram(2);
    std::set<double> values;
    for (int i = 0; i < 400; ++i) {
        const double value = static_cast<double>(random() % Histogram::most) / 7;
        histogram.add(value, static_cast<Label>(random() % 2), 1);
        values.insert(value);
        if (!CHECK(histogram.size() == values.size())) return;
        std::size_t at = 0;
        for (const double each : values) CHECK(histogram.low(at) == each && histogram.high(at++) == each);
        CHECK(histogram.why_broken() == nullptr);
    }
}

/// Of very many values no interval has far more than its share, whatever their order.
void many_values_are_divided_evenly(int order) {
    std::mt19937 random(6);
    std::normal_distribution<double> normal;
    Histogram histogram(2);
    constexpr int n = 20000;
    for (int i = 0; i < n; ++i) {
        const double value = order == 0 ? normal(random) : order == 1 ? i : -i;
        histogram.add(value, static_cast<Label>(i % 2), 1);
    }
    CHECK(histogram.size() == Histogram::most);
    for (std::size_t i = 0; i < histogram.size(); ++i) {
        CHECK(histogram.counts(i)[0] + histogram.counts(i)[1] <= 4 * n / static_cast<int>(Histogram::most));
    }
}

/// A threshold that is kept stays one, whatever comes.
void what_is_kept_stays() {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    Histogram histogram(2);
    Count above = 0;
    double threshold = 0;
    for (int i = 0; i < 5000; ++i) {
        const double value = normal(random);
        histogram.add(value, 0, 1);
        if (i == 70) {
            threshold = histogram.threshold(30);
            histogram.keep(threshold);
            above = histogram.above(threshold)[0];
        } else if (i > 70) {
            above += value > threshold ? 1 : 0;
            if (!CHECK(histogram.above(threshold)[0] == above && histogram.gap_of(threshold) > 0)) return;
        }
    }
}

/// A threshold is in its gap, also where the gap has no number but its lower end, or is as wide as can be.
void thresholds_are_in_their_gaps() {
    const double least = std::numeric_limits<double>::denorm_min();
    const double most = std::numeric_limits<double>::max();
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {0, least}, {least, 2 * least}, {-most, most}, {1, std::nextafter(1, 2)}, {-least, 0}, {37, 38}}) {
        Histogram histogram(2);
        histogram.add(low, 0, 1);
        histogram.add(high, 1, 1);
        CHECK(low <= histogram.threshold(0) && histogram.threshold(0) < high);
        CHECK(histogram.gap_of(histogram.threshold(0)) == 1);
    }
}

/// What was not added is refused, and nothing changes.
void removal_is_checked() {
    Attributes attributes = known_attributes();
    std::map<std::size_t, double> firsts;
    Searches searches(Criterion::entropy, 2, attributes);
    Made made;
    made.on = {0, first_presence};
    made.numbers = {{AttributeId{0}, 1.5}};
    meet(attributes, firsts, made);
    searches.add(made);
    Made other = made;
    other.numbers[0].value = 2.5;
    CHECK_THROWS(std::invalid_argument, searches.certified->remove_point(other.point(attributes), 0, 1));
    CHECK(searches.certified->n() == 1);
    searches.remove(0);
    CHECK(searches.certified->n() == 0);
}

/// Sets of many values are looked at when the points pass a multiple of an eighth of the values, rounded down to a
/// power of two; in between the best is the best of all else. A small category does not rest.
void sets_of_many_values_rest() {
    constexpr FeatureId n_large = 200;  // of which an eighth is 16 at least
    constexpr FeatureId n_small = 20;
    Attributes attributes;
    for (FeatureId id = 0; id < n_large + n_small; ++id) attributes.add_feature(id < n_large ? 0 : 1);
    Attributes small;
    small.skip_to(n_large);
    for (FeatureId id = n_large; id < n_large + n_small; ++id) small.add_feature(0);
    const SearchChoice choice;  // certified, entropy, two classes
    CompositeSearch resting(choice, make_search(choice), attributes);
    CompositeSearch restless(choice, make_search(choice), attributes);
    CompositeSearch without(choice, make_search(choice), small);
    std::mt19937 random(5);
    std::uint64_t before = 0;
    std::uint64_t n_looks = 0;
    const Count n_points = 640;
    Count n = 0;
    for (int step = 0; n < n_points; ++step) {
        // The point between two multiples may be one of many.
        const auto weight = static_cast<Count>(step % 9 == 0 ? 3 : 1);
        const std::vector<FeatureId> on{static_cast<FeatureId>(random() % n_large),
                                        static_cast<FeatureId>(n_large + static_cast<FeatureId>(random() % n_small))};
        const auto label = static_cast<Label>(random() % 2);
        for (CompositeSearch* each : {&resting, &restless, &without}) each->add_point(Point(on), label, weight);
        const Count asked_at = n;
        n += weight;
        const bool is_due = n / 16 != asked_at / 16;
        const bool was_due = before != 0;
        CHECK(resting.rest_sets(asked_at, n) == (is_due || was_due));
        before = is_due ? 1 : 0;
        n_looks += is_due ? 1 : 0;
        CHECK(resting.over_attributes()->looks_at_sets());
        const std::optional<Split> best = resting.best();
        resting.end_rest();
        const std::optional<Split> expected = is_due ? restless.best() : without.best();
        if (!CHECK(best && expected && best->test == expected->test && best->score == expected->score)) return;
        CHECK(resting.wake() == !is_due && !resting.wake());
        // Whoever asks without a word of rest is told the best of all.
        if (step % 50 == 0) CHECK(resting.best()->test == restless.best()->test);
    }
    CHECK(n_looks == n_points / 16);
    // A category of many values alone: none is looked at while it rests.
    Attributes large;
    for (FeatureId id = 0; id < n_large; ++id) large.add_feature(0);
    CompositeSearch only(choice, make_search(choice), large);
    only.rest_sets(1, 2);
    CHECK(!only.over_attributes()->looks_at_sets());
    only.end_rest();
    CHECK(only.over_attributes()->looks_at_sets());
}

}  // namespace

int main() {
    for (unsigned seed = 0; seed < 18; ++seed) {
        agrees_after_every_operation(Criterion::entropy, 2, seed);
        if (seed % 2 == 0) agrees_after_every_operation(Criterion::gini, 2, 100 + seed);
        if (seed % 3 == 0) agrees_after_every_operation(Criterion::kearns_mansour, 2, 200 + seed);
        if (seed % 3 == 1) agrees_after_every_operation(Criterion::entropy, 3, 300 + seed);
        if (seed % 3 == 2) agrees_after_every_operation(Criterion::gini, 4, 400 + seed);
    }
    few_values_are_all_told_apart();
    for (const int order : {0, 1, 2}) many_values_are_divided_evenly(order);
    what_is_kept_stays();
    thresholds_are_in_their_gaps();
    removal_is_checked();
    sets_of_many_values_rest();
    return check::finish();
}
