#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "sapwood/search/scored.hpp"

namespace sapwood {

/// The best k of the features that are offered to it, best first; k is small, and nothing is allocated.
class BestFew {
public:
    /// The largest k. More are seldom asked for, and would cost more to keep in order than a heap.
    static constexpr std::size_t most = 16;

    explicit BestFew(std::size_t k) : k_(k) {}

    void offer(const Scored& scored) {
        if (size_ == k_ && !is_better(scored, best_[size_ - 1])) return;
        std::size_t at = size_ < k_ ? size_++ : size_ - 1;
        for (; at > 0 && is_better(scored, best_[at - 1]); --at) best_[at] = best_[at - 1];
        best_[at] = scored;
    }

    /// Keeps only the best k.
    void cut(std::size_t k) { size_ = std::min(size_, k); }

    std::size_t size() const { return size_; }
    const Scored* begin() const { return best_.data(); }
    const Scored* end() const { return best_.data() + size_; }
    const Scored& front() const { return best_[0]; }
    const Scored& back() const { return best_[size_ - 1]; }

private:
    std::size_t k_;
    std::size_t size_ = 0;
    std::array<Scored, most> best_;
};

}  // namespace sapwood
