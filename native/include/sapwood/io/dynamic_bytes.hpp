#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/dynamic/canonical.hpp"
#include "sapwood/dynamic/dynamic_tree.hpp"
#include "sapwood/io/option_bytes.hpp"
#include "sapwood/io/require.hpp"
#include "sapwood/storage/bytes.hpp"

namespace sapwood {

namespace dynamic_format {
inline constexpr std::string_view magic = "sapdyna\n";
inline constexpr std::uint32_t version = 1;
}  // namespace dynamic_format

/// A settled dynamic tree as bytes: its options and its points in their canonical order (canonical.hpp), features by
/// rank. With beta = 0 the tree follows from the points and is not written; else its tests are.
///
/// Guarantee: with beta = 0, trees that hold the same points, of features in the same order, have the same bytes.
inline std::string write_dynamic_tree(const DynamicTree& tree, const FeatureOrder& order) {
    const Canonical canonical(tree, order);
    const PointStore& store = tree.points();
    ByteWriter out;
    out.put_raw(dynamic_format::magic);
    out.put(dynamic_format::version);
    for_each_dynamic_option(tree.options(),
                            [&](std::string_view name, const auto& option) { detail::put_option(out, name, option); });
    out.put(static_cast<std::uint32_t>(tree.n_classes()));
    out.put(static_cast<std::uint32_t>(canonical.features().size()));
    out.put(static_cast<std::uint32_t>(store.n_points()));
    for (const PointId id : canonical.points()) {
        const std::vector<std::int32_t> ranks = canonical.ranks(id);
        out.put(static_cast<std::uint32_t>(ranks.size()));
        out.put_all(std::span<const std::int32_t>(ranks));
        out.put(store.label(id));
        out.put(store.weight(id));
        out.put(store.named(id));
    }
    std::vector<std::int32_t> tests;
    if (tree.options().beta > 0) {
        for (const NodeId at : tree.nodes().in_order())
            tests.push_back(canonical.rank(tree.nodes().test(at).feature()));
    }
    out.put(static_cast<std::uint32_t>(tests.size()));
    out.put_all(std::span<const std::int32_t>(tests));
    return out.take();
}

namespace detail {

inline DynamicOptions read_dynamic_options(ByteReader& in) {
    DynamicOptions options;
    as_format_error([&] {
        for_each_dynamic_option(options, [&](std::string_view name, auto& option) { get_option(in, name, option); });
        check_dynamic_options(options);
    });
    return options;
}

inline void read_dynamic_points(ByteReader& in, DynamicTree& tree, std::int64_t n_features) {
    const auto n_points = in.get<std::uint32_t>("the number of points");
    std::pair<std::vector<std::int32_t>, Label> last;
    std::int64_t n = 0;
    for (std::uint32_t i = 0; i < n_points; ++i) {
        std::pair<std::vector<std::int32_t>, Label> point;
        const auto size = in.get<std::uint32_t>("the number of features of a point");
        point.first = in.get_list<std::int32_t>(size, "features of a point");
        const bool ascends = std::is_sorted(point.first.begin(), point.first.end(), std::less_equal<>());
        require_of_file(ascends && (size == 0 || (point.first.front() >= 0 && point.first.back() < n_features)),
                        "the features of a point must ascend within those of the model", std::string("others"));
        point.second = get_between<Label>(in, 0, static_cast<Label>(tree.n_classes() - 1), "the label of a point");
        const auto weight = get_between<Count>(in, 1, max_points, "the weight of a point");
        const auto named = get_between<Count>(in, 0, weight, "the named weight of a point");
        require_of_file(i == 0 || last < point, "points must ascend", std::string("another order"));
        n += weight;
        require_of_file(n <= max_points, "the points must be at most 2147483647 in all", n);
        tree.add_named(tree.learn(point.first, point.second, weight), named);
        last = std::move(point);
    }
    for (std::int64_t id = 0; id < n_features; ++id) {
        require_of_file(tree.points().n_with(static_cast<FeatureId>(id)) > 0,
                        "every feature of the model must be on in a point",
                        "feature " + std::to_string(id) + " in none");
    }
}

}  // namespace detail

/// The tree of what `write_dynamic_tree` wrote, of `n_features` features, whose ids are their ranks. It has to be
/// settled. The bytes may be anything: throws ModelFormatError unless they could have been written.
inline DynamicTree read_dynamic_tree(std::span<const std::byte> bytes, std::int64_t n_features) {
    ByteReader in(bytes);
    const std::string magic = in.get_raw(dynamic_format::magic.size(), "the magic of a dynamic tree");
    detail::require_of_file(magic == dynamic_format::magic, "a dynamic tree must start with its magic",
                            std::string("other bytes"));
    const auto version = in.get<std::uint32_t>("a version");
    detail::require_of_file(version == dynamic_format::version, "the version of a dynamic tree must be 1", version);
    DynamicTree tree(detail::read_dynamic_options(in));
    const auto n_classes = detail::get_between<std::uint32_t>(in, 2, max_classes, "the number of classes");
    const std::vector<Label> same{0, 1};
    detail::as_format_error([&] { tree.renumber(same, n_classes); });
    const auto known = in.get<std::uint32_t>("the number of features");
    detail::require_of_file(known == n_features, "the features must be those of the model", known);
    detail::read_dynamic_points(in, tree, n_features);
    const auto n_tests = in.get<std::uint32_t>("the number of tests");
    const std::vector<std::int32_t> tests = in.get_list<std::int32_t>(n_tests, "tests");
    detail::require_of_file((n_tests > 0) == (tree.options().beta > 0), "tests must be there if beta is above 0",
                            n_tests);
    for (const std::int32_t test : tests) {
        detail::require_of_file(test >= -1 && test < n_features, "tests must be of features of the model", test);
    }
    if (n_tests > 0) detail::as_format_error([&] { tree.take_tests(tests); });
    detail::require_of_file(in.left() == 0, "a dynamic tree must end with its tests", in.left());
    return tree;
}

}  // namespace sapwood
