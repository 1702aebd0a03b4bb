#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/io/read_pages.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

namespace detail {

class TreeReader {
public:
    TreeReader(std::span<const std::byte> bytes, std::int64_t n_features) : in_(bytes), n_features_(n_features) {}

    StreamingTree read() {
        const std::string magic = in_.get_raw(tree_format::magic.size(), "the magic of a tree");
        if (magic != tree_format::magic) throw ModelFormatError("a tree must start with its magic, got other bytes");
        const auto version = in_.get<std::uint32_t>("a version");
        require(version == tree_format::version, "the version of a tree must be 1", version);
        TreeOptions options = get_options();
        const std::size_t n_classes = get_n_classes(options);
        TreeState state(std::move(options), n_classes);
        state.n = get_between<std::int64_t>(0, max_points, "the points of a tree");
        get_tally(state);
        if (state.layout.keeps_logistic) get_trunk(state);
        std::optional<PageReader> pages;
        if (state.layout.keeps_anything()) pages.emplace(in_, *state.pool, state.layout, state.n, n_features_);
        get_nodes(state, pages ? &*pages : nullptr);
        if (pages) pages->finish();
        require(in_.left() == 0, "a tree must end with its last node", std::to_string(in_.left()) + " bytes more");
        check_births(state);
        return StreamingTree(std::move(state));
    }

private:
    static void require(bool holds, const char* what, const std::string& got) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got " + got);
    }
    template <class T>
    static void require(bool holds, const char* what, T got) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got " + std::to_string(got));
    }

    template <class T>
    T get_between(T least, T most, const char* what) {
        const T value = in_.get<T>(what);
        if (value < least || value > most) {
            throw ModelFormatError(std::string(what) + " must be from " + std::to_string(least) + " to " +
                                   std::to_string(most) + ", got " + std::to_string(value));
        }
        return value;
    }

    double get_finite(const char* what) {
        const auto value = in_.get<double>(what);
        if (!std::isfinite(value))
            throw ModelFormatError(std::string(what) + " must be finite, got " + shortest(value));
        return value;
    }

    // ---- what stands before the nodes ---------------------------------------------------------------------------

    TreeOptions get_options() {
        TreeOptions options;
        options.growth = in_.get_word("the options");
        options.criterion = in_.get_word("the options");
        options.search = in_.get_word("the options");
        options.alpha = in_.get<double>("the options");
        options.split_test = in_.get_word("the options");
        options.delta = in_.get<double>("the options");
        options.tau = in_.get<double>("the options");
        options.grace_period = in_.get<Count>("the options");
        options.min_samples_reevaluate = in_.get<Count>("the options");
        options.min_gain = in_.get<double>("the options");
        options.max_depth = get_optional<std::int64_t>();
        options.max_leaves = get_optional<std::int64_t>();
        options.max_bytes = get_optional<std::int64_t>();
        options.leaf_prediction = in_.get_word("the options");
        options.seed = get_optional<std::uint64_t>();
        as_format_error([&] { check_options(options); });
        return options;
    }

    template <class T>
    std::optional<T> get_optional() {
        if (!in_.get_flag("whether an option is set")) return std::nullopt;
        return in_.get<T>("the options");
    }

    /// Lets what refuses parts of a tree by its own exceptions refuse bytes by ours.
    template <class Call>
    static void as_format_error(Call call) {
        try {
            call();
        } catch (const std::invalid_argument& error) {
            throw ModelFormatError(error.what());
        }
    }

    std::size_t get_n_classes(const TreeOptions& options) {
        const auto n_classes = get_between<std::uint32_t>(2, max_classes, "the classes of a tree");
        if (const auto reason = why_not(options.search_choice(n_classes))) throw ModelFormatError(*reason);
        // The root holds a count of each class.
        in_.require(n_classes, sizeof(std::int64_t), "classes");
        return n_classes;
    }

    void get_tally(TreeState& state) {
        TreeTally& tally = state.tally;
        for (std::int64_t* count :
             {&tally.tested, &tally.split, &tally.resplit, &tally.pruned, &tally.paused, &tally.resumed}) {
            *count = get_between<std::int64_t>(0, tree_format::largest_tally, "a count of what a tree has done");
        }
        require(tally.split + tally.resplit <= tally.tested, "splits must be at most as many as were tested",
                tally.split + tally.resplit);
        require(tally.resplit == 0 || state.options.growth == "extremely_fast",
                "nodes must not be split anew in a tree of growth 'hoeffding'", tally.resplit);
        require(tally.pruned <= 2 * (tally.split + tally.resplit), "nodes given up must have been made", tally.pruned);
        require(tally.paused == 0 || state.options.max_bytes, "nodes must not be paused without max_bytes",
                tally.paused);
        require(tally.resumed <= tally.paused, "nodes that begin again must have been paused", tally.resumed);
    }

    void get_trunk(TreeState& state) {
        const auto size = in_.get<std::uint32_t>("the features of the trunk");
        require(size <= n_features_, "the features of the trunk must be features of the model", size);
        const std::size_t record = 2 * state.trunk.n_outputs();
        in_.require(std::uint64_t{size} + 1, record * sizeof(Word), "records of the trunk");
        get_words(in_, {state.trunk.intercept(), record});
        state.trunk.cover(size);
        get_words(in_, {state.trunk.record(0), size * record});
        check_weights({state.trunk.intercept(), record}, state.trunk.n_outputs());
        for (std::uint32_t i = 0; i < size; ++i) {
            check_weights({state.trunk.record(static_cast<FeatureId>(i)), record}, state.trunk.n_outputs());
        }
    }

    // ---- nodes --------------------------------------------------------------------------------------------------

    /// A place for a node that has been announced by its parent.
    struct Place {
        NodeId parent;
        std::size_t side;
    };

    void get_nodes(TreeState& state, PageReader* pages) {
        const auto n_nodes = in_.get<std::uint32_t>("the number of nodes");
        const std::uint64_t expected = state.tally.n_born() - static_cast<std::uint64_t>(state.tally.pruned);
        require(n_nodes == expected, "the nodes must be those made and not given up", n_nodes);
        const std::size_t least =
            sizeof(FeatureId) + sizeof(Node::born) + state.layout.n_classes * sizeof(std::int64_t);
        in_.require(n_nodes, least, "nodes");
        require(n_nodes <= static_cast<std::uint32_t>(max_points), "the nodes must be at most 2147483647", n_nodes);
        state.nodes.reserve(n_nodes);
        state.tests.reserve(n_nodes);
        std::vector<Place> places{{no_node, 0}};
        std::size_t n_leaves = 0;
        for (std::uint32_t i = 0; i < n_nodes; ++i) {
            require(!places.empty(), "every node but the first must be the child of one before it", i);
            const Place place = places.back();
            places.pop_back();
            const auto at = static_cast<NodeId>(i);
            state.tests.emplace_back();
            state.nodes.emplace_back();
            if (place.parent != no_node) state.tests[static_cast<std::size_t>(place.parent)].child[place.side] = at;
            get_node(state, pages, place);
            if (state.tests.back().is_leaf()) {
                ++n_leaves;
            } else {
                places.push_back({at, 1});
                places.push_back({at, 0});
            }
        }
        require(places.empty(), "every inner node must have two children", places.size());
        require(!state.options.max_leaves || static_cast<std::int64_t>(n_leaves) <= *state.options.max_leaves,
                "leaves must be at most max_leaves", n_leaves);
    }

    void get_node(TreeState& state, PageReader* pages, const Place& place) {
        Node& node = state.nodes.back();
        Route& test = state.tests.back();
        test.feature = in_.get<FeatureId>("the feature of a node");
        const bool is_leaf = test.is_leaf();
        require(is_leaf || (0 <= test.feature && test.feature < n_features_),
                "the feature of a node must be a feature of the model, or -1", test.feature);
        node.parent = place.parent;
        const Node* parent = place.parent == no_node ? nullptr : &state.nodes[static_cast<std::size_t>(place.parent)];
        node.depth = parent == nullptr ? 0 : parent->depth + 1;
        const bool may_split = !state.options.max_depth || node.depth < *state.options.max_depth;
        require(is_leaf || may_split, "inner nodes must be less deep than max_depth", node.depth);
        node.born = in_.get<std::uint64_t>("when a node was made");
        node.of_class = in_.get_list<std::int64_t>(state.layout.n_classes, "the classes of a node");
        const std::int64_t n = sum_of(node.of_class, state.n, "the points of a node");
        require(!(parent == nullptr && is_leaf) || n == state.n, "a single node must have all points", n);
        if (!is_leaf) {
            node.gain = get_finite("the gain of a split");
            require(node.gain >= 0, "the gain of a split must be at least 0", node.gain);
            node.margin = get_finite("the margin of a split");
            // A node is made by the split of its parent, and split by a later point.
            const std::int64_t after = parent == nullptr ? 0 : parent->split_at;
            node.split_at = get_between<std::int64_t>(after + 1, state.n, "when a node was split");
            require(n <= node.split_at, "a node must be split on points that were there", n);
            if (state.options.growth == "hoeffding") {
                node.counted.assign(node.of_class.begin(), node.of_class.end());
                node.n_counted = node.tested_at = static_cast<Count>(n);
                return;
            }
        }
        get_statistics(state, node, is_leaf, may_split, n);
        if (is_leaf && pages != nullptr) node.models = pages->get_models(state.options.leaf_prediction == "adaptive");
    }

    void get_statistics(const TreeState& state, Node& node, bool is_leaf, bool may_split, std::int64_t n) {
        node.counted = in_.get_list<Count>(state.layout.n_classes, "the points counted by a node");
        node.n_counted = static_cast<Count>(sum_of(node.counted, state.n, "the points counted by a node"));
        for (std::size_t k = 0; k < node.counted.size(); ++k) {
            require(is_leaf ? node.counted[k] <= node.of_class[k] : node.counted[k] >= node.of_class[k],
                    is_leaf ? "a leaf must count points that it has" : "an inner node must count the points it split",
                    node.counted[k]);
        }
        node.tested_at =
            get_between<Count>(is_leaf ? 0 : static_cast<Count>(n), node.n_counted, "when a node was tested");
        const auto kind =
            get_between<std::uint8_t>(tree_format::without_search, tree_format::paused, "a state of a node");
        require((kind == tree_format::without_search) == !may_split,
                "nodes must have a search, or had one, unless they are as deep as max_depth", kind);
        if (kind == tree_format::with_search) {
            node.search = make_search(state.options.search_choice(state.layout.n_classes));
            node.search->load(in_, {node.counted, n_features_});
            return;
        }
        const std::int64_t most = (is_leaf ? n : state.n) - node.n_counted;
        node.n_paused = get_between<std::int64_t>(0, most, "the points that reached a node without a search");
        if (kind == tree_format::without_search) {
            require(node.n_counted == 0, "a node without a search must count nothing", node.n_counted);
            return;
        }
        require(state.options.max_bytes.has_value(), "nodes must not be paused without max_bytes", 1);
        node.paused = true;
        node.paused_bytes = static_cast<std::size_t>(
            get_between<std::uint64_t>(0, tree_format::largest_tally, "the memory of a paused search"));
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

    /// The root is the first node made, and every split makes two: the child for off, then the one for on.
    static void check_births(const TreeState& state) {
        std::vector<std::uint64_t> pairs;
        for (std::size_t i = 0; i < state.nodes.size(); ++i) {
            if (i == 0) require(state.nodes[0].born == 0, "the root must be made first", state.nodes[0].born);
            if (state.tests[i].is_leaf()) continue;
            const std::uint64_t off = state.nodes[static_cast<std::size_t>(state.tests[i].child[0])].born;
            const std::uint64_t on = state.nodes[static_cast<std::size_t>(state.tests[i].child[1])].born;
            require(off % 2 == 1 && on == off + 1 && on < state.tally.n_born() && off > state.nodes[i].born,
                    "the children of a node must be made together, after it", off);
            pairs.push_back(off);
        }
        std::sort(pairs.begin(), pairs.end());
        const auto twice = std::adjacent_find(pairs.begin(), pairs.end());
        require(twice == pairs.end(), "no two nodes must be made at once", twice == pairs.end() ? 0 : *twice);
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
