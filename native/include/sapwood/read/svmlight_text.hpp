#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sapwood/types.hpp"

namespace sapwood {

/// Writes points in the svmlight format that `SvmlightParser` reads, every active feature with the value 1. A label is
/// written with the fewest digits that give it back.
///
/// `indptr` ascends from 0 to the number of `indices`, and there is one label for each row.
template <class Number>
std::string svmlight_text(std::span<const std::int64_t> indptr, std::span<const FeatureId> indices,
                          std::span<const Number> labels) {
    constexpr std::size_t longest_label = 32;
    constexpr std::size_t longest_feature = 13;  // a blank, ten digits, and ":1"
    std::string text;
    // The text is at first as long as it may become at the most, and is cut to what it takes.
    text.resize(labels.size() * (longest_label + 1) + indices.size() * longest_feature);
    char* at = text.data();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        at = std::to_chars(at, at + longest_label, labels[i]).ptr;
        for (std::int64_t j = indptr[i]; j < indptr[i + 1]; ++j) {
            *at++ = ' ';
            at = std::to_chars(at, at + 10, indices[static_cast<std::size_t>(j)]).ptr;
            *at++ = ':';
            *at++ = '1';
        }
        *at++ = '\n';
    }
    text.resize(static_cast<std::size_t>(at - text.data()));
    return text;
}

}  // namespace sapwood
