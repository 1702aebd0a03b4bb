#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>

#include "sapwood/types.hpp"
#include "sapwood/x_log_x.hpp"

namespace sapwood {

/// Sums of logarithms,
///     half(x) = ln(1/2) + ln(3/2) + ... + ln(x - 1/2) = ln Gamma(x + 1/2) - ln Gamma(1/2)
///     whole(x) = ln 1 + ln 2 + ... + ln x             = ln Gamma(x + 1),
/// for whole x >= 0: tables for the small x, Stirling's series beyond them, by a table of x ln x. All are right to a
/// few units in the last place.
///
/// The tables are shared by the whole process, 64 KiB beside those of x ln x, and are never freed or changed.
class LogSums {
public:
    /// To be called before numbers up to n are passed: others take longer.
    void cover(Count n) {
        if (x_log_x_.outgrown(n)) x_log_x_ = XLogX::covering(n);
    }

    double half(std::int64_t x) const { return x < size ? tables_->half[index(x)] : half_beyond(x); }
    double whole(std::int64_t x) const { return x < size ? tables_->whole[index(x)] : whole_beyond(x); }
    double x_log_x(std::int64_t x) const {
        return x <= max_points ? x_log_x_(static_cast<Count>(x))
                               : static_cast<double>(x) * std::log(static_cast<double>(x));
    }

private:
    /// The first term of the series that is left out, 1 / (360 x^3) or less, is from here on a hundredth of a unit in
    /// the last place.
    static constexpr std::int64_t size = 4096;

    struct Tables {
        std::array<double, size> half;
        std::array<double, size> whole;
    };

    static std::size_t index(std::int64_t x) { return static_cast<std::size_t>(x); }

    double half_beyond(std::int64_t x) const {
        const auto n = static_cast<double>(x);
        return (x_log_x(x) - n) + (std::numbers::ln2 / 2 - 1 / (24 * n));
    }
    double whole_beyond(std::int64_t x) const {
        constexpr double log_2_pi = 1.8378770664093454836;
        const auto n = static_cast<double>(x);
        const double sum = x_log_x(x);
        return (sum - n) + ((log_2_pi + sum / n) / 2 + 1 / (12 * n));
    }

    /// Published when complete, and without a lock, which a fork of the process could leave locked.
    static const Tables* tables() {
        static std::atomic<const Tables*> shared;
        const Tables* known = shared.load(std::memory_order_acquire);
        if (known != nullptr) return known;
        auto made = std::make_unique<Tables>();
        sum_logarithms(made->half, 0.5);
        sum_logarithms(made->whole, 0.0);
        // Another thread may have been faster; then its tables are those.
        return shared.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel) ? made.release() : known;
    }

    /// out[x] = sum of ln(i - less) over i = 1, ..., x, with the rounding error carried along (Kahan).
    static void sum_logarithms(std::array<double, size>& out, double less) {
        double sum = 0;
        double error = 0;
        out[0] = 0;
        for (std::size_t x = 1; x < out.size(); ++x) {
            const double term = std::log(static_cast<double>(x) - less) - error;
            const double next = sum + term;
            error = (next - sum) - term;
            out[x] = sum = next;
        }
    }

    const Tables* tables_ = tables();
    XLogX x_log_x_ = XLogX::covering(0);
};

}  // namespace sapwood
