#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/points.hpp"
#include "sapwood/random.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/batch/candidates.hpp"
#include "sapwood/tree/batch/delta.hpp"
#include "sapwood/tree/split_test/evidence.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Which of several shards keeps the counts of a feature.
inline std::size_t shard_of(SharedId id, std::size_t n_shards) {
    return static_cast<std::size_t>(hashed(id) % n_shards);
}

/// A delta for each of several shards: all of its leaves, and the entries of the shard's features.
inline std::vector<Delta> divided(const Delta& delta, std::size_t n_shards) {
    if (n_shards == 0) throw std::invalid_argument("n_shards must be at least 1, got 0");
    std::vector<std::vector<Delta::Entry>> entries(n_shards);
    for (const Delta::Entry& entry : delta.entries()) entries[shard_of(entry.feature, n_shards)].push_back(entry);
    std::vector<Delta> made;
    made.reserve(n_shards);
    for (std::vector<Delta::Entry>& of_shard : entries) {
        made.emplace_back(delta.version(), delta.n_classes(), delta.leaves(), std::move(of_shard));
    }
    return made;
}

/// The statistics of some features in all leaves of a tree that grows by batches: for whoever has too many features for
/// one machine. The leaves of the tree itself then know their classes alone, and ask every shard for its best features
/// (`candidates`), and now and then for a rank (`n_before`).
///
/// Guarantee: shards that were given the parts of the same deltas, whatever their number, hold together what the leaves
/// of one machine hold; and a part that was absorbed is not absorbed again.
class Shard {
public:
    explicit Shard(std::size_t n_classes) : n_classes_(n_classes) {}

    bool operator==(const Shard&) const = default;

    std::size_t n_classes() const { return n_classes_; }
    /// The number of the last part that was absorbed; 0 if none was.
    std::uint64_t step() const { return step_; }
    std::size_t n_features() const { return ids_.size(); }
    /// The features that the tree has met, ascending, and the part in which it first met each.
    const std::vector<SharedId>& ids() const { return ids_; }
    const std::vector<std::uint64_t>& met() const { return met_; }

    /// What is kept of a leaf: columns in ascending order of the features.
    struct Leaf {
        std::uint64_t born = 0;
        /// The points of each class, whichever features they have.
        std::vector<Count> of_class;
        std::vector<RankKey> keys;
        /// Of each feature the points of each class in which it is on.
        std::vector<Count> on;

        Count n() const { return std::accumulate(of_class.begin(), of_class.end(), Count{0}); }
        bool is_pure() const { return std::find(of_class.begin(), of_class.end(), n()) != of_class.end(); }
        std::span<const Count> row(std::size_t at) const {
            return std::span(on).subspan(at * of_class.size(), of_class.size());
        }
        std::uint64_t n_ranked() const {
            return static_cast<std::uint64_t>(
                std::count_if(keys.begin(), keys.end(), [](const RankKey& key) { return key.has_rank(); }));
        }
        /// How many features with a rank come before one.
        std::uint64_t n_before(const RankKey& wanted) const {
            return static_cast<std::uint64_t>(std::count_if(
                keys.begin(), keys.end(), [&](const RankKey& key) { return key.has_rank() && key < wanted; }));
        }
        bool operator==(const Leaf&) const = default;
    };
    const std::vector<Leaf>& leaves() const { return leaves_; }

    /// Adds what the part `step` has of this shard's features, by weight or each point once. `counting` are the leaves
    /// of the tree that look for a split, ascending: others are no more, and are forgotten. Throws
    /// std::invalid_argument or std::overflow_error, and changes nothing, if the part was absorbed before, or does not
    /// fit.
    void absorb(const Delta& delta, std::uint64_t step, std::span<const std::uint64_t> counting, bool each_once) {
        if (step <= step_) {
            throw std::invalid_argument("step must be after the last one, " + std::to_string(step_) + ", got " +
                                        std::to_string(step));
        }
        if (delta.n_classes() != n_classes_) {
            throw std::invalid_argument("delta must have " + std::to_string(n_classes_) + " classes, got " +
                                        std::to_string(delta.n_classes()));
        }
        const auto counts = [&](std::uint64_t born) {
            return std::binary_search(counting.begin(), counting.end(), born);
        };
        for (const Delta::Leaf& leaf : delta.leaves()) {
            const std::vector<std::int64_t>& more = each_once ? leaf.points : leaf.of_class;
            const Leaf* known = find(leaf.born);
            check_room(known == nullptr ? 0 : known->n(), std::accumulate(more.begin(), more.end(), std::int64_t{0}));
        }
        step_ = step;
        meet(delta.features());
        std::erase_if(leaves_, [&](const Leaf& leaf) { return !counts(leaf.born); });
        std::size_t at = 0;
        for (const Delta::Leaf& leaf : delta.leaves()) {
            const std::size_t first = at;
            while (at < delta.entries().size() && delta.entries()[at].born == leaf.born) ++at;
            if (!counts(leaf.born)) continue;
            Leaf& here = find_or_make(leaf.born);
            for (std::size_t k = 0; k < n_classes_; ++k) {
                here.of_class[k] += static_cast<Count>(each_once ? leaf.points[k] : leaf.of_class[k]);
            }
            add(here, std::span(delta.entries()).subspan(first, at - first), each_once);
        }
    }

    /// The best features of the leaves of a delta that was just absorbed; none of a leaf of a single class.
    Candidates candidates(const Delta& delta, Criterion criterion) const {
        std::vector<Candidates::Leaf> found;
        for (const Delta::Leaf& touched : delta.leaves()) {
            const Leaf* leaf = find(touched.born);
            if (leaf != nullptr && !leaf->is_pure()) found.push_back(best_of(*leaf, criterion));
        }
        return {n_classes_, std::move(found)};
    }

    /// How many features of this shard have a rank in a leaf before one, of any shard.
    std::uint64_t n_before(std::uint64_t born, const RankKey& key) const {
        const Leaf* leaf = find(born);
        return leaf == nullptr ? 0 : leaf->n_before(key);
    }

    // ---- bytes --------------------------------------------------------------------------------------------------
    // Numbers in as few bytes as they need. A feature of a leaf is the gap to its place in the list of all features.

    std::string to_bytes() const {
        ByteWriter out;
        out.put_raw(magic);
        put_varint(out, n_classes_);
        put_varint(out, step_);
        put_varint(out, ids_.size());
        SharedId last = 0;
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            put_varint(out, ids_[i] - last);
            put_varint(out, met_[i]);
            last = ids_[i];
        }
        put_varint(out, leaves_.size());
        std::uint64_t born = 0;
        for (const Leaf& leaf : leaves_) {
            put_varint(out, leaf.born - born);
            born = leaf.born;
            for (const Count count : leaf.of_class) put_varint(out, static_cast<std::uint64_t>(count));
            put_varint(out, leaf.keys.size());
            std::size_t place = 0;
            std::size_t next = 0;
            for (std::size_t i = 0; i < leaf.keys.size(); ++i) {
                const RankKey& key = leaf.keys[i];
                while (ids_[place] != key.id) ++place;
                put_varint(out, place - next);
                next = place + 1;
                put_varint(out, key.has_rank() ? key.crossed - key.met + 1 : 0);
                for (const Count count : leaf.row(i)) put_varint(out, static_cast<std::uint64_t>(count));
            }
        }
        return out.take();
    }

    /// The shard of these bytes, which may be anything: throws ModelFormatError unless some shard has them.
    static Shard from_bytes(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        require(in.get_raw(magic.size(), "the mark of a shard") == magic, "a shard must begin with its mark");
        const std::uint64_t n_classes = get_varint(in, "the number of classes");
        require(n_classes >= 2 && n_classes <= std::uint64_t{max_classes}, "a shard must have 2 to 65535 classes");
        Shard made(static_cast<std::size_t>(n_classes));
        made.step_ = get_varint(in, "the last part of a shard");
        const std::uint64_t n_features = get_varint(in, "the number of features");
        in.require(n_features, 2, "the features of a shard");
        SharedId id = 0;
        for (std::uint64_t i = 0; i < n_features; ++i) {
            id = next(in, id, i == 0, "the features of a shard");
            made.ids_.push_back(id);
            made.met_.push_back(get_varint(in, "when a feature was met"));
            require(made.met_.back() > 0 && made.met_.back() <= made.step_, "features must be met in a part");
        }
        const std::uint64_t n_leaves = get_varint(in, "the number of leaves");
        in.require(n_leaves, static_cast<std::size_t>(n_classes) + 2, "the leaves of a shard");
        std::uint64_t born = 0;
        for (std::uint64_t i = 0; i < n_leaves; ++i) {
            born = next(in, born, i == 0, "the leaves of a shard");
            made.read_leaf(in, born);
        }
        require(in.left() == 0, "a shard must end with its last leaf");
        return made;
    }

private:
    static constexpr std::string_view magic = "SwS1";

    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    /// The next of numbers that ascend.
    static std::uint64_t next(ByteReader& in, std::uint64_t last, bool is_first, const char* what) {
        const std::uint64_t gap = get_varint(in, what);
        require((is_first || gap > 0) && last + gap >= last, "numbers of a shard must ascend");
        return last + gap;
    }

    void read_leaf(ByteReader& in, std::uint64_t born) {
        Leaf leaf;
        leaf.born = born;
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const std::uint64_t count = get_varint(in, "the points of a leaf");
            require(count <= std::uint64_t{max_points} - n, "a leaf must have fewer points");
            n += count;
            leaf.of_class.push_back(static_cast<Count>(count));
        }
        const std::uint64_t n_features = get_varint(in, "the features of a leaf");
        in.require(n_features, 2 + n_classes_, "the features of a leaf");
        std::uint64_t place = 0;
        for (std::uint64_t i = 0; i < n_features; ++i, ++place) {
            const std::uint64_t gap = get_varint(in, "a feature of a leaf");
            require(gap < ids_.size() && place + gap < ids_.size(), "features of a leaf must be those of the shard");
            place += gap;
            const auto at = static_cast<std::size_t>(place);
            const std::uint64_t after = get_varint(in, "when a feature got a rank");
            require(after <= step_ - met_[at] + 1, "a feature must get a rank in a part after it was met");
            leaf.keys.push_back({after == 0 ? 0 : met_[at] + after - 1, met_[at], ids_[at]});
            std::uint64_t n_on = 0;
            for (std::size_t k = 0; k < n_classes_; ++k) {
                const std::uint64_t count = get_varint(in, "the counts of a feature");
                require(count <= static_cast<std::uint64_t>(leaf.of_class[k]),
                        "a feature must be on in no more points than its class has");
                n_on += count;
                leaf.on.push_back(static_cast<Count>(count));
            }
            require(n_on > 0, "a feature of a leaf must be on in a point");
            require((n_on >= std::uint64_t{occurrences_for_rank}) == (after != 0),
                    "features must have a rank if they occurred three times");
        }
        leaves_.push_back(std::move(leaf));
    }

    template <class Leaves>
    static auto lower_bound(Leaves& leaves, std::uint64_t born) {
        return std::lower_bound(leaves.begin(), leaves.end(), born,
                                [](const Leaf& leaf, std::uint64_t wanted) { return leaf.born < wanted; });
    }
    const Leaf* find(std::uint64_t born) const {
        const auto at = lower_bound(leaves_, born);
        return at == leaves_.end() || at->born != born ? nullptr : &*at;
    }
    Leaf& find_or_make(std::uint64_t born) {
        auto at = lower_bound(leaves_, born);
        if (at == leaves_.end() || at->born != born) {
            Leaf made;
            made.born = born;
            made.of_class.resize(n_classes_);
            at = leaves_.insert(at, std::move(made));
        }
        return *at;
    }

    /// Notes features, ascending, of which those that are new are met now.
    void meet(const std::vector<SharedId>& features) {
        std::vector<SharedId> ids;
        std::vector<std::uint64_t> met;
        std::size_t at = 0;
        const auto put_until = [&](std::size_t end) {
            const auto first = static_cast<std::ptrdiff_t>(at);
            const auto last = static_cast<std::ptrdiff_t>(end);
            ids.insert(ids.end(), ids_.begin() + first, ids_.begin() + last);
            met.insert(met.end(), met_.begin() + first, met_.begin() + last);
            at = end;
        };
        for (const SharedId id : features) {
            const auto place = std::lower_bound(ids_.begin() + static_cast<std::ptrdiff_t>(at), ids_.end(), id);
            put_until(static_cast<std::size_t>(place - ids_.begin()));
            if (place != ids_.end() && *place == id) continue;
            ids.push_back(id);
            met.push_back(step_);
        }
        put_until(ids_.size());
        ids_ = std::move(ids);
        met_ = std::move(met);
    }
    std::uint64_t met_of(SharedId id) const {
        return met_[static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin())];
    }

    /// Adds entries of a leaf, in ascending order of features.
    void add(Leaf& leaf, std::span<const Delta::Entry> entries, bool each_once) {
        std::vector<RankKey> keys;
        std::vector<Count> on;
        keys.reserve(leaf.keys.size() + entries.size());
        std::size_t mine = 0;
        const auto put_mine = [&] {
            keys.push_back(leaf.keys[mine]);
            const std::span<const Count> row = leaf.row(mine++);
            on.insert(on.end(), row.begin(), row.end());
        };
        for (std::size_t i = 0; i < entries.size();) {
            const SharedId id = entries[i].feature;
            while (mine < leaf.keys.size() && leaf.keys[mine].id < id) put_mine();
            if (mine < leaf.keys.size() && leaf.keys[mine].id == id) {
                put_mine();
            } else {
                keys.push_back({0, met_of(id), id});
                on.resize(on.size() + n_classes_);
            }
            const std::span<Count> row = std::span(on).last(n_classes_);
            for (; i < entries.size() && entries[i].feature == id; ++i) {
                row[entries[i].label] += static_cast<Count>(each_once ? entries[i].points : entries[i].count);
            }
            const Count n_on = std::accumulate(row.begin(), row.end(), Count{0});
            if (!keys.back().has_rank() && n_on >= occurrences_for_rank) keys.back().crossed = step_;
        }
        while (mine < leaf.keys.size()) put_mine();
        leaf.keys = std::move(keys);
        leaf.on = std::move(on);
    }

    /// By a search over features in the order in which the tree met them, which settles ties.
    Candidates::Leaf best_of(const Leaf& leaf, Criterion criterion) const {
        std::vector<std::size_t> order(leaf.keys.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return leaf.keys[a].met < leaf.keys[b].met; });
        SearchState state;
        state.of_class = leaf.of_class;
        state.ids.resize(order.size());
        std::iota(state.ids.begin(), state.ids.end(), FeatureId{0});
        state.on.assign(n_classes_, std::vector<Count>(order.size()));
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (std::size_t k = 0; k < n_classes_; ++k) state.on[k][i] = leaf.row(order[i])[k];
        }
        SearchChoice choice;
        choice.criterion = criterion;
        choice.search = SearchKind::exhaustive;
        choice.n_classes = static_cast<int>(n_classes_);
        choice.seed = HashSeed::of_slots();
        const std::unique_ptr<SplitSearch> search = make_search(choice);
        search->restore(std::move(state));
        Candidates::Leaf found{leaf.born, leaf.n_ranked(), {}};
        for (const Split& split : search->top(features_looked_at)) {
            const std::size_t at = order[static_cast<std::size_t>(split.feature())];
            const RankKey& key = leaf.keys[at];
            const std::span<const Count> on = leaf.row(at);
            found.features.push_back(
                {key, found.ranked, key.has_rank() ? leaf.n_before(key) : 0, std::vector<Count>(on.begin(), on.end())});
        }
        return found;
    }

    std::size_t n_classes_;
    std::uint64_t step_ = 0;
    std::vector<SharedId> ids_;
    std::vector<std::uint64_t> met_;
    std::vector<Leaf> leaves_;
};

}  // namespace sapwood
