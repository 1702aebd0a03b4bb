#pragma once

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "guarded_tree.hpp"
#include "name_order.hpp"
#include "sapwood/dynamic/dynamic_tree.hpp"

namespace sapwood::bindings {

/// A dynamic tree with the names of its features, safe in many threads: any number may read it, or one change it. Locks
/// are taken as those of `GuardedTree` are.
struct GuardedDynamicTree {
    DynamicTree tree;
    NamedVocabulary names;
    NameOrder order;
    FairMutex mutex;

    explicit GuardedDynamicTree(const DynamicOptions& options) : tree(options) {}
    explicit GuardedDynamicTree(DynamicTree made) : tree(std::move(made)) {}

    Vocabulary& vocabulary() { return names.vocabulary; }
    const Vocabulary& vocabulary() const { return names.vocabulary; }
    Keys& keys() { return names.keys; }

    void settle() { tree.settle(order); }

    /// The features of keys, ascending, new ones among them.
    void learnable(std::span<const KeyId> asked, std::vector<FeatureId>& features) {
        Vocabulary::Writing writing(vocabulary());
        writing.find_or_insert(asked, features);
        std::sort(features.begin(), features.end());
    }

    /// The features of keys, in their order, without those that are unknown; says whether all are known.
    bool find(std::span<const KeyId> asked, std::vector<FeatureId>& features) const {
        Vocabulary::Reading(vocabulary()).find(asked, features);
        return features.size() == asked.size();
    }
};

/// Holds the lock of a settled tree, to read it. While it waits it lets go of the interpreter, if this thread has it.
class SettledLock {
public:
    explicit SettledLock(GuardedDynamicTree& self) : lock_(self.mutex) {
        while (!self.tree.is_settled()) {
            lock_.unlock();
            {
                const std::unique_lock writing(self.mutex);
                change(self.mutex, [&] { self.settle(); });
            }
            lock_.lock();
        }
    }

private:
    std::shared_lock<FairMutex> lock_;
};

/// Throws std::invalid_argument if points have numbers, which this tree cannot compare with thresholds.
inline void refuse_numbers(std::size_t n) {
    if (n == 0) return;
    throw std::invalid_argument(
        "x must hold flags and categories for a tree that forgets, which knows no thresholds, got " +
        std::to_string(n) + (n == 1 ? " number" : " numbers"));
}
inline void refuse_numbers(const NumberArrays& numbers) {
    if (numbers) refuse_numbers(std::get<1>(*numbers).size());
}

/// The keys of a point that has no numbers. `typed`: by the one rule (encode.hpp), else by a threshold.
inline std::vector<KeyId> known_keys(GuardedDynamicTree& self, nb::handle x, std::optional<double> binarize,
                                     bool typed) {
    if (!typed) return self.keys().known_point(x, binarize);
    PointKeys point = self.names.known_point(x);
    refuse_numbers(point.numbers.size());
    return std::move(point.keys);
}

void bind_dynamic_learning(nb::class_<GuardedDynamicTree>& tree);
void bind_dynamic_forgetting(nb::class_<GuardedDynamicTree>& tree);
void bind_dynamic_tree_view(nb::class_<GuardedDynamicTree>& tree);

}  // namespace sapwood::bindings
