#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/storage/shared_table.hpp"
#include "sapwood/tree/predict/logistic_regression.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/tree/predict/naive_bayes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The logistic regression of the whole stream, which every leaf builds on: a record for each feature, dense.
class Trunk {
public:
    explicit Trunk(std::size_t n_outputs) : n_outputs_(n_outputs), intercept_(2 * n_outputs) {}

    std::size_t n_outputs() const { return n_outputs_; }
    std::size_t size() const { return records_.size() / (2 * n_outputs_); }

    Word* intercept() { return intercept_.data(); }
    const Word* intercept() const { return intercept_.data(); }
    Word* record(FeatureId slot) { return records_.data() + static_cast<std::size_t>(slot) * 2 * n_outputs_; }
    const Word* record(FeatureId slot) const { return const_cast<Trunk*>(this)->record(slot); }
    bool contains(FeatureId slot) const { return static_cast<std::size_t>(slot) < size(); }

    /// What `cover` would take for this many features, beyond what there is.
    std::size_t bytes_to_cover(std::size_t size) const {
        return (capacity_for(size) - records_.capacity()) * sizeof(Word);
    }

    /// Makes records for the features 0, ..., size - 1.
    void cover(std::size_t size) {
        records_.reserve(capacity_for(size));
        records_.resize(size * 2 * n_outputs_);
    }

    /// The same regression over more classes.
    Trunk widened(const ModelLayout& wider) const {
        Trunk trunk(wider.n_outputs());
        if (trunk.n_outputs() == n_outputs_) return *this;
        trunk.cover(size());
        LogisticRegression::widen(intercept(), n_outputs_, trunk.intercept(), trunk.n_outputs());
        for (std::size_t i = 0; i < size(); ++i) {
            const auto slot = static_cast<FeatureId>(i);
            LogisticRegression::widen(record(slot), n_outputs_, trunk.record(slot), trunk.n_outputs());
        }
        return trunk;
    }

    /// Finds the records of features, to be changed; those without one are left out.
    void find(Features features, std::vector<Word*>& records) {
        records.resize(features.size());
        std::size_t found = 0;
        const std::size_t size = this->size();
        for (const FeatureId id : features) {
            if (static_cast<std::size_t>(id) >= size) continue;
            records[found] = record(id);
            prefetch_to_change(records[found++]);
        }
        records.resize(found);
    }

    void add_scores(Records records, std::span<double> scores) const {
        LogisticRegression::add_scores(intercept(), scores);
        LogisticRegression::add_scores(records, 0, scores);
    }

    void add_scores(Features features, std::span<double> scores) const {
        LogisticRegression::add_scores(intercept(), scores);
        for (const FeatureId id : features) {
            if (contains(id)) LogisticRegression::add_scores(record(id), scores);
        }
    }

    std::size_t n_bytes() const { return (records_.capacity() + intercept_.capacity()) * sizeof(Word); }

private:
    /// A quarter more at a time: doubling would leave half of a limited memory unused.
    std::size_t capacity_for(std::size_t size) const {
        const std::size_t words = size * 2 * n_outputs_;
        const std::size_t capacity = records_.capacity();
        return words <= capacity ? capacity : std::max(words, capacity + capacity / 4);
    }

    std::size_t n_outputs_;
    std::vector<Word> intercept_;
    std::vector<Word> records_;
};

/// Room for the scores of one point; each thread that asks has one of its own.
struct Scores {
    explicit Scores(const ModelLayout& layout)
        : bayes(layout.n_classes),
          products(layout.n_classes),
          trunk(layout.n_outputs()),
          logistic(layout.n_outputs()),
          probabilities(layout.n_classes) {}

    std::vector<double> bayes;
    std::vector<double> products;
    std::vector<double> trunk;
    std::vector<double> logistic;
    std::vector<double> probabilities;
    /// The records of the features of the point.
    std::vector<const Word*> records;
};

/// What a leaf predicts with besides the counts of its classes. A copy shares the records of features with the original
/// until one of the two changes, so that the children of a leaf start with all that it has learned.
struct LeafModels {
    LeafModels(PagePool& pool, const ModelLayout& layout)
        : table(pool),
          n_of_class(layout.keeps_naive_bayes ? layout.n_classes : 0),
          intercept(layout.keeps_logistic ? 2 * layout.n_outputs() : 0) {}

    SharedTable table;
    /// The points that the counts of naive Bayes are of.
    std::vector<std::int64_t> n_of_class;
    /// The record of the intercept of the leaf's own correction.
    std::vector<Word> intercept;
    /// How often each model has been right, since before the leaf was made.
    std::array<std::int64_t, n_models> right{};

    /// The model that has been right most often.
    Model most_right() const {
        Model best = majority;
        for (const Model model : {naive_bayes, trunk, logistic}) {
            if (right[model] >= right[best]) best = model;
        }
        return best;
    }

    /// Finds the records of features, to be read.
    void find(Features features, std::vector<const Word*>& records) const {
        table.prefetch(features);
        records.clear();
        for (const FeatureId id : features) records.push_back(table.find(id));
    }

    void bayes_scores(Records records, std::span<const std::int64_t> of_class, Scores& scores) const {
        for (std::size_t k = 0; k < of_class.size(); ++k) {
            scores.bayes[k] = std::log(static_cast<double>(of_class[k]) + 1);
        }
        NaiveBayes::add_scores(records, n_of_class, scores.bayes, scores.products);
    }

    /// Adds the leaf's own correction to the scores of the trunk.
    void add_correction(Records records, const ModelLayout& layout, std::span<double> scores) const {
        LogisticRegression::add_scores(intercept.data(), scores);
        LogisticRegression::add_scores(records, layout.weights_at(), scores);
    }

    std::size_t n_bytes() const {
        return table.n_bytes() + n_of_class.capacity() * sizeof(std::int64_t) + intercept.capacity() * sizeof(Word);
    }
};

}  // namespace sapwood
