#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sapwood/forest/point_block.hpp"
#include "sapwood/tree/predict/trunk_says.hpp"
#include "sapwood/tree/weight.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Points that a forest is about to learn, and what its parts say of them: first the trunk, which all trees ask, then
/// each tree, then the mixer, which asks all of them. Each goes through all points before the next begins.
class ForestBlock {
public:
    struct Row {
        Label label;
        Weight weight;
        /// Which of `asked()` is to be answered before the point is learned; `itself`: the point as it is.
        std::size_t asks;
    };
    static constexpr std::size_t itself = static_cast<std::size_t>(-1);

    std::size_t size() const { return rows_.size(); }
    const Row& row(std::size_t i) const { return rows_[i]; }
    /// The features that are kept of all points.
    std::size_t n_features() const { return learned_.n_features() + asked_.n_features(); }
    /// The points to learn; and those to answer that are not the same.
    const PointBlock& learned() const { return learned_; }
    const PointBlock& asked() const { return asked_; }

    void clear() {
        rows_.clear();
        learned_.clear();
        asked_.clear();
    }

    void add(const Point& point, Label label, Weight weight) {
        learned_.add(point);
        rows_.push_back({label, weight, itself});
    }

    /// The same of a point that is to be answered before it is learned: `asked` is what is known of it by then.
    void add(const Point& point, Label label, Weight weight, const Point& asked) {
        add(point, label, weight);
        if (is_same(point, asked)) return;
        rows_.back().asks = asked_.size();
        asked_.add(asked);
    }

    /// What the trunk says of each point.
    TrunkAnswers says_of_learned;
    TrunkAnswers says_of_asked;
    /// What the trees say: the first of them of every point, then the next of every point, so that each writes in a
    /// row.
    std::vector<double> said_of_learned;
    std::vector<double> said_of_asked;

private:
    static bool is_same(const Point& a, const Point& b) {
        const auto equal = [](Features x, Features y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
        return equal(a.on, b.on) && equal(a.for_models, b.for_models) &&
               std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
                          [](const NumberValue& x, const NumberValue& y) {
                              return x.attribute == y.attribute && x.value == y.value;
                          });
    }

    std::vector<Row> rows_;
    PointBlock learned_;
    PointBlock asked_;
};

}  // namespace sapwood
