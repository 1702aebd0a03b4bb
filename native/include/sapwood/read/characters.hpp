#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace sapwood {

/// What is known of a character beyond ASCII.
struct Character {
    /// The same in lower case.
    std::uint32_t lower = 0;
    /// Whether that is part of a word.
    bool is_word = false;
    /// Whether it is blank.
    bool is_space = false;
    /// Whether its lower case is not one character, or depends on those around it.
    bool is_special = false;
};

/// The characters of Unicode, asked for in pages of 256 when one of them is first met. Whoever makes this knows them;
/// so there is no table here that another version of Unicode would make wrong.
class Characters {
public:
    using Page = std::array<Character, 256>;
    /// Fills the page of the 256 characters from the given one on.
    using Fill = std::function<void(std::uint32_t first, Page& page)>;

    explicit Characters(Fill fill) : fill_(std::move(fill)), pages_(n_pages) {}
    Characters(const Characters&) = delete;
    Characters& operator=(const Characters&) = delete;

    const Character& operator[](std::uint32_t code) {
        std::unique_ptr<Page>& page = pages_[code >> 8];
        if (!page) {
            auto made = std::make_unique<Page>();
            fill_(code & ~std::uint32_t{255}, *made);
            page = std::move(made);
        }
        return (*page)[code & 255];
    }

private:
    static constexpr std::size_t n_pages = 0x110000 / 256;

    Fill fill_;
    std::vector<std::unique_ptr<Page>> pages_;
};

/// A character of UTF-8: its number and its bytes, which are 0 if what stands there is none.
struct Decoded {
    std::uint32_t code = 0;
    std::size_t n_bytes = 0;
};

/// The character that stands first in a text that is not empty. Surrogates, characters in more bytes than they need and
/// those beyond U+10FFFF are none.
inline Decoded decode(const char* text, std::size_t length) {
    const auto byte = [text](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    if (first < 0xC2) return {};
    if (first < 0xE0) {
        if (length < 2 || !follows(1)) return {};
        return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
    }
    if (first < 0xF0) {
        if (length < 3 || !follows(1) || !follows(2)) return {};
        const std::uint32_t code = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        if (code < 0x800 || (code >= 0xD800 && code < 0xE000)) return {};
        return {code, 3};
    }
    if (length < 4 || !follows(1) || !follows(2) || !follows(3)) return {};
    const std::uint32_t code = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (first > 0xF4 || code < 0x10000 || code > 0x10FFFF) return {};
    return {code, 4};
}

/// Whether a text is UTF-8.
inline bool is_utf8(std::string_view text) {
    std::size_t at = 0;
    std::uint64_t eight = 0;
    while (at < text.size()) {
        if (at + 8 <= text.size()) {
            std::memcpy(&eight, text.data() + at, 8);
            if ((eight & 0x8080808080808080u) == 0) {
                at += 8;
                continue;
            }
        }
        const std::size_t n_bytes = decode(text.data() + at, text.size() - at).n_bytes;
        if (n_bytes == 0) return false;
        at += n_bytes;
    }
    return true;
}

/// Writes a character in UTF-8, in up to four bytes; returns how many.
inline std::size_t encode(std::uint32_t code, char* out) {
    const auto put = [out](std::size_t i, std::uint32_t byte) { out[i] = static_cast<char>(byte); };
    if (code < 0x80) {
        put(0, code);
        return 1;
    }
    if (code < 0x800) {
        put(0, 0xC0 | code >> 6);
        put(1, 0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        put(0, 0xE0 | code >> 12);
        put(1, 0x80 | (code >> 6 & 0x3F));
        put(2, 0x80 | (code & 0x3F));
        return 3;
    }
    put(0, 0xF0 | code >> 18);
    put(1, 0x80 | (code >> 12 & 0x3F));
    put(2, 0x80 | (code >> 6 & 0x3F));
    put(3, 0x80 | (code & 0x3F));
    return 4;
}

}  // namespace sapwood
