#pragma once

#include <mutex>
#include <thread>

#include "sapwood/storage/fork_aware.hpp"
#include "sapwood/storage/refusal.hpp"

namespace sapwood::bindings {

/// A lock that the thread which holds it may take again. In a child process it is as that of a tree (fair_mutex.hpp):
/// refused, with std::runtime_error, if another thread held it when the process was forked, and everywhere if memory
/// ran out while what it guards changed. A thread that forks while it holds the lock holds it in the child, too; the
/// lock of the standard library would take it for another one.
class RecursiveMutex final : public ForkAware {
public:
    void lock() {
        if (!is_mine()) {
            mutex_.lock();
            owner_.set_before_change(std::this_thread::get_id());
        }
        ++depth_;
        check();
    }
    bool try_lock() {
        if (!is_mine()) {
            if (!mutex_.try_lock()) return false;
            owner_.set_before_change(std::this_thread::get_id());
        }
        ++depth_;
        check();
        return true;
    }
    void unlock() {
        if (--depth_ > 0) return;
        owner_.set_after_change(std::thread::id());
        mutex_.unlock();
    }

    /// To be called by whoever holds the lock.
    void refuse_for_want_of_memory() {
        refusal_.set(
            "the finder ran out of memory in the middle of a change and can no longer be used: begin anew, or with a "
            "copy that was made before");
    }

private:
    bool is_mine() const { return owner_.get() == std::this_thread::get_id(); }

    void after_fork() override {
        if (is_mine()) return;
        if (owner_.get() != std::thread::id()) {
            refusal_.set(
                "the finder must not be used in this process, which was forked while another thread used the finder: "
                "copy it before the fork, or fork while nobody uses it");
        }
        owner_.set_after_change(std::thread::id());
        depth_ = 0;
        renew(mutex_);
    }

    /// For whoever has just taken the lock.
    void check() {
        try {
            refusal_.check();
        } catch (...) {
            unlock();
            throw;
        }
    }

    std::mutex mutex_;
    HolderNote<std::thread::id> owner_;
    int depth_ = 0;
    Refusal refusal_;
};

}  // namespace sapwood::bindings
