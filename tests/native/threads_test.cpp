// One tree in many threads: readers, a writer and a saver at once, each in its turn; and the locks after a fork. With
// the thread sanitizer (make tsan) it shows that nothing is read while it changes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/storage/fair_mutex.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

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

void readers_a_writer_and_a_saver() {
    TreeOptions options;
    options.growth = Growth::streaming;
    options.split_test = SplitTestKind::evidence;
    options.delta = 0.05;
    options.leaf_prediction = LeafPrediction::mixed;
    StreamingTree tree(options);
    Vocabulary vocabulary;
    FairMutex mutex;
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    const auto read = [&] {
        std::vector<FeatureId> features;
        for (std::uint64_t i = 0; !done; ++i) {
            const std::shared_lock lock(mutex);
            Vocabulary::Reading(vocabulary).find(point_of(i, i % 2 == 0), features);
            Scores scores = tree.make_scores();
            tree.predict(Point{Features(features)}, scores);
            if (!(scores.probabilities[0] >= 0 && scores.probabilities[0] <= 1)) ++wrong;
        }
    };
    const auto save = [&] {
        while (!done) {
            const std::unique_lock lock(mutex);
            if (write_tree(tree).empty()) ++wrong;
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(read);
    threads.emplace_back(save);
    std::vector<FeatureId> features;
    for (std::uint64_t i = 0; i < 1500; ++i) {
        const bool label = TreeBody::mixed(i) % 2 == 0;
        const std::unique_lock lock(mutex);
        Vocabulary::Writing(vocabulary).find_or_insert(point_of(i, label), features);
        tree.learn(Point{Features(features)}, label);
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(tree.n() == 1500);
    tree.validate();
}

/// What a child process, in which only this thread goes on, finds when it takes the lock: 0 if it gets it, 1 if it is
/// refused.
int in_child(FairMutex& mutex) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);  // one that waits is killed
        try {
            const std::unique_lock lock(mutex);
        } catch (const std::runtime_error&) {
            _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void locks_after_a_fork() {
    FairMutex mutex;
    CHECK(in_child(mutex) == 0);
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
        CHECK(in_child(mutex) == (writes ? 1 : 0));
        done = true;
        other.join();
        CHECK(in_child(mutex) == 0);
    }
}

}  // namespace

int main() {
    locks_after_a_fork();
    everybody_gets_a_turn();
    a_writer_among_readers();
    readers_a_writer_and_a_saver();
    return sapwood::check::finish();
}
