// The bytes of a forest, as a model file has them behind its checksum: anything is refused with ModelFormatError, or is
// a forest that predicts, learns and is saved like any other, and in whose trees no invariant is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "name_features.hpp"
#include "sapwood/forest/learn_forest_rows.hpp"
#include "sapwood/model_io.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct ForestBytes {
    static constexpr std::string_view name = "forest_bytes";

    static std::vector<std::string> seeds() {
        std::vector<std::string> made;
        for (const OnDrift on_drift : {OnDrift::nothing, OnDrift::swap, OnDrift::reset_worst}) {
            for (const LeafPrediction prediction :
                 {LeafPrediction::majority, LeafPrediction::mixed, LeafPrediction::adaptive}) {
                made.push_back(seed(on_drift, prediction, false));
                if (prediction == LeafPrediction::mixed) made.push_back(seed(on_drift, prediction, true));
            }
        }
        made.push_back(seed(OnDrift::swap, LeafPrediction::mixed, true, 3));
        made.push_back(seed(OnDrift::nothing, LeafPrediction::mixed, true, 3, 1));
        made.push_back(seed(OnDrift::nothing, LeafPrediction::mixed, true, 2, 2, 210'000));
        return made;
    }

    static void run(Bytes bytes) {
        try {
            Forest forest = read_forest(std::as_bytes(bytes), most_features);
            promise(forest.n_bytes() <= most_growth * bytes.size() + 65'536, "a forest is in proportion to its bytes");
            use(forest);
        } catch (const ModelFormatError&) {
            return;
        }
    }

private:
    static constexpr std::int64_t most_features = 40;
    /// A forest in memory may take so many times its bytes.
    static constexpr std::size_t most_growth = 64;

    static std::string seed(OnDrift on_drift, LeafPrediction prediction, bool with_numbers, std::size_t n_classes = 2,
                            std::int64_t n_estimators = 2, std::optional<std::int64_t> max_bytes = std::nullopt) {
        ForestOptions options;
        options.n_estimators = n_estimators;
        options.on_drift = on_drift;
        options.warning_delta = 0.4;
        options.drift_delta = 0.3;
        options.combining = prediction == LeafPrediction::mixed ? Combining::mixed : Combining::votes;
        options.tree.leaf_prediction = prediction;
        options.tree.delta = 0.2;
        options.tree.tau = 0.5;
        options.tree.max_bytes = max_bytes;
        Forest forest(options);
        forest.cover_classes(n_classes);
        Vocabulary vocabulary;
        learn(forest, vocabulary, Points(60, with_numbers, n_classes));
        std::string saved = write_forest(forest);
        // What is refused would be a seed of nothing.
        static_cast<void>(read_forest(as_bytes(saved), most_features));
        return saved;
    }

    /// Points of some of twelve features, and one that often tells the class; with numbers, two of few values.
    struct Points {
        Points(std::uint32_t n, bool with_numbers, std::size_t n_classes) {
            for (std::uint32_t i = 0; i < n; ++i) {
                for (KeyId key = 0; key < 12; ++key) {
                    if (hashed(i * 64 + static_cast<std::uint32_t>(key)) % 4 == 0) keys.push_back(key);
                }
                if (i % 2 == 0) keys.push_back(20);
                ends.push_back(static_cast<std::int64_t>(keys.size()));
                labels.push_back(static_cast<Label>(i % n_classes));
                if (with_numbers) {
                    numbers.insert(numbers.end(), {0, 1});
                    values.push_back(static_cast<double>(i % 2) + static_cast<double>(i % 5));
                    values.push_back(static_cast<double>(i % 6));
                }
                number_ends.push_back(static_cast<std::int64_t>(numbers.size()));
            }
        }
        LabelledRows rows() const { return {points(), labels, {}}; }
        KeyedPoint point(std::size_t i) const { return points().row(i); }

        std::vector<std::int64_t> ends{0};
        std::vector<KeyId> keys;
        std::vector<std::int64_t> number_ends{0};
        std::vector<KeyId> numbers;
        std::vector<double> values;
        std::vector<Label> labels;

    private:
        KeyedRows points() const { return {{ends, keys}, {number_ends, numbers}, values}; }
    };

    static void learn(Forest& forest, Vocabulary& vocabulary, const Points& points) {
        Workers workers(1);
        learn_rows(
            forest, vocabulary, points.rows(), 0, workers, false, [](std::size_t, std::span<const double>) {},
            [] { return false; });
    }

    /// All that a user may do. What runs into the largest count is refused by std::overflow_error.
    static void use(Forest& forest) {
        for (std::size_t t = 0; t < forest.n_trees(); ++t) forest.tree(t).validate();
        const std::string saved = write_forest(forest);
        Forest again = read_forest(as_bytes(saved), most_features);
        promise(write_forest(again) == saved, "what was saved and loaded is saved as the same bytes");
        Vocabulary vocabulary;
        name_features(forest.known(), most_features, vocabulary);
        ForestScores scores = forest.make_scores();
        PointMaker maker;
        const Points points(20, !forest.attributes().empty(), forest.n_classes());
        for (std::size_t i = 0; i < points.labels.size(); ++i) {
            forest.predict(maker.to_ask(forest, Vocabulary::Reading(vocabulary), points.point(i)), scores);
            double sum = 0;
            for (const double p : scores.probabilities) {
                promise(p >= 0 && p <= 1 + 1e-9, "a probability is from 0 to 1");
                sum += p;
            }
            promise(sum > 1 - 1e-6 && sum < 1 + 1e-6, "probabilities add up to 1");
        }
        try {
            check_can_learn(forest, points.rows());
            learn(forest, vocabulary, points);
        } catch (const std::overflow_error&) {
        } catch (const std::invalid_argument&) {
            // A limit of memory that leaves no room.
        }
        static_cast<void>(write_forest(forest));
    }
};

}  // namespace sapwood::fuzz
