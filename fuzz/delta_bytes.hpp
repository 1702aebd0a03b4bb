// The bytes of a delta, what workers have counted: anything is refused with ModelFormatError, or is a delta that is
// saved and loaded as the same one, and to which another can be added.
#pragma once

#include <string>
#include <vector>

#include "sapwood/tree/batch/delta.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct DeltaBytes {
    static constexpr std::string_view name = "delta_bytes";

    static std::vector<std::string> seeds() {
        const Delta nothing(7, 2);
        using Counts = std::vector<std::int64_t>;
        // Of weights above 1, with a bin of a number, and of points that count once each.
        const Delta one(7, 2, {{1, {2, 3}, {2, 1}}},
                        {{1, 4, 0, 2, 2}, {1, 4, 1, 3, 1}, {1, 9, 1, 3, 1}, {1, bin_id(2, 5), 1, 3, 1}});
        const Delta two(8, 300, {{1, Counts(300, 2), Counts(300, 2)}, {5, Counts(300, 1), Counts(300, 1)}},
                        {{1, 1, 299, 2, 2}, {1, 1'000'000, 0, 1, 1}, {5, 2, 7, 1, 1}});
        return {nothing.to_bytes(), one.to_bytes(), two.to_bytes()};
    }

    static void run(Bytes bytes) {
        try {
            Delta delta = Delta::from_bytes(std::as_bytes(bytes));
            const std::string saved = delta.to_bytes();
            promise(Delta::from_bytes(as_bytes(saved)) == delta, "what was saved and loaded is the same delta");
            promise(saved.size() <= bytes.size(), "no bytes are shorter than those that are saved");
            const std::int64_t n = delta.n();
            const std::vector<SharedId> features = delta.features();
            promise(features.size() <= delta.entries().size(), "a feature has an entry");
            delta.merge(Delta::from_bytes(as_bytes(saved)));
            promise(delta.n() == 2 * n, "counts that are added to themselves are twice as large");
            promise(delta.features() == features, "and are of the same features");
        } catch (const ModelFormatError&) {
            return;
        }
    }
};

}  // namespace sapwood::fuzz
