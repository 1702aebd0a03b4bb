#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <memory>

#include "sapwood/types.hpp"

namespace sapwood {

/// x ln x for whole x >= 0, with 0 ln 0 = 0: a table for the small x, the logarithm itself beyond it.
///
/// The tables are shared by the whole process, double in size as they are asked for, and are never freed or changed, so
/// that a view stays valid and may be read by any thread. Altogether they take at most 16 MiB.
class XLogX {
public:
    /// A view whose table holds every x <= n, or is as large as tables get.
    static XLogX covering(Count n) {
        const int wanted = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(n)));
        return table(std::clamp(wanted, smallest, largest));
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
        return static_cast<double>(x) * std::log(static_cast<double>(x));
    }

    XLogX(const double* values, Count size) : values_(values), size_(size) {}

    static XLogX table(int bits) {
        // Published when complete, and without a lock, which a fork of the process could leave locked.
        static std::array<std::atomic<const double*>, largest + 1> tables;
        const Count size = Count{1} << bits;
        std::atomic<const double*>& shared = tables[static_cast<std::size_t>(bits)];
        const double* values = shared.load(std::memory_order_acquire);
        if (values == nullptr) {
            auto made = std::make_unique<double[]>(static_cast<std::size_t>(size));
            for (Count x = 1; x < size; ++x) made[static_cast<std::size_t>(x)] = beyond(x);
            // Another thread may have been faster; then its table is the one.
            if (shared.compare_exchange_strong(values, made.get(), std::memory_order_acq_rel)) values = made.release();
        }
        return {values, size};
    }

    const double* values_;
    Count size_;
};

}  // namespace sapwood
