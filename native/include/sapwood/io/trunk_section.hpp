#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/io/read_pages.hpp"
#include "sapwood/io/require.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/io/write_pages.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/predict/mixing.hpp"

// The trunk that leaves which mix build on, as bytes: part of a tree, or of a forest whose trees share it.

namespace sapwood::detail {

inline void put_mixing(ByteWriter& out, const Mixing& mixing) {
    const MixedTrunk& trunk = mixing.trunk();
    out.put(mixing.n_points());
    out.put(mixing.n_active());
    const LabelRuns::State& runs = mixing.runs().state();
    out.put(runs.last);
    out.put(runs.length);
    out.put(runs.n_returns);
    out.put_all(trunk.n_of_class());
    out.put(static_cast<std::uint32_t>(trunk.size()));
    const auto put_of = [&](const Word* record) {
        return [&out, record](std::size_t at, std::size_t size) { put_words(out, record + at, size); };
    };
    trunk.for_each_part_of_intercept(put_of(trunk.intercept()));
    for (std::size_t i = 0; i < trunk.size(); ++i) {
        trunk.for_each_part(put_of(trunk.record(static_cast<FeatureId>(i))));
    }
}

/// Checks each regression of a record with the sums of squares that serve all.
inline void check_regressions(const MixedTrunk& trunk, const Word* record) {
    for (std::size_t t = 0; t < n_trunks; ++t) {
        check_weights(record + trunk.weights_at(t), record + trunk.squares_at(), trunk.n_outputs());
    }
}

/// What bounds a trunk that was saved.
struct TrunkBounds {
    std::int64_t n_met;
    std::int64_t n;
    std::int64_t n_features;
};

inline void get_mixing(ByteReader& in, Mixing& mixing, const TrunkBounds& bounds) {
    const auto n_points = get_between<std::int64_t>(in, 0, bounds.n_met, "the points that the trunk has learned");
    const auto n_active =
        get_between<std::int64_t>(in, 0, tree_format::largest_tally, "the features of the points of the trunk");
    MixedTrunk& trunk = mixing.trunk();
    LabelRuns::State runs;
    const auto last_class = static_cast<Label>(trunk.n_classes() - 1);
    runs.last = get_between<Label>(in, 0, last_class, "the last label");
    runs.length = get_between<std::int64_t>(in, n_points > 0 ? 1 : 0, n_points, "the points of the last label");
    runs.n_returns = get_between<std::int64_t>(in, 0, n_points - runs.length, "how often a class came back");
    mixing.restore(n_points, n_active, runs);
    in.get_all(trunk.n_of_class(), "the points of the trunk");
    std::int64_t sum = 0;
    for (const std::int64_t count : trunk.n_of_class()) {
        require_of_file(0 <= count && count <= bounds.n - sum, "the points of the trunk must be counts of points",
                        count);
        sum += count;
    }
    const auto size = in.get<std::uint32_t>("the features of the trunk");
    require_of_file(size <= bounds.n_features, "the features of the trunk must be features of the model", size);
    in.require(size, trunk.words_in_record() * sizeof(Word), "records of the trunk");
    const auto get_of = [&](Word* record) {
        return [&in, record](std::size_t at, std::size_t n_words) { get_words(in, {record + at, n_words}); };
    };
    trunk.for_each_part_of_intercept(get_of(trunk.intercept()));
    check_regressions(trunk, trunk.intercept());
    trunk.cover(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        Word* record = trunk.record(static_cast<FeatureId>(i));
        trunk.for_each_part(get_of(record));
        check_regressions(trunk, record);
        for (std::size_t k = 0; k < trunk.n_classes(); ++k) {
            const Count count = record[trunk.counts_at() + k].count;
            require_of_file(0 <= count && count <= trunk.n_of_class()[k],
                            "a feature must be on in at most the points of its class", count);
        }
    }
}

}  // namespace sapwood::detail
