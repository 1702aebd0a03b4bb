#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/impurity.hpp"
#include "sapwood/search/counted_search.hpp"
#include "sapwood/search/removal_guard.hpp"
#include "sapwood/search/scored.hpp"

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

/// What the exhaustive searches over two classes and over more have in common: everything but how scores are computed.
template <class Criterion>
class ExhaustiveBase : public CountedSearch<Criterion> {
public:
    void add(Features features, Label label, Count weight = 1) final {
        counts_.add(features, label, weight, [](Slot) {});
    }

    void remove(Features features, Label label, Count weight = 1) final {
        const auto on = [&](FeatureId id) {
            const Slot slot = counts_.index().find(id);
            return slot == no_slot ? 0 : counts_.on(label, slot);
        };
        guard_.check(features, label, weight, counts_.of_class(label), on, [this](auto use) {
            for (const FeatureId id : counts_.index().ids()) use(id);
        });
        counts_.remove(features, label, weight);
    }

    void add_counts(const AddedCounts& added) final { counts_.add_counts(added); }

    void take_back(Features features, Label label, Count weight) final { counts_.remove(features, label, weight); }

    void take_back_counts(const SummedCounts& gone) final { counts_.remove(gone); }

    std::optional<Split> best() final {
        Slot best = no_slot;
        double best_score = std::numeric_limits<double>::infinity();
        for_each_block([&](std::size_t first, std::size_t size, const double* scores) {
            const double smallest = detail::smallest_of(scores, block);
            if (smallest > best_score) return;
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] != smallest) continue;
                const Slot slot = slot_at(first + i);
                if (smallest < best_score || id(slot) < id(best)) {
                    best = slot;
                    best_score = smallest;
                }
            }
        });
        if (best == no_slot) return std::nullopt;
        return this->split_of(best, best_score, whole());
    }

    std::vector<Split> top(std::size_t k) final {
        std::vector<Scored> all;
        all.reserve(counts_.n_features());
        for_each_block([&](std::size_t first, std::size_t size, const double* scores) {
            for (std::size_t i = 0; i < size; ++i) all.push_back({id(slot_at(first + i)), scores[i]});
        });
        k = std::min(k, all.size());
        std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(), is_better);
        std::vector<Split> splits;
        splits.reserve(k);
        const double of_node = whole();
        const Count n = counts_.n();
        for (std::size_t i = 0; i < k; ++i) {
            splits.push_back({all[i].feature, all[i].score, n == 0 ? 0 : (of_node - all[i].score) / n});
        }
        return splits;
    }

    bool is_exact() const final { return true; }

    SAPWOOD_COLD void restore(SearchState state) final {
        RemovalGuard guard(counts_.n_classes());
        CountedSearch<Criterion>::restore(std::move(state));
        guard_ = std::move(guard);
    }

    SAPWOOD_COLD void validate() final {
        for (std::size_t i = 0; i < counts_.n_features(); ++i) {
            const Slot slot = slot_at(i);
            if (counts_.index().find(id(slot)) != slot) throw std::logic_error("a feature is lost from the index");
            for (std::size_t k = 0; k < counts_.n_classes(); ++k) {
                const Count on = counts_.on(k, slot);
                if (on < 0 || on > counts_.of_class(k)) throw std::logic_error("a feature is on too often");
            }
        }
    }

    std::size_t n_bytes() const final { return sizeof(*this) + block_overhead + counts_.n_bytes() + guard_.n_bytes(); }

    std::vector<std::pair<std::string, std::uint64_t>> stats() const final { return {{"examined", examined_}}; }

protected:
    using CountedSearch<Criterion>::counts_;
    using CountedSearch<Criterion>::criterion_;
    using CountedSearch<Criterion>::examined_;

    explicit ExhaustiveBase(std::size_t n_classes) : CountedSearch<Criterion>(n_classes), guard_(n_classes) {}

    /// Adds a column of zeros for each more class.
    void add_classes(std::size_t n_classes) {
        counts_.take_classes(n_classes);
        guard_.take_classes(n_classes);
    }

    /// The weighted impurity of the whole node.
    virtual double whole() = 0;

    /// The scores of `size` features from a slot on.
    virtual void scores(std::size_t first, std::size_t size, double* out) = 0;

private:
    /// How many scores are computed at once: 2 kB, which stay in the first cache with the counts.
    static constexpr std::size_t block = 256;

    FeatureId id(Slot slot) const { return counts_.index().id(slot); }

    /// Computes all scores, a block at a time: `use(first slot, size, scores)`. The last block is filled up with
    /// infinity.
    template <class Use>
    void for_each_block(Use use) {
        criterion_.cover(counts_.n());
        std::array<double, block> buffer;
        const std::size_t size = counts_.n_features();
        for (std::size_t first = 0; first < size; first += block) {
            const std::size_t length = std::min(block, size - first);
            scores(first, length, buffer.data());
            std::fill(buffer.begin() + length, buffer.end(), std::numeric_limits<double>::infinity());
            use(first, length, buffer.data());
        }
        examined_ += size;
    }

    RemovalGuard guard_;
};

/// The paper's baselines BaseEnt and BaseGini: `best` looks at every seen feature.
///
/// Guarantee: `best` and `top` are exact, up to the rounding of a score, and ties go to the smaller feature id.
/// `add` takes O(m), a query O(d) for d features seen. They are the opponent that the other searches are measured
/// against, and so scan plain arrays, with a table in place of logarithms.
template <class Criterion>
class ExhaustiveSearch final : public ExhaustiveBase<Criterion> {
public:
    ExhaustiveSearch() : ExhaustiveBase<Criterion>(2) {}

    SAPWOOD_COLD std::unique_ptr<SplitSearch> clone() const override {
        return std::make_unique<ExhaustiveSearch>(*this);
    }

private:
    using CountedSearch<Criterion>::counts_;
    using CountedSearch<Criterion>::criterion_;

    double whole() override { return criterion_.weighted(counts_.of_class(0), counts_.of_class(1)); }

    void scores(std::size_t first, std::size_t size, double* out) override {
        criterion_.scores(counts_.on(0) + first, counts_.on(1) + first, size, counts_.of_class(0), counts_.of_class(1),
                          out);
    }
};

/// The same for any number of classes.
template <MulticlassCriterion Criterion>
class MulticlassExhaustiveSearch final : public ExhaustiveBase<Criterion> {
public:
    explicit MulticlassExhaustiveSearch(std::size_t n_classes) : ExhaustiveBase<Criterion>(n_classes) {}

    SAPWOOD_COLD std::unique_ptr<SplitSearch> clone() const override {
        return std::make_unique<MulticlassExhaustiveSearch>(*this);
    }

    bool take_classes(std::size_t n_classes) override {
        this->add_classes(n_classes);
        return true;
    }

private:
    using CountedSearch<Criterion>::counts_;
    using CountedSearch<Criterion>::criterion_;

    double whole() override { return criterion_.weighted(counts_.of_classes()); }

    void scores(std::size_t first, std::size_t size, double* out) override {
        const std::size_t n_classes = counts_.n_classes();
        std::vector<Count> on(n_classes);
        std::vector<Count> off(n_classes);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t k = 0; k < n_classes; ++k) {
                on[k] = counts_.on(k)[first + i];
                off[k] = counts_.of_class(k) - on[k];
            }
            out[i] = criterion_.weighted(on) + criterion_.weighted(off);
        }
    }
};

}  // namespace sapwood
