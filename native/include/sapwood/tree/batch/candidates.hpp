#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Where a feature comes among those that have a rank in a leaf (split_test/evidence.hpp): by the part of a batch in
/// which it occurred there for the third time, then by the one in which the tree first met it, then by its id. These
/// are the orders in which one machine gives out ranks and numbers, but no list of all features is needed to compare
/// two of them.
struct RankKey {
    /// 0 of a feature that has not occurred three times: it has no rank.
    std::uint64_t crossed = 0;
    std::uint64_t met = 0;
    SharedId id = 0;

    bool has_rank() const { return crossed != 0; }
    auto operator<=>(const RankKey&) const = default;
};

/// The best features of leaves, by the counts of one shard (shard.hpp) or of several: all that a tree needs to know of
/// what shards have counted, but for a rank now and then.
///
/// Guarantee: merging is associative, and commutative but for the order of a leaf's features. If every shard gives its
/// best k, the best k of all features are among them.
class Candidates {
public:
    struct Feature {
        RankKey key;
        /// How many features of its shard have a rank in the leaf, and how many of them come before it.
        std::uint64_t ranked = 0;
        std::uint64_t before = 0;
        /// The points of each class in which it is on.
        std::vector<Count> on;

        bool operator==(const Feature&) const = default;
    };
    struct Leaf {
        std::uint64_t born = 0;
        /// How many features have a rank, in all shards that were asked.
        std::uint64_t ranked = 0;
        std::vector<Feature> features;

        /// No feature has a rank before the first or behind the second of these, whatever other shards hold.
        std::pair<std::int64_t, std::int64_t> ranks_of(const Feature& feature) const {
            const auto least = static_cast<std::int64_t>(feature.before) + 1;
            return {least, least + static_cast<std::int64_t>(ranked - feature.ranked)};
        }
        bool operator==(const Leaf&) const = default;
    };

    explicit Candidates(std::size_t n_classes) : n_classes_(n_classes) {}

    /// Leaves in ascending order of birth.
    Candidates(std::size_t n_classes, std::vector<Leaf> leaves) : n_classes_(n_classes), leaves_(std::move(leaves)) {}

    bool operator==(const Candidates&) const = default;

    std::size_t n_classes() const { return n_classes_; }
    const std::vector<Leaf>& leaves() const { return leaves_; }

    /// What is said of a leaf; null if nothing is.
    const Leaf* find(std::uint64_t born) const {
        const auto at = std::lower_bound(leaves_.begin(), leaves_.end(), born,
                                         [](const Leaf& leaf, std::uint64_t wanted) { return leaf.born < wanted; });
        return at == leaves_.end() || at->born != born ? nullptr : &*at;
    }

    /// Adds those of another shard. Throws std::invalid_argument, and changes nothing, if it has other classes.
    void merge(const Candidates& other) {
        if (other.n_classes_ != n_classes_) {
            throw std::invalid_argument("other must have " + std::to_string(n_classes_) + " classes, got " +
                                        std::to_string(other.n_classes_));
        }
        std::vector<Leaf> all;
        auto mine = leaves_.begin();
        for (const Leaf& leaf : other.leaves_) {
            for (; mine != leaves_.end() && mine->born < leaf.born; ++mine) all.push_back(std::move(*mine));
            if (mine == leaves_.end() || mine->born != leaf.born) {
                all.push_back(leaf);
                continue;
            }
            mine->ranked += leaf.ranked;
            mine->features.insert(mine->features.end(), leaf.features.begin(), leaf.features.end());
            all.push_back(std::move(*mine++));
        }
        for (; mine != leaves_.end(); ++mine) all.push_back(std::move(*mine));
        leaves_ = std::move(all);
    }

    std::string to_bytes() const {
        ByteWriter out;
        out.put_raw(magic);
        put_varint(out, n_classes_);
        put_varint(out, leaves_.size());
        for (const Leaf& leaf : leaves_) {
            put_varint(out, leaf.born);
            put_varint(out, leaf.ranked);
            put_varint(out, leaf.features.size());
            for (const Feature& feature : leaf.features) {
                put_varint(out, feature.key.crossed);
                put_varint(out, feature.key.met);
                put_varint(out, feature.key.id);
                put_varint(out, feature.ranked);
                put_varint(out, feature.before);
                for (const Count count : feature.on) put_varint(out, static_cast<std::uint64_t>(count));
            }
        }
        return out.take();
    }

    /// The candidates of these bytes, which may be anything: throws ModelFormatError unless some have them.
    static Candidates from_bytes(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        require(in.get_raw(magic.size(), "the mark of candidates") == magic, "candidates must begin with their mark");
        const std::uint64_t n_classes = get_varint(in, "the number of classes");
        require(n_classes >= 2 && n_classes <= std::uint64_t{max_classes}, "candidates must have 2 to 65535 classes");
        Candidates made(static_cast<std::size_t>(n_classes));
        const std::uint64_t n_leaves = get_varint(in, "the number of leaves");
        in.require(n_leaves, 3, "the leaves of candidates");
        for (std::uint64_t i = 0; i < n_leaves; ++i) {
            Leaf leaf{get_varint(in, "a leaf"), get_varint(in, "the ranks of a leaf"), {}};
            require(made.leaves_.empty() || made.leaves_.back().born < leaf.born, "leaves of candidates must ascend");
            // Ranks of several leaves are added up.
            require(leaf.ranked <= std::uint64_t{max_points}, "a leaf must have fewer features");
            const std::uint64_t n_features = get_varint(in, "the features of a leaf");
            in.require(n_features, 5 + made.n_classes_, "the features of a leaf");
            for (std::uint64_t j = 0; j < n_features; ++j) leaf.features.push_back(made.read_feature(in, leaf.ranked));
            made.leaves_.push_back(std::move(leaf));
        }
        require(in.left() == 0, "candidates must end with their last leaf");
        return made;
    }

private:
    static constexpr std::string_view magic = "SwC1";

    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    Feature read_feature(ByteReader& in, std::uint64_t most) const {
        Feature feature;
        feature.key.crossed = get_varint(in, "when a feature got a rank");
        feature.key.met = get_varint(in, "when a feature was met");
        feature.key.id = get_varint(in, "a feature");
        feature.ranked = get_varint(in, "the ranks of a shard");
        feature.before = get_varint(in, "the rank of a feature");
        const std::uint64_t others = feature.ranked - (feature.key.has_rank() ? 1 : 0);
        require(feature.ranked <= most && feature.before <= others && others <= feature.ranked,
                "a feature must have a rank among those of its shard");
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const std::uint64_t count = get_varint(in, "the counts of a feature");
            require(count <= std::uint64_t{max_points} - n, "a feature must be on in fewer points");
            n += count;
            feature.on.push_back(static_cast<Count>(count));
        }
        return feature;
    }

    std::size_t n_classes_;
    std::vector<Leaf> leaves_;
};

}  // namespace sapwood
