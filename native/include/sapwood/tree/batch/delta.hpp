#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What some points add to the leaves of a tree: the points of each class in every leaf that they reach, and for each
/// feature there the points of each class in which it is on; by weight, and each once, because a split test may not
/// take weights for evidence. Leaves are known by their birth numbers, features by the ids that all who count agree on.
/// A bin of a number is a feature here (shared_id.hpp).
///
/// Guarantee: merging is associative and commutative, and equal counts have equal bytes; so what points were counted
/// where, in which order and in how many parts leaves no trace. It is bound to the version of the tree (router.hpp)
/// that led the points, and is merged with no other.
class Delta {
public:
    struct Leaf {
        std::uint64_t born;
        /// By weight.
        std::vector<std::int64_t> of_class;
        /// Each point once.
        std::vector<std::int64_t> points;

        bool operator==(const Leaf&) const = default;
    };
    struct Entry {
        std::uint64_t born;
        SharedId feature;
        Label label;
        /// By weight.
        std::int64_t count;
        /// Each point once.
        std::int64_t points;

        auto key() const { return std::tuple(born, feature, label); }
        bool operator==(const Entry&) const = default;
    };

    Delta(std::uint64_t version, std::size_t n_classes) : version_(version), n_classes_(n_classes) {}

    /// The counts of leaves and entries in ascending order, none of which is 0.
    Delta(std::uint64_t version, std::size_t n_classes, std::vector<Leaf> leaves, std::vector<Entry> entries)
        : version_(version), n_classes_(n_classes), leaves_(std::move(leaves)), entries_(std::move(entries)) {}

    bool operator==(const Delta&) const = default;

    std::uint64_t version() const { return version_; }
    std::size_t n_classes() const { return n_classes_; }
    const std::vector<Leaf>& leaves() const { return leaves_; }
    const std::vector<Entry>& entries() const { return entries_; }

    /// The points, by weight.
    std::int64_t n() const {
        return sum_of([](const Leaf& leaf) -> const auto& { return leaf.of_class; });
    }
    /// The points, each once, whatever their weights.
    std::int64_t n_met() const {
        return sum_of([](const Leaf& leaf) -> const auto& { return leaf.points; });
    }
    /// Whether some point has a weight above 1.
    bool is_weighted() const { return n() != n_met(); }

    /// The features, ascending.
    std::vector<SharedId> features() const {
        std::vector<SharedId> found;
        found.reserve(entries_.size());
        for (const Entry& entry : entries_) {
            if (found.empty() || found.back() != entry.feature) found.push_back(entry.feature);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    /// Adds the counts of another one. Throws std::invalid_argument, and changes nothing, if it is of another tree.
    void merge(const Delta& other) {
        if (other.version_ != version_ || other.n_classes_ != n_classes_) {
            throw std::invalid_argument("other must be counted by the same version of the tree, " +
                                        std::to_string(version_) + ", got " + std::to_string(other.version_));
        }
        leaves_ = merged(
            leaves_, other.leaves_, [](const Leaf& leaf) { return leaf.born; },
            [](Leaf& into, const Leaf& leaf) {
                for (std::size_t k = 0; k < into.of_class.size(); ++k) {
                    into.of_class[k] += leaf.of_class[k];
                    into.points[k] += leaf.points[k];
                }
            });
        entries_ = merged(
            entries_, other.entries_, [](const Entry& entry) { return entry.key(); },
            [](Entry& into, const Entry& entry) {
                into.count += entry.count;
                into.points += entry.points;
            });
    }

    // ---- bytes --------------------------------------------------------------------------------------------------
    // Gaps between numbers that ascend, in as few bytes as each needs. An entry is its count, its class and whether it
    // is the last of its feature, in one number: a feature that is on in one point takes one byte and its gap. If some
    // point has a weight above 1, what weights add to the points of a count follows the count.

    std::string to_bytes() const {
        ByteWriter out;
        out.put_raw(magic);
        out.put(version_);
        put_varint(out, n_classes_);
        const bool weighted = is_weighted();
        put_varint(out, weighted ? 1 : 0);
        put_varint(out, leaves_.size());
        std::uint64_t last_born = 0;
        std::size_t at = 0;
        for (const Leaf& leaf : leaves_) {
            put_varint(out, leaf.born - last_born);
            last_born = leaf.born;
            for (std::size_t k = 0; k < n_classes_; ++k) {
                put_varint(out, static_cast<std::uint64_t>(leaf.points[k]));
                if (weighted) put_varint(out, static_cast<std::uint64_t>(leaf.of_class[k] - leaf.points[k]));
            }
            const std::size_t first = at;
            std::uint64_t n_features = 0;
            for (; at < entries_.size() && entries_[at].born == leaf.born; ++at) n_features += is_last(at) ? 1 : 0;
            put_varint(out, n_features);
            SharedId last = 0;
            for (std::size_t i = first; i < at; ++i) {
                const Entry& entry = entries_[i];
                if (i == first || entries_[i - 1].feature != entry.feature) {
                    put_varint(out, entry.feature - last);
                    last = entry.feature;
                }
                const std::uint64_t points = static_cast<std::uint64_t>(entry.points) - 1;
                put_varint(out, (points * n_classes_ + entry.label) * 2 + (is_last(i) ? 1 : 0));
                if (weighted) put_varint(out, static_cast<std::uint64_t>(entry.count - entry.points));
            }
        }
        return out.take();
    }

    /// The delta of these bytes, which may be anything: throws ModelFormatError unless some delta has them.
    static Delta from_bytes(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        require(in.get_raw(magic.size(), "the mark of a delta") == magic, "a delta must begin with its mark");
        const auto version = in.get<std::uint64_t>("the version of a tree");
        const std::uint64_t n_classes = get_varint(in, "the number of classes");
        require(n_classes >= 2 && n_classes <= std::uint64_t{max_classes}, "a delta must have 2 to 65535 classes");
        Delta made(version, static_cast<std::size_t>(n_classes));
        const std::uint64_t weighted = get_varint(in, "whether points have weights");
        require(weighted <= 1, "a delta must say by 0 or 1 whether points have weights");
        const std::uint64_t n_leaves = get_varint(in, "the number of leaves");
        in.require(n_leaves, static_cast<std::size_t>(n_classes) + 2, "the leaves of a delta");
        std::uint64_t born = 0;
        for (std::uint64_t i = 0; i < n_leaves; ++i) {
            born = next(in, born, i == 0, "the leaves of a delta");
            made.read_leaf(in, born, weighted == 1);
        }
        require(in.left() == 0, "a delta must end with its last leaf");
        std::int64_t n = 0;
        for (const Leaf& leaf : made.leaves_) {
            for (const std::int64_t count : leaf.of_class) {
                n += count;
                require(n <= largest_count, "a delta must have fewer points");
            }
        }
        require(made.is_weighted() == (weighted == 1), "a delta must have weights if it says so");
        return made;
    }

private:
    static constexpr std::string_view magic = "SwD2";
    /// A count times classes fits into 64 bits, and the counts of a delta into a sum.
    static constexpr std::int64_t largest_count = std::int64_t{1} << 44;

    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    static std::int64_t get_count(ByteReader& in, const char* what) {
        const std::uint64_t count = get_varint(in, what);
        require(count <= static_cast<std::uint64_t>(largest_count), "a count must be within its limit");
        return static_cast<std::int64_t>(count);
    }

    /// The next of numbers that ascend.
    static std::uint64_t next(ByteReader& in, std::uint64_t last, bool is_first, const char* what) {
        const std::uint64_t gap = get_varint(in, what);
        require(is_first || gap > 0, "numbers of a delta must ascend");
        require(last + gap >= last, "numbers of a delta must ascend");
        return last + gap;
    }

    void read_leaf(ByteReader& in, std::uint64_t born, bool weighted) {
        Leaf leaf{born, std::vector<std::int64_t>(n_classes_), std::vector<std::int64_t>(n_classes_)};
        std::int64_t n = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const std::int64_t points = get_count(in, "the points of a leaf");
            const std::int64_t more = weighted ? get_count(in, "the weights of a leaf") : 0;
            require(points > 0 || more == 0, "a class without points must have no weight");
            leaf.points[k] = points;
            leaf.of_class[k] = points + more;
            n += points;
        }
        require(n > 0, "a leaf of a delta must have points");
        const std::uint64_t n_features = get_varint(in, "the number of features");
        in.require(n_features, 2, "the features of a leaf");
        SharedId feature = 0;
        for (std::uint64_t i = 0; i < n_features; ++i) {
            feature = next(in, feature, i == 0, "the features of a leaf");
            bool is_last = false;
            for (bool is_first = true; !is_last; is_first = false) {
                const std::uint64_t code = get_varint(in, "the counts of a feature");
                is_last = code % 2 == 1;
                const auto label = static_cast<Label>(code / 2 % n_classes_);
                const std::uint64_t points = code / 2 / n_classes_ + 1;
                const std::int64_t more = weighted ? get_count(in, "the weights of a feature") : 0;
                require(is_first || label > entries_.back().label, "the classes of a feature must ascend");
                require(points <= static_cast<std::uint64_t>(leaf.points[label]) &&
                            more <= leaf.of_class[label] - leaf.points[label],
                        "a feature must be on in no more points than its class has");
                const auto each_once = static_cast<std::int64_t>(points);
                entries_.push_back({born, feature, label, each_once + more, each_once});
            }
        }
        leaves_.push_back(std::move(leaf));
    }

    /// The sum of the counts that `counts(leaf)` has, over all leaves.
    template <class Counts>
    std::int64_t sum_of(Counts counts) const {
        std::int64_t sum = 0;
        for (const Leaf& leaf : leaves_) {
            for (const std::int64_t count : counts(leaf)) sum += count;
        }
        return sum;
    }

    bool is_last(std::size_t at) const {
        return at + 1 == entries_.size() || entries_[at + 1].born != entries_[at].born ||
               entries_[at + 1].feature != entries_[at].feature;
    }

    /// Two lists in ascending order of a key as one; `add` joins those of one key.
    template <class T, class Key, class Add>
    static std::vector<T> merged(const std::vector<T>& left, const std::vector<T>& right, Key key, Add add) {
        std::vector<T> all;
        all.reserve(left.size() + right.size());
        std::size_t i = 0;
        std::size_t j = 0;
        while (i < left.size() || j < right.size()) {
            if (j == right.size() || (i < left.size() && key(left[i]) < key(right[j]))) {
                all.push_back(left[i++]);
            } else if (i == left.size() || key(right[j]) < key(left[i])) {
                all.push_back(right[j++]);
            } else {
                all.push_back(left[i++]);
                add(all.back(), right[j++]);
            }
        }
        return all;
    }

    std::uint64_t version_;
    std::size_t n_classes_;
    std::vector<Leaf> leaves_;
    std::vector<Entry> entries_;
};

}  // namespace sapwood
