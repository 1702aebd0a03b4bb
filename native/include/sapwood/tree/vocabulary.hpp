#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "sapwood/storage/fair_mutex.hpp"
#include "sapwood/storage/feature_index.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The key of a feature or of a number outside the tree: the number of a column, or a number that stands for a name.
/// Any integer from 0 on. The keys of features and those of numbers are apart.
using KeyId = FeatureId;

/// An attribute that is a category, as whoever names it has numbered it; the features of its values know it.
using CategoryId = std::int32_t;
inline constexpr CategoryId no_category = -1;

/// The features and the numbers of one tree or of many: each key has a dense number, in the order in which keys were
/// first learned, so that ties between splits do not depend on names. Trees know features and attributes by that
/// number. Some features have no key: those that a tree makes of a number.
///
/// Guarantee: a key keeps its number for good, and no key is ever taken back. Safe in many threads: all access is
/// through `Reading`, of which there may be many at once, or `Writing`, which is alone; and reading never adds a key.
class Vocabulary {
public:
    /// The key of a feature that has none.
    static constexpr KeyId no_key = FeatureIndex::no_id;

    class Reading {
    public:
        explicit Reading(const Vocabulary& vocabulary) : lock_(vocabulary.mutex_), here_(vocabulary) {}

        /// The features of keys that were learned; the others are left out.
        void find(std::span<const KeyId> keys, std::vector<FeatureId>& features) const {
            find_known(here_.index_, keys, features);
        }
        /// The attribute of the key of a number that was learned, and whether there is one.
        bool find_number(KeyId key, AttributeId& attribute) const { return here_.find_number(key, attribute); }

        std::size_t size() const { return here_.index_.size(); }
        /// The keys, by the number of the feature; `no_key` for those that have none.
        const std::vector<KeyId>& keys() const { return here_.index_.ids(); }
        /// The keys of numbers, by the number of the attribute.
        const std::vector<KeyId>& number_keys() const { return here_.numbers_.ids(); }
        std::size_t n_bytes() const { return here_.n_bytes(); }

    private:
        std::shared_lock<FairMutex> lock_;
        const Vocabulary& here_;
    };

    class Writing {
    public:
        explicit Writing(Vocabulary& vocabulary) : lock_(vocabulary.mutex_), here_(vocabulary) {}

        /// The features of keys; a key that is new is given the next number.
        void find_or_insert(std::span<const KeyId> keys, std::vector<FeatureId>& features) {
            features.resize(keys.size());
            for (std::size_t i = 0; i < keys.size(); ++i) features[i] = insert(keys[i]);
        }

        // If memory runs out for a new one, no tree may use the vocabulary any more.

        /// The feature of one key.
        FeatureId insert(KeyId key) {
            return change(here_.mutex_, [&] { return static_cast<FeatureId>(here_.index_.find_or_insert(key)); });
        }
        /// The attribute of the key of a number.
        AttributeId insert_number(KeyId key) {
            return change(here_.mutex_, [&] { return attribute_at(index_of(here_.numbers_.find_or_insert(key))); });
        }
        /// The next feature, which has no key.
        FeatureId reserve() { return static_cast<FeatureId>(here_.index_.reserve()); }

        /// The category that the feature of a key is a value of.
        CategoryId category_of(KeyId key) const { return here_.category_of(key); }
        bool has_categories() const { return here_.has_categories_.load(std::memory_order_acquire); }

        /// As `Reading` has them.
        void find(std::span<const KeyId> keys, std::vector<FeatureId>& features) const {
            find_known(here_.index_, keys, features);
        }
        bool find_number(KeyId key, AttributeId& attribute) const { return here_.find_number(key, attribute); }
        std::size_t size() const { return here_.index_.size(); }
        const std::vector<KeyId>& keys() const { return here_.index_.ids(); }

        /// Begins to bring close what says where the features of keys are.
        void prefetch(std::span<const KeyId> keys) const { here_.index_.prefetch(keys); }

    private:
        std::unique_lock<FairMutex> lock_;
        Vocabulary& here_;
    };

    /// Notes that the feature of a key, which has not been learned yet, is a value of a category. Needs no access: a
    /// key is not used by anyone before its category is noted.
    void set_category(KeyId key, CategoryId category) {
        const std::lock_guard lock(category_mutex_);
        categories_.emplace(key, category);
        has_categories_.store(true, std::memory_order_release);
    }
    CategoryId category_of(KeyId key) const {
        const std::lock_guard lock(category_mutex_);
        const auto found = categories_.find(key);
        return found == categories_.end() ? no_category : found->second;
    }

private:
    static void find_known(const FeatureIndex& index, std::span<const KeyId> keys, std::vector<FeatureId>& features) {
        features.resize(keys.size());
        FeatureId* end = features.data();
        for (const KeyId key : keys) {
            const Slot slot = index.find(key);
            if (slot != no_slot) *end++ = static_cast<FeatureId>(slot);
        }
        features.resize(static_cast<std::size_t>(end - features.data()));
    }

    bool find_number(KeyId key, AttributeId& attribute) const {
        const Slot slot = numbers_.find(key);
        if (slot == no_slot) return false;
        attribute = attribute_at(index_of(slot));
        return true;
    }

    std::size_t n_bytes() const {
        // A hash map holds a node for each entry, of the entry and a pointer, and a pointer for each bucket.
        constexpr std::size_t per_category = sizeof(std::pair<const KeyId, CategoryId>) + 2 * sizeof(void*);
        const std::lock_guard lock(category_mutex_);
        return index_.n_bytes() + numbers_.n_bytes() + categories_.size() * per_category;
    }

    mutable FairMutex mutex_;
    FeatureIndex index_;
    FeatureIndex numbers_;
    mutable std::mutex category_mutex_;
    std::unordered_map<KeyId, CategoryId> categories_;
    std::atomic<bool> has_categories_ = false;
};

}  // namespace sapwood
