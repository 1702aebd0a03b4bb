#include "sapwood/tree/split_test/make_split_test.hpp"

#include <cmath>
#include <memory>

#include "sapwood/tree/split_test/evidence_test.hpp"
#include "sapwood/tree/split_test/gaussian.hpp"
#include "sapwood/tree/split_test/hoeffding.hpp"
#include "sapwood/tree/split_test/margin_test.hpp"
#include "sapwood/tree/split_test/mcdiarmid.hpp"

namespace sapwood {

std::unique_ptr<Bound> make_bound(SplitTestKind test, Criterion criterion, double delta) {
    switch (test) {
        case SplitTestKind::mcdiarmid:
            return std::make_unique<McDiarmidBound>(criterion, delta);
        case SplitTestKind::gaussian:
            return std::make_unique<GaussianBound>(criterion, delta);
        case SplitTestKind::hoeffding:
        case SplitTestKind::evidence:  // has no bound
            break;
    }
    return std::make_unique<HoeffdingBound>(criterion, delta);
}

std::unique_ptr<SplitTest> make_split_test(const TreeOptions& options) {
    if (options.split_test == SplitTestKind::evidence) {
        return std::make_unique<EvidenceTest>(options.delta, options.min_gain);
    }
    return std::make_unique<MarginTest>(make_bound(options.split_test, options.criterion, options.delta),
                                        options.criterion, options.tau, options.min_gain,
                                        1 / std::sqrt(options.points_per_count));
}

}  // namespace sapwood
