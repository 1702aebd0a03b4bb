#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "sapwood/drift/bucket_rows.hpp"
#include "sapwood/random.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// What an ADWIN looks for, and how often. The defaults are those of MOA and river.
struct AdwinOptions {
    /// The chance of a false alarm at one look, in about: the bound uses a normal approximation.
    double delta = 0.002;
    /// How many values come between two looks.
    std::uint32_t clock = 32;
    /// How many buckets of one size there are before the two oldest become one of twice the size.
    std::uint32_t max_buckets = 5;
    /// The fewest values on either side of a cut.
    std::uint32_t min_window_length = 5;
    /// A window of no more values than this is not looked at.
    std::uint32_t grace_period = 10;
};

/// Throws std::invalid_argument, which says what must hold, unless an ADWIN can have these options.
inline void check_options(const AdwinOptions& options) {
    const auto at_least = [](const char* name, std::uint32_t value, std::uint32_t least) {
        if (value >= least) return;
        throw std::invalid_argument(std::string(name) + " must be at least " + std::to_string(least) + ", got " +
                                    std::to_string(value));
    };
    if (!(options.delta > 0 && options.delta < 1)) {
        throw std::invalid_argument("delta must be between 0 and 1, got " + detail::shortest(options.delta));
    }
    at_least("clock", options.clock, 1);
    // With one bucket a row would be empty as often as not, and a window could not be told from its buckets.
    at_least("max_buckets", options.max_buckets, 2);
    at_least("min_window_length", options.min_window_length, 1);
}

/// What the last value did to the window of an ADWIN. The numbers are those of the file format.
enum class Change : std::uint8_t {
    none = 0,
    fell = 1,  // old values were dropped, and the mean of the others is not above that of all
    rose = 2,  // old values were dropped, and the mean of the others is above that of all
};

namespace detail {

/// Whether the values of a window have another mean before one of the borders of its buckets than behind it. `total`
/// and `variance` are of all `width` values; `Rows` are BucketRows whose sums have a `total()`.
template <class Rows>
bool shows_change(const Rows& rows, std::int64_t width, double total, double variance, const AdwinOptions& options) {
    const std::int64_t least = options.min_window_length;
    if (width < 2 * least) return false;
    const auto all = static_cast<double>(width);
    const double log_term = portable::ln(2 * portable::ln(all) / options.delta);
    const double spread = 2 * variance * log_term;
    // Below this, but for rounding, a difference of means times both numbers is less than its bound: nearly all
    // borders are done with by a few products.
    const double little = 0.999 * spread * all;
    std::int64_t n_old = 0;
    double old = 0;
    for (std::size_t row = rows.size(); row-- > 0;) {
        for (const auto& bucket : rows[row]) {
            n_old += Rows::values_in(row);
            old += bucket.total();
            const std::int64_t n_new = width - n_old;
            if (n_new < least) return false;
            if (n_old < least) continue;
            const auto before = static_cast<double>(n_old);
            const auto after = static_cast<double>(n_new);
            const double cross = old * after - (total - old) * before;
            if (cross * cross <= little * before * after) continue;
            const double apart = std::fabs(old / before - (total - old) / after);
            const double rate = 1 / static_cast<double>(n_old - least + 1) + 1 / static_cast<double>(n_new - least + 1);
            if (apart > std::sqrt(spread * rate) + 2.0 / 3.0 * log_term * rate) return true;
        }
    }
    return false;
}

/// Throws ModelFormatError, with what was got, unless something holds that must of an ADWIN that was saved.
template <class T>
void require_of_adwin(bool holds, const char* what, T got) {
    if (!holds) throw ModelFormatError(std::string(what) + ", got " + std::to_string(got));
}

}  // namespace detail

/// What an ADWIN has seen and found, whatever its values are.
struct AdwinHistory {
    /// How many values there have been, and how many of them made the window shorter.
    std::int64_t n_seen = 0;
    std::int64_t n_detections = 0;
    /// What the last value did.
    Change last = Change::none;

    void save(ByteWriter& out) const {
        out.put(n_seen);
        out.put(n_detections);
        out.put(static_cast<std::uint8_t>(last));
    }

    /// Takes what was saved by an ADWIN of some options. Throws ModelFormatError if it cannot have been.
    void load(ByteReader& in, const AdwinOptions& options) {
        n_seen = in.get<std::int64_t>("the values that an ADWIN has seen");
        n_detections = in.get<std::int64_t>("the changes that an ADWIN has found");
        const auto change = in.get<std::uint8_t>("the last change that an ADWIN has found");
        detail::require_of_adwin(change <= 2, "the last change that an ADWIN has found must be 0, 1 or 2", change);
        last = static_cast<Change>(change);
        detail::require_of_adwin(
            0 <= n_detections && n_detections <= n_seen / options.clock && (last == Change::none || n_detections > 0),
            "an ADWIN must find at most one change a look", n_detections);
    }
};

/// ADWIN: a window of the most recent values of a stream, as long as their mean has not changed. Bifet and Gavaldà,
/// "Learning from time-changing data with adaptive windowing", SDM 2007.
///
/// The values are kept in buckets of 1, 2, 4, … of them, as sums; at most `max_buckets` of a size. Every `clock` values
/// the window is cut at every border of two buckets. If the means m0, m1 of n0 older and n1 newer values differ by more
/// than
///     √(2 s² L r) + 2/3 L r,   r = 1/(n0 - l + 1) + 1/(n1 - l + 1),   L = ln(2 ln W / delta),   l = min_window_length
/// for W values of variance s², the oldest bucket is dropped, until no border shows a change. The other values stay.
///
/// Guarantee: a value takes O(1), a look O(max_buckets · log W), memory O(max_buckets · log W). For values from 0 to 1
/// of one mean a look drops something with probability about `delta`: that of one look, not of all; and a change stays
/// found once it shows. For other values it is the change of the mean that is looked for, without a promise.
class Adwin {
public:
    /// Values beyond this have squares whose sum may be infinite.
    static constexpr double largest_value = 1e100;

    explicit Adwin(const AdwinOptions& options = {})
        : options_((check_options(options), options)), until_look_(options.clock) {}

    const AdwinOptions& options() const { return options_; }

    /// The values in the window.
    std::int64_t width() const { return width_; }
    /// Their sum, their mean and their variance; the last two are 0 for no value.
    double total() const { return window_.sum; }
    double estimation() const { return width_ == 0 ? 0 : window_.sum / static_cast<double>(width_); }
    double variance() const { return width_ == 0 ? 0 : window_.deviations / static_cast<double>(width_); }
    /// How many values there have been, and how many of them made the window shorter.
    std::int64_t n_seen() const { return history_.n_seen; }
    std::int64_t n_detections() const { return history_.n_detections; }
    /// What the last value did.
    Change last() const { return history_.last; }

    /// Takes a value, of at most `largest_value` in absolute value, into the window, and cuts the window if it is time.
    Change update(double value) { return add(value) ? look() : Change::none; }

    // The same in parts, for detectors that share a window.

    /// Takes a value into the window; returns whether it is time to look.
    bool add(double value) {
        const Sums taken{value, 0};
        window_ = joined(window_, width_, taken, 1);
        ++width_;
        rows_.push({&taken, 1});
        history_.last = Change::none;
        ++history_.n_seen;
        if (--until_look_ > 0) return false;
        until_look_ = options_.clock;
        return width_ > options_.grace_period;
    }
    /// Drops the oldest bucket as long as a border shows a change.
    Change look() {
        const double before = estimation();
        const std::int64_t width = width_;
        while (shows_change(options_.delta)) drop_oldest();
        if (width_ == width) return history_.last;
        ++history_.n_detections;
        history_.last = estimation() > before ? Change::rose : Change::fell;
        return history_.last;
    }
    /// Whether a border of two buckets shows a change, at a `delta`: the smaller, the less it does.
    bool shows_change(double delta) const {
        AdwinOptions looked = options_;
        looked.delta = delta;
        return detail::shows_change(rows_, width_, total(), variance(), looked);
    }
    /// The same window, looked at with another `delta`.
    Adwin with_delta(double delta) const {
        Adwin other = *this;
        other.options_.delta = delta;
        return other;
    }
    /// Whether another has seen the same values, and none of them was dropped.
    bool has_same_window(const Adwin& other) const {
        return n_seen() == other.n_seen() && n_detections() == 0 && other.n_detections() == 0 &&
               width_ == other.width_ && window_ == other.window_ && rows_ == other.rows_;
    }

    /// The memory held outside the object.
    std::size_t n_bytes() const { return rows_.n_bytes(); }

    // ---- the way to bytes and back ------------------------------------------------------------------------------

    void save(ByteWriter& out) const {
        history_.save(out);
        out.put(window_.sum);
        out.put(window_.deviations);
        out.put(static_cast<std::uint8_t>(rows_.size()));
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            out.put(static_cast<std::uint32_t>(rows_[row].size()));
            for (const Sums& bucket : rows_[row]) {
                out.put(bucket.sum);
                out.put(bucket.deviations);
            }
        }
    }

    /// Takes the place of the one that was saved. Throws ModelFormatError, and has then no value, if none can have
    /// been.
    void load(ByteReader& in) {
        *this = Adwin(options_);
        Adwin read(options_);
        read.history_.load(in, options_);
        read.until_look_ = options_.clock - read.n_seen() % options_.clock;
        read.window_.sum = in.get<double>("the sum of a window");
        read.window_.deviations = in.get<double>("the deviations of a window");
        const auto n_rows = in.get<std::uint8_t>("the rows of an ADWIN");
        detail::require_of_adwin(n_rows <= Rows::most_rows, "the rows of an ADWIN must be at most 62", n_rows);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto filled = in.get<std::uint32_t>("the buckets of a row");
            detail::require_of_adwin(filled >= 1 && filled <= options_.max_buckets,
                                     "the buckets of a row must be from 1 to max_buckets", filled);
            for (std::uint32_t i = 0; i < filled; ++i) {
                Sums bucket;
                bucket.sum = in.get<double>("the sum of a bucket");
                bucket.deviations = in.get<double>("the deviations of a bucket");
                detail::require_of_adwin(is_possible(bucket, Rows::values_in(row)),
                                         "a bucket must have a sum that its values can have", bucket.sum);
                read.rows_.restore(row, bucket);
                detail::require_of_adwin(read.width_ <= read.n_seen() - Rows::values_in(row),
                                         "a window must be of values that were seen", read.width_);
                read.width_ += Rows::values_in(row);
            }
        }
        detail::require_of_adwin(is_possible(read.window_, read.width_),
                                 "a window must have a sum that its values can have", read.window_.sum);
        *this = std::move(read);
    }

private:
    /// Some values: their sum, and the sum of the squares of their deviations from their mean.
    struct Sums {
        double sum = 0;
        double deviations = 0;

        bool operator==(const Sums&) const = default;
        double total() const { return sum; }
        /// Of powers of two this is as exact as `joined`, without a division.
        static Sums of_twice(const Sums& a, const Sums& b, std::int64_t n) {
            const double apart = a.sum - b.sum;
            return {a.sum + b.sum, a.deviations + b.deviations + apart * apart * (0.5 / static_cast<double>(n))};
        }
    };
    using Rows = BucketRows<Sums, 1>;

    static bool is_possible(const Sums& sums, std::int64_t size) {
        // Rounding may add a little to either.
        const double most = 1.001 * largest_value * static_cast<double>(size);
        return std::fabs(sums.sum) <= most && sums.deviations >= 0 && sums.deviations <= most * largest_value;
    }

    /// What two sets of values have together.
    static Sums joined(const Sums& a, std::int64_t n_a, const Sums& b, std::int64_t n_b) {
        if (n_a == n_b) return Sums::of_twice(a, b, n_a);
        if (n_a == 0) return b;
        const auto in_a = static_cast<double>(n_a);
        const auto in_b = static_cast<double>(n_b);
        const double apart = a.sum / in_a - b.sum / in_b;
        return {a.sum + b.sum, a.deviations + b.deviations + in_a * in_b * apart * apart / (in_a + in_b)};
    }

    void drop_oldest() {
        width_ -= Rows::values_in(rows_.size() - 1);
        rows_.drop_oldest();
        // Added up anew, from what is there: differences would gather errors.
        window_ = Sums();
        std::int64_t size = 0;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            for (const Sums& bucket : rows_[row]) {
                window_ = joined(window_, size, bucket, Rows::values_in(row));
                size += Rows::values_in(row);
            }
        }
    }

    AdwinOptions options_;
    Rows rows_{options_.max_buckets};
    /// All values of the window, and how many there are.
    Sums window_;
    std::int64_t width_ = 0;
    AdwinHistory history_;
    /// The values until the next look.
    std::int64_t until_look_;
};

}  // namespace sapwood
