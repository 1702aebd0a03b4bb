// Every fuzz target. A new one is a header like those below, and a line here.
#pragma once

#include "dynamic_bytes.hpp"
#include "split_search.hpp"
#include "svmlight_text.hpp"
#include "tree_bytes.hpp"

namespace sapwood::fuzz {

/// Calls `use(target)` for each.
template <class Use>
void for_each_target(Use use) {
    use(TreeBytes{});
    use(DynamicBytes{});
    use(SvmlightText{});
    use(SplitSearches{});
}

}  // namespace sapwood::fuzz
