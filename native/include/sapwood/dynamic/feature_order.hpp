#pragma once

#include "sapwood/types.hpp"

namespace sapwood {

/// The order of features by which equally good splits are settled and points are saved: total, the same in every
/// process, and a function of what the features are, never of when they came. Ids are given out in the order of
/// appearance and must not decide anything.
class FeatureOrder {
public:
    virtual ~FeatureOrder() = default;
    virtual bool comes_before(FeatureId a, FeatureId b) const = 0;
};

/// The order of ids, for features whose ids are what they are.
class OrderOfIds final : public FeatureOrder {
public:
    bool comes_before(FeatureId a, FeatureId b) const override { return a < b; }
};

}  // namespace sapwood
