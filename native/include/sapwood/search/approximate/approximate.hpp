#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/search/approximate/bin_trees.hpp"
#include "sapwood/search/counted_search.hpp"

namespace sapwood {

/// What UpdEnt (upd_ent.hpp) and UpdGini (upd_gini.hpp) have in common: features filed in the search trees of bins, and
/// the answer as the best of the first features of all trees.
///
/// Guarantee, after every point: score(best) <= (1 + alpha) * the smallest score, and so for `top`, the i-th against
/// the true i-th. It bounds the score (the conditional impurity), not the gain. Rounding adds a relative 1e-9 at the
/// most.
///
/// Why `top` holds: the candidates are the k smallest keys of every tree. Of the true first i <= k, either all are
/// candidates, or one of them was crowded out of its tree by k features, each within (1 + alpha) of it.
///
/// `add` only counts and notes which features were touched; the loops of the algorithms run at the next query, once,
/// for all points since the last one. Querying after every point runs them as the paper writes them.
template <class Impurity, class BinsOfImpurity>
class ApproximateSearch : public CountedSearch<Impurity> {
public:
    using Bins = BinsOfImpurity;
    using Index = typename Bins::Index;
    using Tree = BinTree<Bins>;
    using Entry = LazyHeap::Entry;

    void add(Features features, Label label, Count weight = 1) final {
        counts_.add(features, label, weight, [this](Slot slot) {
            if (index_of(slot) == filings_.size()) filings_.emplace_back();
            Filing& filing = filings_[index_of(slot)];
            if (!filing.touched) {
                filing.touched = true;
                touched_.push_back(slot);
            }
        });
    }

    /// Not possible: the algorithms rely on c_{j01} never falling, so that a feature leaves B_-infinity for good.
    void remove(Features, Label, Count = 1) final {
        throw std::invalid_argument("search must be 'exhaustive' or 'certified' to remove points, got 'approximate'");
    }
    void take_back_counts(const SummedCounts&) final { remove({}, 0); }

    std::optional<Split> best() final {
        refresh();
        std::optional<Split> best;
        for (auto& [index, tree] : trees_) {
            const Entry* first = tree.by_score.first(smaller_key(), current());
            ++examined_;
            const Split split = split_of(first->slot);
            if (!best || comes_before(split, *best)) best = split;
        }
        return best;
    }

    std::vector<Split> top(std::size_t k) final {
        refresh();
        std::vector<Entry> candidates;
        for (auto& [index, tree] : trees_) tree.by_score.first_k(k, smaller_key(), current(), candidates);
        // A feature may be filed in several trees.
        std::sort(candidates.begin(), candidates.end(), [](auto& x, auto& y) { return x.slot < y.slot; });
        const auto same = [](auto& x, auto& y) { return x.slot == y.slot; };
        candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
        examined_ += candidates.size();
        std::vector<Split> splits;
        splits.reserve(candidates.size());
        for (const Entry& candidate : candidates) splits.push_back(split_of(candidate.slot));
        k = std::min(k, splits.size());
        std::partial_sort(splits.begin(), splits.begin() + static_cast<std::ptrdiff_t>(k), splits.end(), comes_before);
        splits.resize(k);
        return splits;
    }

    bool is_exact() const final { return false; }

    SAPWOOD_COLD std::vector<std::pair<std::string, std::uint64_t>> stats() const final {
        return {{"moves", moves_}, {"key_updates", key_updates_}, {"examined", examined_}};
    }

    /// The search trees that hold at least one feature.
    std::size_t n_trees() {
        refresh();
        return trees_.size();
    }

    std::size_t n_bytes() const final {
        return sizeof(*this) + counts_.n_bytes() + filings_.capacity() * sizeof(Filing) +
               touched_.capacity() * sizeof(Slot) + trees_.n_bytes();
    }

    SAPWOOD_COLD SearchState state() final {
        if (refreshed_at_ != counts_.n()) {
            all_or_nothing([](ApproximateSearch& copy) { copy.refresh(); });
        }
        SearchState state = CountedSearch<Impurity>::state();
        for (const Filing& filing : filings_) {
            state.filings.first_bin.push_back(filing.first);
            state.filings.last_bin.push_back(filing.last);
        }
        state.filings.moves = moves_;
        state.filings.key_updates = key_updates_;
        return state;
    }

    SAPWOOD_COLD void restore(SearchState state) final {
        all_or_nothing([&](ApproximateSearch& copy) { copy.become(std::move(state)); });
    }

    /// Besides the counts, the first and the last bin of each feature. The search becomes one that was made from just
    /// what is written, so that the two go on alike: it does what it had put off, and forgets which of two bins it last
    /// chose at their common border. Bins that cannot be kept it finds anew, which breaks no promise.
    SAPWOOD_COLD void save(ByteWriter& out) final {
        all_or_nothing([&](ApproximateSearch& copy) {
            copy.refresh();
            const SearchState kept = copy.become_what_is_kept();
            write_counts(kept, out);
            out.put_all(std::span<const std::int32_t>(kept.filings.first_bin));
            out.put_all(std::span<const std::int32_t>(kept.filings.last_bin));
        });
    }

    SAPWOOD_COLD void load(ByteReader& in, const SavedSearch& expected) final {
        SearchState kept = read_counts(in, expected);
        kept.filings.first_bin = in.get_list<std::int32_t>(kept.ids.size(), "first bins");
        kept.filings.last_bin = in.get_list<std::int32_t>(kept.ids.size(), "last bins");
        if (!can_keep(kept)) {
            throw ModelFormatError("the bins of a search must exist, and be at most " +
                                   std::to_string(bins_per_feature) + " per feature, got others");
        }
        start_afresh();
        try {
            become(std::move(kept));
            validate();
        } catch (const std::logic_error& error) {
            throw ModelFormatError(std::string("the bins of a search must hold its features, got a search in which ") +
                                   error.what());
        }
    }

    SAPWOOD_COLD void validate() final;

protected:
    using CountedSearch<Impurity>::counts_;
    using CountedSearch<Impurity>::criterion_;
    using CountedSearch<Impurity>::examined_;

    /// Where a feature is filed: in the trees T of the bins first, ..., last, in L of the first and in U of the last.
    struct Filing {
        Index first = 0;  // a(j)
        Index last = 0;   // b(j)
        /// Entries with another stamp are outdated. 0: never filed.
        std::uint32_t stamp = 0;
        bool touched = false;
    };

    explicit ApproximateSearch(const Bins& bins) : CountedSearch<Impurity>(2), trees_(bins) {}
    ApproximateSearch(const ApproximateSearch&) = default;
    ApproximateSearch& operator=(ApproximateSearch&&) = default;

    /// Becomes a search that has seen nothing.
    virtual void start_afresh() = 0;

    /// Becomes another search of the same type, which is to be discarded.
    virtual void take_over(SplitSearch& other) noexcept = 0;

    /// Changes a copy, and becomes what that is then: if the change throws, nothing has changed.
    template <class Change>
    void all_or_nothing(Change change) {
        const std::unique_ptr<SplitSearch> copy = this->clone();
        change(static_cast<ApproximateSearch&>(*copy));
        take_over(*copy);
    }

    /// Takes over what was kept. If it throws, discard this search.
    SAPWOOD_COLD void become(SearchState state) {
        const Filings filings = std::move(state.filings);
        const std::vector<std::int32_t>& first = filings.first_bin;
        const std::vector<std::int32_t>& last = filings.last_bin;
        const bool without_bins = first.empty() && last.empty();
        if (!without_bins && (first.size() != state.ids.size() || last.size() != state.ids.size())) {
            throw std::invalid_argument("state must hold the bins of every feature, or none");
        }
        CountedSearch<Impurity>::restore(std::move(state));
        trees_.clear();
        touched_.clear();
        filings_.assign(counts_.n_features(), Filing{});
        for (std::size_t i = 0; i < filings_.size(); ++i) {
            const Slot slot = slot_at(i);
            if (without_bins) {
                file(slot, ind(slot));
                continue;
            }
            if (!trees_.bins().has(first[i], last[i])) throw std::invalid_argument("state must hold bins that exist");
            file(slot, first[i]);
            while (filings_[i].last != last[i]) extend_up(slot);
        }
        trees_.prune();
        refreshed_at_ = counts_.n();
        moves_ = filings.moves;
        key_updates_ = filings.key_updates;
    }

    /// Becomes a search that was made from just what `save` writes, and returns that.
    SAPWOOD_COLD SearchState become_what_is_kept() {
        SearchState kept = state();
        if (kept.ids.empty()) return kept;
        if (!can_keep(kept)) {
            kept.filings.first_bin.clear();
            kept.filings.last_bin.clear();
            start_afresh();
            become(std::move(kept));
            kept = state();
        }
        kept = by_feature(std::move(kept));
        start_afresh();
        become(kept);
        return kept;
    }

    /// Runs the loops of the algorithm over the points added since the last time.
    virtual void maintain() = 0;

    void refresh() {
        if (refreshed_at_ == counts_.n()) return;
        criterion_.cover(counts_.n());
        maintain();
        trees_.prune();
        refreshed_at_ = counts_.n();
    }

    /// The features touched since the last time; the list is empty afterwards.
    template <class Use>
    void for_each_touched(Use use) {
        for (const Slot slot : touched_) {
            filing_of(slot).touched = false;
            use(slot);
        }
        touched_.clear();
    }

    const Filing& filing_of(Slot slot) const { return filings_[index_of(slot)]; }
    Filing& filing_of(Slot slot) { return filings_[index_of(slot)]; }

    Split split_of(Slot slot) const {
        const Count c0 = counts_.of_class(0);
        const Count c1 = counts_.of_class(1);
        return CountedSearch<Impurity>::split_of(
            slot, criterion_.score(counts_.on(0, slot), counts_.on(1, slot), c0, c1), criterion_.weighted(c0, c1));
    }

    /// ind(rho_j) as the counts are now.
    Index ind(Slot slot) const {
        return trees_.bins().ind(counts_.of_class(0) - counts_.on(0, slot), counts_.of_class(1) - counts_.on(1, slot));
    }

    /// Takes a feature out of all its trees and files it in those of one bin.
    void file(Slot slot, Index index) {
        Filing& filing = filing_of(slot);
        if (filing.stamp == 0 || filing.first != index || filing.last != index) ++moves_;
        if (filing.stamp != 0) take_out(filing);
        ++filing.stamp;
        filing.first = filing.last = index;
        Tree& tree = trees_.find_or_make(index);
        put_by_score(tree, slot);
        put_by_lower(tree, slot);
        put_by_upper(tree, slot);
    }

    /// Files a feature in the bin below its first one as well.
    void extend_down(Slot slot) {
        Filing& filing = filing_of(slot);
        trees_.find(filing.first)->by_lower.forget();
        filing.first = Bins::below(filing.first);
        Tree& tree = trees_.find_or_make(filing.first);
        put_by_score(tree, slot);
        put_by_lower(tree, slot);
        ++moves_;
    }

    /// Files a feature in the bin above its last one as well.
    void extend_up(Slot slot) {
        Filing& filing = filing_of(slot);
        trees_.find(filing.last)->by_upper.forget();
        filing.last = Bins::above(filing.last);
        Tree& tree = trees_.find_or_make(filing.last);
        put_by_score(tree, slot);
        put_by_upper(tree, slot);
        ++moves_;
    }

    void put_by_score(Tree& tree, Slot slot) {
        const Count a = counts_.on(0, slot);
        const Count b = counts_.on(1, slot);
        tree.by_score.push({tree.bin.key(criterion_.weighted(a, b), a, b), slot, filing_of(slot).stamp}, smaller_key(),
                           current());
        ++key_updates_;
    }

    void put_by_lower(Tree& tree, Slot slot) {
        const double key = tree.bin.lower_key(counts_.on(0, slot), counts_.on(1, slot));
        tree.by_lower.push({key, slot, filing_of(slot).stamp}, smaller_lower, current_first(tree));
        ++key_updates_;
    }

    void put_by_upper(Tree& tree, Slot slot) {
        const double key = tree.bin.upper_key(counts_.on(0, slot), counts_.on(1, slot));
        tree.by_upper.push({key, slot, filing_of(slot).stamp}, greater_upper, current_last(tree));
        ++key_updates_;
    }

    /// Takes out of L of a tree, one after the other, the features that have left its bin downwards: `use(slot)`.
    template <class Use>
    void for_each_below(Tree& tree, Use use) {
        const double border = tree.bin.lower_key(counts_.of_class(0), counts_.of_class(1));
        Entry entry;
        while (tree.by_lower.pop_if(smaller_lower, [&](double key) { return key < border; }, entry)) {
            if (current_first(tree)(entry)) use(entry.slot);
        }
    }

    /// Takes out of U of a tree, one after the other, the features that have left its bin upwards: `use(slot)`.
    template <class Use>
    void for_each_above(Tree& tree, Use use) {
        const double border = tree.bin.upper_key(counts_.of_class(0), counts_.of_class(1));
        Entry entry;
        while (tree.by_upper.pop_if(greater_upper, [&](double key) { return key > border; }, entry)) {
            if (current_last(tree)(entry)) use(entry.slot);
        }
    }

    BinTrees<Bins> trees_;

private:
    static constexpr auto smaller_lower = [](const Entry& x, const Entry& y) { return x.key < y.key; };
    static constexpr auto greater_upper = [](const Entry& x, const Entry& y) { return x.key > y.key; };

    /// The order of T: by key, and by feature id among equal keys, so that its first feature is the same however the
    /// tree came about.
    auto smaller_key() const {
        return [this](const Entry& x, const Entry& y) {
            return x.key != y.key ? x.key < y.key : counts_.index().id(x.slot) < counts_.index().id(y.slot);
        };
    }

    /// Which entries of T, L and U are current.
    auto current() const {
        return [this](const Entry& entry) { return filing_of(entry.slot).stamp == entry.stamp; };
    }
    auto current_first(const Tree& tree) const {
        return [this, &tree](const Entry& entry) {
            const Filing& filing = filing_of(entry.slot);
            return filing.stamp == entry.stamp && filing.first == tree.index;
        };
    }
    auto current_last(const Tree& tree) const {
        return [this, &tree](const Entry& entry) {
            const Filing& filing = filing_of(entry.slot);
            return filing.stamp == entry.stamp && filing.last == tree.index;
        };
    }

    void take_out(const Filing& filing) {
        auto at = trees_.at(filing.first);
        at->second.by_lower.forget();
        for (; at->first != filing.last; ++at) at->second.by_score.forget();
        at->second.by_score.forget();
        at->second.by_upper.forget();
    }

    /// In what is saved, the features are in at most this many bins on the average (and some more): else they would
    /// take far more memory than what is written of them. Only a small alpha leads to more.
    static constexpr std::int64_t bins_per_feature = 8;

    /// Whether the bins are so few, and a search can be made with them. (Not so if a feature that was on in every
    /// point, and so had no share of its own, was filed as another one; and then went beyond all bins.)
    bool can_keep(const SearchState& state) const {
        const std::vector<std::int32_t>& first = state.filings.first_bin;
        const std::vector<std::int32_t>& last = state.filings.last_bin;
        const auto n_features = static_cast<std::int64_t>(state.ids.size());
        std::int64_t size = 0;
        for (std::size_t i = 0; i < state.ids.size(); ++i) size += Bins::span(first[i], last[i]);
        if (size > bins_per_feature * (n_features + bins_per_feature)) return false;
        for (std::size_t i = 0; i < state.ids.size(); ++i) {
            if (!trees_.bins().has(first[i], last[i])) return false;
        }
        return true;
    }

    std::vector<Filing> filings_;
    std::vector<Slot> touched_;
    /// Times a feature was put into a tree in which it was not.
    std::uint64_t moves_ = 0;
    /// Keys written into a tree.
    std::uint64_t key_updates_ = 0;
    Count refreshed_at_ = 0;
};

/// Checks every invariant against the counts: each seen feature in just the trees of its bins, with the keys that its
/// counts have now; rho_j inside the bins; the heaps in order, their sizes right, no tree empty.
template <class Impurity, class BinsOfImpurity>
void ApproximateSearch<Impurity, BinsOfImpurity>::validate() {
    refresh();
    const auto require = [](bool holds, const char* holder, std::int64_t number, const char* complaint) {
        if (!holds) throw std::logic_error(holder + std::to_string(number) + complaint);
    };
    const Count c0 = counts_.of_class(0);
    const Count c1 = counts_.of_class(1);
    std::vector<int> in_score(filings_.size());
    std::vector<int> in_lower(filings_.size());
    std::vector<int> in_upper(filings_.size());
    if (filings_.size() != counts_.n_features()) throw std::logic_error("a seen feature is not filed");
    if (!touched_.empty()) throw std::logic_error("a touched feature was left over");
    for (const auto& [index, found] : trees_) {
        const Tree& tree = found;  // which a lambda can hold, and older compilers hold no binding
        require(index == tree.index, "bin ", index, " is out of order");
        require(tree.by_score.size() > 0, "bin ", tree.index, " is empty and was not deleted");
        const auto check = [&](const LazyHeap& heap, auto first, auto live, auto key, std::vector<int>& seen,
                               const char* name) {
            const auto after = [&](const Entry& x, const Entry& y) { return first(y, x); };
            require(std::is_heap(heap.entries().begin(), heap.entries().end(), after), name, tree.index, " is no heap");
            std::size_t size = 0;
            for (const Entry& entry : heap.entries()) {
                if (!live(entry)) continue;
                ++size;
                ++seen[index_of(entry.slot)];
                const Filing& filing = filing_of(entry.slot);
                require(filing.first <= tree.index && tree.index <= filing.last, name, tree.index, " holds a stranger");
                require(entry.key == key(counts_.on(0, entry.slot), counts_.on(1, entry.slot)), name, tree.index,
                        " holds an outdated key");
            }
            require(size == heap.size(), name, tree.index, " miscounts its features");
        };
        check(
            tree.by_score, smaller_key(), current(),
            [&](Count a, Count b) { return tree.bin.key(criterion_.weighted(a, b), a, b); }, in_score, "T of bin ");
        check(
            tree.by_lower, smaller_lower, current_first(tree),
            [&](Count a, Count b) { return tree.bin.lower_key(a, b); }, in_lower, "L of bin ");
        check(
            tree.by_upper, greater_upper, current_last(tree),
            [&](Count a, Count b) { return tree.bin.upper_key(a, b); }, in_upper, "U of bin ");
    }
    for (std::size_t i = 0; i < filings_.size(); ++i) {
        const Filing& filing = filings_[i];
        const Slot slot = slot_at(i);
        const FeatureId id = counts_.index().id(slot);
        require(filing.stamp != 0 && filing.first <= filing.last, "feature ", id, " is not filed");
        const Tree* first = trees_.find(filing.first);
        const Tree* last = trees_.find(filing.last);
        require(first != nullptr && last != nullptr, "feature ", id, " is filed in a tree that does not exist");
        require(in_score[i] == Bins::span(filing.first, filing.last), "feature ", id, " is missing from a tree T");
        require(in_lower[i] == 1 && in_upper[i] == 1, "feature ", id, " is missing from a tree L or U");
        const Count a = counts_.on(0, slot);
        const Count b = counts_.on(1, slot);
        // Where a comparison of rounded keys let a feature stay, ind may differ by rounding; hence the slack.
        const double slack = 1e-9 * (1.0 + c0 + c1);
        require(first->bin.lower_key(a, b) >= first->bin.lower_key(c0, c1) - slack, "feature ", id,
                " has a rho below its bins");
        require(last->bin.upper_key(a, b) <= last->bin.upper_key(c0, c1) + slack, "feature ", id,
                " has a rho above its bins");
    }
}

}  // namespace sapwood
