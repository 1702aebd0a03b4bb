#pragma once

#include <string>

#include "sapwood/forest/forest.hpp"

namespace sapwood {

/// The bytes of a forest (docs/format.md). Equal forests give equal bytes, and a forest goes on exactly as one that is
/// read from them.
std::string write_forest(Forest& forest);

}  // namespace sapwood
