#pragma once

#include <memory>

#include "sapwood/search/search_choice.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

// Compiled once, in native/src: whoever makes searches by choice need not know them.

/// Makes the search that a choice describes, or throws std::invalid_argument.
std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice);

/// The same search over more classes: a new one, of the choice given, with the same counts. The classes that it did not
/// have hold no points.
std::unique_ptr<SplitSearch> widened(SplitSearch& search, const SearchChoice& wider);

}  // namespace sapwood
