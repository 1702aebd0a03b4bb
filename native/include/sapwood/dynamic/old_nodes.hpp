#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sapwood/search/test.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a point must do to reach a node: pass a test, or not.
struct Condition {
    Test test;
    bool passes;

    friend bool operator==(const Condition& a, const Condition& b) { return a.passes == b.passes && a.test == b.test; }

    std::uint64_t hash() const {
        std::uint64_t mixed = static_cast<std::uint64_t>(static_cast<std::uint32_t>(test.feature())) << 8 |
                              static_cast<std::uint64_t>(test.kind()) << 2 | (test.missing_passes() ? 2u : 0u) |
                              (passes ? 1u : 0u);
        mixed = (mixed ^ std::bit_cast<std::uint64_t>(test.threshold())) * std::uint64_t{0x9E3779B97F4A7C15u};
        mixed = (mixed ^ mixed >> 29) * std::uint64_t{0xBF58476D1CE4E5B9u};
        return mixed ^ mixed >> 32;
    }
};

/// The nodes below one that is built anew, to be found again by the conditions on the way to them, in whatever order.
///
/// Nodes with the same conditions have the same points; so what stood below one may stand below the other. This is what
/// the pulling up of Utgoff's ID5R (1989) keeps: two tests change places, and what is below both stays. Until it is
/// known where a node will stand, its points need not be looked at one by one: it is a *piece*, on the side of a test
/// that a condition on the way to it names.
class OldNodes {
public:
    /// An old node with all below it.
    using Piece = std::int32_t;

    /// Of no node.
    OldNodes() = default;

    /// Of the nodes below one, which is to be cut off from them.
    OldNodes(const Nodes& nodes, NodeId top) {
        std::vector<Piece> waiting;
        const auto add_children = [&](NodeId at, Piece above) {
            if (nodes.is_leaf(at)) return;
            for (const bool passes : {false, true}) {
                Condition last{nodes.test(at), passes};
                const std::uint64_t hash = (above < 0 ? 0 : entry(above).hash) + last.hash();
                const auto next = static_cast<Piece>(entries_.size());
                if (above >= 0 && !passes) entry(above).below = next;
                by_hash_.emplace(hash, next);
                waiting.push_back(next);
                entries_.push_back({nodes.child(at, passes), above, -1, std::move(last), hash, false});
            }
        };
        add_children(top, -1);
        while (!waiting.empty()) {
            const Piece above = waiting.back();
            waiting.pop_back();
            add_children(entry(above).node, above);
        }
    }

    /// The old node that is reached by some conditions and no others; it is out of here with all below it. `no_node` if
    /// there is none. Their hashes sum up to `hash`, and `conditions()` lists them.
    template <class Conditions>
    NodeId take(std::uint64_t hash, Conditions conditions) {
        const auto [first, last] = by_hash_.equal_range(hash);
        for (auto found = first; found != last; ++found) {
            if (!is_reached_by(found->second, conditions())) continue;
            entry(found->second).is_taken = true;
            return node(found->second);
        }
        return no_node;
    }

    /// The nodes that were not taken, nor any above them.
    std::vector<NodeId> rest() {
        std::vector<NodeId> nodes;
        // A node comes behind the one above it.
        for (Entry& each : entries_) {
            if (each.above >= 0 && entry(each.above).is_taken) each.is_taken = true;
            if (!each.is_taken) nodes.push_back(each.node);
        }
        return nodes;
    }

    // ---- pieces -------------------------------------------------------------------------------------------------

    /// The pieces that are all there is.
    std::vector<Piece> all() const { return entries_.empty() ? std::vector<Piece>() : std::vector<Piece>{0, 1}; }

    NodeId node(Piece piece) const { return entry(piece).node; }

    /// Divides pieces by a test. Those on neither side are broken, down to leaves, for which `use_leaf(node)` is
    /// called.
    template <class UseLeaf>
    std::array<std::vector<Piece>, 2> divided(const std::vector<Piece>& pieces, const Test& test,
                                              UseLeaf use_leaf) const {
        std::array<std::vector<Piece>, 2> sides;
        std::vector<Piece> waiting;
        for (const Piece piece : pieces) {
            Piece known = piece;
            while (known >= 0 && !(entry(known).last.test == test)) known = entry(known).above;
            if (known >= 0) {
                sides[entry(known).last.passes].push_back(piece);
                continue;
            }
            waiting.push_back(piece);
            while (!waiting.empty()) {
                const Piece broken = waiting.back();
                waiting.pop_back();
                const Piece below = entry(broken).below;
                if (below < 0) {
                    use_leaf(node(broken));
                } else if (entry(below).last.test == test) {
                    sides[0].push_back(below);
                    sides[1].push_back(below + 1);
                } else {
                    waiting.push_back(below);
                    waiting.push_back(below + 1);
                }
            }
        }
        return sides;
    }

private:
    struct Entry {
        NodeId node;
        /// Its parent; -1 for the top.
        Piece above;
        /// Its first child, which the second follows; -1 in a leaf.
        Piece below;
        Condition last;
        /// The sum of the hashes of all conditions on the way to it: their order does not matter.
        std::uint64_t hash;
        bool is_taken;
    };

    Entry& entry(Piece piece) { return entries_[static_cast<std::size_t>(piece)]; }
    const Entry& entry(Piece piece) const { return entries_[static_cast<std::size_t>(piece)]; }

    /// Equal hashes alone prove nothing.
    bool is_reached_by(Piece piece, const std::vector<Condition>& conditions) const {
        std::vector<Condition> own;
        for (Piece at = piece; at >= 0; at = entry(at).above) {
            if (entry(at).is_taken) return false;
            own.push_back(entry(at).last);
        }
        return own.size() == conditions.size() && std::is_permutation(own.begin(), own.end(), conditions.begin());
    }

    std::vector<Entry> entries_;
    std::unordered_multimap<std::uint64_t, Piece> by_hash_;
};

}  // namespace sapwood
