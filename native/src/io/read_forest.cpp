#include "sapwood/io/read_forest.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/io/attributes_section.hpp"
#include "sapwood/io/forest_format.hpp"
#include "sapwood/io/gaussians_section.hpp"
#include "sapwood/io/option_bytes.hpp"
#include "sapwood/io/read_tree.hpp"
#include "sapwood/io/require.hpp"
#include "sapwood/io/sections.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/io/trunk_section.hpp"
#include "sapwood/io/write_tree.hpp"
#include "sapwood/storage/bytes.hpp"

namespace sapwood {

using namespace detail;

namespace {

/// Reads a forest section by section.
class ForestReader {
public:
    ForestReader(std::span<const std::byte> bytes, std::int64_t n_features)
        : sections_(ByteReader(bytes), "a forest"), n_features_(n_features) {}

    Forest read() {
        sections_.get_head(forest_format::magic, forest_format::version);
        const ForestOptions options = get_options(sections_.section("options"));
        Forest forest = get_counts(sections_.section("counts"), options);
        if (sections_.next_is("attributes")) {
            ByteReader in = sections_.section("attributes");
            n_features_ = get_attributes(in, forest.known(), n_features_, forest.n_met(), false);
            require_end(in, "attributes");
        }
        ByteReader trunk = sections_.section("trunk");
        if (forest.trunk()) get_mixing(trunk, *forest.trunk(), {forest.n_met(), forest.n(), n_features_});
        require_end(trunk, "trunk");
        if (sections_.next_is("trunk_gaussians")) {
            require_of_file(forest.trunk().has_value(),
                            "a forest that knows numbers as numbers must have leaves that mix", 0);
            ByteReader in = sections_.section("trunk_gaussians");
            get_trunk_gaussians(in, forest.trunk()->trunk(), forest.attributes());
            require_end(in, "trunk_gaussians");
            require_of_file(is_known(forest.trunk()->trunk().gaussians()),
                            "a section of numbers must say something of them", 0);
        }
        get_mixer(sections_.section("mixer"), forest);
        for (std::size_t t = 0; t < forest.n_trees(); ++t) {
            ByteReader in = sections_.section("tree");
            get_member(in, forest, t);
            require_end(in, "tree");
        }
        sections_.finish("tree");
        return forest;
    }

private:
    static ForestOptions get_options(ByteReader in) {
        ForestOptions options;
        as_format_error([&] {
            const auto get = [&](std::string_view name, auto& option) { get_option(in, name, option); };
            for_each_forest_option(options, get);
            for_each_option(options.tree, get);
            check_options(options);
        });
        require_end(in, "options");
        return options;
    }

    Forest get_counts(ByteReader in, const ForestOptions& options) {
        const auto n_classes = get_between<std::uint32_t>(in, 2, max_classes, "the classes of a forest");
        if (const auto reason = why_not(options.tree.search_choice(n_classes))) throw ModelFormatError(*reason);
        // Every tree has as many, further on; and each is as long as a section at least.
        sections_.in().require(n_classes, sizeof(std::int64_t), "classes");
        sections_.in().require(static_cast<std::uint64_t>(options.n_estimators), sizeof(std::int64_t), "trees");
        const auto n = get_between<std::int64_t>(in, 0, max_points, "the points of a forest");
        const auto n_met = get_between<std::int64_t>(in, 0, tree_format::largest_tally, "the points met by a forest");
        require_of_file(n == 0 || n_met > 0, "points that count must have been met", n);
        WeightRounding::State weights{};
        in.get_all(std::span<std::uint64_t>(weights), "the random numbers of weights");
        require_of_file(Random::moves(weights), "the random numbers of weights must not all be 0", 0);
        require_end(in, "counts");
        return Forest(options, {n_classes, n, n_met, weights});
    }

    static void get_mixer(ByteReader in, Forest& forest) {
        std::vector<double> weights(forest.mixer().n_experts());
        in.get_all(std::span<double>(weights), "the weights of trees");
        for (const double weight : weights) {
            require_of_file(std::isfinite(weight) && std::abs(weight) <= tree_format::largest_mix,
                            "the weights of trees must be finite and no larger than steps can make them", weight);
        }
        std::vector<std::int64_t> of_class(forest.mixer().adds_up() ? forest.n_classes() : 0);
        std::int64_t left = forest.n();
        for (std::int64_t& each : of_class) {
            each = get_between<std::int64_t>(in, 0, left, "the points of a class");
            left -= each;
        }
        require_of_file(of_class.empty() || left == 0, "the points of all classes must be those of the forest", left);
        if (forest.mixes()) forest.trust().restore(get_trust(in, forest.trust().n_answers()));
        require_end(in, "mixer");
        forest.restore_mixer(std::move(weights), std::move(of_class));
    }

    static std::vector<double> get_trust(ByteReader& in, std::size_t n_answers) {
        std::vector<double> trust(n_answers);
        in.get_all(std::span<double>(trust), "the trust in trees");
        double sum = 0;
        for (const double each : trust) {
            require_of_file(0 < each && each <= 1, "the trust in a tree must be above 0 and at most 1", each);
            sum += each;
        }
        require_of_file(std::abs(sum - 1) <= forest_format::rounding_of_trust, "the trust in trees must add up to 1",
                        sum);
        return trust;
    }

    void get_member(ByteReader& in, Forest& forest, std::size_t t) const {
        const auto n_made = get_between<std::uint64_t>(in, 1, tree_format::largest_tally, "the trees ever made");
        ForestTally tally;
        for_each_forest_count(tally, [&](std::string_view, std::int64_t& count) {
            count = get_between<std::int64_t>(in, 0, tree_format::largest_tally, "a count of what a forest has done");
        });
        require_of_file(tally.swapped + tally.reset <= static_cast<std::int64_t>(n_made),
                        "trees that took a place must have been made", tally.swapped + tally.reset);
        std::unique_ptr<WatchedTree> tree = get_watched(in, forest, t, n_made);
        std::unique_ptr<WatchedTree> background;
        if (in.get_flag("whether a tree is in the background")) {
            require_of_file(forest.options().on_drift == OnDrift::swap, "no tree must be in the background", 1);
            background = get_watched(in, forest, t, n_made);
            require_of_file(background->number != tree->number, "trees of one place must differ", background->number);
        }
        forest.member(t).restore(n_made, std::move(tree), std::move(background), tally);
    }

    std::unique_ptr<WatchedTree> get_watched(ByteReader& in, const Forest& forest, std::size_t t,
                                             std::uint64_t n_made) const {
        const auto number = get_between<std::uint64_t>(in, 0, n_made - 1, "the number of a tree");
        const auto n_asked = get_between<std::int64_t>(in, 0, forest.n_met(), "the points that a tree was asked about");
        const auto n_right = get_between<std::int64_t>(in, 0, n_asked, "the points that a tree was right about");
        const RecentError recent_error = get_recent_error(in, forest.options().combining);
        std::optional<Adwin> warning =
            get_detector(in, forest.options().on_drift == OnDrift::swap, forest.options().warning_delta);
        std::optional<Adwin> drift =
            get_detector(in, forest.options().on_drift != OnDrift::nothing, forest.options().drift_delta);
        const auto size = in.get<std::uint64_t>("the size of a tree");
        in.require(size, 1, "a tree");
        StreamingTree tree = read_shared_tree(in.get_part(static_cast<std::size_t>(size)), n_features_,
                                              {forest.shared_known(), forest.options().of_tree(t).points_per_count});
        check_tree(tree, forest, t, number);
        auto made = std::make_unique<WatchedTree>(forest.options(), std::move(tree), number);
        made->n_asked = n_asked;
        made->n_right = n_right;
        made->recent_error = recent_error;
        made->detectors.restore(std::move(warning), std::move(drift));
        return made;
    }

    static RecentError get_recent_error(ByteReader& in, Combining combining) {
        if (combining != Combining::inverse_error) return {};
        const auto all = get_finite(in, "the share of the answers of a tree");
        require_of_file(0 <= all && all <= 1, "the share of the answers of a tree must be from 0 to 1", all);
        const auto wrong = get_finite(in, "the share of the wrong answers of a tree");
        require_of_file(0 <= wrong && wrong <= all, "the wrong answers of a tree must be at most all", wrong);
        return {wrong, all};
    }

    static std::optional<Adwin> get_detector(ByteReader& in, bool is_there, double delta) {
        if (!is_there) return std::nullopt;
        Adwin detector(AdwinOptions{.delta = delta});
        detector.load(in);
        return detector;
    }

    /// A tree must be one that the forest can have.
    static void check_tree(const StreamingTree& tree, const Forest& forest, std::size_t t, std::uint64_t number) {
        ByteWriter expected;
        ByteWriter found;
        const TreeOptions options = forest.options().of_tree(t);
        for_each_option(options,
                        [&](std::string_view name, const auto& option) { put_option(expected, name, option); });
        for_each_option(tree.options(),
                        [&](std::string_view name, const auto& option) { put_option(found, name, option); });
        if (expected.take() != found.take()) {
            throw ModelFormatError("the trees of a forest must have its options, got others");
        }
        require_of_file(tree.n_classes() == forest.n_classes(), "the trees of a forest must have its classes",
                        tree.n_classes());
        require_of_file(tree.n_met() <= forest.n_met(), "a tree must have met at most the points of its forest",
                        tree.n_met());
        if (const auto& mixing = tree.body().predictor().mixing()) {
            require_of_file(mixing->n_points() == 0,
                            "the trunk of a tree must be that of its forest, of its own points", mixing->n_points());
            require_of_file(!is_known(mixing->trunk().gaussians()),
                            "the numbers of the trunk of a tree must be those of its forest", 1);
        }
        const auto candidates = forest.member(t).candidates(number);
        if (!candidates) return;
        for (const NodeId at : tree.nodes().in_order()) {
            if (tree.nodes().is_leaf(at)) continue;
            require_of_file(candidates->admits(tree.nodes().test(at), tree.attributes(), tree.nodes().born(at)),
                            "a node must test a feature that it may split on", at);
        }
    }

    SectionReader sections_;
    std::int64_t n_features_;
};

}  // namespace

Forest read_forest(std::span<const std::byte> bytes, std::int64_t n_features) {
    return ForestReader(bytes, n_features).read();
}

StreamingTree copy_of_tree(Forest& forest, std::size_t t, std::int64_t n_features) {
    const std::string bytes = write_shared_tree(forest.member(t).tree());
    auto known = std::make_shared<KnownAttributes>(forest.known());
    StreamingTree copy = read_shared_tree(ByteReader(std::as_bytes(std::span(bytes))), n_features,
                                          {std::move(known), forest.options().of_tree(t).points_per_count});
    if (forest.trunk()) copy.adopt_trunk(*forest.trunk());
    if (const auto candidates = forest.member(t).candidates(forest.member(t).watched().number)) {
        copy.restrict_splits(*candidates);
    }
    return copy;
}

}  // namespace sapwood
