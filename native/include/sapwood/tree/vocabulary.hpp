#pragma once

#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "sapwood/storage/feature_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The key of a feature outside the tree: the number of a column, or a number that stands for a name. Any integer from
/// 0 on.
using KeyId = FeatureId;

/// The features of one tree or of many: each key has a dense number, in the order in which keys were first learned, so
/// that ties between splits do not depend on the names of features. Trees know features by that number.
///
/// Guarantee: a key keeps its number for good, and no key is ever taken back. Safe in many threads: all access is
/// through `Reading`, of which there may be many at once, or `Writing`, which is alone; and reading never adds a key.
class Vocabulary {
public:
    class Reading {
    public:
        explicit Reading(const Vocabulary& vocabulary) : lock_(vocabulary.mutex_), index_(vocabulary.index_) {}

        /// The features of keys that were learned; the others are left out.
        void find(std::span<const KeyId> keys, std::vector<FeatureId>& features) const {
            find_known(index_, keys, features);
        }

        std::size_t size() const { return index_.size(); }
        /// The keys, by the number of the feature.
        const std::vector<KeyId>& keys() const { return index_.ids(); }
        std::size_t n_bytes() const { return index_.n_bytes(); }

    private:
        std::shared_lock<std::shared_mutex> lock_;
        const FeatureIndex& index_;
    };

    class Writing {
    public:
        explicit Writing(Vocabulary& vocabulary) : lock_(vocabulary.mutex_), index_(vocabulary.index_) {}

        /// The features of keys; a key that is new is given the next number.
        void find_or_insert(std::span<const KeyId> keys, std::vector<FeatureId>& features) {
            features.resize(keys.size());
            for (std::size_t i = 0; i < keys.size(); ++i) features[i] = insert(keys[i]);
        }

        /// The feature of one key.
        FeatureId insert(KeyId key) { return static_cast<FeatureId>(index_.find_or_insert(key)); }

        /// As `Reading::find`.
        void find(std::span<const KeyId> keys, std::vector<FeatureId>& features) const {
            find_known(index_, keys, features);
        }

        /// Begins to bring close what says where the features of keys are.
        void prefetch(std::span<const KeyId> keys) const { index_.prefetch(keys); }

    private:
        std::unique_lock<std::shared_mutex> lock_;
        FeatureIndex& index_;
    };

private:
    static void find_known(const FeatureIndex& index, std::span<const KeyId> keys, std::vector<FeatureId>& features) {
        features.clear();
        for (const KeyId key : keys) {
            const Slot slot = index.find(key);
            if (slot != no_slot) features.push_back(static_cast<FeatureId>(slot));
        }
    }

    mutable std::shared_mutex mutex_;
    FeatureIndex index_;
};

}  // namespace sapwood
