#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/search/added_counts.hpp"
#include "sapwood/tree/batch/delta.hpp"
#include "sapwood/tree/batch/features_of_bins.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/types.hpp"

// What the counts of a delta are to a leaf of a tree: features by their numbers there, and bins of numbers as ranges to
// its models, as intervals to its statistics.

namespace sapwood::detail {

/// Which counts of a delta are meant.
enum class Counted { by_weight, each_once };

inline std::int64_t count_of(const Delta::Entry& entry, Counted counted) {
    return counted == Counted::by_weight ? entry.count : entry.points;
}

/// What an entry of a delta is to a tree: a feature, or what is made of a bin.
template <class FeatureOf>
class FeaturesOfEntries {
public:
    /// `n_met`: the points that the tree has met with those of the delta.
    FeaturesOfEntries(const KnownAttributes& known, FeatureOf feature_of, std::int64_t n_met)
        : bins_(known), feature_of_(std::move(feature_of)), n_met_(n_met) {}

    const FeaturesOfBins& bins() const { return bins_; }
    /// That which is on, to the statistics of a node.
    FeatureId on(SharedId id) const { return is_bin_id(id) ? bins_.number(id).presence : feature_of_(id); }
    /// Appends what models see.
    void append(SharedId id, std::vector<FeatureId>& features) const {
        if (is_bin_id(id)) {
            bins_.append(id, n_met_, features);
        } else {
            features.push_back(feature_of_(id));
        }
    }

private:
    FeaturesOfBins bins_;
    FeatureOf feature_of_;
    std::int64_t n_met_;
};

/// A count of one feature.
struct CountedFeature {
    FeatureId feature;
    Label label;
    Count count;
};

/// Counts of features in any order, those of a feature and a class perhaps in several, as counts of a leaf.
inline AddedCounts added_to_leaf(const std::vector<std::int64_t>& of_class, std::vector<CountedFeature> items) {
    std::stable_sort(items.begin(), items.end(), [](const CountedFeature& a, const CountedFeature& b) {
        return std::pair(a.feature, a.label) < std::pair(b.feature, b.label);
    });
    AddedCounts added;
    for (const std::int64_t count : of_class) added.of_class.push_back(static_cast<Count>(count));
    added.of_label.resize(of_class.size());
    for (const CountedFeature& item : items) {
        if (added.ids.empty() || added.ids.back() != item.feature) {
            added.ids.push_back(item.feature);
            added.n_on.push_back(0);
        }
        added.n_on.back() += item.count;
        AddedCounts::OfLabel& of_label = added.of_label[item.label];
        if (of_label.ids.empty() || of_label.ids.back() != item.feature) {
            of_label.ids.push_back(item.feature);
            of_label.on.push_back(0);
        }
        of_label.on.back() += item.count;
    }
    return added;
}

/// The counts of one leaf that its models learn.
template <class OfEntries>
AddedCounts added_to_models(const Delta::Leaf& leaf, std::span<const Delta::Entry> entries,
                            const OfEntries& of_entries) {
    std::vector<CountedFeature> items;
    items.reserve(entries.size());
    std::vector<FeatureId> features;
    for (const Delta::Entry& entry : entries) {
        features.clear();
        of_entries.append(entry.feature, features);
        for (const FeatureId feature : features) {
            items.push_back({feature, entry.label, static_cast<Count>(entry.count)});
        }
    }
    return added_to_leaf(leaf.of_class, std::move(items));
}

/// The counts of one leaf that its statistics learn, with the bins of numbers.
template <class OfEntries>
AddedCounts added_to_statistics(const Delta::Leaf& leaf, std::span<const Delta::Entry> entries,
                                const OfEntries& of_entries, Counted counted) {
    std::vector<CountedFeature> items;
    items.reserve(entries.size());
    for (const Delta::Entry& entry : entries) {
        items.push_back({of_entries.on(entry.feature), entry.label, static_cast<Count>(count_of(entry, counted))});
    }
    AddedCounts added = added_to_leaf(counted == Counted::by_weight ? leaf.of_class : leaf.points, std::move(items));
    // Entries ascend, and so do numbers, and the bins of each.
    SharedId last = 0;
    for (const Delta::Entry& entry : entries) {
        const SharedId id = entry.feature;
        if (!is_bin_id(id)) continue;
        const AttributeId attribute = of_entries.bins().attribute(id);
        if (added.numbers.empty() || added.numbers.back().attribute != attribute) {
            added.numbers.push_back({attribute, {}, {}, {}});
        }
        AddedCounts::OfNumber& number = added.numbers.back();
        if (id != last) {
            const NumberGrid& grid = of_entries.bins().grid(id);
            number.low.push_back(grid.low(bin_of_bin_id(id)));
            number.high.push_back(grid.high(bin_of_bin_id(id)));
            number.counts.resize(number.counts.size() + leaf.of_class.size());
            last = id;
        }
        number.counts[number.counts.size() - leaf.of_class.size() + entry.label] +=
            static_cast<Count>(count_of(entry, counted));
    }
    return added;
}

/// The counts of all leaves of a delta as those of one.
inline std::pair<Delta::Leaf, std::vector<Delta::Entry>> of_all_leaves(const Delta& delta) {
    const std::size_t n_classes = delta.n_classes();
    Delta::Leaf all{0, std::vector<std::int64_t>(n_classes), std::vector<std::int64_t>(n_classes)};
    for (const Delta::Leaf& leaf : delta.leaves()) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            all.of_class[k] += leaf.of_class[k];
            all.points[k] += leaf.points[k];
        }
    }
    std::vector<Delta::Entry> entries(delta.entries());
    for (Delta::Entry& entry : entries) entry.born = 0;
    std::sort(entries.begin(), entries.end(),
              [](const Delta::Entry& a, const Delta::Entry& b) { return a.key() < b.key(); });
    std::vector<Delta::Entry> joined;
    for (const Delta::Entry& entry : entries) {
        if (joined.empty() || joined.back().key() != entry.key()) {
            joined.push_back(entry);
        } else {
            joined.back().count += entry.count;
            joined.back().points += entry.points;
        }
    }
    return {std::move(all), std::move(joined)};
}

}  // namespace sapwood::detail
