#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace sapwood {

/// The bytes of a node, and those of its search, which it can give up.
struct MemoryCharge {
    std::size_t bytes = 0;
    std::size_t search_bytes = 0;
};

/// The memory limit of a tree, and the sum of the bytes of its nodes. pausing.hpp decides which nodes give memory back.
///
/// Bytes that belong to no single node (lists, pages, the trunk) are `shared` below; their owner knows them at any
/// time.
class MemoryBudget {
public:
    explicit MemoryBudget(std::optional<std::int64_t> limit) : limit_(limit) {}

    bool is_limited() const { return limit_.has_value(); }
    std::size_t limit() const { return static_cast<std::size_t>(*limit_); }

    std::size_t of_nodes() const { return nodes_.bytes; }
    std::size_t of_searches() const { return nodes_.search_bytes; }

    /// Charges a node for what it holds now, in place of what it was charged before.
    void charge(MemoryCharge& node, const MemoryCharge& now) {
        release(node);
        nodes_.bytes += now.bytes;
        nodes_.search_bytes += now.search_bytes;
        node = now;
    }

    /// Takes the charge of a node off, which is gone.
    void release(MemoryCharge& node) {
        nodes_.bytes -= node.bytes;
        nodes_.search_bytes -= node.search_bytes;
        node = MemoryCharge();
    }

    bool is_exceeded(std::size_t shared) const { return shared + nodes_.bytes > limit(); }

    bool fits(std::size_t shared, std::size_t more) const { return shared + nodes_.bytes + more <= limit(); }

    /// Whether more would fit if every node gave up its search.
    bool fits_without_searches(std::size_t shared, std::size_t more) const {
        return shared + nodes_.bytes - nodes_.search_bytes + more <= limit();
    }

    /// Whether a model may take more memory now, when all models have `models` bytes. If it could once nodes have given
    /// up their searches, one will. If it could not because models have all that is theirs, some may give way.
    bool may_take(std::size_t shared, std::size_t models, std::size_t more) {
        if (has_room_for(shared, models, more)) return true;
        if (models + more > share_of_models()) {
            crowded_ = true;
            return false;
        }
        if (fits_without_searches(shared, more)) refused_ = true;
        return false;
    }

    /// Whether `may_take` allows so much; a question that changes nothing.
    bool has_room_for(std::size_t shared, std::size_t models, std::size_t more) const {
        return models + more <= share_of_models() && fits(shared, more);
    }

    /// What all models together may take. The rest is for nodes and their searches: models would take all of it in
    /// time, and a tree without searches learns nothing more of what to split on. Of .5, .6 and .7, tried on one
    /// drifting stream, none stood out; this is the one in the middle.
    std::size_t share_of_models() const { return limit() / 5 * 3; }

    /// Whether a model was refused memory that searches hold, since this was last asked.
    bool take_refusal() { return std::exchange(refused_, false); }
    /// Whether one was refused memory because models have all that is theirs, since this was last asked.
    bool take_crowding() { return std::exchange(crowded_, false); }

private:
    std::optional<std::int64_t> limit_;
    MemoryCharge nodes_;
    bool refused_ = false;
    bool crowded_ = false;
};

}  // namespace sapwood
