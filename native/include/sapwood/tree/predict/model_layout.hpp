#pragma once

#include <algorithm>
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
    adaptive,  // whichever model has been right most often there
    mixed      // all of them, mixed by a small regression of the leaf's own
};
template <>
struct Words<LeafPrediction> {
    static constexpr std::array<std::string_view, 5> all{"majority", "naive_bayes", "logistic", "adaptive", "mixed"};
};

/// The models that can answer for a leaf, in ascending order of preference where they have been right equally often.
enum Model : std::size_t {
    majority,           // the classes of the points of the leaf
    naive_bayes,        // of the leaf
    trunk,              // the logistic regression that learns from all points of the stream
    logistic,           // that one, corrected by one of the leaf's own
    n_models,           // those that a leaf may choose among
    mixture = n_models  // all that a leaf has, mixed
};

inline constexpr std::array<std::string_view, n_models + 1> model_names{"majority", "naive_bayes", "trunk", "logistic",
                                                                        "mixed"};

/// The model that answers for every leaf; none if each leaf chooses its own.
inline std::optional<Model> model_for_all(LeafPrediction prediction) {
    switch (prediction) {
        case LeafPrediction::majority:
            return majority;
        case LeafPrediction::naive_bayes:
            return naive_bayes;
        case LeafPrediction::logistic:
            return logistic;
        case LeafPrediction::mixed:
            return mixture;
        case LeafPrediction::adaptive:
            break;
    }
    return std::nullopt;
}

/// Which models a tree keeps, and where the words of a feature's record stand:
///     a count for every class                          if there is naive Bayes
///     a weight, then a sum of squares, for every output  if there is logistic regression
/// Each of the three parts has room for more classes than there are, whose words are 0.
struct ModelLayout {
    bool keeps_naive_bayes = false;
    bool keeps_logistic = false;
    /// Whether leaves mix their models; they then have the trunk of mixed_trunk.hpp in place of that of trunk.hpp.
    bool mixes = false;
    std::size_t n_classes = 2;
    /// The classes that records have room for (class_room.hpp): 2 if there are 2.
    std::size_t room = 2;

    static ModelLayout of(LeafPrediction prediction, std::size_t n_classes, std::size_t room = 0) {
        const bool mixes = prediction == LeafPrediction::mixed;
        const bool all = mixes || prediction == LeafPrediction::adaptive;
        return {all || prediction == LeafPrediction::naive_bayes, all || prediction == LeafPrediction::logistic, mixes,
                n_classes, n_classes == 2 ? 2 : std::max(room, n_classes)};
    }

    bool keeps_anything() const { return keeps_naive_bayes || keeps_logistic; }

    /// The linear functions of logistic regression: one suffices for two classes.
    std::size_t n_outputs() const { return n_classes == 2 ? 1 : n_classes; }

    /// How many of them a record has room for.
    std::size_t outputs_room() const { return n_classes == 2 ? 1 : room; }

    /// The counts of a record.
    std::size_t n_counts() const { return keeps_naive_bayes ? n_classes : 0; }

    std::size_t weights_at() const { return keeps_naive_bayes ? room : 0; }
    std::size_t squares_at() const { return weights_at() + outputs_room(); }
    std::size_t record_size() const { return weights_at() + (keeps_logistic ? 2 * outputs_room() : 0); }

    /// The words of a record that mean something, in their order: calls `use(first, size)` for each stretch of them.
    template <class Use>
    void for_each_part(Use use) const {
        if (keeps_naive_bayes) use(std::size_t{0}, n_classes);
        if (keeps_logistic) {
            use(weights_at(), n_outputs());
            use(squares_at(), n_outputs());
        }
    }
    /// How many these are.
    std::size_t words_in_record() const { return n_counts() + (keeps_logistic ? 2 * n_outputs() : 0); }

    /// Whether there is room for so many classes.
    bool has_room_for(std::size_t classes) const { return n_classes > 2 && classes <= room; }
};

}  // namespace sapwood
