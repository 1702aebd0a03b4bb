#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/words.hpp"

// An option of a tree as bytes: after its name a word, a number, or a flag that says whether a number follows.

namespace sapwood::detail {

template <class T>
void put_value(ByteWriter& out, const T& option) {
    if constexpr (std::is_enum_v<T>) {
        out.put_word(word_of(option));
    } else {
        out.put(option);
    }
}
template <class T>
void put_value(ByteWriter& out, const std::optional<T>& option) {
    out.put(static_cast<std::uint8_t>(option ? 1 : 0));
    if (option) out.put(*option);
}

template <class T>
void put_option(ByteWriter& out, std::string_view name, const T& option) {
    out.put_word(name);
    put_value(out, option);
}

template <class T>
void get_value(ByteReader& in, std::string_view name, T& option) {
    if constexpr (std::is_enum_v<T>) {
        option = value_of<T>(name, in.get_word("an option"));
    } else if constexpr (std::is_same_v<T, bool>) {
        option = in.get_flag("an option");
    } else {
        option = in.get<T>("an option");
    }
}
template <class T>
void get_value(ByteReader& in, std::string_view, std::optional<T>& option) {
    if (in.get_flag("whether an option is set")) option = in.get<T>("an option");
}

/// Throws ModelFormatError if another option comes, or std::invalid_argument if it has a word that is none.
template <class T>
void get_option(ByteReader& in, std::string_view name, T& option) {
    const std::string found = in.get_word("the name of an option");
    if (found != name) {
        throw ModelFormatError("a tree must have the option '" + std::string(name) + "' here, got '" + found + "'");
    }
    get_value(in, name, option);
}

}  // namespace sapwood::detail
