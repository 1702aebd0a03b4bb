#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/batch/router.hpp"
#include "sapwood/tree/batch/shared_rows.hpp"
#include "sapwood/tree/number_grid.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The values of some numbers in some points, and how many points have each, whatever their weights: what must be known
/// of a batch before its numbers can be divided.
///
/// Guarantee: merging is associative and commutative, and equal values have equal bytes. 16 bytes a value in memory,
/// and at most that in a file.
class ValueCounts {
public:
    using Value = NumberGrid::Value;
    /// Ascending, each once.
    using Values = std::vector<Value>;

    ValueCounts() = default;
    /// The values of each number in any order, and as often as they come.
    explicit ValueCounts(std::map<SharedId, std::vector<double>> met) {
        for (auto& [number, values] : met) {
            std::sort(values.begin(), values.end());
            Values& mine = numbers_[number];
            for (const double value : values) {
                if (mine.empty() || mine.back().value != value) mine.push_back({value, 0});
                ++mine.back().n;
            }
        }
    }

    bool operator==(const ValueCounts&) const = default;

    /// By the id of the number.
    const std::map<SharedId, Values>& numbers() const { return numbers_; }
    bool empty() const { return numbers_.empty(); }

    /// Adds those of other points.
    void merge(const ValueCounts& other) {
        for (const auto& [number, values] : other.numbers_) {
            Values& mine = numbers_[number];
            Values all;
            all.reserve(mine.size() + values.size());
            std::merge(mine.begin(), mine.end(), values.begin(), values.end(), std::back_inserter(all),
                       [](const Value& a, const Value& b) { return a.value < b.value; });
            mine.clear();
            for (const Value& each : all) {
                if (mine.empty() || mine.back().value != each.value) {
                    mine.push_back(each);
                } else {
                    mine.back().n += each.n;
                }
            }
        }
    }

    std::string to_bytes() const {
        ByteWriter out;
        out.put_raw(magic);
        put_varint(out, numbers_.size());
        SharedId last = 0;
        for (const auto& [number, values] : numbers_) {
            put_varint(out, number - last);
            last = number;
            put_varint(out, values.size());
            std::uint64_t place = 0;
            for (const Value& each : values) {
                put_varint(out, place_of(each.value) - place);
                place = place_of(each.value);
                put_varint(out, static_cast<std::uint64_t>(each.n));
            }
        }
        return out.take();
    }

    /// Those of these bytes, which may be anything: throws ModelFormatError unless some values have them.
    static ValueCounts from_bytes(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        require(in.get_raw(magic.size(), "the mark of values") == magic, "values must begin with their mark");
        ValueCounts made;
        const std::uint64_t n_numbers = get_varint(in, "the number of numbers");
        in.require(n_numbers, 4, "the numbers of values");
        SharedId number = 0;
        for (std::uint64_t i = 0; i < n_numbers; ++i) {
            number = next(in, number, i == 0);
            Values& values = made.numbers_[number];
            const std::uint64_t n_values = get_varint(in, "the number of values");
            in.require(n_values, 2, "the values of a number");
            require(n_values > 0, "a number must have values");
            std::uint64_t place = 0;
            std::int64_t n = 0;
            for (std::uint64_t j = 0; j < n_values; ++j) {
                place = next(in, place, j == 0);
                const double value = value_at(place);
                require(std::isfinite(value) && place_of(value) == place, "values must be finite numbers");
                const std::uint64_t count = get_varint(in, "the points of a value");
                require(count > 0 && count <= static_cast<std::uint64_t>(largest_count), "values must have points");
                values.push_back({value, static_cast<std::int64_t>(count)});
                n += values.back().n;
                require(n <= largest_count, "a number must have fewer points");
            }
        }
        require(in.left() == 0, "values must end with those of the last number");
        return made;
    }

private:
    static constexpr std::string_view magic = "SwV1";
    static constexpr std::int64_t largest_count = std::int64_t{1} << 44;
    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;

    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    static std::uint64_t next(ByteReader& in, std::uint64_t last, bool is_first) {
        const std::uint64_t gap = get_varint(in, "a gap between values");
        require((is_first || gap > 0) && last + gap >= last, "values must ascend");
        return last + gap;
    }

    /// Whole numbers in the order of the values. Negative zero is zero.
    static std::uint64_t place_of(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }
    static double value_at(std::uint64_t place) {
        return std::bit_cast<double>((place & sign) != 0 ? place & ~sign : ~place);
    }

    std::map<SharedId, Values> numbers_;
};

/// The values of all numbers of points that are not settled yet, for a router that knows which are. The rows were
/// checked.
inline ValueCounts count_values(const Router& router, const SharedRows& rows) {
    std::map<SharedId, std::vector<double>> met;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows.weight(i) == 0) continue;
        const SharedPoint row = rows.row(i);
        for (std::size_t j = 0; j < row.numbers.size(); ++j) {
            // Negative zero is zero.
            if (!router.is_settled(row.numbers[j])) met[row.numbers[j]].push_back(row.values[j] + 0.0);
        }
    }
    return ValueCounts(std::move(met));
}

}  // namespace sapwood
