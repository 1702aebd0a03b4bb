#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sapwood {

/// Threads that do independent tasks for one caller, who is one of them. They live as long as this object, so as not to
/// be there when the process forks.
class Workers {
public:
    explicit Workers(std::size_t n_threads) {
        for (std::size_t i = 1; i < n_threads; ++i) threads_.emplace_back([this] { work(); });
    }
    ~Workers() {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Calls `task(i)` for i from 0 to n - 1, in any order, and returns when all are done. If one throws, the others
    /// are done all the same, and the first that threw is thrown here.
    void run(std::size_t n, const std::function<void(std::size_t)>& task) {
        if (threads_.empty()) {
            for (std::size_t i = 0; i < n; ++i) attempt(task, i);
        } else {
            {
                const std::lock_guard lock(mutex_);
                task_ = &task;
                n_ = n;
                next_ = 0;
                n_busy_ = threads_.size();
                ++round_;
            }
            wake_.notify_all();
            take_tasks();
            std::unique_lock lock(mutex_);
            done_.wait(lock, [this] { return n_busy_ == 0; });
        }
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    void work() {
        std::uint64_t seen = 0;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return is_over_ || round_ != seen; });
                if (is_over_) return;
                seen = round_;
            }
            take_tasks();
            const std::lock_guard lock(mutex_);
            if (--n_busy_ == 0) done_.notify_one();
        }
    }

    void take_tasks() {
        for (std::size_t i = next_++; i < n_; i = next_++) attempt(*task_, i);
    }

    void attempt(const std::function<void(std::size_t)>& task, std::size_t i) {
        try {
            task(i);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    const std::function<void(std::size_t)>* task_ = nullptr;
    std::size_t n_ = 0;
    std::atomic<std::size_t> next_ = 0;
    std::size_t n_busy_ = 0;
    std::uint64_t round_ = 0;
    bool is_over_ = false;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

}  // namespace sapwood
