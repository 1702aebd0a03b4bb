#pragma once

#include <memory>

#include "sapwood/tree/split_test/evidence_notes.hpp"
#include "sapwood/tree/split_test/split_notes.hpp"
#include "sapwood/tree/tree_options.hpp"

namespace sapwood {

/// What the split test that options choose keeps of a node that begins to count; nothing if it keeps nothing.
inline std::unique_ptr<SplitNotes> make_split_notes(const TreeOptions& options) {
    if (options.split_test == SplitTestKind::evidence) return std::make_unique<EvidenceNotes>();
    return nullptr;
}

}  // namespace sapwood
