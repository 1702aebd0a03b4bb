// Every fuzz target. A new one is a header like those below, and a line here.
#pragma once

#include "arff_text.hpp"
#include "csv_text.hpp"
#include "delta_bytes.hpp"
#include "dynamic_bytes.hpp"
#include "forest_bytes.hpp"
#include "gradient_bytes.hpp"
#include "json_text.hpp"
#include "shard_bytes.hpp"
#include "split_search.hpp"
#include "svmlight_text.hpp"
#include "text_lines.hpp"
#include "tree_bytes.hpp"
#include "value_bytes.hpp"
#include "vowpal_wabbit_text.hpp"

namespace sapwood::fuzz {

/// Calls `use(target)` for each.
template <class Use>
void for_each_target(Use use) {
    use(TreeBytes{});
    use(DynamicBytes{});
    use(ForestBytes{});
    use(DeltaBytes{});
    use(GradientBytes{});
    use(ValueBytes{});
    use(ShardBytes{});
    use(SvmlightText{});
    use(LabelledText{});
    use(CsvText{});
    use(JsonText{});
    use(VowpalWabbitText{});
    use(ArffText{});
    use(SplitSearches{});
}

}  // namespace sapwood::fuzz
