// One tree or forest in many threads: readers, a writer, a saver and one that forks at once, each in its turn; names
// that become known while others count by them; and locks and tables after a fork. With the thread sanitizer (make
// tsan) it shows that nothing is read while it changes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sapwood/forest/learn_forest_rows.hpp"
#include "sapwood/log_sums.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/storage/fair_mutex.hpp"
#include "sapwood/tree/batch/shared_names.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"
#include "sapwood/x_log_x.hpp"

namespace {

using namespace sapwood;

/// Readers and writers who come while the lock is held get it in the order in which they came, one group after the
/// other: a group is a writer, or readers without a writer between them. A lock that prefers readers, or lets in who
/// comes first after it was let go, gives another order. Nothing here depends on time.
void everybody_gets_a_turn() {
    const std::string order = "RRWRWWRRRWRW";
    std::size_t n_groups = 0;
    std::vector<std::size_t> group_of;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool joins = i > 0 && order[i] == 'R' && order[i - 1] == 'R';
        n_groups += joins ? 0 : 1;
        group_of.push_back(n_groups);
    }
    for (const bool reads : {false, true}) {
        FairMutex mutex;
        // Behind one who reads the first to come is a writer: a reader would get in at once.
        if (reads) {
            mutex.lock_shared();
        } else {
            mutex.lock();
        }
        std::mutex noting;
        std::vector<std::size_t> entered;
        std::vector<std::thread> threads;
        for (std::size_t i = reads ? 2 : 0; i < order.size(); ++i) {
            const std::uint32_t before = mutex.n_asked();
            threads.emplace_back([&, i] {
                if (order[i] == 'W') {
                    mutex.lock();
                } else {
                    mutex.lock_shared();
                }
                {
                    const std::lock_guard lock(noting);
                    entered.push_back(group_of[i]);
                }
                if (order[i] == 'W') {
                    mutex.unlock();
                } else {
                    mutex.unlock_shared();
                }
            });
            while (mutex.n_asked() == before) std::this_thread::yield();
        }
        CHECK(entered.empty());
        CHECK(!mutex.try_lock_shared());
        CHECK(!mutex.try_lock());
        if (reads) {
            mutex.unlock_shared();
        } else {
            mutex.unlock();
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(entered.size() == threads.size());
        CHECK(std::is_sorted(entered.begin(), entered.end()));
        CHECK(mutex.try_lock());
        mutex.unlock();
    }
}

/// Readers that never pause: a lock that prefers them would not let these turns end.
void a_writer_among_readers() {
    constexpr int n_readers = 8;
    constexpr int n_turns = 200;
    FairMutex mutex;
    std::atomic<bool> done{false};
    std::atomic<std::int64_t> n_reads{0};
    std::int64_t value = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < n_readers; ++i) {
        readers.emplace_back([&] {
            while (!done) {
                const std::shared_lock lock(mutex);
                if (value >= 0) ++n_reads;
            }
        });
    }
    while (n_reads < n_readers) std::this_thread::yield();
    for (int i = 0; i < n_turns; ++i) {
        const std::unique_lock lock(mutex);
        ++value;
    }
    done = true;
    for (std::thread& reader : readers) reader.join();
    CHECK(value == n_turns);
}

std::vector<FeatureId> point_of(std::uint64_t i, bool label) {
    std::vector<FeatureId> features{static_cast<FeatureId>(label ? 0 : 1)};
    for (std::uint64_t k = 1; k < 6; ++k) {
        features.push_back(static_cast<FeatureId>(10 * k + TreeBody::mixed(7 * i + k) % 10));
    }
    return features;
}

/// Whoever asks for the table of logarithms has one at once, and the same values, while others fill it.
void one_table_of_logarithms() {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int bits = 11; bits < 22; ++bits) {
                const Count n = Count{1} << bits;
                const XLogX x_log_x = XLogX::covering(n);
                const LogSums sums;
                for (Count x = n / 2 + 1; x <= n; x += n / 64) {
                    const double exact = static_cast<double>(x) * std::log(static_cast<double>(x));
                    if (x_log_x(x) != exact || sums.x_log_x(x) != exact) ++wrong;
                    if (x_log_x.covers(x) && x_log_x.values()[x] != exact) ++wrong;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(XLogX::covering(1 << 19).covers(1 << 19));
}

/// What a child process, in which only this thread goes on, finds when it does something: 0 if it is done, 1 if it is
/// refused, -1 if it hangs or crashes.
template <class Do>
int in_child(Do something) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);  // one that waits is killed
        try {
            something();
        } catch (const std::runtime_error&) {
            _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A child of a process that was forked while another thread filled the table has what was there, and waits for nobody.
/// The table is filled once in a process, so that each try is in one of its own.
void a_fork_while_the_table_is_filled() {
    const auto ask = [] {
        const XLogX x_log_x = XLogX::covering(1 << 19);
        const Count x = (1 << 18) + 1;
        if (x_log_x(x) != static_cast<double>(x) * std::log(static_cast<double>(x))) throw std::runtime_error("wrong");
    };
    for (int delay = 0; delay < 12; ++delay) {
        const bool is_served = in_child([&] {
                                   std::atomic<bool> begins{false};
                                   std::thread other([&] {
                                       begins = true;
                                       XLogX::covering((1 << 20) - 1);
                                   });
                                   while (!begins) std::this_thread::yield();
                                   std::this_thread::sleep_for(std::chrono::milliseconds(delay / 2));
                                   const int found = in_child(ask);
                                   other.join();
                                   if (found != 0) throw std::runtime_error("a child waits, or has another value");
                               }) == 0;
        if (!CHECK(is_served)) return;
    }
}

/// The points of a stream, and one tree or forest that learns them, as everyone uses it.
struct TreeInUse {
    StreamingTree model{options()};
    Vocabulary vocabulary;

    static TreeOptions options() {
        TreeOptions options;
        options.growth = Growth::streaming;
        options.split_test = SplitTestKind::evidence;
        options.delta = 0.05;
        options.leaf_prediction = LeafPrediction::mixed;
        return options;
    }
    void learn(std::uint64_t i) {
        const bool label = TreeBody::mixed(i) % 2 == 0;
        std::vector<FeatureId> features;
        Vocabulary::Writing(vocabulary).find_or_insert(point_of(i, label), features);
        model.learn(Point{Features(features)}, label);
    }
    std::string save() { return write_tree(model); }
    void validate() const { model.validate(); }
};

struct ForestInUse {
    Forest model{options()};
    Vocabulary vocabulary;
    Workers workers{3};

    static ForestOptions options() {
        ForestOptions options;
        options.n_estimators = 3;
        options.on_drift = OnDrift::swap;
        options.warning_delta = 0.4;
        options.drift_delta = 0.3;
        options.tree.delta = 0.2;
        options.tree.tau = 0.5;
        return options;
    }
    void learn(std::uint64_t i) {
        const bool label = TreeBody::mixed(i) % 2 == 0;
        const std::vector<KeyId> keys = point_of(i, label);
        const std::vector<std::int64_t> ends{0, static_cast<std::int64_t>(keys.size())};
        const std::vector<std::int64_t> no_numbers(2);
        const std::vector<Label> labels{static_cast<Label>(label)};
        const LabelledRows rows{{{ends, keys}, {no_numbers, {}}, {}}, labels, {}};
        learn_rows(
            model, vocabulary, rows, 0, workers, false, [](std::size_t, std::span<const double>) {},
            [] { return false; });
    }
    std::string save() { return write_forest(model); }
    void validate() const {
        for (std::size_t t = 0; t < model.n_trees(); ++t) model.tree(t).validate();
    }
};

/// Whether what a model answers to the i-th point is a probability.
template <class InUse>
bool answers(InUse& used, std::uint64_t i) {
    std::vector<FeatureId> features;
    Vocabulary::Reading(used.vocabulary).find(point_of(i, i % 2 == 0), features);
    auto scores = used.model.make_scores();
    used.model.predict(Point{Features(features)}, scores);
    return scores.probabilities[0] >= 0 && scores.probabilities[0] <= 1;
}

template <class InUse>
void readers_a_writer_a_saver_and_forks(std::uint64_t n) {
    InUse used;
    FairMutex mutex;
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    std::atomic<int> n_forks{0};
    const auto read = [&] {
        for (std::uint64_t i = 0; !done; ++i) {
            const std::shared_lock lock(mutex);
            if (!answers(used, i)) ++wrong;
        }
    };
    const auto save = [&] {
        while (!done) {
            const std::unique_lock lock(mutex);
            if (used.save().empty()) ++wrong;
        }
    };
    // A child answers, or says that it was forked in the middle of a change.
    const auto fork_often = [&] {
        for (std::uint64_t i = 0; !done || n_forks == 0; ++i) {
            const int found = in_child([&] {
                const std::shared_lock lock(mutex);
                if (!answers(used, i)) _exit(2);
            });
            if (found != 0 && found != 1) ++wrong;
            ++n_forks;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(read);
    threads.emplace_back(save);
    threads.emplace_back(fork_often);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::unique_lock lock(mutex);
        used.learn(i);
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(n_forks > 0);
    CHECK(used.model.n() == static_cast<std::int64_t>(n));
    used.validate();
}

/// Names that become known to a tree which grows by batches, while other threads count by them: who names holds the
/// interpreter, which this stands for, and who counts holds the lock of the names instead.
void names_that_become_known_while_others_count() {
    constexpr std::size_t n_names = 3000;
    static std::mutex interpreter;
    struct WriteLock {
        explicit WriteLock(FairMutex& mutex) : lock(mutex, std::try_to_lock) {
            if (lock.owns_lock()) return;
            interpreter.unlock();
            lock.lock();
            // In the order of the bindings: the lock first, and with it the interpreter again.
            interpreter.lock();
        }
        std::unique_lock<FairMutex> lock;
    };
    const auto id_of = [](std::size_t number) { return text_id(std::to_string(number)); };
    const auto key_of = [](std::size_t number) {
        return std::numeric_limits<KeyId>::max() - static_cast<KeyId>(number);
    };
    SharedNames names;
    std::size_t n_named = 0;  // under the interpreter
    std::atomic<int> wrong{0};
    std::atomic<bool> done{false};
    const auto are_right = [&] {
        const std::size_t size = names.size();
        for (std::size_t number = size - std::min<std::size_t>(size, 5); number < size; ++number) {
            const KeyId* const key = names.find(id_of(number));
            if (names.id(number) != id_of(number) || key == nullptr || *key != key_of(number)) ++wrong;
        }
        if (names.find(id_of(n_names)) != nullptr) ++wrong;
    };
    const auto name = [&] {
        const std::lock_guard held(interpreter);
        for (int i = 0; names.size() < n_names; ++i) {
            if (n_named < n_names) ++n_named;
            names.cover<WriteLock>([&] { return n_named; }, id_of, key_of, [&](std::size_t, KeyId) { ++wrong; });
            if (names.size() < n_named) ++wrong;
            are_right();
            // Others get the interpreter now and then.
            if (i % 8 == 7) {
                interpreter.unlock();
                std::this_thread::yield();
                interpreter.lock();
            }
        }
    };
    const auto count = [&] {
        while (!done) {
            const std::shared_lock lock(names.mutex());
            are_right();
        }
    };
    std::vector<std::thread> namers;
    std::vector<std::thread> counters;
    for (int i = 0; i < 2; ++i) counters.emplace_back(count);
    for (int i = 0; i < 3; ++i) namers.emplace_back(name);
    for (std::thread& thread : namers) thread.join();
    done = true;
    for (std::thread& thread : counters) thread.join();
    CHECK(wrong == 0);
    CHECK(names.size() == n_names);
}

void locks_after_a_fork() {
    FairMutex mutex;
    const auto take = [&] { const std::unique_lock lock(mutex); };
    CHECK(in_child(take) == 0);
    for (const bool writes : {false, true}) {
        std::atomic<bool> holds{false};
        std::atomic<bool> done{false};
        std::thread other([&] {
            if (writes) {
                mutex.lock();
            } else {
                mutex.lock_shared();
            }
            holds = true;
            while (!done) std::this_thread::yield();
            if (writes) {
                mutex.unlock();
            } else {
                mutex.unlock_shared();
            }
        });
        while (!holds) std::this_thread::yield();
        CHECK(in_child(take) == (writes ? 1 : 0));
        done = true;
        other.join();
        CHECK(in_child(take) == 0);
    }
}

}  // namespace

int main() {
    a_fork_while_the_table_is_filled();  // first: here nobody has filled it
    one_table_of_logarithms();
    locks_after_a_fork();
    everybody_gets_a_turn();
    a_writer_among_readers();
    readers_a_writer_a_saver_and_forks<TreeInUse>(1500);
    readers_a_writer_a_saver_and_forks<ForestInUse>(400);
    names_that_become_known_while_others_count();
    return sapwood::check::finish();
}
