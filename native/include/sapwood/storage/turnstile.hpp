#pragma once

#include <atomic>
#include <cstdint>

namespace sapwood {

/// A lock that is taken in the order in which it was asked for: whoever comes draws a number, and waits until it is
/// served. (std::mutex may give itself to whoever comes just as it is let go, again and again.)
class Turnstile {
public:
    void lock() {
        const std::uint32_t mine = drawn_.fetch_add(1, std::memory_order_relaxed);
        for (std::uint32_t now = served(); now != mine; now = served()) served_.wait(now, std::memory_order_relaxed);
    }
    /// Draws a number only if it is the next.
    bool try_lock() {
        std::uint32_t now = served();
        return drawn_.compare_exchange_strong(now, now + 1, std::memory_order_relaxed);
    }
    void unlock() {
        served_.fetch_add(1, std::memory_order_release);
        served_.notify_all();
    }

    /// How many numbers were drawn so far, modulo 2^32.
    std::uint32_t drawn() const { return drawn_.load(std::memory_order_relaxed); }

private:
    std::uint32_t served() const { return served_.load(std::memory_order_acquire); }

    std::atomic<std::uint32_t> drawn_ = 0;
    std::atomic<std::uint32_t> served_ = 0;
};

}  // namespace sapwood
