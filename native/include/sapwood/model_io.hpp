#pragma once

/// Trees as bytes, and bytes as trees, in the format of docs/format.md:
///     std::string bytes = write_tree(tree);
///     StreamingTree tree = read_tree(bytes);     // or ModelFormatError
/// Forests likewise, by `write_forest` and `read_forest`. Where the bytes come from and go to is for others to know.
#include "sapwood/io/read_forest.hpp"   // IWYU pragma: export
#include "sapwood/io/read_tree.hpp"     // IWYU pragma: export
#include "sapwood/io/write_forest.hpp"  // IWYU pragma: export
#include "sapwood/io/write_tree.hpp"    // IWYU pragma: export
#include "sapwood/storage/bytes.hpp"    // IWYU pragma: export
