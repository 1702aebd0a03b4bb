// How much memory a program holds. A program with counted_memory.cpp has its own operator new.
#pragma once

#include <cstddef>

namespace sapwood::counted_memory {

/// What is held now, and the most that was.
inline std::size_t live_bytes = 0;
inline std::size_t peak_bytes = 0;

}  // namespace sapwood::counted_memory
