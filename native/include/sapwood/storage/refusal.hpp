#pragma once

#include <atomic>
#include <new>
#include <stdexcept>

namespace sapwood {

/// Why a lock may not be taken any more, if so: what it guards was left half changed.
class Refusal {
public:
    /// `why`: a text that outlives this.
    void set(const char* why) { why_ = why; }

    /// Throws std::runtime_error if there is a reason.
    void check() const {
        if (const char* why = why_) throw std::runtime_error(why);
    }

private:
    std::atomic<const char*> why_ = nullptr;
};

/// Changes what a lock guards, which the caller holds. If memory runs out on the way, the change may be half done: then
/// the lock is told so, and whoever wants it from now on gets std::runtime_error. Any other exception was thrown before
/// anything changed, or leaves whole what it leaves.
template <class Mutex, class Change>
decltype(auto) change(Mutex& mutex, Change change) {
    try {
        return change();
    } catch (const std::bad_alloc&) {
        mutex.refuse_for_want_of_memory();
        throw;
    } catch (const std::length_error&) {  // what a vector says instead
        mutex.refuse_for_want_of_memory();
        throw;
    }
}

}  // namespace sapwood
