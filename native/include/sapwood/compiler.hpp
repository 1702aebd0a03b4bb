#pragma once

// The loops over all seen features are compiled once more for processors with wider vectors, chosen when the module is
// loaded. Sanitizers cannot follow that choice, and other platforms do not offer it; there the portable loop is all.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SAPWOOD_WIDE_VECTORS __attribute__((target_clones("default", "avx2")))
#else
#define SAPWOOD_WIDE_VECTORS
#endif

// For the few small functions of the hot loops that compilers hesitate to inline.
// And for what they leave to others, so that they need not save registers for it. Cold is what is done once per model
// or never: it is compiled for size, since every search has its own.
#if defined(__GNUC__)
#define SAPWOOD_INLINE [[gnu::always_inline]]
#define SAPWOOD_NOINLINE [[gnu::noinline]]
#define SAPWOOD_COLD [[gnu::cold]]
#else
#define SAPWOOD_INLINE
#define SAPWOOD_NOINLINE
#define SAPWOOD_COLD
#endif

namespace sapwood {

/// Begins to bring what is at an address close to the processor, to be changed soon. Changes nothing else.
inline void prefetch_to_change([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1);
#endif
}

}  // namespace sapwood
