#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include "sapwood/storage/bytes.hpp"

namespace sapwood::detail {

/// Throws ModelFormatError, which says what must hold and what was found, unless it holds.
inline void require_of_file(bool holds, const char* what, const std::string& got) {
    if (!holds) throw ModelFormatError(std::string(what) + ", got " + got);
}
template <class T>
void require_of_file(bool holds, const char* what, T got) {
    if (!holds) throw ModelFormatError(std::string(what) + ", got " + std::to_string(got));
}

/// Reads a number that must be within limits.
template <class T>
T get_between(ByteReader& in, T least, T most, const char* what) {
    const T value = in.get<T>(what);
    if (value < least || value > most) {
        throw ModelFormatError(std::string(what) + " must be from " + std::to_string(least) + " to " +
                               std::to_string(most) + ", got " + std::to_string(value));
    }
    return value;
}

inline double get_finite(ByteReader& in, const char* what) {
    const auto value = in.get<double>(what);
    if (!std::isfinite(value)) {
        throw ModelFormatError(std::string(what) + " must be finite, got " + std::to_string(value));
    }
    return value;
}

/// Lets what refuses options by std::invalid_argument refuse bytes.
template <class Call>
void as_format_error(Call call) {
    try {
        call();
    } catch (const std::invalid_argument& error) {
        throw ModelFormatError(error.what());
    }
}

}  // namespace sapwood::detail
