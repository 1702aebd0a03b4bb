#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// What a tree of a forest has of its forest.
struct SharedParts {
    /// What is known of numbers and categories; null if the tree shares nothing.
    std::shared_ptr<KnownAttributes> known = nullptr;
    double points_per_count = 1;
};

/// The tree that was written as these bytes. `n_features`: how many features it may have, but for those that it has
/// made of numbers itself.
///
/// The bytes may be anything: throws ModelFormatError unless they are what `write_tree` writes of some tree that can
/// be. Takes O(size log size) time, and memory in proportion to the bytes.
StreamingTree read_tree(std::span<const std::byte> bytes, std::int64_t n_features = std::int64_t{1} << 31);

/// The same of a tree that shares what is known of numbers and categories, and was written without it. `n_features`
/// are all that there are.
StreamingTree read_shared_tree(ByteReader in, std::int64_t n_features, SharedParts shared);

}  // namespace sapwood
