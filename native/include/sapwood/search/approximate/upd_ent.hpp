#pragma once

#include <memory>

#include "sapwood/impurity.hpp"
#include "sapwood/search/approximate/approximate.hpp"
#include "sapwood/search/approximate/bins.hpp"

namespace sapwood {

/// UpdEnt, Algorithm 1 of Tatti (SDM 2025): a (1 + alpha)-approximate best split by conditional entropy in amortised
/// O(alpha^-1 (1 + m log d) log log n) a point, for m active features and d features seen.
///
/// A feature whose rho_j drifts out of its bins is filed in the neighbouring bin as well, and left where it was: a key
/// of another bin overestimates its score, which does no harm. So it is never moved to and fro at a border.
class UpdEnt final : public ApproximateSearch<Entropy, EntropyBins> {
public:
    explicit UpdEnt(double alpha) : UpdEnt(EntropyBins(alpha)) {}

    std::unique_ptr<SplitSearch> clone() const override { return std::make_unique<UpdEnt>(*this); }

private:
    explicit UpdEnt(const EntropyBins& bins) : ApproximateSearch(bins) {}

    void start_afresh() override { *this = UpdEnt(trees_.bins()); }
    void take_over(SplitSearch& other) noexcept override { *this = static_cast<UpdEnt&&>(other); }

    /// Lines 2 to 17; line 1 is `add`, line 18 is `refresh`, lines 19 and 20 are `best`.
    void maintain() override {
        // Lines 2-5: file each feature that was on afresh, in a single bin.
        for_each_touched([this](Slot slot) { file(slot, ind_near(slot)); });

        // Lines 6-8 and 9-11: features that leave B_-infinity and B_infinity leave them for good, so they are filed
        // afresh too. The paper prints line 9 with n_{j1} - c_{j11} > n - c_1, which never holds; rho_j = 1 ends when
        // n_{j1} - c_{j11} < n - c_1, which is the test of every other tree L.
        if (Tree* tree = trees_.find(EntropyBins::lowest)) {
            for_each_above(*tree, [this](Slot slot) { file(slot, ind(slot)); });
        }
        if (Tree* tree = trees_.find(EntropyBins::highest)) {
            for_each_below(*tree, [this](Slot slot) { file(slot, ind(slot)); });
        }

        // Lines 12-14: the trees L in descending order, so that a feature can go down several bins.
        for (auto at = trees_.end(); at != trees_.begin();) {
            Tree& tree = (--at)->second;
            if (tree.index == EntropyBins::lowest || tree.index == EntropyBins::highest) continue;
            for_each_below(tree, [this](Slot slot) { extend_down(slot); });
        }

        // Lines 15-17: the trees U in ascending order.
        for (auto& [index, tree] : trees_) {
            if (index == EntropyBins::lowest || index == EntropyBins::highest) continue;
            for_each_above(tree, [this](Slot slot) { extend_up(slot); });
        }
    }

    /// ind(rho_j), without its logarithms where the feature is in the bin it was in, or in the one found last: most
    /// features are rare, and the rho of all rare features is near c_1 / n. On a border both bins are right. A feature
    /// that is on in every point has no rho, and every bin would hold it; only the lowest does not lead beyond the
    /// bins.
    Index ind_near(Slot slot) {
        if (counts_.on(0, slot) == counts_.of_class(0) && counts_.on(1, slot) == counts_.of_class(1)) return ind(slot);
        const Filing& filing = filing_of(slot);
        if (filing.stamp != 0 && filing.first == filing.last && holds(filing.first, slot)) return filing.first;
        if (!holds(found_last_, slot)) found_last_ = ind(slot);
        return found_last_;
    }

    bool holds(Index index, Slot slot) {
        const Tree* tree = trees_.find(index);
        if (tree == nullptr) return false;
        const EntropyBins::Bin& bin = tree->bin;
        const Count a = counts_.on(0, slot);
        const Count b = counts_.on(1, slot);
        const Count c0 = counts_.of_class(0);
        const Count c1 = counts_.of_class(1);
        return bin.lower_key(a, b) >= bin.lower_key(c0, c1) && bin.upper_key(a, b) <= bin.upper_key(c0, c1);
    }

    Index found_last_ = EntropyBins::lowest;
};

}  // namespace sapwood
