// The bytes of a tree, as a model file has them behind its checksum: anything is refused with ModelFormatError, or is a
// tree that predicts, learns and is saved like any other, and in which no invariant is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "name_features.hpp"
#include "sapwood/model_io.hpp"
#include "sapwood/tree/batch/absorb.hpp"
#include "sapwood/tree/learn_rows.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct TreeBytes {
    static constexpr std::string_view name = "tree_bytes";

    static std::vector<std::string> seeds() {
        std::vector<std::string> made;
        for (const Growth growth : {Growth::hoeffding, Growth::extremely_fast, Growth::streaming, Growth::windowed,
                                    Growth::adaptive, Growth::batch}) {
            for (const LeafPrediction prediction :
                 {LeafPrediction::majority, LeafPrediction::mixed, LeafPrediction::adaptive}) {
                TreeOptions options;
                options.growth = growth;
                options.leaf_prediction = prediction;
                if (growth == Growth::streaming) options.split_test = SplitTestKind::evidence;
                if (growth == Growth::hoeffding) options.search = SearchKind::approximate;
                options.delta = 0.2;
                options.tau = 0.5;
                options.window_size = 30;
                options.patience = 40;
                options.drift_delta = 0.3;
                const bool takes_numbers = growth != Growth::hoeffding;
                made.push_back(seed(options, takes_numbers && prediction == LeafPrediction::adaptive));
                if (takes_numbers && prediction == LeafPrediction::mixed) made.push_back(seed(options, true));
            }
        }
        made.push_back(seed_of_numbers(3, std::nullopt));
        made.push_back(seed_of_numbers(2, 65'536));
        made.push_back(seed_with_alternate_of_root());
        return made;
    }

    static void run(Bytes bytes) {
        try {
            StreamingTree tree = read_tree(std::as_bytes(bytes), most_features);
            promise(tree.n_bytes() <= most_growth * bytes.size() + 65'536, "a tree is in proportion to its bytes");
            use(tree);
        } catch (const ModelFormatError&) {
            return;
        }
    }

private:
    static constexpr std::int64_t most_features = 40;
    /// A tree in memory may take so many times its bytes.
    static constexpr std::size_t most_growth = 64;

    static KeyedPoint point(std::uint32_t i, std::vector<KeyId>& keys, bool with_numbers) {
        static const std::vector<KeyId> numbers{0, 1};
        static std::vector<double> values(2);
        keys.clear();
        for (KeyId key = 0; key < 12; ++key) {
            if (TreeBody::mixed(i * 64 + static_cast<std::uint32_t>(key)) % 4 == 0) keys.push_back(key);
        }
        if (i % 2 == 0) keys.push_back(20);
        if (!with_numbers) return {keys};
        values = {static_cast<double>(i % 2) + static_cast<double>(i % 5), static_cast<double>(i % 7)};
        return {keys, numbers, values};
    }

    static std::string seed(const TreeOptions& options, bool with_numbers) {
        StreamingTree tree(options);
        Vocabulary vocabulary;
        learn(tree, vocabulary, 60, with_numbers);
        return write_tree(tree);
    }

    /// A tree whose leaves mix and forget, and know numbers.
    static std::string seed_of_numbers(std::size_t n_classes, std::optional<std::int64_t> max_bytes) {
        TreeOptions options;
        options.growth = Growth::streaming;
        options.split_test = SplitTestKind::evidence;
        options.leaf_prediction = LeafPrediction::mixed;
        options.half_life = 50;
        options.max_bytes = max_bytes;
        StreamingTree tree(options);
        tree.cover_classes(n_classes);
        Vocabulary vocabulary;
        learn(tree, vocabulary, max_bytes ? 400 : 80, true);
        return write_tree(tree);
    }

    /// A tree whose root has an alternate, which has a trunk of its own that knows numbers.
    static std::string seed_with_alternate_of_root() {
        TreeOptions options;
        options.growth = Growth::adaptive;
        options.leaf_prediction = LeafPrediction::mixed;
        options.delta = 0.2;
        options.tau = 0.5;
        options.drift_delta = 0.3;
        StreamingTree tree(options);
        Vocabulary vocabulary;
        learn(tree, vocabulary, 60, true);
        const auto& beside = tree.body().predictor().beside();
        // What the class of a point is changes, so that the error rises.
        for (int i = 0; i < 200 && !(beside && beside->mixing->trunk().gaussians()); ++i) {
            learn(tree, vocabulary, 20, true, 1);
        }
        promise(beside && beside->mixing->trunk().gaussians(),
                "the root of a seed has an alternate that knows numbers");
        return write_tree(tree);
    }

    /// Columns are ids.
    struct Columns {
        static KeyId key_of(SharedId id) { return static_cast<KeyId>(id); }
        static SharedId id_of(KeyId key) { return static_cast<SharedId>(key); }
        static KeyId key_of_number(SharedId id) { return static_cast<KeyId>(id); }
        static SharedId id_of_number(KeyId key) { return static_cast<SharedId>(key); }
    };

    static void learn_as_batch(StreamingTree& tree, Vocabulary& vocabulary, std::uint32_t n, bool with_numbers) {
        std::vector<std::int64_t> ends{0};
        std::vector<SharedId> ids;
        std::vector<Label> labels;
        std::vector<std::int64_t> number_ends{0};
        std::vector<SharedId> numbers;
        std::vector<double> values;
        std::vector<KeyId> keys;
        for (std::uint32_t i = 0; i < n; ++i) {
            const KeyedPoint each = point(i, keys, with_numbers);
            ids.insert(ids.end(), each.keys.begin(), each.keys.end());
            numbers.insert(numbers.end(), each.numbers.begin(), each.numbers.end());
            values.insert(values.end(), each.values.begin(), each.values.end());
            ends.push_back(static_cast<std::int64_t>(ids.size()));
            number_ends.push_back(static_cast<std::int64_t>(numbers.size()));
            labels.push_back(static_cast<Label>(i % tree.n_classes()));
        }
        const auto find = [&](std::span<const SharedId> some, std::vector<FeatureId>& features) {
            std::vector<KeyId> of_row(some.begin(), some.end());
            std::vector<FeatureId> found;
            Vocabulary::Reading(vocabulary).find(of_row, found);
            features.insert(features.end(), found.begin(), found.end());
        };
        learn_batch(tree, vocabulary, {ends, ids, labels, {}, {number_ends, numbers, values}}, Columns(), find);
    }

    /// `shift`: of the classes of all points.
    static void learn(StreamingTree& tree, Vocabulary& vocabulary, std::uint32_t n, bool with_numbers,
                      std::uint32_t shift = 0) {
        if (tree.options().growth == Growth::batch) return learn_as_batch(tree, vocabulary, n, with_numbers);
        Vocabulary::Writing writing(vocabulary);
        PointMaker maker;
        std::vector<KeyId> keys;
        for (std::uint32_t i = 0; i < n; ++i) {
            const KeyedPoint each = point(i, keys, with_numbers);
            learn_keys(tree, writing, each, static_cast<Label>((i + shift) % tree.n_classes()), 1, maker);
        }
    }

    /// All that a user may do. What runs into the largest count is refused by std::overflow_error.
    static void use(StreamingTree& tree) {
        tree.validate();
        const std::string saved = write_tree(tree);
        StreamingTree again = read_tree(as_bytes(saved), most_features);
        promise(write_tree(again) == saved, "what was saved and loaded is saved as the same bytes");
        Vocabulary vocabulary;
        name_features(tree.body().known(), most_features, vocabulary);
        const bool with_numbers = tree.attributes().n_numbers() == 2;
        Scores scores = tree.make_scores();
        PointMaker maker;
        std::vector<KeyId> keys;
        for (std::uint32_t i = 0; i < 20; ++i) {
            const KeyedPoint each = point(i, keys, with_numbers);
            tree.predict(maker.to_ask(tree, Vocabulary::Reading(vocabulary), each), scores);
            double sum = 0;
            for (const double p : scores.probabilities) {
                promise(p >= 0 && p <= 1 + 1e-9, "a probability is from 0 to 1");
                sum += p;
            }
            promise(sum > 1 - 1e-6 && sum < 1 + 1e-6, "probabilities add up to 1");
        }
        try {
            learn(tree, vocabulary, 20, with_numbers);
        } catch (const std::overflow_error&) {
        } catch (const std::invalid_argument&) {
            // A limit of memory that leaves no room.
        }
        static_cast<void>(write_tree(tree));
    }
};

}  // namespace sapwood::fuzz
