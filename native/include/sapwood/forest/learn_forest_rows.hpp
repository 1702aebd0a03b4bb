#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/forest/forest.hpp"
#include "sapwood/tree/learn_rows.hpp"

namespace sapwood {

/// Checks points before the first is learned: throws std::invalid_argument or std::overflow_error if a forest could not
/// learn all of them.
inline void check_can_learn(const Forest& forest, const LabelledRows& rows) {
    std::int64_t more = rows.weights.empty() ? static_cast<std::int64_t>(rows.size()) : 0;
    for (const double weight : rows.weights) more += most_counts(weight);
    forest.check_classes(rows.n_classes());
    forest.check_room_for(more);
}

/// Takes points for a forest one by one, and lets it learn them block by block.
///
/// A block ends before a point that changes what all trees know: a class that is new, or a number or a category of
/// which more becomes known. So the forest does not depend on where else blocks end.
template <class Answer>
class ForestLearning {
public:
    /// `answer(row, probabilities)` is called for every point, in order, with what the forest answers before it learns
    /// it, if `wants_answers`.
    ForestLearning(Forest& forest, Vocabulary::Writing& vocabulary, Workers& workers, bool wants_answers, Answer answer)
        : forest_(forest),
          vocabulary_(vocabulary),
          workers_(workers),
          wants_answers_(wants_answers),
          answer_(answer),
          scores_(forest.make_scores()) {}

    /// Takes a point, which is row `row`; one that does not count is only answered.
    void take(std::size_t row, const KeyedPoint& keyed, Label label, double weight) {
        const std::size_t n_classes = std::size_t{label} + 1;
        const bool counts = weight > 0;
        const bool widens = counts && n_classes > forest_.n_classes();
        if (!counts || widens || changes_attributes(keyed)) finish();
        if (wants_answers_ && (!counts || widens)) answer_now(row, keyed);
        if (!counts) return;
        forest_.cover_classes(n_classes);
        if (wants_answers_ && !widens) {
            const Point asked = asker_.to_ask(*this, vocabulary_, keyed);
            block_.add(maker_.to_learn(*this, vocabulary_, keyed), label, forest_.rounded(weight), asked);
        } else {
            block_.add(maker_.to_learn(*this, vocabulary_, keyed), label, forest_.rounded(weight));
        }
        rows_.push_back(row);
        if (forest_.is_enough(block_)) finish();
        if (widens) learn(false);
    }

    /// Learns what was taken and not learned yet.
    void finish() { learn(wants_answers_); }

    // ---- what point_maker.hpp asks: the forest, once it has learned what waits ------------------------------------

    const Attributes& attributes() const { return forest_.attributes(); }
    Attributes& attributes() { return forest_.attributes(); }
    const NumberRanges& ranges() const { return forest_.ranges(); }
    std::int64_t n_met() const { return forest_.n_met() + static_cast<std::int64_t>(block_.size()); }
    template <class Reserve>
    void meet_number(AttributeId attribute, double value, Reserve reserve) {
        forest_.meet_number(attribute, value, n_met(), reserve);
    }
    void use_attributes() { forest_.use_attributes(); }

private:
    void learn(bool wants_answers) {
        if (block_.size() == 0) return;
        forest_.learn(block_, workers_, wants_answers,
                      [this](std::size_t i, std::span<const double> all) { answer_(rows_[i], all); });
        block_.clear();
        rows_.clear();
    }

    void answer_now(std::size_t row, const KeyedPoint& keyed) {
        if (scores_.probabilities.size() != forest_.n_classes()) scores_ = forest_.make_scores();
        forest_.predict(asker_.to_ask(*this, vocabulary_, keyed), scores_);
        answer_(row, std::span<const double>(scores_.probabilities));
    }

    /// Whether a point, once it is made to be learned, changes what trees know of attributes.
    bool changes_attributes(const KeyedPoint& point) {
        const Attributes& known = forest_.attributes();
        if (point.numbers.empty() && !vocabulary_.has_categories() && known.empty()) return false;
        if (!forest_.uses_attributes()) return true;
        for (std::size_t i = 0; i < point.numbers.size(); ++i) {
            AttributeId attribute{};
            if (!vocabulary_.find_number(point.numbers[i], attribute) || !known.knows(attribute)) return true;
            const Attributes::Number& number = known.number(attribute);
            if (!number.varies && number.first != point.values[i]) return true;
        }
        if (!vocabulary_.has_categories()) return false;
        vocabulary_.find(point.keys, features_);
        if (features_.size() < point.keys.size()) return true;
        categories_.clear();
        for (const FeatureId feature : features_) {
            const std::int32_t category = known.category_of(feature);
            if (category < 0 || !known.category(static_cast<std::size_t>(category)).is_exclusive) continue;
            if (std::find(categories_.begin(), categories_.end(), category) != categories_.end()) return true;
            categories_.push_back(category);
        }
        return false;
    }

    Forest& forest_;
    Vocabulary::Writing& vocabulary_;
    Workers& workers_;
    bool wants_answers_;
    Answer answer_;
    PointMaker maker_;
    PointMaker asker_;
    ForestBlock block_;
    std::vector<std::size_t> rows_;
    ForestScores scores_;
    std::vector<FeatureId> features_;
    std::vector<std::int32_t> categories_;
};

/// Learns from rows in order, from row `first` on, until `must_pause()` returns true after a row. Returns the row to
/// continue with. The forest does not depend on how rows are divided into calls, nor on the workers.
template <class Answer, class MustPause>
std::size_t learn_rows(Forest& forest, Vocabulary& vocabulary, const LabelledRows& rows, std::size_t first,
                       Workers& workers, bool wants_answers, Answer answer, MustPause must_pause) {
    Vocabulary::Writing writing(vocabulary);
    ForestLearning<Answer> learning(forest, writing, workers, wants_answers, answer);
    std::size_t i = first;
    while (i < rows.size()) {
        if (i + 1 < rows.size()) writing.prefetch(rows.points.keys.row(i + 1));
        learning.take(i, rows.points.row(i), rows.labels[i], rows.weights.empty() ? 1 : rows.weights[i]);
        ++i;
        if (must_pause()) break;
    }
    learning.finish();
    return i;
}

}  // namespace sapwood
