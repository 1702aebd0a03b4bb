// The vocabulary: dense numbers in the order of first appearance, against a map, and in many threads at once.
#include "sapwood/tree/vocabulary.hpp"

#include <atomic>
#include <cstddef>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using namespace sapwood;

void against_a_map() {
    std::mt19937 random(1);
    Vocabulary vocabulary;
    std::map<KeyId, FeatureId> numbers;
    std::vector<KeyId> order;
    for (int i = 0; i < 3000; ++i) {
        std::vector<KeyId> keys;
        for (std::size_t m = random() % 6; m > 0; --m) {
            keys.push_back(static_cast<KeyId>(random() % 2 == 0 ? random() % 300 : 2147483647u - random() % 300));
        }
        std::vector<FeatureId> found;
        std::vector<FeatureId> known;
        for (const KeyId key : keys) {
            if (numbers.count(key) > 0) known.push_back(numbers[key]);
        }
        Vocabulary::Reading(vocabulary).find(keys, found);
        CHECK(found == known && Vocabulary::Reading(vocabulary).size() == numbers.size());
        if (random() % 3 == 0) continue;  // reading adds nothing
        std::vector<FeatureId> expected;
        for (const KeyId key : keys) {
            const auto [at, is_new] = numbers.emplace(key, static_cast<FeatureId>(numbers.size()));
            if (is_new) order.push_back(key);
            expected.push_back(at->second);
        }
        Vocabulary::Writing writing(vocabulary);
        writing.prefetch(keys);
        writing.find_or_insert(keys, found);
        CHECK(found == expected);
        writing.find(keys, found);
        CHECK(found == expected);
    }
    CHECK(Vocabulary::Reading(vocabulary).keys() == order);
}

/// Readers and writers at once: a key that a reader has found keeps its number.
void in_many_threads() {
    Vocabulary vocabulary;
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    const auto read = [&] {
        std::map<KeyId, FeatureId> met;
        std::vector<FeatureId> found;
        for (KeyId key = 0; !done; key = (key + 1) % 4000) {
            const std::vector<KeyId> one{key};
            Vocabulary::Reading(vocabulary).find(one, found);
            if (found.empty()) continue;
            const auto [at, is_new] = met.emplace(key, found[0]);
            if (at->second != found[0]) ++wrong;
        }
    };
    const auto write = [&](KeyId first) {
        std::vector<FeatureId> found;
        for (KeyId key = first; key < 4000; ++key) {
            const std::vector<KeyId> some{key, 4000 + key};
            Vocabulary::Writing(vocabulary).find_or_insert(some, found);
            if (found[0] == found[1]) ++wrong;
        }
    };
    std::thread readers[2] = {std::thread(read), std::thread(read)};
    std::thread writers[2] = {std::thread(write, 0), std::thread(write, 1000)};
    for (std::thread& writer : writers) writer.join();
    done = true;
    for (std::thread& reader : readers) reader.join();
    CHECK(wrong == 0 && Vocabulary::Reading(vocabulary).size() == 8000);
}

}  // namespace

int main() {
    against_a_map();
    in_many_threads();
    return check::finish();
}
