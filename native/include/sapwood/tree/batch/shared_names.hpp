#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "sapwood/storage/fair_mutex.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood {

/// The ids of names on which all who count agree, as far as they were asked for. Names are numbered from 0 in the order
/// in which they became known.
///
/// Guarantee: names become known to whoever holds both the lock of those who name (in Python, the interpreter) and the
/// one here, so that whoever holds either may read. The one here is taken last.
class SharedNames {
public:
    FairMutex& mutex() { return mutex_; }

    std::size_t size() const { return ids_.size(); }
    SharedId id(std::size_t number) const { return ids_[number]; }
    /// The key of the name of an id; null if no name that is known has it.
    const KeyId* find(SharedId id) const {
        const auto found = keys_.find(id);
        return found == keys_.end() ? nullptr : &found->second;
    }

    /// Learns the ids of all names, of which there are `n_names()`: `id_of(number)` and `key_of(number)` say them, and
    /// `refuse(number, key)` throws if an id is that of another name, which has the key. For whoever holds the lock of
    /// those who name; `Lock` takes the one here, and may let go of that one while it waits.
    template <class Lock, class Size, class IdOf, class KeyOf, class Refuse>
    void cover(Size n_names, IdOf id_of, KeyOf key_of, Refuse refuse) {
        while (size() < n_names()) {
            const std::size_t number = size();
            const SharedId id = id_of(number);
            if (const KeyId* known = find(id)) refuse(number, *known);
            const Lock lock(mutex_);
            // While this thread waited, another may have learned the name.
            if (size() == number) add(id, key_of(number));
        }
    }

private:
    /// Adds both or, for want of memory, neither.
    void add(SharedId id, KeyId key) {
        ids_.push_back(id);
        try {
            keys_.emplace(id, key);
        } catch (...) {
            ids_.pop_back();
            throw;
        }
    }

    FairMutex mutex_;
    std::vector<SharedId> ids_;
    std::unordered_map<SharedId, KeyId> keys_;
};

}  // namespace sapwood
