#include "sapwood/io/read_tree.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sapwood/io/attributes_section.hpp"
#include "sapwood/io/check_kept_points.hpp"
#include "sapwood/io/option_bytes.hpp"
#include "sapwood/io/read_nodes.hpp"
#include "sapwood/io/read_pages.hpp"
#include "sapwood/io/require.hpp"
#include "sapwood/io/sections.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/io/trunk_section.hpp"
#include "sapwood/tree/growth/make_growth.hpp"

namespace sapwood {

using namespace detail;

namespace {

/// Reads a tree section by section; read_nodes.hpp reads its nodes.
class TreeReader {
public:
    TreeReader(ByteReader in, std::int64_t n_features, SharedParts shared = {})
        : sections_(in, "a tree"), n_features_(n_features), shared_(std::move(shared)) {}

    StreamingTree read() {
        sections_.get_head(tree_format::magic, tree_format::version);
        TreeOptions options = get_options(sections_.section("options"));
        options.points_per_count = shared_.points_per_count;
        ByteReader counts = sections_.section("counts");
        const std::size_t n_classes = get_n_classes(counts, options);
        const bool shares = shared_.known != nullptr;
        TreeBody tree(options, n_classes, std::move(shared_.known));
        std::unique_ptr<GrowthPolicy> growth = make_growth(options);
        get_counts(counts, tree, *growth);

        if (shares) {
            if (!tree.attributes().empty()) tree.use_attributes();
        } else if (sections_.next_is("attributes")) {
            ByteReader attributes = sections_.section("attributes");
            n_features_ =
                get_attributes(attributes, tree.known(), n_features_, tree.n_met(), options.growth == Growth::batch);
            require_end(attributes, "attributes");
            tree.use_attributes();
        }

        const ModelLayout& layout = tree.predictor().layout();
        ByteReader models = sections_.section("models");
        LeafPredictor& predictor = tree.restored_predictor();
        get_shared(models, predictor.shared(), tree);
        if (options.follows_change() && models.get_flag("whether the root has an alternate")) {
            predictor.begin_beside();
            get_shared(models, *predictor.beside(), tree);
        }
        std::optional<PageReader> pages;
        if (layout.keeps_anything()) {
            pages.emplace(models, predictor.pool(), layout, tree.n(), n_features_);
        }
        require_end(models, "models");

        std::optional<ByteReader> gaussians = get_section_of_numbers("gaussians", tree);
        std::optional<ByteReader> trunk_gaussians = get_section_of_numbers("trunk_gaussians", tree);
        if (trunk_gaussians) {
            get_trunk_gaussians(*trunk_gaussians, predictor.mixing()->trunk(), tree.attributes());
            if (predictor.beside()) {
                get_trunk_gaussians(*trunk_gaussians, predictor.beside()->mixing->trunk(), tree.attributes());
            }
        }

        ByteReader nodes = sections_.section("nodes");
        NodesReader(nodes, tree, *growth,
                    {pages ? &*pages : nullptr, gaussians ? &*gaussians : nullptr,
                     trunk_gaussians ? &*trunk_gaussians : nullptr},
                    n_features_)
            .read();
        if (gaussians) require_end(*gaussians, "gaussians");
        if (trunk_gaussians) require_end(*trunk_gaussians, "trunk_gaussians");
        require_of_file((!gaussians || has_gaussians(tree)) && (!trunk_gaussians || has_trunk_gaussians(tree)),
                        "a section of numbers must say something of them", 0);
        const bool has_beside = tree.following() && tree.watch(Nodes::root).alternate != no_node;
        require_of_file(predictor.beside().has_value() == has_beside,
                        "an alternate of the root must have a trunk of its own, and no other alternate", has_beside);
        if (pages) pages->finish();
        require_end(nodes, "nodes");

        ByteReader rest = sections_.section("growth");
        growth->load(rest, tree, n_features_);
        require_end(rest, "growth");
        sections_.finish("growth");
        StreamingTree made(std::move(tree), std::move(growth));
        try {
            // What each part was checked for alone, now together: that nodes and points add up.
            made.validate_nodes();
        } catch (const std::logic_error& error) {
            throw ModelFormatError(error.what());
        }
        check_kept_points(made.body());
        return made;
    }

private:
    // ---- options ------------------------------------------------------------------------------------------------

    static TreeOptions get_options(ByteReader in) {
        TreeOptions options;
        as_format_error([&] {
            for_each_option(options, [&](std::string_view name, auto& option) { get_option(in, name, option); });
            check_options(options);
        });
        require_end(in, "options");
        return options;
    }

    // ---- counts -------------------------------------------------------------------------------------------------

    std::size_t get_n_classes(ByteReader& in, const TreeOptions& options) const {
        const auto n_classes = get_between<std::uint32_t>(in, 2, max_classes, "the classes of a tree");
        if (const auto reason = why_not(options.search_choice(n_classes))) throw ModelFormatError(*reason);
        // The root holds a count of each class, further on.
        sections_.in().require(n_classes, sizeof(std::int64_t), "classes");
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
        std::uint64_t n_beside = 0;
        if (tree.following()) {
            n_beside =
                get_between<std::uint64_t>(in, 0, tree_format::largest_tally, "the nodes ever made in alternates");
            tree.restore_births_beside(n_beside);
        }
        TreeTally tally;
        for_each_count(tally, [&](std::string_view, std::int64_t& count) {
            count = get_between<std::int64_t>(in, 0, tree_format::largest_tally, "a count of what a tree has done");
        });
        require_of_file(tally.split + tally.resplit <= tally.tested, "splits must be at most as many as were tested",
                        tally.split + tally.resplit);
        require_of_file(tally.resplit == 0 || growth.counts_inner_nodes(),
                        "nodes must not be split anew in a tree whose inner nodes do not count", tally.resplit);
        require_of_file(static_cast<std::uint64_t>(tally.pruned) < n_born + n_beside,
                        "nodes given up must have been made", tally.pruned);
        require_of_file(tally.paused == 0 || tree.options().max_bytes, "nodes must not be paused without max_bytes",
                        tally.paused);
        require_of_file(tally.resumed <= tally.paused, "nodes that begin again must have been paused", tally.resumed);
        require_end(in, "counts");
        tree.restore_counts(n, tally, n_born);
        tree.restore_weights(n_met, weights);
    }

    /// A section that only trees have whose leaves mix, and learn point by point.
    std::optional<ByteReader> get_section_of_numbers(std::string_view name, const TreeBody& tree) {
        if (!sections_.next_is(name)) return std::nullopt;
        require_of_file(tree.predictor().layout().mixes && tree.options().growth != Growth::batch,
                        "a tree that knows numbers as numbers must have leaves that mix, and learn point by point",
                        std::string(word_of(tree.options().growth)));
        return sections_.section(name);
    }

    void get_shared(ByteReader& in, SharedModels& shared, const TreeBody& tree) const {
        if (shared.mixing) {
            get_mixing(in, *shared.mixing, {tree.n_met(), tree.n(), n_features_});
        } else if (tree.predictor().layout().keeps_logistic) {
            get_trunk(in, shared.trunk);
        }
    }

    void get_trunk(ByteReader& in, Trunk& trunk) const {
        const auto size = in.get<std::uint32_t>("the features of the trunk");
        require_of_file(size <= n_features_, "the features of the trunk must be features of the model", size);
        const std::size_t record = 2 * trunk.n_outputs();
        in.require(std::uint64_t{size} + 1, record * sizeof(Word), "records of the trunk");
        const auto get_record = [&](Word* weights) {
            Word* squares = weights + trunk.room();
            get_words(in, {weights, trunk.n_outputs()});
            get_words(in, {squares, trunk.n_outputs()});
            check_weights(weights, squares, trunk.n_outputs());
        };
        get_record(trunk.intercept());
        trunk.cover(size);
        for (std::uint32_t i = 0; i < size; ++i) get_record(trunk.record(static_cast<FeatureId>(i)));
    }

    SectionReader sections_;
    std::int64_t n_features_;
    SharedParts shared_;
};

}  // namespace

StreamingTree read_tree(std::span<const std::byte> bytes, std::int64_t n_features) {
    return TreeReader(ByteReader(bytes), n_features).read();
}

StreamingTree read_shared_tree(ByteReader in, std::int64_t n_features, SharedParts shared) {
    return TreeReader(in, n_features, std::move(shared)).read();
}

}  // namespace sapwood
