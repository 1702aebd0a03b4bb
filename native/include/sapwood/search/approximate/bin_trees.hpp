#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

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
template <class Bins>
class BinTrees {
public:
    using Index = typename Bins::Index;
    using Tree = BinTree<Bins>;

    explicit BinTrees(const Bins& bins) : bins_(bins) {}

    BinTrees(const BinTrees& other) : bins_(other.bins_) {
        trees_.reserve(other.trees_.size());
        for (const auto& tree : other.trees_) trees_.push_back(std::make_unique<Tree>(*tree));
    }
    BinTrees& operator=(const BinTrees&) = delete;
    BinTrees(BinTrees&&) = default;
    BinTrees& operator=(BinTrees&&) = default;

    const Bins& bins() const { return bins_; }

    std::size_t size() const { return trees_.size(); }

    /// The k-th tree in order of index. References stay valid when other trees come and go.
    Tree& operator[](std::size_t k) { return *trees_[k]; }
    const Tree& operator[](std::size_t k) const { return *trees_[k]; }

    /// Where the tree of a bin is, or would be.
    std::size_t position(Index index) const {
        const auto at = std::lower_bound(trees_.begin(), trees_.end(), index,
                                         [](const auto& tree, Index wanted) { return tree->index < wanted; });
        return static_cast<std::size_t>(at - trees_.begin());
    }

    Tree* find(Index index) {
        const std::size_t at = position(index);
        return at < trees_.size() && trees_[at]->index == index ? trees_[at].get() : nullptr;
    }

    Tree& find_or_make(Index index) {
        const std::size_t at = position(index);
        if (at == trees_.size() || trees_[at]->index != index) {
            trees_.insert(trees_.begin() + static_cast<std::ptrdiff_t>(at),
                          std::make_unique<Tree>(Tree{index, bins_.bin(index), {}, {}, {}}));
        }
        return *trees_[at];
    }

    void clear() { trees_.clear(); }

    /// Deletes the trees without features.
    void prune() {
        std::erase_if(trees_, [](const auto& tree) { return tree->by_score.size() == 0; });
    }

    std::size_t n_bytes() const {
        std::size_t bytes = trees_.capacity() * sizeof(trees_[0]);
        for (const auto& tree : trees_) bytes += tree->n_bytes();
        return bytes;
    }

private:
    Bins bins_;
    std::vector<std::unique_ptr<Tree>> trees_;
};

}  // namespace sapwood
