#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
#include "sapwood/tree/batch/delta.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Points by the ids that all who count agree on, with their labels and how often each counts.
struct SharedRows {
    std::span<const std::int64_t> indptr;
    std::span<const SharedId> ids;
    std::span<const Label> labels;
    /// Empty: once each. A point of weight 0 is not counted.
    std::span<const Count> weights = {};

    std::size_t size() const { return indptr.empty() ? 0 : indptr.size() - 1; }
    std::span<const SharedId> row(std::size_t i) const {
        return ids.subspan(static_cast<std::size_t>(indptr[i]), static_cast<std::size_t>(indptr[i + 1] - indptr[i]));
    }
    Count weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
};

/// Throws std::invalid_argument unless rows can be counted in a tree of `n_classes` classes: each feature of a point
/// once, each label a class, no weight below 0.
inline void check_shared_rows(const SharedRows& rows, std::size_t n_classes) {
    const auto& indptr = rows.indptr;
    const bool right = !indptr.empty() && indptr.front() == 0 && std::is_sorted(indptr.begin(), indptr.end()) &&
                       indptr.back() == static_cast<std::int64_t>(rows.ids.size());
    if (!right) throw std::invalid_argument("indptr must ascend from 0 to the number of ids");
    if (rows.labels.size() != rows.size() || (!rows.weights.empty() && rows.weights.size() != rows.size())) {
        throw std::invalid_argument("labels and weights must be as many as the " + std::to_string(rows.size()) +
                                    " points, got others");
    }
    std::vector<SharedId> sorted;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows.labels[i] >= n_classes) {
            throw std::invalid_argument("labels must be from 0 to " + std::to_string(n_classes - 1) + ", got " +
                                        std::to_string(rows.labels[i]) + " in row " + std::to_string(i));
        }
        if (rows.weight(i) < 0) {
            throw std::invalid_argument("weights must be at least 0, got " + std::to_string(rows.weight(i)) +
                                        " in row " + std::to_string(i));
        }
        const std::span<const SharedId> row = rows.row(i);
        if (std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end()) continue;
        sorted.assign(row.begin(), row.end());
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end()) {
            throw std::invalid_argument("features of a point must be unique, got " + std::to_string(*twice) +
                                        " twice in row " + std::to_string(i));
        }
    }
}

/// A hash of the features and the label of a point: the same wherever it stands.
inline std::uint64_t row_hash(std::span<const SharedId> row, Label label) {
    std::uint64_t sum = Random::mixed(label);
    // A sum, because the order of the features says nothing.
    for (const SharedId id : row) sum += Random::mixed(id ^ 0x9E3779B97F4A7C15u);
    return Random::mixed(sum);
}

/// The part of a batch that a point belongs to, by its hash.
inline std::uint32_t part_of(std::span<const SharedId> row, Label label, std::uint32_t n_parts) {
    if (n_parts <= 1) return 0;
    return static_cast<std::uint32_t>(((row_hash(row, label) >> 32) * n_parts) >> 32);
}

/// Where points go in one version of a tree, and nothing else: what a worker is sent. 12 bytes per node, and 8 per leaf
/// and per feature that is tested.
///
/// Guarantee: a point is led to the leaf that the tree leads it to, in O(m + depth). The version is a hash of all that
/// leads points, so that a delta of another tree, or of the same one before or after, is recognised.
class Router {
public:
    /// `id_of(feature)` is the id of a feature that a node tests. The nodes must ask for nothing but features.
    template <class IdOf>
    Router(const Nodes& nodes, std::size_t n_classes, IdOf id_of) : n_classes_(n_classes) {
        const std::vector<NodeId> order = nodes.in_order();
        std::vector<std::int32_t> place(nodes.n_ids());
        for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<std::int32_t>(i);
        for (const NodeId at : order) {
            if (nodes.is_leaf(at)) continue;
            if (nodes.test(at).kind() != TestKind::is_on) {
                throw std::invalid_argument("tests must be of features, got one of a number or a category");
            }
            tested_.push_back(id_of(nodes.test(at).feature()));
        }
        std::sort(tested_.begin(), tested_.end());
        tested_.erase(std::unique(tested_.begin(), tested_.end()), tested_.end());
        for (const NodeId at : order) {
            if (nodes.is_leaf(at)) {
                routes_.push_back({leaf, {static_cast<std::int32_t>(born_.size()), leaf}});
                born_.push_back(nodes.born(at));
                continue;
            }
            const SharedId id = id_of(nodes.test(at).feature());
            const auto test = std::lower_bound(tested_.begin(), tested_.end(), id) - tested_.begin();
            routes_.push_back({static_cast<std::int32_t>(test),
                               {place[index(nodes.child(at, false))], place[index(nodes.child(at, true))]}});
        }
        finish();
    }

    std::uint64_t version() const { return version_; }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_nodes() const { return routes_.size(); }
    std::size_t n_leaves() const { return born_.size(); }
    /// The birth number of a leaf by its number.
    std::uint64_t born(std::size_t number) const { return born_[number]; }

    /// Leads points to their leaves; one at a time, with room of its own.
    class Walk {
    public:
        explicit Walk(const Router& router) : router_(router), on_(router.tested_.size()) {}

        /// The number of the leaf that a point reaches.
        std::size_t leaf_of(std::span<const SharedId> row) {
            for (const SharedId id : row) {
                const std::int32_t test = router_.test_of(id);
                if (test < 0) continue;
                on_[static_cast<std::size_t>(test)] = 1;
                set_.push_back(test);
            }
            const Route* at = router_.routes_.data();
            while (at->test != leaf) {
                at = &router_.routes_[static_cast<std::size_t>(at->next[on_[static_cast<std::size_t>(at->test)]])];
            }
            for (const std::int32_t test : set_) on_[static_cast<std::size_t>(test)] = 0;
            set_.clear();
            return static_cast<std::size_t>(at->next[0]);
        }

    private:
        const Router& router_;
        std::vector<std::uint8_t> on_;
        std::vector<std::int32_t> set_;
    };

    std::string to_bytes() const {
        ByteWriter out;
        out.put_raw(magic);
        put_varint(out, n_classes_);
        put_varint(out, tested_.size());
        SharedId last = 0;
        for (const SharedId id : tested_) {
            put_varint(out, id - last);
            last = id;
        }
        put_varint(out, routes_.size());
        // In pre-order the first child of a node is the next node.
        for (const Route& route : routes_) {
            put_varint(out, static_cast<std::uint64_t>(route.test + 1));
            put_varint(out, route.test == leaf ? born_[static_cast<std::size_t>(route.next[0])]
                                               : static_cast<std::uint64_t>(route.next[1]));
        }
        return out.take();
    }

    /// The router of these bytes, which may be anything: throws ModelFormatError unless some router has them.
    static Router from_bytes(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        Router made;
        require(in.get_raw(magic.size(), "the mark of a router") == magic, "a router must begin with its mark");
        const std::uint64_t n_classes = get_varint(in, "the number of classes");
        require(n_classes >= 2 && n_classes <= std::uint64_t{max_classes}, "a router must have 2 to 65535 classes");
        made.n_classes_ = static_cast<std::size_t>(n_classes);
        const std::uint64_t n_tested = get_varint(in, "the number of features");
        in.require(n_tested, 1, "the features of a router");
        SharedId id = 0;
        for (std::uint64_t i = 0; i < n_tested; ++i) {
            const std::uint64_t gap = get_varint(in, "the features of a router");
            require((i == 0 || gap > 0) && id + gap >= id, "the features of a router must ascend");
            made.tested_.push_back(id += gap);
        }
        const std::uint64_t n_nodes = get_varint(in, "the number of nodes");
        in.require(n_nodes, 2, "the nodes of a router");
        made.read_nodes(in, static_cast<std::size_t>(n_nodes));
        require(in.left() == 0, "a router must end with its last node");
        made.finish();
        return made;
    }

private:
    static constexpr std::string_view magic = "SwR1";
    static constexpr std::int32_t leaf = -1;

    struct Route {
        /// Which of the tested features; of a leaf none.
        std::int32_t test;
        /// The nodes for points without the feature and with it; of a leaf its number.
        std::array<std::int32_t, 2> next;
    };
    static_assert(sizeof(Route) == 12);

    Router() = default;

    static std::size_t index(NodeId at) { return static_cast<std::size_t>(at); }
    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    /// Nodes in pre-order: each but the root is the next one of the node before it, or the second child of one above.
    void read_nodes(ByteReader& in, std::size_t n_nodes) {
        std::vector<std::int32_t> waiting{0};
        std::vector<bool> is_tested(tested_.size());
        for (std::size_t i = 0; i < n_nodes; ++i) {
            require(!waiting.empty() && waiting.back() == static_cast<std::int32_t>(i),
                    "the nodes of a router must be a tree");
            waiting.pop_back();
            const std::uint64_t test = get_varint(in, "a test");
            const std::uint64_t value = get_varint(in, "a node");
            require(test <= tested_.size(), "a test must be of a feature of the router");
            if (test == 0) {
                routes_.push_back({leaf, {static_cast<std::int32_t>(born_.size()), leaf}});
                born_.push_back(value);
                continue;
            }
            require(value > i + 1 && value < n_nodes, "a child must come after its parent");
            is_tested[static_cast<std::size_t>(test - 1)] = true;
            routes_.push_back({static_cast<std::int32_t>(test) - 1,
                               {static_cast<std::int32_t>(i) + 1, static_cast<std::int32_t>(value)}});
            waiting.push_back(static_cast<std::int32_t>(value));
            waiting.push_back(static_cast<std::int32_t>(i) + 1);
        }
        require(n_nodes > 0 && waiting.empty(), "the nodes of a router must be a tree");
        require(std::find(is_tested.begin(), is_tested.end(), false) == is_tested.end(),
                "every feature of a router must be tested");
        std::vector<std::uint64_t> sorted(born_);
        std::sort(sorted.begin(), sorted.end());
        require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "leaves must be born one by one");
    }

    void finish() {
        std::size_t size = 16;
        while (size < 2 * tested_.size()) size *= 2;
        slots_.assign(size, {0, leaf});
        for (std::size_t i = 0; i < tested_.size(); ++i) {
            std::size_t at = Random::mixed(tested_[i]) & (size - 1);
            while (slots_[at].second != leaf) at = (at + 1) & (size - 1);
            slots_[at] = {tested_[i], static_cast<std::int32_t>(i)};
        }
        version_ = Random::mixed(n_classes_);
        const auto mix = [this](std::uint64_t value) { version_ = Random::mixed(version_ ^ value) + value; };
        for (const SharedId id : tested_) mix(id);
        for (const Route& route : routes_) {
            mix(static_cast<std::uint64_t>(route.test + 1));
            mix(static_cast<std::uint64_t>(route.next[1] + 1));
        }
        for (const std::uint64_t born : born_) mix(born);
    }

    /// Which of the tested features one is; -1 if it is none.
    std::int32_t test_of(SharedId id) const {
        std::size_t at = Random::mixed(id) & (slots_.size() - 1);
        while (slots_[at].second != leaf && slots_[at].first != id) at = (at + 1) & (slots_.size() - 1);
        return slots_[at].second;
    }

    std::size_t n_classes_ = 2;
    std::vector<SharedId> tested_;
    std::vector<Route> routes_;
    std::vector<std::uint64_t> born_;
    /// Where each tested feature is, by its hash.
    std::vector<std::pair<SharedId, std::int32_t>> slots_;
    std::uint64_t version_ = 0;
};

}  // namespace sapwood
