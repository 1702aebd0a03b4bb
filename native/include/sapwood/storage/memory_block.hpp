#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace sapwood {

/// The size of a huge page on most machines.
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Asks for huge pages for memory of any origin that is about to be written, so that there are few to ask for. That
/// they are granted is not promised, nor needed.
inline void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    // Only whole huge pages can be had, and only of whole ones is anything asked.
    const auto begin = (reinterpret_cast<std::uintptr_t>(data) + huge_page - 1) / huge_page * huge_page;
    const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / huge_page * huge_page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

/// A block of memory that can grow.
///
/// On systems that support it, a large block is mapped: making one takes no time because nothing is written before it
/// is used, it grows by moving pages instead of bytes, and its pages may be huge, so that there are few to ask for. On
/// other systems, and while it is small, the C library allocates it.
class MemoryBlock {
public:
    MemoryBlock() = default;
    /// `zero`: whether all is to be zero at first.
    MemoryBlock(std::size_t bytes, bool zero) : data_(make(bytes, zero)), bytes_(bytes) {}
    MemoryBlock(MemoryBlock&& other) noexcept { swap(other); }
    MemoryBlock& operator=(MemoryBlock&& other) noexcept {
        MemoryBlock(std::move(other)).swap(*this);
        return *this;
    }
    ~MemoryBlock() { release(); }

    void* data() { return data_; }
    const void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

    /// Makes the block larger, never smaller; what it holds may move, and what is new is anything.
    void grow(std::size_t bytes) {
        if (bytes <= bytes_) return;
#if defined(__linux__)
        if (is_mapped(bytes_)) {
            void* moved = mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
            if (moved == MAP_FAILED) throw std::bad_alloc();
            data_ = moved;
            bytes_ = bytes;
            madvise(data_, bytes_, MADV_HUGEPAGE);
            return;
        }
#endif
        MemoryBlock larger(bytes, false);
        if (bytes_ > 0) std::memcpy(larger.data_, data_, bytes_);
        swap(larger);
    }

private:
    static bool is_mapped([[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
        return bytes >= huge_page;
#else
        return false;
#endif
    }

    static void* make(std::size_t bytes, bool zero) {
        if (bytes == 0) return nullptr;
#if defined(__linux__)
        if (is_mapped(bytes)) {
            void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (data == MAP_FAILED) throw std::bad_alloc();
            // That they are granted is not promised, nor needed.
            madvise(data, bytes, MADV_HUGEPAGE);
            return data;
        }
#endif
        void* data = zero ? std::calloc(bytes, 1) : std::malloc(bytes);
        if (data == nullptr) throw std::bad_alloc();
        return data;
    }

    void release() noexcept {
#if defined(__linux__)
        if (is_mapped(bytes_)) {
            munmap(data_, bytes_);
            return;
        }
#endif
        std::free(data_);
    }

    void swap(MemoryBlock& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
    }

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace sapwood
