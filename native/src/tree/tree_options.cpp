#include "sapwood/tree/tree_options.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

// Which options go together.

namespace sapwood {

void check_options(const TreeOptions& options) {
    const auto require = [](bool holds, const std::string& what, const std::string& got) {
        if (!holds) throw std::invalid_argument(what + ", got " + got);
    };
    const auto number = [](double value) { return detail::shortest(value); };
    const auto at_least = [&](const char* name, std::optional<std::int64_t> value, std::int64_t least) {
        require(!value || *value >= least, std::string(name) + " must be at least " + std::to_string(least),
                std::to_string(value.value_or(0)));
    };
    check_classes(options, 2);
    if (const auto reason = why_no_test(options.split_test, options.criterion)) throw std::invalid_argument(*reason);
    require(options.delta > 0 && options.delta < 0.5, "delta must be between 0 and 0.5", number(options.delta));
    require(std::isfinite(options.tau) && options.tau >= 0, "tau must be a finite number of at least 0",
            number(options.tau));
    require(std::isfinite(options.min_gain) && options.min_gain >= 0, "min_gain must be a finite number of at least 0",
            number(options.min_gain));
    at_least("grace_period", options.grace_period, 1);
    at_least("min_samples_reevaluate", options.min_samples_reevaluate, 1);
    at_least("max_depth", options.max_depth, 0);
    at_least("max_leaves", options.max_leaves, 1);
    at_least("max_bytes", options.max_bytes, least_max_bytes);
    at_least("max_size", options.max_size, 1);
    if (options.growth == Growth::batch) {
        require(!options.max_bytes, "max_bytes must be None for batch_growth",
                std::to_string(options.max_bytes.value_or(0)));
        at_least("sub_batches", options.sub_batches, 1);
        require(options.sub_batches <= max_sub_batches, "sub_batches must be at most 65536",
                std::to_string(options.sub_batches));
    }
    if (options.takes_points_back()) {
        const std::string growth = "the growth '" + std::string(word_of(options.growth)) + "'";
        require(options.search != SearchKind::approximate, "search must be 'certified' or 'exhaustive' for " + growth,
                "'approximate': it cannot forget points");
        require(options.split_test != SplitTestKind::evidence, "split_test must be a bound for " + growth,
                "'evidence': what it promises does not hold for points that are forgotten");
    }
    at_least("window_size", options.window_size, 1);
    at_least("patience", options.patience, 1);
    at_least("half_life", options.half_life, 1);
    for (const auto& [name, delta] :
         {std::pair("drift_delta", options.drift_delta), std::pair("swap_delta", options.swap_delta)}) {
        require(delta > 0 && delta < 1, std::string(name) + " must be between 0 and 1", number(delta));
    }
}

}  // namespace sapwood
