#pragma once

#include <memory>

#include "sapwood/tree/growth/growth_policy.hpp"
#include "sapwood/tree/tree_options.hpp"

namespace sapwood {

/// The growth policy that options choose.
std::unique_ptr<GrowthPolicy> make_growth(const TreeOptions& options);

}  // namespace sapwood
