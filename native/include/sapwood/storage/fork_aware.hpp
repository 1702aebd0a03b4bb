#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace sapwood {

/// What the holder of a lock notes about itself, and what a child process reads when the process is forked meanwhile.
///
/// Guarantee: in the child, whatever of a change is there, the note from before it is there too; and if the note from
/// after it is there, so is all of the change. A fork stops every other thread between two instructions, so nobody but
/// the compiler has to be kept from changing their order: a note takes no more than a plain store.
template <class T>
class HolderNote {
public:
    void set_before_change(T value) {
        value_.store(value, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    void set_after_change(T value) { value_.store(value, std::memory_order_release); }
    T get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<T> value_{};
};

/// A lock that hears of it when the process is forked. In the child only the thread that forked goes on, and a lock
/// that another one held would never be let go.
class ForkAware {
public:
    ForkAware(const ForkAware&) = delete;
    ForkAware& operator=(const ForkAware&) = delete;

protected:
    ForkAware() {
        Registry& all = registry();
        const std::lock_guard lock(all.mutex);
        here_ = all.locks.insert(all.locks.end(), this);
    }
    virtual ~ForkAware() {
        Registry& all = registry();
        const std::lock_guard lock(all.mutex);
        all.locks.erase(here_);
    }

    /// Called in the child, where no other thread is left.
    virtual void after_fork() = 0;

    /// Makes a lock that nobody holds of one that a thread may have held which is gone.
    template <class Mutex>
    static void renew(Mutex& mutex) {
        // Not destroyed before: a lock that is held must not be.
        new (&mutex) Mutex;
    }

private:
    struct Registry {
        std::mutex mutex;
        std::list<ForkAware*> locks;
    };

    /// Never destroyed, because locks in other static objects may outlive it.
    static Registry& registry() {
        static Registry* const all = [] {
            auto* made = new Registry;
#if defined(__unix__) || defined(__APPLE__)
            pthread_atfork(nullptr, nullptr, [] {
                // Nobody was registering: that is done by whoever holds the interpreter, as does whoever forks.
                Registry& here = registry();
                renew(here.mutex);
                for (ForkAware* each : here.locks) each->after_fork();
            });
#endif
            return made;
        }();
        return *all;
    }

    std::list<ForkAware*>::iterator here_;
};

}  // namespace sapwood
