#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/points.hpp"
#include "sapwood/tree/point_maker.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/tree/vocabulary.hpp"

namespace sapwood {

/// Points to learn from: the keys of each in a row, their labels, and how often each counts. The rows and the labels
/// were checked (points.hpp).
struct LabelledRows {
    KeyedRows points;
    std::span<const Label> labels;
    /// Numbers from 0 to `max_points`. Empty: once each. A point of weight 0 is not learned.
    std::span<const double> weights = {};

    std::size_t size() const { return labels.size(); }
    bool counts(std::size_t i) const { return weights.empty() || weights[i] > 0; }
    Weight weight(std::size_t i, StreamingTree& tree) const {
        return weights.empty() ? Weight(1) : tree.rounded(weights[i]);
    }
    std::size_t n_classes() const {
        return labels.empty() ? 0 : std::size_t{*std::max_element(labels.begin(), labels.end())} + 1;
    }
};

/// The most that a weight may count for once it is rounded. Throws std::invalid_argument if it is none.
inline std::int64_t most_counts(double weight) {
    // NaN is in no range.
    if (weight >= 0 && weight <= static_cast<double>(max_points)) return static_cast<std::int64_t>(std::ceil(weight));
    throw std::invalid_argument("weights must be numbers from 0 to " + std::to_string(max_points) + ", got " +
                                detail::shortest(weight));
}

/// Checks points before the first is learned: throws std::invalid_argument or
/// std::overflow_error if a tree could not learn all of them.
inline void check_can_learn(const StreamingTree& tree, const LabelledRows& rows) {
    tree.check_learns_points();
    std::int64_t more = rows.weights.empty() ? static_cast<std::int64_t>(rows.size()) : 0;
    for (const double weight : rows.weights) more += most_counts(weight);
    tree.check_classes(rows.n_classes());
    check_room(static_cast<Count>(tree.n()), more);
}

/// Learns from one point, whose class may be new.
inline void learn_keys(StreamingTree& tree, Vocabulary::Writing& vocabulary, const KeyedPoint& keyed, Label label,
                       Weight weight, PointMaker& maker) {
    tree.cover_classes(static_cast<std::size_t>(label) + 1);
    tree.learn(maker.to_learn(tree, vocabulary, keyed), label, weight);
}

/// Learns from rows in order, from row `first` on, until `must_pause()` returns true after a row. Returns the row to
/// continue with. The tree does not depend on how rows are divided into calls.
template <class MustPause>
std::size_t learn_rows(StreamingTree& tree, Vocabulary& vocabulary, const LabelledRows& rows, std::size_t first,
                       MustPause must_pause) {
    Vocabulary::Writing writing(vocabulary);
    PointMaker maker;
    std::size_t i = first;
    while (i < rows.size()) {
        if (i + 1 < rows.size()) writing.prefetch(rows.points.keys.row(i + 1));
        if (rows.counts(i)) {
            learn_keys(tree, writing, rows.points.row(i), rows.labels[i], rows.weight(i, tree), maker);
        }
        ++i;
        if (must_pause()) break;
    }
    return i;
}

/// The predictions of a tree for points before it learned them.
struct Prequential {
    Prequential(std::size_t n_rows, std::size_t classes)
        : n_classes(classes), labels(n_rows), probabilities(n_rows * classes) {}

    /// Those that the tree had, or has after the points; a class that it did not know yet has the probability 0.
    std::size_t n_classes;
    std::vector<Label> labels;
    /// A row of classes for each point.
    std::vector<double> probabilities;

    /// Sets the answer to point i. `places` settle ties (`label_of`).
    void set(std::size_t i, std::span<const double> answer, std::span<const std::int64_t> places) {
        labels[i] = StreamingTree::label_of(answer, places);
        // Whoever learns meanwhile, in another thread, may add classes; these answers do not know them.
        const std::size_t known = std::min(n_classes, answer.size());
        std::copy_n(answer.begin(), known, probabilities.begin() + static_cast<std::ptrdiff_t>(i * n_classes));
    }
};

/// As `learn_rows`, but the tree predicts each point before it learns it. `places` settle ties (`label_of`).
template <class MustPause>
std::size_t test_then_learn_rows(StreamingTree& tree, Vocabulary& vocabulary, const LabelledRows& rows,
                                 std::size_t first, std::span<const std::int64_t> places, Prequential& answers,
                                 MustPause must_pause) {
    Vocabulary::Writing writing(vocabulary);
    PointMaker maker;
    Scores scores = tree.make_scores();
    std::size_t i = first;
    while (i < rows.size()) {
        if (scores.probabilities.size() != tree.n_classes()) scores = tree.make_scores();
        tree.predict(maker.to_ask(tree, writing, rows.points.row(i)), scores);
        answers.set(i, scores.probabilities, places);
        if (rows.counts(i)) {
            learn_keys(tree, writing, rows.points.row(i), rows.labels[i], rows.weight(i, tree), maker);
        }
        ++i;
        if (must_pause()) break;
    }
    return i;
}

}  // namespace sapwood
