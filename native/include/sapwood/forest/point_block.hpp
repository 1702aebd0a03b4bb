#pragma once

#include <cstddef>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Points that are kept while all trees of a forest learn them, one tree after the other.
class PointBlock {
public:
    std::size_t size() const { return rows_.size(); }
    /// The features of all points.
    std::size_t n_features() const { return features_.size(); }

    void clear() {
        features_.clear();
        numbers_.clear();
        rows_.clear();
    }

    void add(const Point& point) {
        Row row;
        row.on = features_.size();
        features_.insert(features_.end(), point.on.begin(), point.on.end());
        row.on_end = features_.size();
        const bool is_same = point.for_models.data() == point.on.data() && point.for_models.size() == point.on.size();
        row.models = is_same ? row.on : features_.size();
        if (!is_same) features_.insert(features_.end(), point.for_models.begin(), point.for_models.end());
        row.models_end = is_same ? row.on_end : features_.size();
        row.numbers = numbers_.size();
        numbers_.insert(numbers_.end(), point.numbers.begin(), point.numbers.end());
        row.numbers_end = numbers_.size();
        row.attributes = point.attributes;
        rows_.push_back(row);
    }

    /// A point, valid until the next is added.
    Point point(std::size_t i) const {
        const Row& row = rows_[i];
        Point point(Features(features_).subspan(row.on, row.on_end - row.on),
                    std::span(numbers_).subspan(row.numbers, row.numbers_end - row.numbers));
        point.for_models = Features(features_).subspan(row.models, row.models_end - row.models);
        point.attributes = row.attributes;
        return point;
    }

private:
    struct Row {
        std::size_t on, on_end, models, models_end, numbers, numbers_end;
        const Attributes* attributes;
    };

    std::vector<FeatureId> features_;
    std::vector<NumberValue> numbers_;
    std::vector<Row> rows_;
};

}  // namespace sapwood
