// Apart from what calls it, so that no compiler looks through operator new and finds malloc.
#include "failing_memory.hpp"

#include <sys/mman.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t n, std::size_t size);
void* __real_mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset);
void* __real_mremap(void* address, std::size_t size, std::size_t new_size, int flags, ...);

void* __wrap_malloc(std::size_t size) { return sapwood::failing_memory::fails() ? nullptr : __real_malloc(size); }
void* __wrap_calloc(std::size_t n, std::size_t size) {
    return sapwood::failing_memory::fails() ? nullptr : __real_calloc(n, size);
}
void* __wrap_mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
    return sapwood::failing_memory::fails() ? MAP_FAILED : __real_mmap(address, size, protection, flags, file, offset);
}
void* __wrap_mremap(void* address, std::size_t size, std::size_t new_size, int flags) {
    return sapwood::failing_memory::fails() ? MAP_FAILED : __real_mremap(address, size, new_size, flags);
}
}

void* operator new(std::size_t size) {
    if (sapwood::failing_memory::fails()) throw std::bad_alloc();
    void* made = __real_malloc(size == 0 ? 1 : size);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}
/// Whoever asks so has another way, and does not run out of memory.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return __real_malloc(size == 0 ? 1 : size); }
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t) noexcept { std::free(made); }
