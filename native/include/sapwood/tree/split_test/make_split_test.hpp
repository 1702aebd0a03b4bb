#pragma once

#include <memory>

#include "sapwood/criterion.hpp"
#include "sapwood/tree/split_test/bound.hpp"
#include "sapwood/tree/split_test/split_test.hpp"
#include "sapwood/tree/tree_options.hpp"

namespace sapwood {

/// The bound of a split test that has one; Hoeffding's for the others.
std::unique_ptr<Bound> make_bound(SplitTestKind test, Criterion criterion, double delta);

/// The split test that options choose.
std::unique_ptr<SplitTest> make_split_test(const TreeOptions& options);

}  // namespace sapwood
