// Apart from what calls it, so that no compiler looks through operator new and finds malloc.
#include "counted_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using sapwood::counted_memory::live_bytes;
using sapwood::counted_memory::peak_bytes;

// Before every piece of memory, its size.
constexpr std::size_t head = alignof(std::max_align_t);

void* allocate(std::size_t size) noexcept {
    auto* memory = static_cast<std::byte*>(std::malloc(head + size));
    if (memory == nullptr) return nullptr;
    std::memcpy(memory, &size, sizeof(size));
    live_bytes += size;
    peak_bytes = std::max(peak_bytes, live_bytes);
    return memory + head;
}

void* allocate_or_throw(std::size_t size) {
    if (void* memory = allocate(size)) return memory;
    throw std::bad_alloc();
}

void give_back(void* memory) noexcept {
    if (memory == nullptr) return;
    std::byte* start = static_cast<std::byte*>(memory) - head;
    std::size_t size = 0;
    std::memcpy(&size, start, sizeof(size));
    live_bytes -= size;
    std::free(start);
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
