#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sapwood {

/// Whether a character of ASCII is part of a word: a letter, a digit or an underscore.
constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a character of ASCII is blank, as Python has it: the separators of files, groups, records and units are.
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

/// A block of 64 characters in lower case: which of them are parts of words, and which are not ASCII.
struct Block {
    std::uint64_t words = 0;
    bool is_ascii = true;
};

inline Block lower_block(const char* text, char* lower) {
    Block block;
#if defined(__SSE2__)
    // Letters and digits are told by one comparison of signed bytes each: a range of n characters is moved to the top.
    const auto in_range = [](__m128i bytes, char last, char n) {
        const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(127 - last)));
        return _mm_cmpgt_epi8(moved, _mm_set1_epi8(static_cast<char>(127 - n)));
    };
    int beyond = 0;
    for (unsigned part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
        beyond |= _mm_movemask_epi8(bytes);
        const __m128i is_upper = in_range(bytes, 'Z', 26);
        const __m128i lowered = _mm_or_si128(bytes, _mm_and_si128(is_upper, _mm_set1_epi8(0x20)));
        const __m128i word = _mm_or_si128(_mm_or_si128(in_range(lowered, 'z', 26), in_range(bytes, '9', 10)),
                                          _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(lower + 16 * part), lowered);
        block.words |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(word))} << (16 * part);
    }
    block.is_ascii = beyond == 0;
#else
    for (unsigned i = 0; i < 64; ++i) {
        const char c = text[i];
        block.is_ascii &= static_cast<unsigned char>(c) < 0x80;
        lower[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
        block.words |= std::uint64_t{is_word(c)} << i;
    }
#endif
    return block;
}

/// Writes a text of ASCII in lower case, and where its runs of characters of words begin and end, in turn. Returns how
/// many edges there are; `no_ascii` if the text is not ASCII. `lower` has room for the text rounded up to 64, `edges`
/// for one more than the text.
inline constexpr std::size_t no_ascii = ~std::size_t{0};

inline std::size_t word_edges(const char* text, std::size_t length, char* lower, std::uint32_t* edges) {
    const std::uint32_t* const first = edges;
    std::uint64_t carried = 0;
    char last[64];
    for (std::size_t at = 0; at < length; at += 64) {
        const char* from = text + at;
        if (length - at < 64) {
            // Nothing behind the text is read, and what stands for it is no part of a word.
            std::memset(last, 0, sizeof last);
            std::memcpy(last, from, length - at);
            from = last;
        }
        const Block block = lower_block(from, lower + at);
        if (!block.is_ascii) return no_ascii;
        std::uint64_t changes = block.words ^ (block.words << 1 | carried);
        carried = block.words >> 63;
        for (; changes != 0; changes &= changes - 1) {
            *edges++ = static_cast<std::uint32_t>(at + static_cast<std::size_t>(std::countr_zero(changes)));
        }
    }
    if (carried != 0) *edges++ = static_cast<std::uint32_t>(length);
    return static_cast<std::size_t>(edges - first);
}

}  // namespace sapwood
