#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sapwood/types.hpp"

namespace sapwood {

/// x ln x for whole x >= 0, with 0 ln 0 = 0: a table for the small x, the logarithm itself beyond it.
///
/// The table is shared by the whole process. It is filled as far as it is asked for, twice as far at a time, and what
/// was filled is never changed, so that a view stays valid and may be read by any thread. It takes at most 8 MiB, and
/// no memory where it was not filled.
class XLogX {
public:
    /// A view whose table holds every x <= n, or is as large as it gets. While another thread fills the table, it is
    /// what was there before; the values are the same, to the last bit.
    static XLogX covering(Count n) {
        const int wanted = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(n)));
        const Count size = Count{1} << std::clamp(wanted, smallest, largest);
        const Count filled = filled_.load(std::memory_order_acquire);
        return XLogX(filled >= size ? filled : fill(size));
    }

    double operator()(Count x) const {
        if (x < size_) [[likely]]
            return values_[x];
        return beyond(x);
    }

    bool covers(Count x) const { return x < size_; }

    /// Whether `covering(n)` would be a larger table than this one.
    bool outgrown(Count n) const { return n >= size_ && size_ < (Count{1} << largest); }

    const double* values() const { return values_; }

private:
    static constexpr int smallest = 12;
    static constexpr int largest = 20;

    // Kept out of line, so that a look-up is small enough to be inlined where it matters.
#if defined(__GNUC__)
    [[gnu::noinline, gnu::cold]]
#endif
    static double beyond(Count x) {
        // A table that another thread is about to begin has no 0 either.
        return x == 0 ? 0 : static_cast<double>(x) * std::log(static_cast<double>(x));
    }

    explicit XLogX(Count size) : size_(size) {}

    /// Fills the table to a size, unless another thread does; returns to what size it is filled. Nobody waits: a fork
    /// of the process could leave what is waited for undone. The child of one goes on with what was there.
#if defined(__GNUC__)
    [[gnu::noinline, gnu::cold]]
#endif
    static Count fill(Count size) {
        if (is_filling_.exchange(true, std::memory_order_acquire)) return filled_.load(std::memory_order_acquire);
        Count filled = filled_.load(std::memory_order_relaxed);
        if (filled < size) {
            for (Count x = std::max(filled, 1); x < size; ++x) table_[x] = beyond(x);
            filled_.store(filled = size, std::memory_order_release);
        }
        is_filling_.store(false, std::memory_order_release);
        return filled;
    }

    // Zero at first, and as such no page of it takes memory before it is written.
    inline static double table_[std::size_t{1} << largest];
    inline static std::atomic<Count> filled_{0};
    inline static std::atomic<bool> is_filling_{false};

    const double* values_ = table_;
    Count size_;
};

}  // namespace sapwood
