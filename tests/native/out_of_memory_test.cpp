// Every allocation fails in turn, alone and with all that follow: in searches, in trees of every growth, in a tree that
// forgets, and when trees are saved and loaded. What fails throws std::bad_alloc. After that either nothing has changed
// (merge, copy, save, load), or the lock of the object refuses every use (add, learn, queries), and it can be
// destroyed. Under the address sanitizer nothing is lost or used wrongly on the way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "failing_memory.hpp"
#include "sapwood/dynamic/dynamic_tree.hpp"
#include "sapwood/dynamic/validate_dynamic.hpp"
#include "sapwood/io/dynamic_bytes.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/storage/fair_mutex.hpp"
#include "sapwood/tree/learn_rows.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "short_run.hpp"
#include "streams.hpp"

namespace {

using namespace sapwood;

constexpr long most_places = check::is_short_run ? 60 : 400;

/// Where an allocation fails, and whether those after it do.
struct Failure {
    long after = failing_memory::never;
    bool only_one = true;
};

/// Runs `once(failure)` with the first allocation failing, then the second, and so on: each of them if they are few,
/// else so many, spread over all. `once` returns whether memory ran out, which it must in every run.
template <class Once>
void at_every_place(const std::string& name, Once once) {
    failing_memory::count = 0;
    CHECK(!once(Failure{}));
    const long total = failing_memory::count;
    if (!CHECK(total > 0)) std::fprintf(stderr, "  %s\n", name.c_str());
    const long step = std::max(1L, total / most_places);
    for (long after = 0; after < total; after += step) {
        for (const bool only_one : {true, false}) {
            if (CHECK(once(Failure{after, only_one}))) continue;
            std::fprintf(stderr, "  %s: allocation %ld of %ld did not fail\n", name.c_str(), after, total);
        }
    }
}

/// Runs a part in which allocations count and fail. Returns whether memory ran out.
template <class Part>
bool runs_out(const Failure& failure, Part part) {
    const failing_memory::After failing(failure.after, failure.only_one);
    try {
        part();
        return false;
    } catch (const std::bad_alloc&) {
        return true;
    }
}

/// Whether nobody can take a lock any more, to read or to write.
bool is_refused(FairMutex& mutex) {
    const auto refuses = [](auto lock) {
        try {
            lock.lock();
            return false;
        } catch (const std::runtime_error&) {
            return !lock.owns_lock();
        }
    };
    return refuses(std::unique_lock(mutex, std::defer_lock)) && refuses(std::shared_lock(mutex, std::defer_lock));
}

// ---- searches -------------------------------------------------------------------------------------------------------

/// Points whose ids are in part below any bound, and in part above it, where they are hashed.
std::vector<streams::Point> spread_points(int n, int n_classes) {
    auto points = streams::make("late features", n, 30, 3, n_classes);
    for (streams::Point& point : points) {
        for (FeatureId& id : point.features) id = id % 3 == 0 ? max_points - id : 70 * id;
    }
    return points;
}

void a_search_refuses(const SearchChoice& choice, const std::string& name) {
    const auto points = spread_points(120, choice.n_classes);
    at_every_place(name, [&](const Failure& failure) {
        FairMutex mutex;
        const std::unique_ptr<SplitSearch> search = make_search(choice);
        const bool failed = runs_out(failure, [&] {
            const std::unique_lock lock(mutex);
            for (std::size_t i = 0; i < points.size(); ++i) {
                change(mutex, [&] {
                    search->add(points[i].features, points[i].label, 2);
                    search->best();
                    if (i % 7 == 3) search->top(5);
                    if (choice.search != SearchKind::approximate && i % 5 == 4) {
                        search->remove(points[i].features, points[i].label);
                    }
                });
            }
        });
        CHECK(is_refused(mutex) == failed);
        return failed;
    });
}

bool same(const std::optional<Split>& x, const std::optional<Split>& y) {
    return x.has_value() == y.has_value() && (!x || (x->test == y->test && x->score == y->score && x->gain == y->gain));
}

bool same_state(SplitSearch& a, SplitSearch& b) {
    const SearchState x = by_feature(a.state());
    const SearchState y = by_feature(b.state());
    return x.of_class == y.of_class && x.ids == y.ids && x.on == y.on && x.filings.first_bin == y.filings.first_bin &&
           x.filings.last_bin == y.filings.last_bin;
}

/// What is to leave searches as they were if it fails: they answer as copies do that were made before.
template <class Use>
void changes_nothing(const SearchChoice& choice, const std::string& name, Use use) {
    const auto points = spread_points(60, choice.n_classes);
    at_every_place(name, [&](const Failure& failure) {
        const std::unique_ptr<SplitSearch> search = make_search(choice);
        const std::unique_ptr<SplitSearch> other = make_search(choice);
        for (std::size_t i = 0; i < points.size(); ++i) {
            SplitSearch& one = i % 2 == 0 ? *search : *other;
            one.add(points[i].features, points[i].label);
            if (i < 40) one.best();
        }
        const std::unique_ptr<SplitSearch> before = search->clone();
        const std::unique_ptr<SplitSearch> other_before = other->clone();
        if (!runs_out(failure, [&] { use(*search, *other); })) return false;
        for (const auto& [now, then] : {std::pair(search.get(), before.get()), {other.get(), other_before.get()}}) {
            now->validate();
            CHECK(same(now->best(), then->best()));
            CHECK(same_state(*now, *then));
        }
        return true;
    });
}

void searches() {
    for (const SearchKind kind : {SearchKind::exhaustive, SearchKind::certified, SearchKind::approximate}) {
        for (const Criterion criterion : {Criterion::entropy, Criterion::gini}) {
            for (const int n_classes : {2, 5}) {
                const SearchChoice choice{criterion, kind, 0.1, n_classes};
                if (why_not(choice)) continue;
                const std::string name = std::string(word_of(kind)) + ", " + std::string(word_of(criterion)) + ", " +
                                         std::to_string(n_classes) + " classes";
                a_search_refuses(choice, name);
                changes_nothing(choice, name + ", merge",
                                [](SplitSearch& search, SplitSearch& other) { search.merge(other, Merge::points); });
                changes_nothing(choice, name + ", copy",
                                [](SplitSearch& search, SplitSearch&) { static_cast<void>(search.clone()); });
                changes_nothing(choice, name + ", save", [](SplitSearch& search, SplitSearch&) {
                    ByteWriter out;
                    search.save(out);
                });
            }
        }
    }
}

// ---- trees ----------------------------------------------------------------------------------------------------------

struct Stream {
    std::vector<KeyId> keys;
    std::vector<std::int64_t> ends{0};
    std::vector<KeyId> numbers;
    std::vector<std::int64_t> number_ends{0};
    std::vector<double> values;
    std::vector<Label> labels;

    LabelledRows rows() const { return {{{ends, keys}, {number_ends, numbers}, values}, labels}; }
};

/// Points of three classes, of which the third comes late; with numbers, if so.
Stream make_stream(std::size_t n, bool with_numbers) {
    Stream made;
    const auto points = streams::make("abrupt drift", static_cast<int>(n), 25, 11, 3);
    for (std::size_t i = 0; i < n; ++i) {
        const auto label = static_cast<Label>(i < n / 2 ? points[i].label % 2 : points[i].label);
        // Two features that tell, and the others.
        made.keys.push_back(i < n / 2 ? 1000 + label : 2000 + label);
        for (const FeatureId id : points[i].features) made.keys.push_back(id % 2 == 0 ? max_points - id : id);
        made.ends.push_back(static_cast<std::int64_t>(made.keys.size()));
        if (with_numbers && i > 20) {
            for (const KeyId number : {5, 6}) {
                made.numbers.push_back(number);
                made.values.push_back(number == 5 ? label + static_cast<double>(i % 7) / 8
                                                  : static_cast<double>(i % 13));
            }
        }
        made.number_ends.push_back(static_cast<std::int64_t>(made.numbers.size()));
        made.labels.push_back(label);
    }
    return made;
}

struct Grown {
    StreamingTree tree;
    Vocabulary vocabulary;
    FairMutex mutex;

    explicit Grown(const TreeOptions& options) : tree(options) {}

    void learn(const Stream& stream) {
        const std::unique_lock lock(mutex);
        change(mutex, [&] { learn_rows(tree, vocabulary, stream.rows(), 0, [] { return false; }); });
    }
};

TreeOptions options_of(Growth growth, LeafPrediction prediction) {
    TreeOptions options;
    options.growth = growth;
    options.leaf_prediction = prediction;
    options.split_test = growth == Growth::streaming ? SplitTestKind::evidence : SplitTestKind::hoeffding;
    options.delta = 0.2;
    options.tau = 0.5;
    options.grace_period = 5;
    options.min_samples_reevaluate = 10;
    options.window_size = 50;
    options.drift_delta = 0.3;
    options.swap_delta = 0.3;
    options.patience = 40;
    return options;
}

void a_tree_refuses(const TreeOptions& options, bool with_numbers, const std::string& name) {
    const Stream stream = make_stream(130, with_numbers);
    bool grew = false;
    at_every_place(name, [&](const Failure& failure) {
        Grown grown(options);
        const bool failed = runs_out(failure, [&] { grown.learn(stream); });
        CHECK(is_refused(grown.mutex) == failed);
        if (!failed) grew |= grown.tree.nodes().n_nodes() > 1;
        return failed;
    });
    if (!CHECK(grew)) std::fprintf(stderr, "  %s has no split\n", name.c_str());
}

void saving_and_loading(const TreeOptions& options, bool with_numbers, const std::string& name) {
    Grown grown(options);
    grown.learn(make_stream(130, with_numbers));
    std::string saved;
    at_every_place(name + ", save", [&](const Failure& failure) {
        const bool failed = runs_out(failure, [&] { saved = write_tree(grown.tree); });
        grown.tree.validate();
        if (failed) CHECK(write_tree(grown.tree) == saved);
        return failed;
    });
    at_every_place(name + ", load", [&](const Failure& failure) {
        const std::span bytes(reinterpret_cast<const std::byte*>(saved.data()), saved.size());
        return runs_out(failure, [&] { static_cast<void>(read_tree(bytes)); });
    });
}

void trees() {
    for (const Growth growth :
         {Growth::hoeffding, Growth::extremely_fast, Growth::streaming, Growth::windowed, Growth::adaptive}) {
        const std::string name(word_of(growth));
        a_tree_refuses(options_of(growth, LeafPrediction::mixed), false, name);
        a_tree_refuses(options_of(growth, LeafPrediction::adaptive), true, name + ", numbers");
        TreeOptions bounded = options_of(growth, LeafPrediction::mixed);
        bounded.max_bytes = least_max_bytes;
        a_tree_refuses(bounded, false, name + ", bounded");
        saving_and_loading(options_of(growth, LeafPrediction::mixed), true, name);
    }
}

/// Trees of adaptive size, which are cut as the stream goes on: the root is dropped, or all begins anew.
void trees_of_adaptive_size() {
    for (const WhenFull when_full : {WhenFull::drop_root, WhenFull::reset}) {
        const std::string name = "adaptive size, " + std::string(word_of(when_full));
        TreeOptions options = options_of(Growth::adaptive_size, LeafPrediction::mixed);
        options.max_size = 1;
        options.when_full = when_full;
        Grown whole(options);
        whole.learn(make_stream(130, false));
        CHECK(whole.tree.tally().split > 1 && whole.tree.nodes().n_leaves() <= 2);
        a_tree_refuses(options, false, name);
        options.leaf_prediction = LeafPrediction::adaptive;
        a_tree_refuses(options, true, name + ", numbers");
        options.leaf_prediction = LeafPrediction::mixed;
        saving_and_loading(options, true, name);
        options.max_bytes = least_max_bytes;
        a_tree_refuses(options, false, name + ", bounded");
    }
}

// ---- a tree that forgets --------------------------------------------------------------------------------------------

class ById final : public FeatureOrder {
public:
    bool comes_before(FeatureId a, FeatureId b) const override { return a < b; }
};

void a_dynamic_tree() {
    const auto points = streams::make("plain", 60, 12, 5, 2);
    const ById order;
    DynamicOptions options;
    options.stopping = Stopping::none;
    at_every_place("dynamic", [&](const Failure& failure) {
        FairMutex mutex;
        DynamicTree tree(options);
        const bool failed = runs_out(failure, [&] {
            const std::unique_lock lock(mutex);
            change(mutex, [&] {
                std::vector<PointId> ids;
                for (std::size_t i = 0; i < points.size(); ++i) {
                    ids.push_back(tree.learn(points[i].features, points[i].label));
                    if (i % 4 == 3) tree.forget(ids[i]);
                    if (i % 3 == 0) tree.settle(order);
                }
                tree.settle(order);
            });
        });
        CHECK(is_refused(mutex) == failed);
        return failed;
    });
    DynamicTree tree(options);
    for (const streams::Point& point : points) tree.learn(point.features, point.label);
    tree.settle(order);
    at_every_place("dynamic, save", [&](const Failure& failure) {
        return runs_out(failure, [&] { static_cast<void>(write_dynamic_tree(tree, order)); });
    });
}

}  // namespace

int main() {
    searches();
    trees();
    trees_of_adaptive_size();
    a_dynamic_tree();
    return sapwood::check::finish();
}
