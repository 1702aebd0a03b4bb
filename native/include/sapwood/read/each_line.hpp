#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace sapwood {

/// Reads the lines of a block, the last of which may lack its end, until it ends or `has_room()` is false: each without
/// its end, by `read_line`, which returns false if it leaves the line to the caller. Returns the bytes read. If the
/// last line read is left to the caller, `left` is where it begins, otherwise what is returned.
template <class HasRoom, class ReadLine>
std::size_t each_line(std::string_view block, std::size_t& left, HasRoom has_room, ReadLine read_line) {
    std::size_t at = 0;
    while (at < block.size() && has_room()) {
        const char* const begin = block.data() + at;
        const auto* end = static_cast<const char*>(std::memchr(begin, '\n', block.size() - at));
        const std::size_t next = end == nullptr ? block.size() : at + static_cast<std::size_t>(end - begin) + 1;
        std::size_t length = end == nullptr ? block.size() - at : static_cast<std::size_t>(end - begin);
        if (length > 0 && begin[length - 1] == '\r') --length;
        if (!read_line(std::string_view(begin, length))) {
            left = at;
            return next;
        }
        at = next;
    }
    left = at;
    return at;
}

}  // namespace sapwood
