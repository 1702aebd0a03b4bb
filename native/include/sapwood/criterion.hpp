#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sapwood/words.hpp"

namespace sapwood {

/// The impurity that a split is to lower (impurity.hpp).
enum class Criterion : std::uint8_t { entropy, gini, kearns_mansour };
template <>
struct Words<Criterion> {
    static constexpr std::array<std::string_view, 3> all{"entropy", "gini", "kearns_mansour"};
};

}  // namespace sapwood
