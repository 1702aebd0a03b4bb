// The bytes of a shard, what is counted of some features, and of its candidates: anything is refused with
// ModelFormatError, or is one that is saved and loaded as the same, and goes on counting.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/tree/batch/candidates.hpp"
#include "sapwood/tree/batch/shard.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct ShardBytes {
    static constexpr std::string_view name = "shard_bytes";

    static std::vector<std::string> seeds() {
        Shard shard(2);
        const Delta delta(7, 2, {{1, {4, 5}, {4, 5}}, {6, {1, 0}, {1, 0}}},
                          {{1, 4, 0, 3, 3}, {1, 9, 0, 1, 1}, {1, 9, 1, 1, 1}, {6, 2, 0, 1, 1}});
        const std::vector<std::uint64_t> counting{1, 6};
        shard.absorb(delta, 1, counting, true);
        const std::string candidates = shard.candidates(delta, Criterion::entropy).to_bytes();
        shard.absorb(delta, 3, counting, true);
        return {Shard(300).to_bytes(), shard.to_bytes(), candidates};
    }

    static void run(Bytes bytes) {
        try {
            run_candidates(Candidates::from_bytes(std::as_bytes(bytes)));
            return;
        } catch (const ModelFormatError&) {
            // A shard, or nothing.
        }
        try {
            run_shard(Shard::from_bytes(std::as_bytes(bytes)));
        } catch (const ModelFormatError&) {
            return;
        }
    }

private:
    static void run_candidates(Candidates candidates) {
        const std::string saved = candidates.to_bytes();
        promise(Candidates::from_bytes(as_bytes(saved)) == candidates, "what was saved and loaded is the same");
        const std::size_t n_leaves = candidates.leaves().size();
        candidates.merge(Candidates::from_bytes(as_bytes(saved)));
        promise(candidates.leaves().size() == n_leaves, "candidates of the same leaves are joined");
        for (const Candidates::Leaf& leaf : candidates.leaves()) {
            for (const Candidates::Feature& feature : leaf.features) {
                const auto [first, last] = leaf.ranks_of(feature);
                promise(1 <= first && first <= last, "ranks are from 1 on");
            }
        }
    }

    static void run_shard(Shard shard) {
        promise(Shard::from_bytes(as_bytes(shard.to_bytes())) == shard, "what was saved and loaded is the same shard");
        std::vector<std::uint64_t> counting;
        std::vector<Delta::Leaf> leaves;
        const std::vector<std::int64_t> ones(shard.n_classes(), 1);
        std::vector<Delta::Entry> entries;
        for (const Shard::Leaf& leaf : shard.leaves()) {
            counting.push_back(leaf.born);
            leaves.push_back({leaf.born, ones, ones});
            entries.push_back({leaf.born, 5, 0, 1, 1});
        }
        const Delta delta(1, shard.n_classes(), leaves, entries);
        try {
            shard.absorb(delta, shard.step() + 1, counting, true);
        } catch (const std::overflow_error&) {
            return;  // as many points as there is room for
        } catch (const std::invalid_argument&) {
            return;  // the last of all parts
        }
        promise(Shard::from_bytes(as_bytes(shard.to_bytes())) == shard, "and the same after a part more");
        const Candidates found = shard.candidates(delta, Criterion::entropy);
        promise(found.leaves().size() <= leaves.size(), "leaves that were touched have candidates");
    }
};

}  // namespace sapwood::fuzz
