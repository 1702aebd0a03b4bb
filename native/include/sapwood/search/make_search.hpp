#pragma once

#include <memory>

#include "sapwood/search/search_choice.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

// Compiled once, in native/src: whoever makes searches by choice need not know them.

/// Makes the search that a choice describes, or throws std::invalid_argument.
std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice);

/// The same for points with numbers or categories: what is known of them, or null for features alone.
std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice, const Attributes* attributes);

/// A search over features that from now on looks at numbers and categories too; no number has differed so far.
std::unique_ptr<SplitSearch> with_attributes(const SearchChoice& choice, std::unique_ptr<SplitSearch> flags,
                                             const Attributes& attributes);

/// A copy of such a search with a copy of its attributes.
std::unique_ptr<SplitSearch> clone_over(const SplitSearch& search, const Attributes& copy);

/// Lets such a search, whose features are as they were, have what `over_attributes()->save` wrote. Throws
/// ModelFormatError unless that can have been, and then the search must be discarded.
void load_attributes(SplitSearch& search, ByteReader& in);

/// The same search over more classes: a new one, of the choice given, with the same counts. The classes that it did not
/// have hold no points.
std::unique_ptr<SplitSearch> widened(SplitSearch& search, const SearchChoice& wider);

}  // namespace sapwood
