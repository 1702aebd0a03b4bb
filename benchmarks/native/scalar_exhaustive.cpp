// BaseEnt and BaseGini as a paper would write them: every seen feature after every point, each term of the definition
// computed on its own, entropy with a call of std::log a term. Only a yardstick for the benchmarks; the package's own
// exhaustive search has a table of x ln x and vectorises.

#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bench.hpp"

namespace nb = nanobind;

namespace sapwood::bench {
namespace {

/// -c ln(c / total), with 0 ln 0 = 0.
struct Entropy {
    static double term(double c, double total) { return c > 0 ? -c * std::log(c / total) : 0.0; }
};

/// c (1 - c / total), with 0 where there is no point.
struct Gini {
    static double term(double c, double total) { return c > 0 ? c * (1.0 - c / total) : 0.0; }
};

struct Best {
    FeatureId feature = -1;
    double score = std::numeric_limits<double>::quiet_NaN();
};

template <typename Criterion>
class ScalarExhaustive {
public:
    explicit ScalarExhaustive(std::size_t n_features) : place_(n_features, -1) {}

    void add(Features features, Label label) {
        class_[label] += 1;
        for (const FeatureId id : features) {
            std::int32_t& place = place_[static_cast<std::size_t>(id)];
            if (place < 0) {
                place = static_cast<std::int32_t>(seen_.size());
                seen_.push_back({id, {0, 0}});
            }
            seen_[static_cast<std::size_t>(place)].on[label] += 1;
        }
    }

    Best best() const {
        Best found{-1, std::numeric_limits<double>::infinity()};
        for (const Seen& seen : seen_) {
            const double on0 = seen.on[0], on1 = seen.on[1];
            const double off0 = class_[0] - on0, off1 = class_[1] - on1;
            const double n_on = on0 + on1, n_off = off0 + off1;
            const double score = Criterion::term(off0, n_off) + Criterion::term(off1, n_off) +
                                 Criterion::term(on0, n_on) + Criterion::term(on1, n_on);
            if (score < found.score) found = {seen.feature, score};
        }
        return found.feature < 0 ? Best{} : found;
    }

private:
    struct Seen {
        FeatureId feature;
        Count on[2];
    };
    std::vector<std::int32_t> place_;
    std::vector<Seen> seen_;
    double class_[2] = {0, 0};
};

template <typename Criterion>
double run(const Points& points, std::size_t n_features, Best& best) {
    ScalarExhaustive<Criterion> search(n_features);
    const Stopwatch watch;
    for (std::size_t i = 0; i < points.size(); ++i) {
        search.add(points.csr.row(i), points.labels[i]);
        best = search.best();
    }
    return watch.seconds();
}

nb::tuple scalar_timed(const std::string& criterion, const Array<std::int64_t>& indptr, const Array<FeatureId>& indices,
                       const Array<Label>& labels, std::size_t n_features) {
    const bool entropy = criterion == "entropy";
    require(entropy || criterion == "gini", "criterion must be entropy or gini, got " + criterion);
    const Points points(indptr, indices, labels, n_features, 2);
    Best best;
    double seconds = 0;
    {
        nb::gil_scoped_release release;
        seconds = entropy ? run<Entropy>(points, n_features, best) : run<Gini>(points, n_features, best);
    }
    return nb::make_tuple(seconds, best.feature, best.score);
}

}  // namespace

void bind_scalar(nb::module_& module) {
    module.def("scalar_timed", &scalar_timed, nb::arg("criterion"), nb::arg("indptr"), nb::arg("indices"),
               nb::arg("labels"), nb::arg("n_features"),
               "Adds the points of a CSR one by one, looks at every seen feature after each, and returns the seconds,\n"
               "with the feature and the score that the last look found.");
}

}  // namespace sapwood::bench
