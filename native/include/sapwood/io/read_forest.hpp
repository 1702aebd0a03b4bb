#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sapwood/forest/forest.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// The forest that was written as these bytes. `n_features`: how many features it may have, but for those that it has
/// made of numbers itself.
///
/// The bytes may be anything: throws ModelFormatError unless they are what `write_forest` writes of some forest that
/// can be. Takes O(size log size) time, and memory in proportion to the bytes.
Forest read_forest(std::span<const std::byte> bytes, std::int64_t n_features = std::int64_t{1} << 31);

/// A tree of a forest by itself: a copy, with what it shares with the others. It answers as it does there.
StreamingTree copy_of_tree(Forest& forest, std::size_t t, std::int64_t n_features);

}  // namespace sapwood
