// CHECK: the one assertion of the native tests.
//
// A failed CHECK prints where and what, and the program goes on, so that one run shows every failure. A test ends with
// `return sapwood::check::finish();`, which is 0 only if at least one check ran and none failed.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace sapwood::check {

struct Tally {
    long passed = 0;
    long failed = 0;
};

inline Tally& tally() {
    static Tally counts;
    return counts;
}

inline bool record(bool holds, const char* expression, const char* file, int line) {
    if (holds) {
        ++tally().passed;
    } else {
        ++tally().failed;
        std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, expression);
    }
    return holds;
}

/// Which part of how many a program is to run, from `program part parts`; all of it without arguments.
struct Part {
    unsigned part = 0;
    unsigned parts = 1;
};

inline Part part_of(int argc, char** argv) {
    if (argc != 3) return {};
    return {static_cast<unsigned>(std::atoi(argv[1])), static_cast<unsigned>(std::atoi(argv[2]))};
}

[[nodiscard]] inline int finish() {
    const Tally& counts = tally();
    std::fprintf(stderr, "%ld checks passed, %ld failed\n", counts.passed, counts.failed);
    return counts.failed == 0 && counts.passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace sapwood::check

// Evaluates to whether the condition holds, so that a caller can print more or stop: `if (!CHECK(x == y)) { ... }`.
#define CHECK(...) ::sapwood::check::record(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

// Holds if evaluating the expression throws an exception of the type.
#define CHECK_THROWS(exception, ...)            \
    ::sapwood::check::record(                   \
        [&] {                                   \
            try {                               \
                static_cast<void>(__VA_ARGS__); \
            } catch (const exception&) {        \
                return true;                    \
            }                                   \
            return false;                       \
        }(),                                    \
        #__VA_ARGS__ " throws " #exception, __FILE__, __LINE__)
