#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/storage/shared_table.hpp"
#include "sapwood/tree/predict/logistic_regression.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The logistic regression of the whole stream, which every leaf builds on: a record for each feature, dense.
class Trunk {
public:
    explicit Trunk(const ModelLayout& layout)
        : n_outputs_(layout.n_outputs()), room_(layout.outputs_room()), intercept_(2 * room_) {}

    std::size_t n_outputs() const { return n_outputs_; }
    /// The outputs that a record has room for: the sums of squares stand so many words after the weights.
    std::size_t room() const { return room_; }
    std::size_t size() const { return records_.size() / (2 * room_); }

    Word* intercept() { return intercept_.data(); }
    const Word* intercept() const { return intercept_.data(); }
    Word* record(FeatureId id) { return records_.data() + static_cast<std::size_t>(id) * 2 * room_; }
    const Word* record(FeatureId id) const { return const_cast<Trunk*>(this)->record(id); }
    bool contains(FeatureId id) const { return static_cast<std::size_t>(id) < size(); }

    /// What `cover` would take for this many features, beyond what there is.
    std::size_t bytes_to_cover(std::size_t size) const {
        return (capacity_for(size) - records_.capacity()) * sizeof(Word);
    }

    /// Makes records for the features 0, ..., size - 1.
    void cover(std::size_t size) {
        records_.reserve(capacity_for(size));
        records_.resize(size * 2 * room_);
    }

    /// Has more outputs from now on, for which there is room.
    void take_outputs(std::size_t n_outputs) { n_outputs_ = n_outputs; }

    /// The same regression over more classes, or with more room for them.
    Trunk widened(const ModelLayout& wider) const {
        Trunk trunk(wider);
        if (trunk.n_outputs() == n_outputs_ && trunk.room() == room_) return *this;
        trunk.cover(size());
        LogisticRegression::widen(intercept(), n_outputs_, room_, trunk.intercept(), trunk.room());
        for (std::size_t i = 0; i < size(); ++i) {
            const auto id = static_cast<FeatureId>(i);
            LogisticRegression::widen(record(id), n_outputs_, room_, trunk.record(id), trunk.room());
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
        const std::size_t words = size * 2 * room_;
        const std::size_t capacity = records_.capacity();
        return words <= capacity ? capacity : std::max(words, capacity + capacity / 4);
    }

    std::size_t n_outputs_;
    std::size_t room_;
    std::vector<Word> intercept_;
    std::vector<Word> records_;
};

}  // namespace sapwood
