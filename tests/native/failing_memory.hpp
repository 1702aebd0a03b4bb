// An allocator that fails when it is told to. A program with failing_memory.cpp, linked with `--wrap` for what C code
// calls (CMakeLists.txt), has its own operator new, malloc, calloc, mmap and mremap; the libraries of the system have
// theirs.
#pragma once

#include <limits>

namespace sapwood::failing_memory {

inline constexpr long never = std::numeric_limits<long>::max();

/// Whether allocations are counted, and may fail; how many more succeed; and whether only one fails then, or all do.
inline bool counts = false;
inline long left = never;
inline bool only_one = true;
/// How many were counted.
inline long count = 0;

inline bool fails() {
    if (!counts) return false;
    ++count;
    if (left == never) return false;
    if (left > 0) {
        --left;
        return false;
    }
    if (only_one) left = never;
    return true;
}

/// As long as this exists, allocations are counted, and fail after so many.
class After {
public:
    After(long successes, bool one) {
        left = successes;
        only_one = one;
        counts = true;
    }
    ~After() { counts = false; }
    After(const After&) = delete;
    After& operator=(const After&) = delete;
};

}  // namespace sapwood::failing_memory
