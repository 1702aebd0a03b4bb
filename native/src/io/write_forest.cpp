#include "sapwood/io/write_forest.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sapwood/io/attributes_section.hpp"
#include "sapwood/io/forest_format.hpp"
#include "sapwood/io/gaussians_section.hpp"
#include "sapwood/io/option_bytes.hpp"
#include "sapwood/io/sections.hpp"
#include "sapwood/io/trunk_section.hpp"
#include "sapwood/io/write_tree.hpp"
#include "sapwood/storage/bytes.hpp"

namespace sapwood {

using namespace detail;

namespace {

void put_forest_options(ByteWriter& out, const ForestOptions& options) {
    const auto put = [&](std::string_view name, const auto& option) { put_option(out, name, option); };
    for_each_forest_option(options, put);
    for_each_option(options.tree, put);
}

/// A tree with what is noted of it.
void put_watched(ByteWriter& out, WatchedTree& watched, Combining combining) {
    out.put(watched.number);
    out.put(watched.n_asked);
    out.put(watched.n_right);
    if (combining == Combining::inverse_error) {
        out.put(watched.recent_error.all());
        out.put(watched.recent_error.wrong());
    }
    if (const auto warning = watched.detectors.warning()) warning->save(out);
    if (const auto& drift = watched.detectors.drift()) drift->save(out);
    const std::string bytes = write_shared_tree(watched.tree);
    out.put(static_cast<std::uint64_t>(bytes.size()));
    out.put_raw(bytes);
}

void put_member(ByteWriter& out, Member& member, Combining combining) {
    out.put(member.n_made());
    for_each_forest_count(member.tally(), [&](std::string_view, std::int64_t count) { out.put(count); });
    put_watched(out, member.watched(), combining);
    out.put(static_cast<std::uint8_t>(member.background() != nullptr ? 1 : 0));
    if (member.background() != nullptr) put_watched(out, *member.background(), combining);
}

}  // namespace

std::string write_forest(Forest& forest) {
    ByteWriter out;
    out.put_raw(forest_format::magic);
    out.put(forest_format::version);
    put_section(out, "options", [&](ByteWriter& section) { put_forest_options(section, forest.options()); });
    put_section(out, "counts", [&](ByteWriter& section) {
        section.put(static_cast<std::uint32_t>(forest.n_classes()));
        section.put(forest.n());
        section.put(forest.n_met());
        section.put_all(std::span<const std::uint64_t>(forest.weights().state()));
    });
    if (!forest.attributes().empty()) {
        put_section(out, "attributes", [&](ByteWriter& section) { put_attributes(section, forest.known()); });
    }
    put_section(out, "trunk", [&](ByteWriter& section) {
        if (forest.trunk()) put_mixing(section, *forest.trunk());
    });
    if (forest.trunk() && is_known(forest.trunk()->trunk().gaussians())) {
        put_section(out, "trunk_gaussians", [&](ByteWriter& section) {
            put_clouds(section, forest.trunk()->trunk().gaussians(), forest.n_classes());
        });
    }
    put_section(out, "mixer", [&](ByteWriter& section) {
        section.put_all(forest.mixer().weights());
        section.put_all(forest.mixer().of_class());
        if (forest.mixes()) section.put_all(forest.trust().values());
    });
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        put_section(out, "tree",
                    [&](ByteWriter& section) { put_member(section, forest.member(t), forest.options().combining); });
    }
    return out.take();
}

}  // namespace sapwood
