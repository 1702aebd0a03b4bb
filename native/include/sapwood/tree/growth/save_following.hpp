#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

/// The part of the file of a tree that follows a changing stream: its counters and the points that it keeps.
inline void save_following(ByteWriter& out, const TreeBody& tree) {
    for_each_change(tree.following()->tally, [&](std::string_view, std::int64_t count) { out.put(count); });
    tree.following()->recent.save(out);
}

/// Takes what was saved. Throws ModelFormatError if it cannot have been.
inline void load_following(ByteReader& in, TreeBody& tree, std::int64_t n_features) {
    for_each_change(tree.follow().tally, [&](std::string_view name, std::int64_t& count) {
        count = in.get<std::int64_t>("a count of changes");
        if (0 <= count && count <= ChangeTally::largest) return;
        throw ModelFormatError(std::string(name) + " must be from 0 to 2^60, got " + std::to_string(count));
    });
    const Attributes& attributes = tree.attributes();
    tree.follow().recent.load(in, {n_features, attributes.n_numbers(), tree.n_classes(), &attributes});
}

}  // namespace sapwood
