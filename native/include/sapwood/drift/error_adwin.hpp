#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sapwood/drift/adwin.hpp"
#include "sapwood/drift/bucket_rows.hpp"
#include "sapwood/storage/bytes.hpp"

namespace sapwood {

/// An ADWIN (adwin.hpp) of values that are 0 or 1: was a point predicted wrong? All that is to be known of such values
/// is how many are 1, and they wait as bits of a word until the window is looked at. So a value takes a few
/// instructions.
///
/// Guarantee: it finds what an Adwin finds, at the same values, but where rounding decides: its variance is that of its
/// counts. What is saved does not depend on which values wait.
class ErrorAdwin {
public:
    explicit ErrorAdwin(const AdwinOptions& options = {}) : options_((check_options(options), options)) { wait(); }

    const AdwinOptions& options() const { return options_; }

    /// The values in the window, and how many of them are 1.
    std::int64_t width() const { return width_ + n_waiting(); }
    std::int64_t total() const { return ones_ + std::popcount(waiting_); }
    double estimation() const { return width() == 0 ? 0 : static_cast<double>(total()) / static_cast<double>(width()); }
    double variance() const { return width() == 0 ? 0 : deviations(total(), width()) / static_cast<double>(width()); }
    std::int64_t n_seen() const { return history_.n_seen + n_waiting(); }
    std::int64_t n_detections() const { return history_.n_detections; }
    Change last() const { return n_waiting() > 0 ? Change::none : history_.last; }

    /// Takes a value into the window, and cuts the window if it is time.
    Change update(bool is_wrong) {
        waiting_ = waiting_ << 1 | std::uint64_t{is_wrong};
        if (--until_settled_ > 0) return Change::none;
        settle();
        if (history_.n_seen % options_.clock == 0 && width_ > options_.grace_period) look();
        return history_.last;
    }

    /// The rows of buckets, one for every size, with the values that wait.
    std::size_t n_rows() const { return rows_.size_after(static_cast<std::size_t>(n_waiting())); }
    std::size_t n_bytes() const { return rows_.n_bytes(); }

    // ---- the way to bytes and back, as of an Adwin of the same values -------------------------------------------

    void save(ByteWriter& out) const {
        ErrorAdwin settled = *this;
        if (n_waiting() > 0) settled.settle();
        settled.history_.save(out);
        out.put(static_cast<double>(settled.ones_));
        out.put(deviations(settled.ones_, settled.width_));
        out.put(static_cast<std::uint8_t>(settled.rows_.size()));
        for (std::size_t row = 0; row < settled.rows_.size(); ++row) {
            out.put(static_cast<std::uint32_t>(settled.rows_[row].size()));
            for (const Ones& bucket : settled.rows_[row]) {
                out.put(bucket.total());
                out.put(deviations(bucket.count, Rows::values_in(row)));
            }
        }
    }

    /// Takes the place of the one that was saved. Throws ModelFormatError, and has then no value, if none can have
    /// been.
    void load(ByteReader& in) {
        *this = ErrorAdwin(options_);
        ErrorAdwin read(options_);
        read.history_.load(in, options_);
        const auto ones = in.get<double>("the sum of a window");
        const auto spread = in.get<double>("the deviations of a window");
        const auto n_rows = in.get<std::uint8_t>("the rows of an ADWIN");
        detail::require_of_adwin(n_rows <= Rows::most_rows, "the rows of an ADWIN must be at most 62", n_rows);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto filled = in.get<std::uint32_t>("the buckets of a row");
            detail::require_of_adwin(filled >= 1 && filled <= options_.max_buckets,
                                     "the buckets of a row must be from 1 to max_buckets", filled);
            for (std::uint32_t i = 0; i < filled; ++i) {
                const auto sum = in.get<double>("the sum of a bucket");
                const std::int64_t size = Rows::values_in(row);
                detail::require_of_adwin(read.width_ <= read.n_seen() - size,
                                         "a window must be of values that were seen", read.width_);
                detail::require_of_adwin(sum >= 0 && sum <= static_cast<double>(size),
                                         "a bucket must have a sum that its values can have", sum);
                const Ones bucket{static_cast<std::int64_t>(sum)};
                detail::require_of_adwin(bucket.total() == sum && in.get<double>("the deviations of a bucket") ==
                                                                      deviations(bucket.count, size),
                                         "a bucket must be of values that are 0 or 1", sum);
                read.rows_.restore(row, bucket);
                read.width_ += size;
                read.ones_ += bucket.count;
            }
        }
        detail::require_of_adwin(
            ones == static_cast<double>(read.ones_) && spread == deviations(read.ones_, read.width_),
            "a window must have the sum of its buckets", ones);
        read.wait();
        *this = std::move(read);
    }

private:
    /// How many of some values are 1.
    struct Ones {
        std::int64_t count = 0;

        double total() const { return static_cast<double>(count); }
        static Ones of_twice(const Ones& a, const Ones& b, std::int64_t) { return {a.count + b.count}; }
    };
    static constexpr std::uint32_t most_waiting = 64;
    using Rows = BucketRows<Ones, most_waiting>;

    /// The sum of the squares of the deviations of values from their mean.
    static double deviations(std::int64_t ones, std::int64_t size) {
        if (size == 0) return 0;
        return static_cast<double>(ones) * static_cast<double>(size - ones) / static_cast<double>(size);
    }

    std::int64_t n_waiting() const { return to_wait_ - until_settled_; }

    /// Lets values wait, as many as come before the next look or have room.
    void wait() {
        const auto to_look = options_.clock - static_cast<std::uint64_t>(history_.n_seen) % options_.clock;
        to_wait_ = static_cast<std::uint8_t>(std::min(to_look, std::uint64_t{most_waiting}));
        until_settled_ = to_wait_;
        waiting_ = 0;
    }

    /// Puts the values that wait into buckets.
    void settle() {
        std::array<Ones, most_waiting> values;
        const auto n = static_cast<std::size_t>(n_waiting());
        for (std::size_t i = 0; i < n; ++i) values[i].count = static_cast<std::int64_t>(waiting_ >> (n - 1 - i) & 1);
        rows_.push(std::span<const Ones>(values).first(n));
        ones_ += std::popcount(waiting_);
        width_ += static_cast<std::int64_t>(n);
        history_.n_seen += static_cast<std::int64_t>(n);
        history_.last = Change::none;
        wait();
    }

    /// Drops the oldest bucket as long as a border shows a change.
    void look() {
        if (is_calm()) return;
        const double before = estimation();
        const std::int64_t width = width_;
        while (detail::shows_change(rows_, width_, static_cast<double>(ones_), variance(), options_)) {
            const std::size_t row = rows_.size() - 1;
            width_ -= Rows::values_in(row);
            ones_ -= rows_[row].front().count;
            rows_.drop_oldest();
        }
        if (width_ == width) return;
        ++history_.n_detections;
        history_.last = estimation() > before ? Change::rose : Change::fell;
    }

    /// Whether it is certain, by a few products a border, that none shows a change. The means of n0 older and n1 newer
    /// values differ by c / (n0 n1) with c = W times the ones among the older, less n0 times all ones; and the bound is
    /// above √(2 s² L / n0 + 2 s² L / n1), the root of 2 s² L W / (n0 n1). L, which grows with W, is that of the power
    /// of two below W.
    bool is_calm() {
        const auto bits = static_cast<std::uint8_t>(std::bit_width(static_cast<std::uint64_t>(width_)));
        if (bits < 3) return false;
        if (bits != bits_of_log_) {
            bits_of_log_ = bits;
            log_term_ =
                portable::ln(2 * portable::ln(static_cast<double>(std::int64_t{1} << (bits - 1))) / options_.delta);
        }
        const auto all = static_cast<double>(width_);
        const auto ones = static_cast<double>(ones_);
        const double little = 0.999 * 2 * ones * (all - ones) / all * log_term_;
        double before = 0;
        double cross = 0;
        for (std::size_t row = rows_.size(); row-- > 0;) {
            const auto size = static_cast<double>(Rows::values_in(row));
            for (const Ones& bucket : rows_[row]) {
                before += size;
                cross += bucket.total() * all - size * ones;
                if (cross * cross > little * before * (all - before)) return false;
            }
        }
        return true;
    }

    AdwinOptions options_;
    /// How many values wait before they are put into buckets, and how many of them are still to come.
    std::uint8_t to_wait_ = 0;
    std::uint8_t until_settled_ = 0;
    /// The bits of the widths that `log_term_` is for. Neither is saved: they decide nothing.
    std::uint8_t bits_of_log_ = 0;
    double log_term_ = 0;
    /// The newest values, which are in no bucket yet, the newest of them in the lowest bit.
    std::uint64_t waiting_ = 0;
    /// All others.
    Rows rows_{options_.max_buckets};
    std::int64_t width_ = 0;
    std::int64_t ones_ = 0;
    AdwinHistory history_;
};

}  // namespace sapwood
