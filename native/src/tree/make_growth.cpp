#include "sapwood/tree/growth/make_growth.hpp"

#include <memory>

#include "sapwood/tree/growth/adaptive.hpp"
#include "sapwood/tree/growth/adaptive_size.hpp"
#include "sapwood/tree/growth/batch.hpp"
#include "sapwood/tree/growth/extremely_fast.hpp"
#include "sapwood/tree/growth/hoeffding.hpp"
#include "sapwood/tree/growth/streaming.hpp"
#include "sapwood/tree/growth/windowed.hpp"

namespace sapwood {

std::unique_ptr<GrowthPolicy> make_growth(const TreeOptions& options) {
    switch (options.growth) {
        case Growth::extremely_fast:
            return std::make_unique<ExtremelyFastGrowth>(options);
        case Growth::streaming:
            return std::make_unique<StreamingGrowth>(options);
        case Growth::windowed:
            return std::make_unique<WindowedGrowth>(options);
        case Growth::adaptive:
            return std::make_unique<AdaptiveGrowth>(options);
        case Growth::batch:
            return std::make_unique<BatchGrowth>(options);
        case Growth::adaptive_size:
            return std::make_unique<AdaptiveSizeGrowth>(options);
        case Growth::hoeffding:
            break;
    }
    return std::make_unique<HoeffdingGrowth>(options);
}

}  // namespace sapwood
