#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "keys.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood::bindings {

/// The features of a tree, or of many that share them: keys ↔ features for the core, names ↔ keys for Python.
struct NamedVocabulary {
    Vocabulary vocabulary;
    Keys keys;
};

/// A tree with the names of its features, safe in many threads: any number may read it, or one change it.
///
/// Whoever waits for the lock has let go of the interpreter, and no Python code runs while it is held; so no two
/// threads wait for each other, and a signal handler may use the object. The lock of the vocabulary is taken after that
/// of the tree, and held as short.
struct GuardedTree {
    StreamingTree tree;
    std::shared_ptr<NamedVocabulary> names = std::make_shared<NamedVocabulary>();
    std::shared_mutex mutex;

    explicit GuardedTree(const TreeOptions& options) : tree(options) {}
    explicit GuardedTree(StreamingTree made) : tree(std::move(made)) {}

    Vocabulary& vocabulary() const { return names->vocabulary; }
    Keys& keys() const { return names->keys; }
};

/// Holds the lock of a tree, to read it or to change it. While it waits it lets go of the interpreter.
template <class Mutex>
class TreeLock {
public:
    explicit TreeLock(std::shared_mutex& mutex) : lock_(mutex, std::try_to_lock) {
        if (lock_.owns_lock()) return;
        nb::gil_scoped_release release;
        lock_.lock();
    }

private:
    Mutex lock_;
};
using ReadLock = TreeLock<std::shared_lock<std::shared_mutex>>;
using WriteLock = TreeLock<std::unique_lock<std::shared_mutex>>;

template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Throws unless the rows of a matrix are within it, and the features of each unique and not negative.
inline void check_rows(const CsrView& csr) {
    const std::span<const std::int64_t> indptr = csr.indptr;
    const bool right = !indptr.empty() && indptr.front() == 0 && std::is_sorted(indptr.begin(), indptr.end()) &&
                       indptr.back() == static_cast<std::int64_t>(csr.indices.size());
    if (!right) throw std::invalid_argument("X.indptr must ascend from 0 to the number of indices");
    for (std::size_t i = 0; i < csr.size(); ++i) check_features(csr.row(i));
}

/// Calls `use(i, features)` for every row, with the features that the tree knows.
template <class Use>
void for_each_row(const GuardedTree& self, const CsrView& csr, Use use) {
    const Vocabulary::Reading reading(self.vocabulary());
    std::vector<FeatureId> features;
    for (std::size_t i = 0; i < csr.size(); ++i) {
        reading.find(csr.row(i), features);
        use(i, Features(features));
    }
}

// The methods of the Python class, by what they are for.
void bind_tree_view(nb::class_<GuardedTree>& tree);
void bind_tree_bytes(nb::class_<GuardedTree>& tree);

}  // namespace sapwood::bindings
