#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "sapwood/random.hpp"
#include "sapwood/tree/batch/delta.hpp"
#include "sapwood/tree/batch/router.hpp"

namespace sapwood {

namespace detail {

/// Points and sums of their weights by leaf, feature and class, in a table that is open to all of them.
class EventTable {
public:
    /// `place` is the number of a leaf and a class in one.
    void add(std::uint64_t place, SharedId id, std::int64_t weight) {
        if (2 * size_ >= slots_.size()) grow();
        Slot& slot = slots_[find(place, id)];
        if (slot.count == 0) {
            slot.place = place;
            slot.id = id;
            ++size_;
        }
        slot.count += weight;
        ++slot.points;
    }

    template <class Use>
    void for_each(Use use) const {
        for (const Slot& slot : slots_) {
            if (slot.count != 0) use(slot.place, slot.id, slot.count, slot.points);
        }
    }
    std::size_t size() const { return size_; }

private:
    struct Slot {
        std::uint64_t place = 0;
        SharedId id = 0;
        /// 0 of a slot that is free.
        std::int64_t count = 0;
        std::int64_t points = 0;
    };

    std::size_t find(std::uint64_t place, SharedId id) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = Random::mixed(id + place * 0x9E3779B97F4A7C15u) & mask;
        while (slots_[at].count != 0 && (slots_[at].id != id || slots_[at].place != place)) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.count != 0) slots_[find(slot.place, slot.id)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace detail

/// Counts points in the leaves that they reach, of which those in one of `n_parts` parts (`part_of`): a bin of a number
/// as a feature of its own. Changes nothing; any number of threads may count with one router. O(features of the
/// points), and O(e log e) for e counts in the end. The rows were checked; throws std::invalid_argument if the router
/// does not know a number.
inline Delta count_rows(const Router& router, const SharedRows& rows, std::uint32_t part = 0,
                        std::uint32_t n_parts = 1) {
    const std::size_t n_classes = router.n_classes();
    std::vector<std::int64_t> of_class(router.n_leaves() * n_classes);
    std::vector<std::int64_t> points(of_class.size());
    detail::EventTable events;
    std::vector<SharedId> bins;
    Router::Walk walk(router);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Count weight = rows.weight(i);
        const SharedPoint row = rows.row(i);
        if (weight == 0 || part_of(row, rows.labels[i], n_parts) != part) continue;
        const std::uint64_t place = walk.leaf_of(row) * n_classes + rows.labels[i];
        of_class[place] += weight;
        ++points[place];
        for (const SharedId id : row.ids) events.add(place, id, weight);
        if (row.numbers.empty()) continue;
        bins.clear();
        walk.append_bins(row, bins);
        for (const SharedId id : bins) events.add(place, id, weight);
    }
    const auto of_leaf = [n_classes](const std::vector<std::int64_t>& counts, std::size_t leaf) {
        const auto first = counts.begin() + static_cast<std::ptrdiff_t>(leaf * n_classes);
        return std::vector<std::int64_t>(first, first + static_cast<std::ptrdiff_t>(n_classes));
    };
    std::vector<std::size_t> touched;
    for (std::size_t leaf = 0; leaf < router.n_leaves(); ++leaf) {
        const std::vector<std::int64_t> here = of_leaf(points, leaf);
        if (std::accumulate(here.begin(), here.end(), std::int64_t{0}) > 0) touched.push_back(leaf);
    }
    std::sort(touched.begin(), touched.end(),
              [&](std::size_t a, std::size_t b) { return router.born(a) < router.born(b); });
    std::vector<Delta::Leaf> leaves;
    leaves.reserve(touched.size());
    for (const std::size_t leaf : touched) {
        leaves.push_back({router.born(leaf), of_leaf(of_class, leaf), of_leaf(points, leaf)});
    }
    std::vector<Delta::Entry> entries;
    entries.reserve(events.size());
    events.for_each([&](std::uint64_t place, SharedId id, std::int64_t count, std::int64_t n_points) {
        entries.push_back({router.born(place / n_classes), id, static_cast<Label>(place % n_classes), count, n_points});
    });
    std::sort(entries.begin(), entries.end(),
              [](const Delta::Entry& a, const Delta::Entry& b) { return a.key() < b.key(); });
    return {router.version(), n_classes, std::move(leaves), std::move(entries)};
}

}  // namespace sapwood
