#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sapwood/storage/shared_table.hpp"
#include "sapwood/tree/predict/model_layout.hpp"

namespace sapwood::detail {

/// Whether all words of a record that mean something are those of a new one.
inline bool is_zero(const Word* record, const ModelLayout& layout) {
    std::uint32_t any = 0;
    layout.for_each_part([&](std::size_t at, std::size_t size) {
        for (std::size_t i = at; i < at + size; ++i) any |= std::bit_cast<std::uint32_t>(record[i]);
    });
    return any == 0;
}

}  // namespace sapwood::detail
