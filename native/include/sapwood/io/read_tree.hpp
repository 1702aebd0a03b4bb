#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sapwood/io/read_nodes.hpp"
#include "sapwood/io/read_pages.hpp"
#include "sapwood/io/require.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

namespace detail {

/// Reads a tree section by section; read_nodes.hpp reads its nodes.
class TreeReader {
public:
    TreeReader(std::span<const std::byte> bytes, std::int64_t n_features) : in_(bytes), n_features_(n_features) {}

    StreamingTree read() {
        const std::string magic = in_.get_raw(tree_format::magic.size(), "the magic of a tree");
        if (magic != tree_format::magic) throw ModelFormatError("a tree must start with its magic, got other bytes");
        const auto version = in_.get<std::uint32_t>("a version");
        require_of_file(version == tree_format::version, "the version of a tree must be 3", version);

        const TreeOptions options = get_options(section("options"));
        ByteReader counts = section("counts");
        const std::size_t n_classes = get_n_classes(counts, options);
        TreeBody tree(options, n_classes);
        std::unique_ptr<GrowthPolicy> growth = make_growth(options);
        get_counts(counts, tree, *growth);

        const ModelLayout& layout = tree.predictor().layout();
        ByteReader models = section("models");
        if (layout.mixes) {
            get_mixing(models, *tree.restored_predictor().mixing(), tree);
        } else if (layout.keeps_logistic) {
            get_trunk(models, tree.restored_predictor().trunk_model());
        }
        std::optional<PageReader> pages;
        if (layout.keeps_anything()) {
            pages.emplace(models, tree.restored_predictor().pool(), layout, tree.n(), n_features_);
        }
        require_end(models, "models");

        ByteReader nodes = section("nodes");
        NodesReader(nodes, tree, *growth, pages ? &*pages : nullptr, n_features_).read();
        if (pages) pages->finish();
        require_end(nodes, "nodes");

        ByteReader rest = section("growth");
        growth->load(rest, tree);
        require_end(rest, "growth");
        require_of_file(in_.left() == 0, "a tree must end with its section 'growth'", more(in_));
        return StreamingTree(std::move(tree), std::move(growth));
    }

private:
    static std::string more(const ByteReader& in) { return std::to_string(in.left()) + " bytes more"; }

    static void require_end(const ByteReader& in, std::string_view name) {
        if (in.left() == 0) return;
        throw ModelFormatError("the section '" + std::string(name) + "' must end with its last value, got " + more(in));
    }

    /// The next section, which must have this name.
    ByteReader section(std::string_view name) {
        const std::string found = in_.get_word("the name of a section");
        if (found != name) {
            throw ModelFormatError("a tree must have the section '" + std::string(name) + "' here, got '" + found +
                                   "': it may have been written by another version of sapwood");
        }
        const auto size = in_.get<std::uint64_t>("the size of a section");
        in_.require(size, 1, "a section");
        return in_.get_part(static_cast<std::size_t>(size));
    }

    // ---- options ------------------------------------------------------------------------------------------------

    static TreeOptions get_options(ByteReader in) {
        TreeOptions options;
        as_format_error([&] {
            for_each_option(options, [&](std::string_view name, auto& option) {
                const std::string found = in.get_word("the name of an option");
                if (found != name) {
                    throw ModelFormatError("a tree must have the option '" + std::string(name) + "' here, got '" +
                                           found + "'");
                }
                get_option(in, name, option);
            });
            check_options(options);
        });
        require_end(in, "options");
        return options;
    }

    template <class T>
    static void get_option(ByteReader& in, std::string_view name, T& option) {
        if constexpr (std::is_enum_v<T>) {
            option = value_of<T>(name, in.get_word("an option"));
        } else {
            option = in.get<T>("an option");
        }
    }
    template <class T>
    static void get_option(ByteReader& in, std::string_view, std::optional<T>& option) {
        if (in.get_flag("whether an option is set")) option = in.get<T>("an option");
    }

    // ---- counts -------------------------------------------------------------------------------------------------

    std::size_t get_n_classes(ByteReader& in, const TreeOptions& options) const {
        const auto n_classes = get_between<std::uint32_t>(in, 2, max_classes, "the classes of a tree");
        if (const auto reason = why_not(options.search_choice(n_classes))) throw ModelFormatError(*reason);
        // The root holds a count of each class, further on.
        in_.require(n_classes, sizeof(std::int64_t), "classes");
        return n_classes;
    }

    static void get_counts(ByteReader& in, TreeBody& tree, const GrowthPolicy& growth) {
        const auto n = get_between<std::int64_t>(in, 0, max_points, "the points of a tree");
        const auto n_met = get_between<std::int64_t>(in, 0, tree_format::largest_tally, "the points met by a tree");
        require_of_file(n == 0 || n_met > 0, "points that count must have been met", n);
        WeightRounding::State weights{};
        in.get_all(std::span<std::uint64_t>(weights), "the random numbers of weights");
        require_of_file(Random::moves(weights), "the random numbers of weights must not all be 0", 0);
        const auto n_born = get_between<std::uint64_t>(in, 1, tree_format::largest_tally, "the nodes ever made");
        TreeTally tally;
        for_each_count(tally, [&](std::string_view, std::int64_t& count) {
            count = get_between<std::int64_t>(in, 0, tree_format::largest_tally, "a count of what a tree has done");
        });
        require_of_file(tally.split + tally.resplit <= tally.tested, "splits must be at most as many as were tested",
                        tally.split + tally.resplit);
        require_of_file(tally.resplit == 0 || growth.counts_inner_nodes(),
                        "nodes must not be split anew in a tree whose inner nodes do not count", tally.resplit);
        require_of_file(static_cast<std::uint64_t>(tally.pruned) < n_born, "nodes given up must have been made",
                        tally.pruned);
        require_of_file(tally.paused == 0 || tree.options().max_bytes, "nodes must not be paused without max_bytes",
                        tally.paused);
        require_of_file(tally.resumed <= tally.paused, "nodes that begin again must have been paused", tally.resumed);
        require_end(in, "counts");
        tree.restore_counts(n, tally, n_born);
        tree.restore_weights(n_met, weights);
    }

    void get_mixing(ByteReader& in, Mixing& mixing, const TreeBody& tree) const {
        const auto n_points = get_between<std::int64_t>(in, 0, tree.n_met(), "the points that the trunk has learned");
        const auto n_active =
            get_between<std::int64_t>(in, 0, tree_format::largest_tally, "the features of the points of the trunk");
        mixing.restore(n_points, n_active);
        MixedTrunk& trunk = mixing.trunk();
        in.get_all(trunk.n_of_class(), "the points of the trunk");
        std::int64_t sum = 0;
        for (const std::int64_t count : trunk.n_of_class()) {
            require_of_file(0 <= count && count <= tree.n() - sum, "the points of the trunk must be counts of points",
                            count);
            sum += count;
        }
        const auto size = in.get<std::uint32_t>("the features of the trunk");
        require_of_file(size <= n_features_, "the features of the trunk must be features of the model", size);
        in.require(size, trunk.words_in_record() * sizeof(Word), "records of the trunk");
        get_words(in, {trunk.intercept(), trunk.counts_at()});
        check_regressions(trunk, trunk.intercept());
        trunk.cover(size);
        for (std::uint32_t i = 0; i < size; ++i) {
            Word* record = trunk.record(static_cast<FeatureId>(i));
            get_words(in, {record, trunk.words_in_record()});
            check_regressions(trunk, record);
            for (std::size_t k = 0; k < trunk.n_classes(); ++k) {
                const Count count = record[trunk.counts_at() + k].count;
                require_of_file(0 <= count && count <= trunk.n_of_class()[k],
                                "a feature must be on in at most the points of its class", count);
            }
        }
    }

    /// Checks each regression of a record with the sums of squares that serve all.
    static void check_regressions(const MixedTrunk& trunk, const Word* record) {
        const std::size_t n_outputs = trunk.n_outputs();
        std::vector<Word> one(2 * n_outputs);
        std::copy_n(record + trunk.squares_at(), n_outputs, one.begin() + static_cast<std::ptrdiff_t>(n_outputs));
        for (std::size_t t = 0; t < n_trunks; ++t) {
            std::copy_n(record + t * n_outputs, n_outputs, one.begin());
            check_weights(one, n_outputs);
        }
    }

    void get_trunk(ByteReader& in, Trunk& trunk) const {
        const auto size = in.get<std::uint32_t>("the features of the trunk");
        require_of_file(size <= n_features_, "the features of the trunk must be features of the model", size);
        const std::size_t record = 2 * trunk.n_outputs();
        in.require(std::uint64_t{size} + 1, record * sizeof(Word), "records of the trunk");
        get_words(in, {trunk.intercept(), record});
        trunk.cover(size);
        get_words(in, {trunk.record(0), size * record});
        check_weights({trunk.intercept(), record}, trunk.n_outputs());
        for (std::uint32_t i = 0; i < size; ++i) {
            check_weights({trunk.record(static_cast<FeatureId>(i)), record}, trunk.n_outputs());
        }
    }

    ByteReader in_;
    std::int64_t n_features_;
};

}  // namespace detail

/// The tree that was written as these bytes. `n_features`: its features must be below this.
///
/// The bytes may be anything: throws ModelFormatError unless they are what `write_tree` writes of some tree that can
/// be. Takes O(size log size) time, and memory in proportion to the bytes.
inline StreamingTree read_tree(std::span<const std::byte> bytes, std::int64_t n_features = std::int64_t{1} << 31) {
    return detail::TreeReader(bytes, n_features).read();
}

}  // namespace sapwood
