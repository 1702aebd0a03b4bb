#pragma once

#include <cstdint>

namespace sapwood {

/// Counters of what a tree has done, which explain its shape.
struct TreeTally {
    std::int64_t tested = 0;   // times a split was looked for
    std::int64_t split = 0;    // leaves split
    std::int64_t resplit = 0;  // inner nodes split anew
    std::int64_t pruned = 0;   // nodes given up
    std::int64_t paused = 0;   // times a node stopped learning for want of memory
    std::int64_t resumed = 0;  // times one began again
};

/// Calls `visit(name, count)` for every count, in the order of the file format.
template <class Tally, class Visit>
void for_each_count(Tally& tally, Visit visit) {
    visit("tested", tally.tested);
    visit("split", tally.split);
    visit("resplit", tally.resplit);
    visit("pruned", tally.pruned);
    visit("paused", tally.paused);
    visit("resumed", tally.resumed);
}

}  // namespace sapwood
