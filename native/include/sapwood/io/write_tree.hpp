#pragma once

#include <string>

#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// The bytes of a tree (docs/format.md). Equal trees give equal bytes, however they lie in memory. The tree goes on
/// exactly as one that is read from them, and does not change but for this: an approximate search does what it had put
/// off, and forgets which of two bins it last chose at their common border.
std::string write_tree(StreamingTree& tree);

/// The bytes of a tree that answers as this one does, and has no feature to split on: what a worker is sent.
std::string write_answers(StreamingTree& tree);

/// All but what is known of numbers and categories, which other trees share.
std::string write_shared_tree(StreamingTree& tree);

}  // namespace sapwood
