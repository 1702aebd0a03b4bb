#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "sapwood/storage/fork_aware.hpp"
#include "sapwood/storage/refusal.hpp"
#include "sapwood/storage/turnstile.hpp"

namespace sapwood {

/// A lock that any number may hold to read, or one to write, and for which nobody waits for ever: all get it in the
/// order in which they came, readers that come one after the other together. (std::shared_mutex lets readers in as long
/// as there is one, and eight that never pause keep a writer out for seconds.)
///
/// It refuses to be taken, with std::runtime_error, if what it guards was left half changed: by want of memory
/// (refusal.hpp), or in a child process, if another thread was changing it when the process was forked. What was only
/// being read then is free.
class FairMutex final : public ForkAware {
public:
    void lock() {
        {
            const std::lock_guard turn(turnstile_);
            room_.lock();
        }
        begin_to_write();
    }
    bool try_lock() {
        {
            const std::unique_lock turn(turnstile_, std::try_to_lock);
            if (!turn.owns_lock() || !room_.try_lock()) return false;
        }
        begin_to_write();
        return true;
    }
    void unlock() {
        is_written_.set_after_change(false);
        room_.unlock();
    }

    void lock_shared() {
        {
            const std::lock_guard turn(turnstile_);
            room_.lock_shared();
        }
        begin_to_read();
    }
    bool try_lock_shared() {
        {
            const std::unique_lock turn(turnstile_, std::try_to_lock);
            if (!turn.owns_lock() || !room_.try_lock_shared()) return false;
        }
        begin_to_read();
        return true;
    }
    void unlock_shared() { room_.unlock_shared(); }

    /// How many have asked for the lock so far, but for tries in vain; modulo 2^32.
    std::uint32_t n_asked() const { return turnstile_.drawn(); }

    /// To be called by whoever holds the lock to write.
    void refuse_for_want_of_memory() {
        refusal_.set(
            "the model ran out of memory in the middle of a change and can no longer be used: load it from a file, or "
            "begin anew");
    }

private:
    // Whether it is refused is asked by whoever has the lock: it may have come to be while others waited.

    void begin_to_write() {
        is_written_.set_before_change(true);
        try {
            refusal_.check();
        } catch (...) {
            unlock();
            throw;
        }
    }
    void begin_to_read() {
        try {
            refusal_.check();
        } catch (...) {
            unlock_shared();
            throw;
        }
    }

    void after_fork() override {
        if (is_written_.get()) {
            refusal_.set(
                "the model must not be used in this process, which was forked while another thread changed the model: "
                "load or copy it before the fork, or fork while nobody learns");
        }
        is_written_.set_after_change(false);
        renew(turnstile_);
        renew(room_);
    }

    /// Held by whoever is next, while it waits for the room.
    Turnstile turnstile_;
    std::shared_mutex room_;
    HolderNote<bool> is_written_;
    Refusal refusal_;
};

}  // namespace sapwood
