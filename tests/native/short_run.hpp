// Whether a program of the tests takes fewer examples than it would as the wheel is compiled.
#pragma once

namespace sapwood::check {

// The sanitizers make a program many times slower, and so does a processor that is emulated, of which the build says
// so.
#if defined(__SANITIZE_ADDRESS__) || defined(SAPWOOD_TEST_SHORT)
inline constexpr bool is_short_run = true;
#else
inline constexpr bool is_short_run = false;
#endif

}  // namespace sapwood::check
