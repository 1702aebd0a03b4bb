#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/random.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The sums of slopes (predict/slopes.hpp) over some points, for every leaf that they reach and every feature there, by
/// which models that are not counts learn a batch. They belong to the delta of the same points.
///
/// Guarantee: sums are whole multiples of 2^-20, each slope rounded once, so that merging is associative and
/// commutative, and equal sums have equal bytes: what points were counted where leaves no trace. Bound to the weights
/// from which the slopes were taken (`version_of`), and merged with no other.
class Gradients {
public:
    /// A slope of this size moves no weight that is kept in 24 bits; and the sums of 2^31 points, of a curvature of at
    /// most 7 * 8^2 each (mixer.hpp), stay below 2^60.
    static constexpr int fraction_bits = 20;
    static constexpr std::int64_t largest_sum = std::int64_t{1} << 60;

    /// The most that the sums of points can be; `largest_sum` for as many as there can be.
    static constexpr std::int64_t largest_sum_of(std::int64_t n) { return n << (fraction_bits + 9); }

    static std::int64_t rounded(double slope) { return std::llround(std::ldexp(slope, fraction_bits)); }
    static double value(std::int64_t sum) { return std::ldexp(static_cast<double>(sum), -fraction_bits); }

    /// The version of the weights of a tree, by that of what leads its points and by the points that it has met.
    static std::uint64_t version_of(std::uint64_t router, std::int64_t n_met) {
        return Random::mixed(router ^ Random::mixed(static_cast<std::uint64_t>(n_met) + 1));
    }

    /// A leaf by its birth number, or a feature of a leaf.
    struct Leaf {
        std::uint64_t born;
        bool operator==(const Leaf&) const = default;
        std::uint64_t key() const { return born; }
    };
    struct Entry {
        std::uint64_t born;
        SharedId feature;
        bool operator==(const Entry&) const = default;
        std::pair<std::uint64_t, SharedId> key() const { return {born, feature}; }
    };

    /// Keys in ascending order, with `width` sums each.
    template <class Key>
    struct Sums {
        std::size_t width = 0;
        std::vector<Key> keys;
        std::vector<std::int64_t> sums;

        bool operator==(const Sums&) const = default;
        std::span<const std::int64_t> of(std::size_t i) const { return std::span(sums).subspan(i * width, width); }
        void add(const Key& key, std::span<const std::int64_t> values) {
            keys.push_back(key);
            sums.insert(sums.end(), values.begin(), values.end());
        }
    };

    Gradients(std::uint64_t version, std::size_t per_leaf, std::size_t per_record)
        : version_(version), leaves_{per_leaf, {}, {}}, entries_{per_record, {}, {}} {}
    Gradients(std::uint64_t version, Sums<Leaf> leaves, Sums<Entry> entries)
        : version_(version), leaves_(std::move(leaves)), entries_(std::move(entries)) {}

    bool operator==(const Gradients&) const = default;

    std::uint64_t version() const { return version_; }
    const Sums<Leaf>& leaves() const { return leaves_; }
    const Sums<Entry>& entries() const { return entries_; }

    /// Adds the sums of another one. Throws std::invalid_argument, and changes nothing, if it is of other weights, or
    /// std::overflow_error if the points are too many.
    void merge(const Gradients& other) {
        if (other.version_ != version_ || other.leaves_.width != leaves_.width ||
            other.entries_.width != entries_.width) {
            throw std::invalid_argument("other must be of the same version of the weights, " +
                                        std::to_string(version_) + ", got " + std::to_string(other.version_));
        }
        Sums<Leaf> leaves = merged(leaves_, other.leaves_);
        entries_ = merged(entries_, other.entries_);
        leaves_ = std::move(leaves);
    }

    // ---- bytes: gaps between numbers that ascend, and sums, in as few bytes as each needs ---------------------------

    std::string to_bytes() const {
        ByteWriter out;
        out.put_raw(magic);
        out.put(version_);
        put_varint(out, leaves_.width);
        put_varint(out, entries_.width);
        put_varint(out, leaves_.keys.size());
        std::uint64_t last_born = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < leaves_.keys.size(); ++i) {
            const std::uint64_t born = leaves_.keys[i].born;
            put_varint(out, born - last_born);
            last_born = born;
            put_sums(out, leaves_.of(i));
            std::size_t end = at;
            while (end < entries_.keys.size() && entries_.keys[end].born == born) ++end;
            put_varint(out, end - at);
            SharedId last = 0;
            for (; at < end; ++at) {
                put_varint(out, entries_.keys[at].feature - last);
                last = entries_.keys[at].feature;
                put_sums(out, entries_.of(at));
            }
        }
        return out.take();
    }

    /// The gradients of these bytes, which may be anything: throws ModelFormatError unless some gradients have them.
    static Gradients from_bytes(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        require(in.get_raw(magic.size(), "the mark of gradients") == magic, "gradients must begin with their mark");
        const auto version = in.get<std::uint64_t>("the version of the weights");
        const std::uint64_t per_leaf = get_varint(in, "the sums of a leaf");
        const std::uint64_t per_record = get_varint(in, "the sums of a feature");
        require(per_record >= 1 && per_record <= most_sums && per_leaf >= per_record && per_leaf <= most_sums,
                "gradients must have sums of leaves and features");
        Gradients made(version, static_cast<std::size_t>(per_leaf), static_cast<std::size_t>(per_record));
        const std::uint64_t n_leaves = get_varint(in, "the number of leaves");
        in.require(n_leaves, made.leaves_.width + 2, "the leaves of gradients");
        std::uint64_t born = 0;
        for (std::uint64_t i = 0; i < n_leaves; ++i) {
            born = next(in, born, i == 0);
            made.leaves_.keys.push_back({born});
            get_sums(in, made.leaves_.width, made.leaves_.sums);
            const std::uint64_t n_features = get_varint(in, "the number of features");
            in.require(n_features, made.entries_.width + 1, "the features of a leaf");
            SharedId feature = 0;
            for (std::uint64_t j = 0; j < n_features; ++j) {
                feature = next(in, feature, j == 0);
                made.entries_.keys.push_back({born, feature});
                get_sums(in, made.entries_.width, made.entries_.sums);
            }
        }
        require(in.left() == 0, "gradients must end with their last leaf");
        return made;
    }

private:
    static constexpr std::string_view magic = "SwG1";
    /// Of four regressions over as many classes as there may be, and what a leaf has beside.
    static constexpr std::uint64_t most_sums = 4 * std::uint64_t{max_classes} + 16;

    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    /// The next of numbers that ascend.
    static std::uint64_t next(ByteReader& in, std::uint64_t last, bool is_first) {
        const std::uint64_t gap = get_varint(in, "a number of gradients");
        require((is_first || gap > 0) && last + gap >= last, "numbers of gradients must ascend");
        return last + gap;
    }

    // Numbers of either sign: 0, -1, 1, -2, ... are written as 0, 1, 2, 3, ...
    static void put_sums(ByteWriter& out, std::span<const std::int64_t> sums) {
        for (const std::int64_t sum : sums) {
            const auto bits = static_cast<std::uint64_t>(sum);
            put_varint(out, sum < 0 ? ~(bits << 1) : bits << 1);
        }
    }
    static void get_sums(ByteReader& in, std::size_t n, std::vector<std::int64_t>& sums) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t code = get_varint(in, "a sum of slopes");
            const auto sum = static_cast<std::int64_t>(code % 2 == 1 ? ~(code >> 1) : code >> 1);
            require(sum <= largest_sum && sum >= -largest_sum, "a sum of slopes must be within its limit");
            sums.push_back(sum);
        }
    }

    template <class Key>
    static Sums<Key> merged(const Sums<Key>& left, const Sums<Key>& right) {
        Sums<Key> all{left.width, {}, {}};
        all.keys.reserve(left.keys.size() + right.keys.size());
        all.sums.reserve(left.sums.size() + right.sums.size());
        std::size_t i = 0;
        std::size_t j = 0;
        while (i < left.keys.size() || j < right.keys.size()) {
            const bool ends_left = i == left.keys.size();
            const bool ends_right = j == right.keys.size();
            if (ends_right || (!ends_left && left.keys[i].key() < right.keys[j].key())) {
                all.add(left.keys[i], left.of(i));
                ++i;
            } else if (ends_left || right.keys[j].key() < left.keys[i].key()) {
                all.add(right.keys[j], right.of(j));
                ++j;
            } else {
                all.add(left.keys[i], left.of(i));
                for (std::size_t s = 0; s < all.width; ++s) {
                    std::int64_t& sum = all.sums[all.sums.size() - all.width + s];
                    sum += right.of(j)[s];
                    if (sum > largest_sum || sum < -largest_sum) {
                        throw std::overflow_error("the slopes of a batch must be of fewer points");
                    }
                }
                ++i;
                ++j;
            }
        }
        return all;
    }

    std::uint64_t version_;
    Sums<Leaf> leaves_;
    Sums<Entry> entries_;
};

}  // namespace sapwood
