#pragma once

#include <list>
#include <mutex>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace sapwood {

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
