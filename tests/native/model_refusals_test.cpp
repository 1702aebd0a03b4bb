// Trees as bytes: whatever bytes are read is a whole tree, and nothing else is ever read.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "counted_memory.hpp"
#include "model_trees.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/x_log_x.hpp"
#include "streams.hpp"

namespace {

using namespace sapwood;
using namespace sapwood::model_trees;

/// The message that bytes are refused with; empty if they are not.
std::string refusal(std::string_view bytes, std::int64_t n_features = std::int64_t{1} << 31) {
    try {
        read_tree(std::as_bytes(std::span(bytes.data(), bytes.size())), n_features);
    } catch (const ModelFormatError& error) {
        return error.what();
    }
    return "";
}

/// Small trees of many kinds, and their bytes.
struct SmallTree {
    std::string name;
    std::string bytes;
    std::size_t n_classes;
};

/// A tree two nodes of which have given up their statistics.
StreamingTree paused_tree() {
    TreeOptions options;
    options.growth = Growth::extremely_fast;
    options.leaf_prediction = LeafPrediction::naive_bayes;
    options.delta = 0.1;
    options.max_bytes = least_max_bytes;
    StreamingTree tree(options);
    learn(tree, streams::make("pure at the end", 60, 5, 3));
    CHECK(tree.nodes().n_nodes() == 3);
    TreeBody made(options, 2);
    TreeTally tally = tree.tally();
    tally.paused = 2;
    made.restore_counts(tree.n() + 1, tally, tree.nodes().n_born());
    const std::vector<NodeId> order = tree.nodes().in_order();
    for (const NodeId at : order) {
        const Node& from = tree.node(at);
        const NodeStatistics& counted = from.statistics;
        Node to;
        to.of_class = from.of_class;
        to.split = from.split;
        const bool pauses = at == order.front() || at == order.back();
        to.statistics =
            NodeStatistics::restored(pauses ? NodeStatistics::State::paused : NodeStatistics::State::counting,
                                     counted.counted(), counted.tested_at(), at == order.front() ? 1 : 0,
                                     pauses ? 1234 : 0, pauses ? nullptr : counted.search()->clone());
        if (from.models) to.models = made.restored_predictor().make_models();
        const NodeId parent = tree.nodes().parent(at);
        const bool passes = parent != no_node && tree.nodes().child(parent, true) == at;
        // The nodes are in order, and so have the same ids.
        made.restore_node({parent, passes}, tree.nodes().born(at), tree.nodes().test(at), std::move(to), nullptr);
    }
    return StreamingTree(std::move(made), make_growth(options));
}

std::vector<SmallTree> small_models() {
    std::vector<SmallTree> models;
    const auto add = [&](std::string name, StreamingTree tree) {
        const std::size_t n_classes = tree.n_classes();
        models.push_back({std::move(name), write_tree(tree), n_classes});
        CHECK(models.back().bytes.size() < 6000);
    };
    const auto grown = [](TreeOptions options, std::size_t n_classes, std::string_view stream, int n) {
        options.delta = 0.2;
        StreamingTree tree(std::move(options));
        tree.cover_classes(n_classes);
        learn(tree, streams::make(stream, n, 6, 3, static_cast<int>(n_classes)));
        return tree;
    };
    TreeOptions options;
    add("empty", grown(options, 2, "plain", 0));
    add("hoeffding certified adaptive", grown(options, 2, "pure at the end", 120));
    options.growth = Growth::extremely_fast;
    options.search = SearchKind::exhaustive;
    options.leaf_prediction = LeafPrediction::majority;
    add("extremely_fast exhaustive majority", grown(options, 3, "label flips", 150));
    options.search = SearchKind::approximate;
    options.leaf_prediction = LeafPrediction::logistic;
    add("extremely_fast approximate entropy logistic", grown(options, 2, "taking turns", 150));
    options.growth = Growth::hoeffding;
    options.criterion = Criterion::gini;
    options.leaf_prediction = LeafPrediction::naive_bayes;
    add("hoeffding approximate gini naive_bayes", grown(options, 2, "falling gain", 150));
    options.search = SearchKind::certified;
    options.leaf_prediction = LeafPrediction::adaptive;
    options.max_depth = 1;
    options.max_leaves = 9;
    options.seed = 7;
    add("as deep as may be", grown(options, 3, "pure at the end", 80));
    options = TreeOptions();
    options.growth = Growth::streaming;
    options.split_test = SplitTestKind::evidence;
    options.leaf_prediction = LeafPrediction::mixed;
    add("streaming evidence mixed", grown(options, 2, "pure at the end", 120));
    add("streaming evidence mixed, three classes", grown(options, 3, "label flips", 60));
    add("paused", paused_tree());
    add("typed", typed_tree());
    add("numbers, streaming evidence mixed", tree_of_numbers(options, 2, 120));
    options.growth = Growth::extremely_fast;
    options.split_test = SplitTestKind::hoeffding;
    options.leaf_prediction = LeafPrediction::majority;
    options.max_leaves = 4;
    add("numbers, extremely_fast majority", tree_of_numbers(options, 3, 150));
    return models;
}

/// Each point is counted in a leaf or in the node that was split on it, and is in one leaf at most.
void points_that_do_not_add_up_are_refused() {
    const auto refused = [](std::int64_t n, std::int64_t in_leaf) {
        StreamingTree tree = chain(5, n, in_leaf);
        return refusal(write_tree(tree));
    };
    CHECK(refused(5, 0).empty());
    CHECK(refused(6, 0) == "a tree is broken: points were lost");
    CHECK(refused(5, 1) == "a tree is broken: leaves have more points than the tree");
}

void refusals_say_what_must_hold(const std::vector<SmallTree>& models) {
    const std::string& right = models[1].bytes;
    CHECK(refusal(right).empty());
    CHECK(refusal("") ==
          "the bytes must hold the magic of a tree, which take at least 1 bytes each, got 8 of them and 0 bytes");
    std::string wrong = right;
    wrong[3] = 'x';
    CHECK(refusal(wrong) == "a tree must start with its magic, got other bytes");
    wrong = right;
    wrong[8] = 1;
    CHECK(refusal(wrong) == "the version of a tree must be 4, got 1");
    CHECK(refusal(right + "x") == "a tree must end with its section 'growth', got 1 bytes more");
    const auto replaced = [&](std::string_view what, std::string_view by) {
        std::string other = right;
        return other.replace(other.find(what), what.size(), by);
    };
    CHECK(refusal(replaced("counts", "window")) ==
          "a tree must have the section 'counts' here, got 'window': it may have been written by another version of "
          "sapwood");
    CHECK(refusal(replaced("min_gain", "min_pain")) == "a tree must have the option 'min_gain' here, got 'min_pain'");
    CHECK(refusal(replaced("hoeffding", "Hoeffding")) ==
          "growth must be one of 'hoeffding', 'extremely_fast', 'streaming', 'windowed', 'adaptive', 'batch', "
          "'adaptive_size', got "
          "'Hoeffding'");
    CHECK(refusal(right, 6).empty());
    CHECK(refusal(right, 3).find("features of the model") != std::string::npos);
}

void nothing_that_ends_early_is_read(const std::vector<SmallTree>& models) {
    for (const SmallTree& model : models) {
        for (std::size_t size = 0; size < model.bytes.size(); ++size) {
            if (!CHECK(!refusal(std::string_view(model.bytes).substr(0, size)).empty())) return;
        }
    }
}

std::string mutated(const std::vector<SmallTree>& models, const std::string& original, std::mt19937& random) {
    std::string bytes = original;
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
    const auto extreme = [&] {
        constexpr std::array<std::uint64_t, 16> values{0,
                                                       1,
                                                       2,
                                                       0x7F,
                                                       0x80,
                                                       0xFF,
                                                       0xFFFF,
                                                       0x7FFFFFFF,
                                                       0x80000000,
                                                       0xFFFFFFFE,
                                                       0xFFFFFFFF,
                                                       0x7F800000,
                                                       0x7FC00000,
                                                       0xFF800000,
                                                       0x7FF0000000000000,
                                                       0x7FFFFFFFFFFFFFFF};
        return values[below(values.size())] * (random() % 16 == 0 ? 0xFFFFFFFFFFFFFFFF : 1);
    };
    const std::size_t edits = random() % 4 == 0 ? 1 + below(3) : 1;
    for (std::size_t edit = 0; edit < edits && !bytes.empty(); ++edit) {
        const std::size_t at = below(bytes.size());
        switch (below(8)) {
            case 0:
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 2:
                bytes[at] = static_cast<char>(random());
                break;
            case 3:
            case 4: {
                // A number of two, four or eight bytes, as lengths and counts are.
                const std::uint64_t value = extreme();
                const std::size_t size = std::size_t{2} << below(3);
                for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i) {
                    bytes[at + i] = static_cast<char>(value >> (8 * i));
                }
                break;
            }
            case 5:
                bytes.resize(at);
                break;
            case 6:
                if (random() % 2 == 0) {
                    bytes.insert(at, 1 + below(16), static_cast<char>(random() % 3 == 0 ? random() : 0));
                } else {
                    bytes.erase(at, 1 + below(16));
                }
                break;
            default: {
                // A piece of another model, or of this one from elsewhere.
                const std::string& other = models[below(models.size())].bytes;
                const std::size_t from = random() % 2 == 0 ? std::min(at, other.size()) : below(other.size());
                const std::size_t size = random() % 2 == 0 ? other.size() - from : below(64);
                bytes.replace(at, random() % 2 == 0 ? size : bytes.size() - at, other, from, size);
            }
        }
    }
    return bytes;
}

/// Whatever bytes are read is a tree: it is whole, it learns, and it is written as the very same bytes. Says whether
/// they were read.
bool is_refused_or_whole(const std::string& bytes, double& most_memory) {
    const std::size_t before = counted_memory::live_bytes;
    counted_memory::peak_bytes = counted_memory::live_bytes;
    try {
        StreamingTree tree = read(bytes);
        most_memory = std::max(most_memory, static_cast<double>(counted_memory::peak_bytes - before) /
                                                (static_cast<double>(bytes.size()) + 1000));
        validate(tree);
        CHECK(write_tree(tree) == bytes);
        const auto n_classes = static_cast<unsigned>(tree.n_classes());
        std::mt19937 random(1);
        for (int i = 0; i < 20; ++i) {
            std::vector<FeatureId> features;
            for (FeatureId id = 0; id < 8; ++id) {
                if (random() % 3 == 0) features.push_back(id);
            }
            std::vector<NumberValue> numbers;
            for (std::size_t a = 0; a < tree.attributes().n_numbers(); ++a) {
                const FeatureId presence = tree.attributes().number(attribute_at(a)).presence;
                std::erase(features, presence);
                if (random() % 4 == 0) continue;
                features.push_back(presence);
                numbers.push_back({attribute_at(a), static_cast<double>(random() % 50) / 7});
                tree.attributes().meet(attribute_at(a), numbers.back().value);
            }
            tree.attributes().meet(Features(features));
            sapwood::Point point(features, numbers);
            point.attributes = &tree.attributes();
            const auto label = static_cast<Label>(random() % n_classes);
            if (tree.n() == max_points) {
                CHECK_THROWS(std::overflow_error, tree.learn(point, label));
            } else {
                tree.learn(point, label);
            }
        }
        validate(tree);
        const std::string later = write_tree(tree);
        StreamingTree again = read(later);
        CHECK(write_tree(again) == later);
        return true;
    } catch (const ModelFormatError&) {
        most_memory = std::max(most_memory, static_cast<double>(counted_memory::peak_bytes - before) /
                                                (static_cast<double>(bytes.size()) + 1000));
        return false;
    }
}

void a_hundred_thousand_mutants_are_refused_or_whole(const std::vector<SmallTree>& models) {
    // These tables are kept by the process, whoever asks for them first.
    for (int bits = 0; bits < 31; ++bits) XLogX::covering(Count{1} << bits);
    std::mt19937 random(1);
    std::size_t n_read = 0;
    double most_memory = 0;
    constexpr std::size_t n_mutants = 100000;
    for (std::size_t i = 0; i < n_mutants; ++i) {
        const SmallTree& model = models[i % models.size()];
        const std::string bytes = mutated(models, model.bytes, random);
        const long failed = check::tally().failed;
        try {
            n_read += is_refused_or_whole(bytes, most_memory) ? 1 : 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            CHECK(false && "only ModelFormatError refuses bytes");
        }
        if (check::tally().failed != failed) {
            std::fprintf(stderr, "  mutant %zu, of %s\n", i, model.name.c_str());
            return;
        }
    }
    std::fprintf(stderr, "%zu of %zu mutants read; at most %.0f bytes of memory for a byte\n", n_read, n_mutants,
                 most_memory);
    CHECK(n_read > n_mutants / 100 && n_read < n_mutants / 2);
    CHECK(most_memory < 40);
}

}  // namespace

int main() {
    points_that_do_not_add_up_are_refused();
    const std::vector<SmallTree> models = small_models();
    refusals_say_what_must_hold(models);
    nothing_that_ends_early_is_read(models);
    a_hundred_thousand_mutants_are_refused_or_whole(models);
    return check::finish();
}
