#pragma once

#include <memory>
#include <vector>

#include "sapwood/impurity.hpp"
#include "sapwood/search/approximate/approximate.hpp"
#include "sapwood/search/approximate/bins.hpp"

namespace sapwood {

/// UpdGini, Algorithm 2 of Tatti (SDM 2025): a (1 + alpha)-approximate best split by conditional Gini index in
/// amortised O(alpha^-1 + m log d) a point, for m active features and d features seen.
///
/// A feature is filed in a single bin, because a key of another bin may underestimate its score; the bins overlap, so
/// that it does not move to and fro at a border.
class UpdGini final : public ApproximateSearch<Gini, GiniBins> {
public:
    explicit UpdGini(double alpha) : UpdGini(GiniBins(alpha)) {}

    std::unique_ptr<SplitSearch> clone() const override { return std::make_unique<UpdGini>(*this); }

private:
    explicit UpdGini(const GiniBins& bins) : ApproximateSearch(bins) {}

    void start_afresh() override { *this = UpdGini(trees_.bins()); }
    void take_over(SplitSearch& other) noexcept override { *this = static_cast<UpdGini&&>(other); }

    /// Lines 2 to 8; line 1 is `add`, line 9 is `refresh`, lines 10 and 11 are `best`.
    void maintain() override {
        // Lines 2-5: file each feature that was on afresh.
        for_each_touched([this](Slot slot) { file(slot, ind(slot)); });

        // Lines 6-8: the features that left their bin. All are found before the first is moved: should the rounding of
        // ind put one back where it came from, it is not found again in the same pass.
        for (auto& [index, tree] : trees_) {
            for_each_below(tree, [this](Slot slot) { leaving_.push_back(slot); });
            for_each_above(tree, [this](Slot slot) { leaving_.push_back(slot); });
        }
        for (const Slot slot : leaving_) file(slot, ind(slot));
        leaving_.clear();
    }

    std::vector<Slot> leaving_;
};

}  // namespace sapwood
