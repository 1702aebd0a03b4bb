#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sapwood/words.hpp"

namespace sapwood {

/// What answers for a leaf.
enum class LeafPrediction : std::uint8_t {
    majority,
    naive_bayes,
    logistic,
    adaptive  // whichever model has been right most often there
};
template <>
struct Words<LeafPrediction> {
    static constexpr std::array<std::string_view, 4> all{"majority", "naive_bayes", "logistic", "adaptive"};
};

/// The models that can answer for a leaf, in ascending order of preference where they have been right equally often.
enum Model : std::size_t {
    majority,     // the classes of the points of the leaf
    naive_bayes,  // of the leaf
    trunk,        // the logistic regression that learns from all points of the stream
    logistic,     // that one, corrected by one of the leaf's own
    n_models
};

inline constexpr std::array<std::string_view, n_models> model_names{"majority", "naive_bayes", "trunk", "logistic"};

/// The model that answers for every leaf; none if each leaf chooses its own.
inline std::optional<Model> model_for_all(LeafPrediction prediction) {
    switch (prediction) {
        case LeafPrediction::majority:
            return majority;
        case LeafPrediction::naive_bayes:
            return naive_bayes;
        case LeafPrediction::logistic:
            return logistic;
        case LeafPrediction::adaptive:
            break;
    }
    return std::nullopt;
}

/// Which models a tree keeps, and where the words of a feature's record stand:
///     a count for every class                          if there is naive Bayes
///     a weight, then a sum of squares, for every output  if there is logistic regression
struct ModelLayout {
    bool keeps_naive_bayes = false;
    bool keeps_logistic = false;
    std::size_t n_classes = 2;

    static ModelLayout of(LeafPrediction prediction, std::size_t n_classes) {
        const bool all = prediction == LeafPrediction::adaptive;
        return {all || prediction == LeafPrediction::naive_bayes, all || prediction == LeafPrediction::logistic,
                n_classes};
    }

    bool keeps_anything() const { return keeps_naive_bayes || keeps_logistic; }

    /// The linear functions of logistic regression: one suffices for two classes.
    std::size_t n_outputs() const { return n_classes == 2 ? 1 : n_classes; }

    std::size_t weights_at() const { return keeps_naive_bayes ? n_classes : 0; }
    std::size_t record_size() const { return weights_at() + (keeps_logistic ? 2 * n_outputs() : 0); }
};

}  // namespace sapwood
