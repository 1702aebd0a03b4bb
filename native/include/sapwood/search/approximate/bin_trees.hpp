#pragma once

#include <cstddef>
#include <map>

#include "sapwood/storage/lazy_heap.hpp"

namespace sapwood {

/// The trees T_i, L_i and U_i of one bin.
template <class Bins>
struct BinTree {
    typename Bins::Index index;
    typename Bins::Bin bin;
    LazyHeap by_score;  // T_i: the features of the bin, the smallest K first
    LazyHeap by_lower;  // L_i: the features whose first bin this is, those nearest to leaving it downwards first
    LazyHeap by_upper;  // U_i: the features whose last bin this is, those nearest to leaving it upwards first

    std::size_t n_bytes() const { return sizeof(*this) + by_score.n_bytes() + by_lower.n_bytes() + by_upper.n_bytes(); }
};

/// The trees of the bins in use, in order of their index; the others do not exist.
///
/// A small alpha means millions of bins, and a feature that drifts makes the trees of all bins on its way: making one
/// takes logarithmic time wherever it stands among the others. References and iterators stay valid when other trees
/// come and go, and a loop meets the trees that it makes ahead of itself.
template <class Bins>
class BinTrees {
public:
    using Index = typename Bins::Index;
    using Tree = BinTree<Bins>;
    using Iterator = typename std::map<Index, Tree>::iterator;

    explicit BinTrees(const Bins& bins) : bins_(bins) {}

    const Bins& bins() const { return bins_; }

    std::size_t size() const { return trees_.size(); }

    Iterator begin() { return trees_.begin(); }
    Iterator end() { return trees_.end(); }

    /// The tree of a bin that is in use.
    Iterator at(Index index) { return trees_.find(index); }

    Tree* find(Index index) {
        const Iterator found = trees_.find(index);
        return found != trees_.end() ? &found->second : nullptr;
    }

    Tree& find_or_make(Index index) {
        const Iterator next = trees_.lower_bound(index);
        if (next != trees_.end() && next->first == index) return next->second;
        return trees_.emplace_hint(next, index, Tree{index, bins_.bin(index), {}, {}, {}})->second;
    }

    void clear() { trees_.clear(); }

    /// Deletes the trees without features.
    void prune() {
        std::erase_if(trees_, [](const auto& entry) { return entry.second.by_score.size() == 0; });
    }

    std::size_t n_bytes() const {
        std::size_t bytes = 0;
        for (const auto& [index, tree] : trees_) bytes += links + tree.n_bytes();
        return bytes;
    }

private:
    /// What a node of the map takes besides the tree: its colour, three pointers and the index.
    static constexpr std::size_t links = 5 * sizeof(void*);

    Bins bins_;
    std::map<Index, Tree> trees_;
};

}  // namespace sapwood
