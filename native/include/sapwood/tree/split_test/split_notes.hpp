#pragma once

#include <cstddef>

#include "sapwood/search/split_search.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a split test keeps of a node beside what its search counts. A test that needs nothing has none.
class SplitNotes {
public:
    virtual ~SplitNotes() = default;

    /// Notes a point that the search has just counted.
    virtual void note(Features features, const SplitSearch& search) = 0;

    /// Notes many points at once, which the search has just counted.
    virtual void note_counts(const AddedCounts& added, const SplitSearch& search) = 0;

    /// Notes all points of another node, of the same split test, which the search has just counted.
    virtual void note_merged(const SplitNotes& other, SplitSearch& search) = 0;

    /// Notes that the node has another number (NodeContext) from now on.
    virtual void note_number() {}

    /// Forgets what is known from earlier answers of the search.
    virtual void forget_bound() {}

    /// To the file and back. Throws ModelFormatError unless notes of a node with this search can have been written so.
    virtual void save(ByteWriter& out) const = 0;
    virtual void load(ByteReader& in, const SplitSearch& search) = 0;

    /// Throws std::logic_error with what is broken unless the notes can be those of a node with this search.
    virtual void validate(const SplitSearch& search) const = 0;

    virtual std::size_t n_bytes() const = 0;
};

}  // namespace sapwood
