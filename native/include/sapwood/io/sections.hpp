#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sapwood/io/require.hpp"
#include "sapwood/storage/bytes.hpp"

// Sections: a name, a size and so many bytes.

namespace sapwood::detail {

template <class Put>
void put_section(ByteWriter& out, std::string_view name, Put put) {
    out.put_word(name);
    out.put_counted(put);
}

inline std::string bytes_more(const ByteReader& in) { return std::to_string(in.left()) + " bytes more"; }

/// Throws ModelFormatError unless a section was read to its end.
inline void require_end(const ByteReader& in, std::string_view name) {
    if (in.left() == 0) return;
    throw ModelFormatError("the section '" + std::string(name) + "' must end with its last value, got " +
                           bytes_more(in));
}

/// Reads the sections of something that is called `what`, "a tree".
class SectionReader {
public:
    SectionReader(ByteReader in, const char* what) : in_(in), what_(what) {}

    ByteReader& in() { return in_; }
    const ByteReader& in() const { return in_; }

    /// Reads the magic and the version, which must be these.
    void get_head(std::string_view magic, std::uint32_t expected) {
        const std::string what(what_);
        const std::string found = in_.get_raw(magic.size(), ("the magic of " + what).c_str());
        if (found != magic) throw ModelFormatError(what + " must start with its magic, got other bytes");
        const auto version = in_.get<std::uint32_t>("a version");
        require_of_file(version == expected,
                        ("the version of " + what + " must be " + std::to_string(expected)).c_str(), version);
    }

    /// Whether the next section has this name.
    bool next_is(std::string_view name) const {
        ByteReader ahead = in_;
        return ahead.get_word("the name of a section") == name;
    }

    /// The next section, which must have this name.
    ByteReader section(std::string_view name) {
        const std::string found = in_.get_word("the name of a section");
        if (found != name) {
            throw ModelFormatError(std::string(what_) + " must have the section '" + std::string(name) +
                                   "' here, got '" + found +
                                   "': it may have been written by another version of sapwood");
        }
        const auto size = in_.get<std::uint64_t>("the size of a section");
        in_.require(size, 1, "a section");
        return in_.get_part(static_cast<std::size_t>(size));
    }

    /// Throws ModelFormatError unless this was the last section.
    void finish(std::string_view last) const {
        if (in_.left() == 0) return;
        throw ModelFormatError(std::string(what_) + " must end with its section '" + std::string(last) + "', got " +
                               bytes_more(in_));
    }

private:
    ByteReader in_;
    const char* what_;
};

}  // namespace sapwood::detail
