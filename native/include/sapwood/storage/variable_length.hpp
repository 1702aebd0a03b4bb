#pragma once

#include <cstddef>
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

/// The bytes that a number of 32 bits takes at most.
inline constexpr std::size_t most_varint_bytes = 5;

/// Writes a number at `out`; returns what is behind it.
inline char* write_varint(std::uint32_t value, char* out) {
    for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
    *out++ = static_cast<char>(value);
    return out;
}

/// Throws ModelFormatError as `get_varint` does, or if the number has more than 32 bits.
inline std::uint32_t get_varint_32(ByteReader& in, const char* what) {
    const std::uint64_t value = get_varint(in, what);
    if (value >> 32 != 0)
        throw ModelFormatError(std::string(what) + " must be a number of 32 bits, got " + std::to_string(value));
    return static_cast<std::uint32_t>(value);
}

/// Puts numbers, a few at a time; negative ones as those of 32 bits that they are modulo 2^32.
template <class NumberOf>
void put_varints(ByteWriter& out, std::size_t size, NumberOf number_of) {
    constexpr std::size_t at_once = 64;
    char bytes[at_once * most_varint_bytes];
    for (std::size_t i = 0; i < size;) {
        char* end = bytes;
        for (const std::size_t stop = size - i < at_once ? size : i + at_once; i < stop; ++i)
            end = write_varint(static_cast<std::uint32_t>(number_of(i)), end);
        out.put_raw({bytes, static_cast<std::size_t>(end - bytes)});
    }
}

}  // namespace sapwood
