#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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
    double total() const { return total_; }
    double estimation() const { return width_ == 0 ? 0 : total_ / static_cast<double>(width_); }
    double variance() const { return width_ == 0 ? 0 : deviations_ / static_cast<double>(width_); }
    /// How many values there have been, and how many of them made the window shorter.
    std::int64_t n_seen() const { return n_seen_; }
    std::int64_t n_detections() const { return n_detections_; }
    /// What the last value did.
    Change last() const { return last_; }

    /// Takes a value, of at most `largest_value` in absolute value, into the window, and cuts the window if it is time.
    Change update(double value) { return add(value) ? look() : Change::none; }

    // The same in parts, for detectors that share a window.

    /// Takes a value into the window; returns whether it is time to look.
    bool add(double value) {
        insert(value);
        ++n_seen_;
        last_ = Change::none;
        if (--until_look_ > 0) return false;
        until_look_ = options_.clock;
        return width_ > options_.grace_period;
    }
    /// Drops the oldest bucket as long as a border shows a change.
    Change look() {
        const double before = estimation();
        bool has_changed = false;
        while (shows_change(options_.delta)) {
            has_changed = true;
            drop_oldest();
        }
        if (!has_changed) return last_;
        ++n_detections_;
        last_ = estimation() > before ? Change::rose : Change::fell;
        return last_;
    }
    /// Whether a border of two buckets shows a change, at a `delta`: the smaller, the less it does.
    bool shows_change(double delta) const {
        const std::int64_t least = options_.min_window_length;
        if (width_ < 2 * least) return false;
        const auto width = static_cast<double>(width_);
        const double log_term = portable::ln(2 * portable::ln(width) / delta);
        const double spread = 2 * variance() * log_term;
        // Below this, but for rounding, a difference of means times both numbers is less than its bound: nearly all
        // borders are done with by a few products.
        const double little = 0.999 * spread * width;
        std::int64_t n_old = 0;
        double old = 0;
        for (std::size_t row = filled_.size(); row-- > 0;) {
            for (const Bucket& bucket : in_row(row)) {
                n_old += size_of(row);
                old += bucket.sum;
                const std::int64_t n_new = width_ - n_old;
                if (n_new < least) return false;
                if (n_old < least) continue;
                const auto before = static_cast<double>(n_old);
                const auto after = static_cast<double>(n_new);
                const double cross = old * after - (total_ - old) * before;
                if (cross * cross <= little * before * after) continue;
                const double apart = std::fabs(old / before - (total_ - old) / after);
                const double rate =
                    1 / static_cast<double>(n_old - least + 1) + 1 / static_cast<double>(n_new - least + 1);
                if (apart > std::sqrt(spread * rate) + 2.0 / 3.0 * log_term * rate) return true;
            }
        }
        return false;
    }
    /// The same window, looked at with another `delta`.
    Adwin with_delta(double delta) const {
        Adwin other = *this;
        other.options_.delta = delta;
        return other;
    }
    /// Whether another has seen the same values, and none of them was dropped.
    bool has_same_window(const Adwin& other) const {
        return n_seen_ == other.n_seen_ && n_detections_ == 0 && other.n_detections_ == 0 && width_ == other.width_ &&
               total_ == other.total_ && deviations_ == other.deviations_ && filled_ == other.filled_ &&
               buckets_ == other.buckets_;
    }

    /// The rows of buckets, one for every size, and what one takes.
    std::size_t n_rows() const { return filled_.size(); }
    std::size_t bytes_of_row() const { return stride() * sizeof(Bucket) + sizeof(std::uint32_t); }

    /// The memory held outside the object.
    std::size_t n_bytes() const {
        return buckets_.capacity() * sizeof(Bucket) + filled_.capacity() * sizeof(std::uint32_t);
    }

    // ---- the way to bytes and back ------------------------------------------------------------------------------

    void save(ByteWriter& out) const {
        out.put(n_seen_);
        out.put(n_detections_);
        out.put(static_cast<std::uint8_t>(last_));
        out.put(total_);
        out.put(deviations_);
        out.put(static_cast<std::uint8_t>(filled_.size()));
        for (std::size_t row = 0; row < filled_.size(); ++row) {
            out.put(filled_[row]);
            for (const Bucket& bucket : in_row(row)) {
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
        read.n_seen_ = in.get<std::int64_t>("the values that an ADWIN has seen");
        read.n_detections_ = in.get<std::int64_t>("the changes that an ADWIN has found");
        const auto last = in.get<std::uint8_t>("the last change that an ADWIN has found");
        require(last <= 2, "the last change that an ADWIN has found must be 0, 1 or 2", last);
        read.last_ = static_cast<Change>(last);
        read.total_ = in.get<double>("the sum of a window");
        read.deviations_ = in.get<double>("the deviations of a window");
        const auto rows = in.get<std::uint8_t>("the rows of an ADWIN");
        require(rows <= most_rows, "the rows of an ADWIN must be at most 62", rows);
        for (std::size_t row = 0; row < rows; ++row) {
            read.add_row();
            const auto filled = in.get<std::uint32_t>("the buckets of a row");
            require(filled >= 1 && filled <= options_.max_buckets, "the buckets of a row must be from 1 to max_buckets",
                    filled);
            for (std::uint32_t i = 0; i < filled; ++i) {
                Bucket bucket;
                bucket.sum = in.get<double>("the sum of a bucket");
                bucket.deviations = in.get<double>("the deviations of a bucket");
                require(is_possible(bucket, size_of(row)), "a bucket must have a sum that its values can have",
                        bucket.sum);
                read.push(row, bucket);
                require(read.width_ <= read.n_seen_ - size_of(row), "a window must be of values that were seen",
                        read.width_);
                read.width_ += size_of(row);
            }
        }
        require(0 <= read.n_detections_ && read.n_detections_ <= read.n_seen_ / options_.clock &&
                    (read.last_ == Change::none || read.n_detections_ > 0),
                "an ADWIN must find at most one change a look", read.n_detections_);
        read.until_look_ = options_.clock - read.n_seen_ % options_.clock;
        require(is_possible({read.total_, read.deviations_}, read.width_),
                "a window must have a sum that its values can have", read.total_);
        *this = std::move(read);
    }

private:
    /// Some values: their sum, and the sum of the squares of their deviations from their mean.
    struct Bucket {
        double sum = 0;
        double deviations = 0;
        bool operator==(const Bucket&) const = default;
    };

    static constexpr std::size_t most_rows = 62;

    template <class T>
    static void require(bool holds, const char* what, T got) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got " + std::to_string(got));
    }
    static bool is_possible(const Bucket& bucket, std::int64_t size) {
        // Rounding may add a little to either.
        const double most = 1.001 * largest_value * static_cast<double>(size);
        return std::fabs(bucket.sum) <= most && bucket.deviations >= 0 && bucket.deviations <= most * largest_value;
    }

    /// How many values a bucket of a row has.
    static std::int64_t size_of(std::size_t row) { return std::int64_t{1} << row; }
    /// A row has room for one more bucket than it keeps.
    std::size_t stride() const { return options_.max_buckets + std::size_t{1}; }
    /// The buckets of a row, the oldest first. Those of a later row are older.
    std::span<const Bucket> in_row(std::size_t row) const {
        return std::span(buckets_).subspan(row * stride(), filled_[row]);
    }

    void add_row() {
        buckets_.resize(buckets_.size() + stride());
        filled_.push_back(0);
    }
    void push(std::size_t row, const Bucket& bucket) { buckets_[row * stride() + filled_[row]++] = bucket; }
    /// Takes the oldest buckets of a row away.
    void drop(std::size_t row, std::uint32_t count) {
        Bucket* const first = buckets_.data() + row * stride();
        for (std::uint32_t i = count; i < filled_[row]; ++i) first[i - count] = first[i];
        filled_[row] -= count;
    }

    /// What two sets of values have together.
    static Bucket joined(const Bucket& a, std::int64_t n_a, const Bucket& b, std::int64_t n_b) {
        if (n_a == n_b) {
            // Of powers of two this is as exact, without a division.
            const double apart = a.sum - b.sum;
            return {a.sum + b.sum, a.deviations + b.deviations + apart * apart * (0.5 / static_cast<double>(n_a))};
        }
        if (n_a == 0) return b;
        const auto in_a = static_cast<double>(n_a);
        const auto in_b = static_cast<double>(n_b);
        const double apart = a.sum / in_a - b.sum / in_b;
        return {a.sum + b.sum, a.deviations + b.deviations + in_a * in_b * apart * apart / (in_a + in_b)};
    }

    void insert(double value) {
        const Bucket window = joined({total_, deviations_}, width_, {value, 0}, 1);
        total_ = window.sum;
        deviations_ = window.deviations;
        ++width_;
        if (filled_.empty()) add_row();
        push(0, {value, 0});
        for (std::size_t row = 0; filled_[row] > options_.max_buckets; ++row) {
            if (row + 1 == filled_.size()) add_row();
            const std::span<const Bucket> buckets = in_row(row);
            push(row + 1, joined(buckets[0], size_of(row), buckets[1], size_of(row)));
            drop(row, 2);
        }
    }

    void drop_oldest() {
        const std::size_t row = filled_.size() - 1;
        width_ -= size_of(row);
        drop(row, 1);
        if (filled_[row] == 0) {
            filled_.pop_back();
            buckets_.resize(buckets_.size() - stride());
        }
        // Added up anew, from what is there: differences would gather errors.
        Bucket window;
        std::int64_t size = 0;
        for (std::size_t i = 0; i < filled_.size(); ++i) {
            for (const Bucket& bucket : in_row(i)) {
                window = joined(window, size, bucket, size_of(i));
                size += size_of(i);
            }
        }
        total_ = window.sum;
        deviations_ = window.deviations;
    }

    AdwinOptions options_;
    std::vector<Bucket> buckets_;
    /// How many buckets each row has.
    std::vector<std::uint32_t> filled_;
    std::int64_t width_ = 0;
    std::int64_t n_seen_ = 0;
    /// The values until the next look.
    std::int64_t until_look_;
    std::int64_t n_detections_ = 0;
    double total_ = 0;
    double deviations_ = 0;
    Change last_ = Change::none;
};

}  // namespace sapwood
