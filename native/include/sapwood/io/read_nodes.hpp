#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/io/attributes_section.hpp"
#include "sapwood/io/gaussians_section.hpp"
#include "sapwood/io/read_pages.hpp"
#include "sapwood/io/require.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/split_test/make_split_notes.hpp"

namespace sapwood::detail {

/// Where the models of leaves have what stands in other sections; null for a section that the tree has not.
struct ModelSections {
    PageReader* pages = nullptr;
    ByteReader* gaussians = nullptr;
    ByteReader* trunk_gaussians = nullptr;
};

/// Reads the nodes of a tree, each before its children, and refuses those that no tree can have.
class NodesReader {
public:
    NodesReader(ByteReader& in, TreeBody& tree, const GrowthPolicy& growth, const ModelSections& sections,
                std::int64_t n_features)
        : in_(in),
          tree_(tree),
          counts_inner_(growth.counts_inner_nodes()),
          forgets_(growth.forgets_points()),
          sections_(sections),
          n_features_(n_features) {}

    void read() {
        const auto n_nodes = in_.get<std::uint32_t>("the number of nodes");
        const std::size_t least = 3 * sizeof(std::uint8_t) + sizeof(std::uint64_t) + n_classes() * sizeof(std::int64_t);
        in_.require(n_nodes, least, "nodes");
        require_of_file(1 <= n_nodes && n_nodes <= static_cast<std::uint32_t>(max_points),
                        "the nodes must be from 1 to 2147483647", n_nodes);
        tree_.reserve_nodes(n_nodes);
        places_.push_back({});
        for (std::uint32_t i = 0; i < n_nodes; ++i) {
            require_of_file(!places_.empty(), "every node but the first must be the child of one before it", i);
            const Place place = places_.back();
            places_.pop_back();
            read_node(place);
        }
        require_of_file(places_.empty(), "every inner node must have two children", places_.size());
        const auto n_leaves = static_cast<std::int64_t>(tree_.nodes().n_leaves());
        require_of_file(!options().max_leaves || n_leaves <= *options().max_leaves, "leaves must be at most max_leaves",
                        n_leaves);
        check_births();
    }

private:
    /// A place for a node that has been announced by its parent, or by the node whose alternate it is.
    using Place = Nodes::Place;

    const TreeOptions& options() const { return tree_.options(); }
    std::size_t n_classes() const { return tree_.n_classes(); }

    void read_node(const Place& place) {
        const auto growth = in_.get<std::uint8_t>("the growth of a node");
        require_of_file(growth == static_cast<std::uint8_t>(options().growth),
                        "the growth of a node must be that of its tree", growth);
        const Test test = read_test();
        const bool is_leaf = test.kind() == TestKind::nothing;
        const bool is_root = place.parent == no_node && place.beside == no_node;
        const std::int32_t depth = place.beside != no_node ? tree_.nodes().depth(place.beside)
                                   : is_root               ? 0
                                                           : tree_.nodes().depth(place.parent) + 1;
        const bool may_split = options().may_split_at(depth);
        require_of_file(is_leaf || may_split, "inner nodes must be less deep than max_depth", depth);

        const auto born = in_.get<std::uint64_t>("when a node was made");
        Node node;
        node.of_class = in_.get_list<std::int64_t>(n_classes(), "the classes of a node");
        const std::int64_t n = sum_of(node.of_class, tree_.n(), "the points of a node");
        require_of_file(!(is_root && is_leaf) || tree_.following() || options().gives_up_points() || n == tree_.n(),
                        "a single node must have all points", n);
        require_of_file((born >= Nodes::first_born_beside) == is_in_alternate(place),
                        "the numbers of nodes must tell alternates from the tree", born);
        if (!is_leaf) read_split(node, place, n);
        node.statistics = read_statistics(node.of_class, is_leaf, may_split, n);
        if (is_leaf && sections_.pages != nullptr) {
            node.models = sections_.pages->get_models(in_, tree_.predictor().chooses());
            if (sections_.gaussians != nullptr) {
                get_gaussians(*sections_.gaussians, *node.models, tree_.attributes());
            }
            if (sections_.trunk_gaussians != nullptr) {
                node.models->mixer->weights[trunk_gaussians_expert] =
                    get_weight_of_gaussians(*sections_.trunk_gaussians);
            }
        }
        if (!is_leaf) node.statistics.keep(test);
        std::unique_ptr<NodeWatch> watch;
        bool has_alternate = false;
        if (tree_.following()) {
            watch = std::make_unique<NodeWatch>(tree_.following()->detector, 0);
            has_alternate = watch->load(in_, tree_.n_met());
            require_of_file(!has_alternate || !has_alternate_above(place),
                            "there must be one alternate on the way of a point", 1);
        }
        const NodeId at = tree_.restore_node(place, born, test, std::move(node), std::move(watch));
        if (!is_leaf) {
            places_.push_back({at, true, no_node});
            places_.push_back({at, false, no_node});
        }
        if (has_alternate) places_.push_back({no_node, false, at});
    }

    /// Whether a place is that of a node of an alternate.
    bool is_in_alternate(const Place& place) const {
        return place.beside != no_node || (place.parent != no_node && tree_.nodes().is_beside(place.parent));
    }

    /// Whether a place is in an alternate, or below a node that has one.
    bool has_alternate_above(const Place& place) const {
        if (is_in_alternate(place)) return true;
        for (NodeId at = place.parent; at != no_node; at = tree_.nodes().parent(at)) {
            if (tree_.watch(at).alternate != no_node) return true;
        }
        return false;
    }

    Test read_test() {
        const auto kind = get_between<std::uint8_t>(in_, 0, n_test_kinds - 1, "the kind of a test");
        if (kind == static_cast<std::uint8_t>(TestKind::nothing)) return Test();
        const Attributes& attributes = tree_.attributes();
        if (kind == static_cast<std::uint8_t>(TestKind::is_among)) {
            const auto size = in_.get<std::uint32_t>("the categories of a test");
            Test::Categories categories = get_ascending(in_, size, n_features_, "the categories of a test");
            require_of_file(size > 0, "the categories of a test must be at least one", size);
            const std::int32_t category = attributes.category_of(categories.front());
            const bool is_one = category >= 0 && std::all_of(categories.begin(), categories.end(), [&](FeatureId id) {
                                    return attributes.category_of(id) == category;
                                });
            require_of_file(is_one, "the categories of a test must be values of one attribute", categories.front());
            return Test::is_among(std::move(categories));
        }
        const auto feature = in_.get<FeatureId>("the feature of a test");
        if (kind == static_cast<std::uint8_t>(TestKind::is_on)) {
            require_of_file(0 <= feature && feature < n_features_,
                            "the feature of a test must be a feature of the model", feature);
            return Test(feature);
        }
        require_of_file(0 <= feature && attributes.knows(attribute_at(static_cast<std::size_t>(feature))),
                        "the number of a test must be a number of the model", feature);
        const bool missing_passes = in_.get_flag("whether a missing value passes");
        return Test::is_above(static_cast<AttributeId>(feature), get_finite(in_, "the threshold of a test"),
                              missing_passes);
    }

    void read_split(Node& node, const Place& place, std::int64_t n) {
        node.split.gain = get_finite(in_, "the gain of a split");
        require_of_file(node.split.gain >= 0, "the gain of a split must be at least 0", node.split.gain);
        node.split.margin = get_finite(in_, "the margin of a split");
        // A node is made by the split of its parent, and split by a later point, unless its test was moved.
        const NodeId parent = place.beside == no_node ? place.parent : tree_.nodes().parent(place.beside);
        const std::int64_t after = parent == no_node || options().restructures() ? 0 : tree_.node(parent).split.at;
        node.split.at = get_between<std::int64_t>(in_, after + 1, tree_.n(), "when a node was split");
        require_of_file(n <= node.split.at, "a node must be split on points that the tree had learned", n);
    }

    NodeStatistics read_statistics(const std::vector<std::int64_t>& of_class, bool is_leaf, bool may_split,
                                   std::int64_t n) {
        using State = NodeStatistics::State;
        const auto state = static_cast<State>(get_between<std::uint8_t>(in_, 0, 3, "the state of a node"));
        require_of_file((state == State::ended) == (!is_leaf && !counts_inner_),
                        "statistics must end with a split if inner nodes do not count, and only then",
                        static_cast<int>(state));
        if (state == State::ended) {
            std::vector<Count> counted(of_class.begin(), of_class.end());
            return NodeStatistics::restored(state, std::move(counted), static_cast<Count>(n), 0, 0, nullptr);
        }
        require_of_file((state == State::absent) == !may_split,
                        "nodes must have statistics, or have had them, unless they are at max_depth",
                        static_cast<int>(state));
        std::vector<Count> counted = in_.get_list<Count>(n_classes(), "the points counted by a node");
        const auto n_counted = static_cast<Count>(sum_of(counted, tree_.n(), "the points counted by a node"));
        const bool may_lack = forgets_ || options().samples();
        for (std::size_t k = 0; k < counted.size(); ++k) {
            require_of_file(
                is_leaf ? counted[k] <= of_class[k] : may_lack || counted[k] >= of_class[k],
                is_leaf ? "a leaf must count points that it has" : "an inner node must count the points it split",
                counted[k]);
        }
        const auto tested_at = get_between<Count>(in_, is_leaf || may_lack ? 0 : static_cast<Count>(n), n_counted,
                                                  "when a node was tested");
        if (state == State::counting) {
            std::unique_ptr<SplitSearch> search =
                make_search(tree_.search_choice(n_classes()), tree_.uses_attributes() ? &tree_.attributes() : nullptr);
            search->load(in_, {counted, n_features_});
            std::unique_ptr<SplitNotes> notes = make_split_notes(options());
            if (notes) notes->load(in_, *search);
            return NodeStatistics::restored(state, std::move(counted), tested_at, 0, 0, std::move(search),
                                            std::move(notes));
        }
        const std::int64_t most = (is_leaf && !forgets_ ? n : tree_.n()) - n_counted;
        const auto n_missed = get_between<std::int64_t>(in_, 0, most, "the points that a node did not count");
        if (state == State::absent) {
            require_of_file(n_counted == 0, "a node without statistics must count nothing", n_counted);
            return NodeStatistics::restored(state, std::move(counted), tested_at, n_missed, 0, nullptr);
        }
        require_of_file(options().max_bytes.has_value(), "nodes must not be paused without max_bytes", 1);
        const auto held =
            get_between<std::uint64_t>(in_, 0, tree_format::largest_tally, "the memory of a paused search");
        return NodeStatistics::restored(state, std::move(counted), tested_at, n_missed, static_cast<std::size_t>(held),
                                        nullptr);
    }

    /// The sum of counts, none of which is negative.
    template <class T>
    static std::int64_t sum_of(const std::vector<T>& counts, std::int64_t most, const char* what) {
        std::int64_t sum = 0;
        for (const T count : counts) {
            if (count < 0 || count > most - sum) {
                throw ModelFormatError(std::string(what) + " must be counts whose sum is at most " +
                                       std::to_string(most) + ", got " + std::to_string(count) + " after " +
                                       std::to_string(sum));
            }
            sum += count;
        }
        return sum;
    }

    /// No two nodes are made at once, and none before its parent.
    void check_births() const {
        const Nodes& nodes = tree_.nodes();
        std::vector<std::uint64_t> births;
        for (const NodeId at : tree_.all_nodes()) {
            const std::uint64_t born = nodes.born(at);
            const bool in_time = nodes.parent(at) == no_node || born > nodes.born(nodes.parent(at));
            const bool is_made =
                nodes.is_beside(at) ? born - Nodes::first_born_beside < nodes.n_born_beside() : born < n_born_;
            require_of_file(in_time && is_made, "nodes must be made after their parents", born);
            births.push_back(born);
        }
        std::sort(births.begin(), births.end());
        const auto twice = std::adjacent_find(births.begin(), births.end());
        require_of_file(twice == births.end(), "no two nodes must have the same number",
                        twice == births.end() ? 0 : *twice);
    }

    ByteReader& in_;
    TreeBody& tree_;
    bool counts_inner_;
    bool forgets_;
    ModelSections sections_;
    std::int64_t n_features_;
    std::uint64_t n_born_ = tree_.nodes().n_born();
    std::vector<Place> places_;
};

}  // namespace sapwood::detail
