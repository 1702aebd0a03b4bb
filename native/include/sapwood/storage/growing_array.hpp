#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "sapwood/storage/memory_block.hpp"

namespace sapwood {

/// An array of words that grows within what has been reserved without being moved. A pointer to a word is valid until
/// the next call of `reserve`. A copy holds the same words and has the same room.
template <class Word>
class GrowingArray {
    static_assert(std::is_trivially_copyable_v<Word>);

public:
    GrowingArray() = default;
    /// An array of `size` words: zeros, or anything.
    GrowingArray(std::size_t size, bool zero) : block_(size * sizeof(Word), zero), size_(size) {}
    GrowingArray(const GrowingArray& other) : block_(other.block_.bytes(), false), size_(other.size_) {
        if (size_ > 0) std::memcpy(block_.data(), other.block_.data(), size_ * sizeof(Word));
    }
    GrowingArray(GrowingArray&& other) noexcept
        : block_(std::move(other.block_)), size_(std::exchange(other.size_, 0)) {}
    GrowingArray& operator=(const GrowingArray& other) { return *this = GrowingArray(other); }
    GrowingArray& operator=(GrowingArray&& other) noexcept {
        block_ = std::move(other.block_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    ~GrowingArray() = default;

    Word* data() { return static_cast<Word*>(block_.data()); }
    const Word* data() const { return static_cast<const Word*>(block_.data()); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return block_.bytes() / sizeof(Word); }

    /// Makes room for `capacity` words.
    void reserve(std::size_t capacity) { block_.grow(capacity * sizeof(Word)); }

    /// Adds words up to a size for which there is room; they may be anything.
    void extend(std::size_t size) { size_ = size; }

private:
    MemoryBlock block_;
    std::size_t size_ = 0;
};

}  // namespace sapwood
