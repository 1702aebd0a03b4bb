#pragma once

#include <cstdint>
#include <string>

#include "sapwood/storage/bytes.hpp"

// Numbers in as few bytes as they need (LEB128): seven bits a byte, the least significant first, and a bit that says
// whether another byte follows.

namespace sapwood {

inline void put_varint(ByteWriter& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.put(static_cast<std::uint8_t>(value | 0x80));
    out.put(static_cast<std::uint8_t>(value));
}

/// Throws ModelFormatError unless the bytes are those that `put_varint` writes for some number: each number has one
/// way.
inline std::uint64_t get_varint(ByteReader& in, const char* what) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const auto byte = in.get<std::uint8_t>(what);
        const std::uint64_t bits = byte & 0x7Fu;
        if (shift == 63 && bits > 1) break;
        value |= bits << shift;
        if (byte < 0x80) {
            if (byte == 0 && shift > 0) break;
            return value;
        }
    }
    throw ModelFormatError(std::string(what) + " must be a number of 64 bits in its shortest form, got another");
}

}  // namespace sapwood
