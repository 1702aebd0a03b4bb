#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sapwood {

/// The exponential histogram of an ADWIN: values of a stream in buckets of 1, 2, 4, … of them, a row for every size, at
/// most `max_buckets` in a row. When a row has more, its two oldest buckets become one of the next row.
///
/// `Sums` is what is kept of the values of a bucket; `Sums::of_twice(a, b, n)` joins two buckets of n values each. At
/// most `most_at_once` values are pushed at a time.
///
/// Guarantee: the buckets do not depend on how many values are pushed at a time. A value takes O(1) amortised, memory
/// O(max_buckets · log n).
template <class Sums, std::size_t most_at_once>
class BucketRows {
public:
    static constexpr std::size_t most_rows = 62;

    explicit BucketRows(std::uint32_t max_buckets) : max_buckets_(max_buckets) {}

    std::size_t size() const { return filled_.size(); }
    /// How many values a bucket of a row has.
    static std::int64_t values_in(std::size_t row) { return std::int64_t{1} << row; }
    /// The buckets of a row, the oldest first. Those of a later row are older.
    std::span<const Sums> operator[](std::size_t row) const {
        return std::span(buckets_).subspan(row * stride(), filled_[row]);
    }

    /// Takes values, the oldest first.
    void push(std::span<const Sums> values) {
        // What one row gives up is read while the next one's is written.
        std::array<std::array<Sums, most_at_once / 2 + 1>, 2> given_up;
        for (std::size_t row = 0; !values.empty(); ++row) {
            if (row == size()) add_row();
            Sums* const here = buckets_.data() + row * stride();
            const std::size_t before = filled_[row];
            const std::size_t pairs = pairs_of(before + values.size());
            // The oldest go in pairs: those of the row, perhaps one of it and one that comes, and those that come.
            const std::size_t of_row = std::min(2 * pairs, before);
            Sums* const joined = given_up[row % 2].data();
            std::size_t i = 0;
            std::size_t taken = 0;
            for (; 2 * i + 1 < of_row; ++i) joined[i] = Sums::of_twice(here[2 * i], here[2 * i + 1], values_in(row));
            if (of_row % 2 == 1) joined[i++] = Sums::of_twice(here[of_row - 1], values[taken++], values_in(row));
            for (; i < pairs; ++i, taken += 2) {
                joined[i] = Sums::of_twice(values[taken], values[taken + 1], values_in(row));
            }
            Sums* const end = std::copy(here + of_row, here + before, here);
            filled_[row] = static_cast<std::uint32_t>(
                std::copy(values.begin() + static_cast<std::ptrdiff_t>(taken), values.end(), end) - here);
            values = {joined, pairs};
        }
    }

    /// How many rows there will be after so many more values.
    std::size_t size_after(std::size_t n_values) const {
        std::size_t row = 0;
        for (; n_values > 0; ++row) n_values = pairs_of((row < size() ? filled_[row] : 0) + n_values);
        return row > size() ? row : size();
    }

    /// Puts the oldest bucket into the last row, which must have room, or into a row behind it.
    void restore(std::size_t row, const Sums& bucket) {
        if (row == size()) add_row();
        buckets_[row * stride() + filled_[row]++] = bucket;
    }

    /// Takes the oldest bucket away; there must be one.
    void drop_oldest() {
        const std::size_t row = size() - 1;
        Sums* const here = buckets_.data() + row * stride();
        for (std::uint32_t i = 1; i < filled_[row]; ++i) here[i - 1] = here[i];
        if (--filled_[row] > 0) return;
        filled_.pop_back();
        buckets_.erase(buckets_.end() - static_cast<std::ptrdiff_t>(stride()), buckets_.end());
    }

    /// Whether the same buckets are in the same rows.
    bool operator==(const BucketRows& other) const {
        if (filled_ != other.filled_) return false;
        for (std::size_t row = 0; row < size(); ++row) {
            const auto mine = (*this)[row], theirs = other[row];  // as long: so many are filled
            if (!std::equal(mine.begin(), mine.end(), theirs.begin())) return false;
        }
        return true;
    }

    std::size_t n_bytes() const {
        return buckets_.capacity() * sizeof(Sums) + filled_.capacity() * sizeof(std::uint32_t);
    }

private:
    std::size_t stride() const { return max_buckets_; }

    /// How many pairs of buckets a row gives up that would have n.
    std::size_t pairs_of(std::size_t n) const { return n > max_buckets_ ? (n - max_buckets_ + 1) / 2 : 0; }

    void add_row() {
        buckets_.resize(buckets_.size() + stride());
        filled_.push_back(0);
    }

    std::uint32_t max_buckets_;
    std::vector<Sums> buckets_;
    /// How many buckets each row has.
    std::vector<std::uint32_t> filled_;
};

}  // namespace sapwood
