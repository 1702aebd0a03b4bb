#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sapwood/search/split_search.hpp"
#include "sapwood/wide_vectors.hpp"

namespace sapwood {

namespace detail {

/// The smallest of a multiple of eight numbers, in eight lanes that the compiler can keep in vectors.
SAPWOOD_WIDE_VECTORS
inline double smallest_of(const double* values, std::size_t size) {
    std::array<double, 8> lanes;
    std::copy(values, values + lanes.size(), lanes.begin());
    for (std::size_t i = lanes.size(); i < size; i += lanes.size()) {
        for (std::size_t k = 0; k < lanes.size(); ++k) {
            lanes[k] = values[i + k] < lanes[k] ? values[i + k] : lanes[k];
        }
    }
    return *std::min_element(lanes.begin(), lanes.end());
}

}  // namespace detail

/// The paper's baselines BaseEnt and BaseGini: `best` looks at every seen feature.
///
/// Guarantee: `best` and `top` are exact, up to the rounding of a score, and ties go to the smaller feature id.
/// `add` takes O(m), a query O(d) for d features seen. They are the opponent that the other searches are measured
/// against, and so scan plain arrays, with a table in place of logarithms.
template <class Criterion>
class ExhaustiveSearch final : public SplitSearchFor<Criterion> {
public:
    void add(Features features, Label label) override {
        counts_.add(features, label, [](Slot) {});
    }

    std::optional<Split> best() override {
        Slot best = no_slot;
        double best_score = std::numeric_limits<double>::infinity();
        for_each_block([&](Slot first, std::size_t size, const double* scores) {
            const double smallest = detail::smallest_of(scores, block);
            if (smallest > best_score) return;
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] != smallest) continue;
                const Slot slot = first + static_cast<Slot>(i);
                if (smallest < best_score || id(slot) < id(best)) {
                    best = slot;
                    best_score = smallest;
                }
            }
        });
        if (best == no_slot) return std::nullopt;
        return this->split_of(best);
    }

    std::vector<Split> top(std::size_t k) override {
        std::vector<std::pair<double, Slot>> order;
        order.reserve(counts_.n_features());
        for_each_block([&](Slot first, std::size_t size, const double* scores) {
            for (std::size_t i = 0; i < size; ++i) order.emplace_back(scores[i], first + static_cast<Slot>(i));
        });
        k = std::min(k, order.size());
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                          [this](const auto& left, const auto& right) {
                              return left.first != right.first ? left.first < right.first
                                                               : id(left.second) < id(right.second);
                          });
        std::vector<Split> splits;
        splits.reserve(k);
        for (std::size_t i = 0; i < k; ++i) splits.push_back(this->split_of(order[i].second));
        return splits;
    }

    std::unique_ptr<SplitSearch> clone() const override { return std::make_unique<ExhaustiveSearch>(*this); }

    void validate() override {
        for (std::size_t i = 0; i < counts_.n_features(); ++i) {
            const Slot slot = static_cast<Slot>(i);
            if (counts_.index().find(id(slot)) != slot) throw std::logic_error("a feature is lost from the index");
            for (const Label label : {Label{0}, Label{1}}) {
                const Count on = counts_.on(label, slot);
                if (on < 0 || on > counts_.of_class(label)) throw std::logic_error("a feature is on too often");
            }
        }
    }

    std::size_t n_bytes() const override { return sizeof(*this) + counts_.n_bytes(); }

private:
    using SplitSearchFor<Criterion>::counts_;
    using SplitSearchFor<Criterion>::criterion_;
    using SplitSearchFor<Criterion>::work_;

    static constexpr std::size_t block = 256;

    FeatureId id(Slot slot) const { return counts_.index().id(slot); }

    /// Computes all scores, a block at a time: `use(first slot, size, scores)`. The last block is filled up with
    /// infinity.
    template <class Use>
    void for_each_block(Use use) {
        criterion_.cover(counts_.n());
        std::array<double, block> scores;
        const std::size_t size = counts_.n_features();
        for (std::size_t first = 0; first < size; first += block) {
            const std::size_t length = std::min(block, size - first);
            criterion_.scores(counts_.on(0) + first, counts_.on(1) + first, length, counts_.of_class(0),
                              counts_.of_class(1), scores.data());
            std::fill(scores.begin() + length, scores.end(), std::numeric_limits<double>::infinity());
            use(static_cast<Slot>(first), length, scores.data());
        }
        work_.examined += size;
    }
};

}  // namespace sapwood
