// What a fuzz target is: a struct with a name, seeds to begin with, and `run`, which may do anything with bytes but
// crash, hang, use memory wrongly or break a promise. All targets are listed in targets.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace sapwood::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// Ends the program, so that the fuzzer keeps the bytes, unless a promise holds.
inline void promise(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Takes one number after the other from bytes; 0 when there are no more.
class Numbers {
public:
    explicit Numbers(Bytes bytes) : bytes_(bytes) {}

    bool empty() const { return at_ == bytes_.size(); }
    std::uint32_t next() { return empty() ? 0 : bytes_[at_++]; }
    /// One below a bound of at most 256.
    std::uint32_t below(std::uint32_t bound) { return next() % bound; }
    std::uint32_t pair() {
        const std::uint32_t low = next();
        return low | next() << 8;
    }

private:
    Bytes bytes_;
    std::size_t at_ = 0;
};

}  // namespace sapwood::fuzz
