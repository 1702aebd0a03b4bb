#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/added_counts.hpp"
#include "sapwood/storage/owned_copy.hpp"
#include "sapwood/storage/shared_table.hpp"
#include "sapwood/tree/predict/binary_records.hpp"
#include "sapwood/tree/predict/gaussians.hpp"
#include "sapwood/tree/predict/logistic_regression.hpp"
#include "sapwood/tree/predict/mixer.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What all leaves that mix build on: three logistic regressions of the whole stream that differ in their step sizes,
/// and naive Bayes of the whole stream, in one record per feature; and beside the records the densities of its numbers.
/// A record of two classes is half a cache line.
///
/// A record is
///     a weight for each output of the first regression, of the second, of the third,
///     the sum of squared gradients for each output,
///     the points of each class in which the feature is on,
/// each with room for more classes than there are, whose words are 0.
/// One sum of squares, that of the middle step size, serves all three: it says how often the feature was on where the
/// class was in doubt, which they agree on.
class MixedTrunk {
public:
    explicit MixedTrunk(const ModelLayout& layout)
        : n_outputs_(layout.n_outputs()),
          outputs_room_(layout.outputs_room()),
          n_classes_(layout.n_classes),
          blocks_((counts_at() + layout.room + words_in_block - 1) / words_in_block),
          intercept_(blocks_),
          n_of_class_(n_classes_) {}

    std::size_t n_outputs() const { return n_outputs_; }
    std::size_t n_classes() const { return n_classes_; }
    /// Where the weights of a regression stand.
    std::size_t weights_at(std::size_t regression) const { return regression * outputs_room_; }
    std::size_t squares_at() const { return weights_at(n_trunks); }
    std::size_t counts_at() const { return (n_trunks + 1) * outputs_room_; }
    /// The words of a record that mean something; the rest are 0. Without the counts they are those of the intercept.
    std::size_t words_in_intercept() const { return (n_trunks + 1) * n_outputs_; }
    std::size_t words_in_record() const { return words_in_intercept() + n_classes_; }
    /// Calls `use(first, size)` for each stretch of them, in their order.
    template <class Use>
    void for_each_part_of_intercept(Use use) const {
        for (std::size_t t = 0; t <= n_trunks; ++t) use(weights_at(t), n_outputs_);
    }
    template <class Use>
    void for_each_part(Use use) const {
        for_each_part_of_intercept(use);
        use(counts_at(), n_classes_);
    }
    std::size_t size() const { return records_.size() / blocks_; }

    Word* intercept() { return intercept_.front().words.data(); }
    const Word* intercept() const { return intercept_.front().words.data(); }
    Word* record(FeatureId id) { return records_[static_cast<std::size_t>(id) * blocks_].words.data(); }
    const Word* record(FeatureId id) const { return const_cast<MixedTrunk*>(this)->record(id); }
    bool contains(FeatureId id) const { return static_cast<std::size_t>(id) < size(); }

    /// The points of each class that naive Bayes has learned.
    std::span<const std::int64_t> n_of_class() const { return n_of_class_; }
    std::span<std::int64_t> n_of_class() { return n_of_class_; }

    /// What is known of numbers as numbers, once one was met.
    const OwnedCopy<Gaussians>& gaussians() const { return gaussians_; }
    OwnedCopy<Gaussians>& gaussians() { return gaussians_; }

    /// What `cover` would take for this many features, beyond what there is.
    std::size_t bytes_to_cover(std::size_t size) const {
        return (capacity_for(size) - records_.capacity()) * sizeof(Block);
    }

    /// Makes records for the features 0, ..., size - 1.
    void cover(std::size_t size) {
        records_.reserve(capacity_for(size));
        records_.resize(size * blocks_);
    }

    /// Finds the records of features; those without one are left out.
    template <class Pointer>
    void find(Features features, std::vector<Pointer>& records) {
        find_in(*this, features, records);
    }
    void find(Features features, std::vector<const Word*>& records) const { find_in(*this, features, records); }

    /// The scores of the three regressions, the outputs of each in turn.
    void add_scores(Records records, std::span<double> scores) const {
        const Word* first = intercept();
        if (n_outputs_ == 1) {
            std::array<double, n_trunks> sums;
            for (std::size_t t = 0; t < n_trunks; ++t) sums[t] = static_cast<double>(first[t].weight);
            for (const Word* record : records) {
                for (std::size_t t = 0; t < n_trunks; ++t) sums[t] += static_cast<double>(record[t].weight);
            }
            std::copy(sums.begin(), sums.end(), scores.begin());
            return;
        }
        for (std::size_t t = 0; t < n_trunks; ++t) {
            const std::span<double> of_one = scores.subspan(t * n_outputs_, n_outputs_);
            for (std::size_t k = 0; k < n_outputs_; ++k) {
                of_one[k] = static_cast<double>(first[weights_at(t) + k].weight);
            }
        }
        for (const Word* record : records) {
            for (std::size_t t = 0; t < n_trunks; ++t) {
                LogisticRegression::add_scores(record + weights_at(t), scores.subspan(t * n_outputs_, n_outputs_));
            }
        }
    }

    /// The same where there are two classes, and what naive Bayes says of the features, in one go.
    void ask_all(Records records, std::span<double> scores, binary_records::BayesSum& bayes) const {
        for (std::size_t t = 0; t < n_trunks; ++t) scores[t] = static_cast<double>(intercept()[t].weight);
        binary_records::ask_trunk(records.data(), records.size(), scores.data(), NaiveBayes::per_point(n_of_class_),
                                  bayes);
    }

    /// A step of all three against their gradients, whose sizes are multiplied by `scale`; naive Bayes counts the
    /// point `weight` times.
    void learn(std::span<Word* const> records, std::span<const double> gradients, double scale, Label label,
               Count weight) {
        n_of_class_[label] += weight;
        if (n_outputs_ == 1) {
            learn_binary(records, gradients, scale, label, weight);
            return;
        }
        step(intercept(), gradients, scale);
        for (Word* record : records) {
            step(record, gradients, scale);
            record[counts_at() + label].count += weight;
        }
    }

    /// The same from the counts of many points, and the sums of their gradients: those of the intercept, and of each
    /// feature that they have, as many each as there are outputs and regressions (and of the intercept more).
    void learn_sums(const AddedCounts& added, std::span<const double> of_intercept, std::span<const double> of_features,
                    double scale) {
        if (!added.ids.empty() && !contains(added.ids.back())) cover(static_cast<std::size_t>(added.ids.back()) + 1);
        step_any(intercept(), of_intercept, scale);
        const std::size_t size = added.ids.empty() ? 0 : of_features.size() / added.ids.size();
        for (std::size_t i = 0; i < added.ids.size(); ++i) {
            step_any(record(added.ids[i]), of_features.subspan(i * size, size), scale);
        }
        for (std::size_t k = 0; k < added.of_class.size(); ++k) {
            n_of_class_[k] += added.of_class[k];
            const AddedCounts::OfLabel& more = added.of_label[k];
            for (std::size_t i = 0; i < more.ids.size(); ++i) record(more.ids[i])[counts_at() + k].count += more.on[i];
        }
    }

    /// Has the classes of a layout from now on, for which there is room.
    void take_classes(const ModelLayout& layout) {
        n_of_class_.resize(layout.n_classes);
        n_outputs_ = layout.n_outputs();
        n_classes_ = layout.n_classes;
    }

    /// The same over more classes, or with more room; what it says of the classes that there were does not change.
    MixedTrunk widened(const ModelLayout& wider) const {
        MixedTrunk wide(wider);
        wide.gaussians_ = gaussians_;
        wide.cover(size());
        std::copy(n_of_class_.begin(), n_of_class_.end(), wide.n_of_class_.begin());
        widen(intercept(), wide.intercept(), wide);
        for (std::size_t i = 0; i < size(); ++i) {
            const auto id = static_cast<FeatureId>(i);
            widen(record(id), wide.record(id), wide);
        }
        return wide;
    }

    std::size_t n_bytes() const {
        return (records_.capacity() + intercept_.capacity()) * sizeof(Block) +
               n_of_class_.capacity() * sizeof(std::int64_t) + (gaussians_ ? gaussians_->n_bytes() : 0);
    }

private:
    static constexpr std::size_t words_in_block = 8;
    /// Half a cache line, and never in two.
    struct alignas(32) Block {
        std::array<Word, words_in_block> words{};
    };

    template <class Trunk, class Pointer>
    static void find_in(Trunk& trunk, Features features, std::vector<Pointer>& records) {
        records.resize(features.size());
        std::size_t found = 0;
        for (const FeatureId id : features) {
            if (!trunk.contains(id)) continue;
            records[found] = trunk.record(id);
            prefetch_to_change(records[found++]);
        }
        records.resize(found);
    }

    static std::array<float, n_trunks> changes_of(std::span<const double> gradients, double scale) {
        std::array<float, n_trunks> change;
        for (std::size_t t = 0; t < n_trunks; ++t) {
            change[t] = static_cast<float>(-(mixing::trunk_steps[t] * scale) * gradients[t]);
        }
        return change;
    }

    /// A step of one record, or of the intercept, which counts nothing.
    void step_any(Word* record, std::span<const double> gradients, double scale) const {
        if (n_outputs_ == 1) {
            const auto square = static_cast<float>(gradients[0] * gradients[0]);
            binary_records::teach_trunk(&record, 1, changes_of(gradients, scale), square, 0, 0);
        } else {
            step(record, gradients, scale);
        }
    }

    void learn_binary(std::span<Word* const> records, std::span<const double> gradients, double scale, Label label,
                      Count weight) {
        const auto square = static_cast<float>(gradients[0] * gradients[0]);
        // The intercept is counted by classes as a whole.
        step_any(intercept(), gradients, scale);
        binary_records::teach_trunk(records.data(), records.size(), changes_of(gradients, scale), square, label,
                                    weight);
    }

    void step(Word* record, std::span<const double> gradients, double scale) const {
        Word* squares = record + squares_at();
        for (std::size_t k = 0; k < n_outputs_; ++k) {
            squares[k].weight = static_cast<float>(squares[k].weight + gradients[k] * gradients[k]);
            const double per = 1 / std::sqrt(mixing::first_square + static_cast<double>(squares[k].weight));
            for (std::size_t t = 0; t < n_trunks; ++t) {
                float& weight = record[weights_at(t) + k].weight;
                const double change = mixing::trunk_steps[t] * scale * gradients[t * n_outputs_ + k] * per;
                weight = static_cast<float>(weight - change);
            }
        }
    }

    /// As LogisticRegression::widen, for each regression.
    void widen(const Word* from, Word* to, const MixedTrunk& wide) const {
        const auto value = [&](std::size_t at, std::size_t k, double sign) {
            return n_outputs_ == 1 ? static_cast<float>(sign * static_cast<double>(from[at].weight))
                                   : from[at + k].weight;
        };
        const std::size_t known = n_outputs_ == 1 ? 2 : n_outputs_;
        for (std::size_t k = 0; k < known; ++k) {
            for (std::size_t t = 0; t < n_trunks; ++t) {
                to[wide.weights_at(t) + k].weight = value(weights_at(t), k, k == 0 ? -0.5 : 0.5);
            }
            to[wide.squares_at() + k].weight = value(squares_at(), k, 1);
        }
        std::copy(from + counts_at(), from + counts_at() + n_classes_, to + wide.counts_at());
    }

    /// A quarter more at a time: doubling would leave half of a limited memory unused.
    std::size_t capacity_for(std::size_t size) const {
        const std::size_t blocks = size * blocks_;
        const std::size_t capacity = records_.capacity();
        return blocks <= capacity ? capacity : std::max(blocks, capacity + capacity / 4);
    }

    std::size_t n_outputs_;
    std::size_t outputs_room_;
    std::size_t n_classes_;
    /// Of a record.
    std::size_t blocks_;
    std::vector<Block> intercept_;
    std::vector<Block> records_;
    std::vector<std::int64_t> n_of_class_;
    OwnedCopy<Gaussians> gaussians_;
};

}  // namespace sapwood
