#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sapwood/drift/contest.hpp"
#include "sapwood/drift/error_adwin.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/nodes.hpp"

namespace sapwood {

/// What a tree that follows a changing stream keeps of a node.
///
/// Which points a node has is a matter of time: those of the points that are kept (recent_points.hpp) that reach it and
/// came since a moment. A test never changes while its node lives, so that a point which reaches a node now reached it
/// then.
struct NodeWatch {
    explicit NodeWatch(const AdwinOptions& options, std::int64_t now)
        : since(now), counted_since(now), errors(options) {}

    /// The number of the first point that the classes of a leaf may be of, and that its statistics may have counted.
    std::int64_t since;
    std::int64_t counted_since;
    /// 1 for every point that passed the node and was predicted wrong, 0 for the others.
    ErrorAdwin errors;
    /// The root of the tree that learns to take the place of the node and of all below it; none if there is none.
    NodeId alternate = no_node;
    /// Which of the two predicts better.
    Contest contest;
    /// The number of the first point at which another alternate may begin.
    std::int64_t rests_until = 0;

    void save(ByteWriter& out) const {
        out.put(since);
        out.put(counted_since);
        out.put(rests_until);
        errors.save(out);
        out.put(static_cast<std::uint8_t>(alternate == no_node ? 0 : 1));
        if (alternate == no_node) return;
        out.put(contest.n);
        out.put(contest.wins);
        out.put(contest.losses);
        out.put(contest.stake.told());
        out.put(contest.standing_stake.told());
    }

    /// Takes what was saved, of a stream of which the next point has the number `now`; returns whether there was an
    /// alternate, which is to be read. Throws ModelFormatError if it cannot have been saved.
    bool load(ByteReader& in, std::int64_t now) {
        const auto moment = [&](const char* what) {
            const auto value = in.get<std::int64_t>(what);
            if (0 <= value && value <= now) return value;
            throw ModelFormatError(std::string(what) + " must be from 0 to " + std::to_string(now) + ", got " +
                                   std::to_string(value));
        };
        since = moment("since when a node has points");
        counted_since = moment("since when a node counts");
        rests_until = in.get<std::int64_t>("until when a node has no alternate");
        errors.load(in);
        if (!in.get_flag("whether a node has an alternate")) return false;
        contest.n = moment("the points of a contest");
        contest.wins = moment("the points that an alternate won");
        contest.losses = moment("the points that an alternate lost");
        contest.stake = Stake(in.get<double>("the stake of an alternate"));
        contest.standing_stake = Stake(in.get<double>("the stake of a node"));
        const auto bets = static_cast<double>(contest.wins + contest.losses);
        const bool is_possible = contest.wins + contest.losses <= contest.n && contest.stake.is_possible(bets) &&
                                 contest.standing_stake.is_possible(bets);
        if (!is_possible) throw ModelFormatError("a contest must have stakes that its points can lead to, got others");
        return true;
    }

    /// What a watch is charged, for itself and for each row of its detector; prices, like that of a node, and no less
    /// than their sizes.
    static constexpr std::size_t price = 216;
    static constexpr std::size_t price_of_row = 100;
    std::size_t n_bytes() const { return price + errors.n_rows() * price_of_row; }
};
static_assert(sizeof(NodeWatch) <= NodeWatch::price);

}  // namespace sapwood
