#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/tree/known_attributes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What the models of leaves see of a bin of a number: the ranges that it is in, all of whose edges are between bins.
class FeaturesOfBins {
public:
    explicit FeaturesOfBins(const KnownAttributes& known) : known_(known) {}

    /// Whether a bin is one of a number of the tree.
    bool knows(SharedId bin) const {
        const std::size_t number = number_of_bin_id(bin);
        return number < known_.grids.size() && bin_of_bin_id(bin) < known_.grids[number].n_bins();
    }
    AttributeId attribute(SharedId bin) const { return attribute_at(number_of_bin_id(bin)); }
    const NumberGrid& grid(SharedId bin) const { return known_.grids[number_of_bin_id(bin)]; }
    const Attributes::Number& number(SharedId bin) const { return known_.attributes.number(attribute(bin)); }

    /// Appends what models see of a bin in a point of a tree that has met `n_met`.
    void append(SharedId bin, std::int64_t n_met, std::vector<FeatureId>& features) const {
        // That a number is present tells nothing if it always is.
        if (number(bin).was_missing(n_met)) features.push_back(number(bin).presence);
        std::array<FeatureId, NumberRanges::most_features> room;
        FeatureId* const end = known_.ranges.write(attribute(bin), grid(bin).high(bin_of_bin_id(bin)), room.data());
        features.insert(features.end(), room.data(), end);
    }

private:
    const KnownAttributes& known_;
};

}  // namespace sapwood
