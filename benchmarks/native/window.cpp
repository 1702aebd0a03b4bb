// A sliding window over a stream. The package's searches are compiled in, since sapwood._timing times additions only.

#include <nanobind/stl/string.h>

#include <limits>
#include <memory>
#include <optional>

#include "bench.hpp"
#include "sapwood/search/make_search.hpp"

namespace nb = nanobind;

namespace sapwood::bench {
namespace {

nb::tuple window_timed(const std::string& criterion, const std::string& search, double alpha,
                       const Array<std::int64_t>& indptr, const Array<FeatureId>& indices, const Array<Label>& labels,
                       std::size_t n_features, int n_classes, std::size_t width) {
    const Points points(indptr, indices, labels, n_features, n_classes);
    require(width > 0 && width <= points.size(), "width must be from 1 to the number of points");
    const std::unique_ptr<SplitSearch> window =
        make_search({criterion_of(criterion), search_kind_of(search), alpha, n_classes});
    std::optional<Split> best;
    double seconds = 0;
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < width; ++i) {
            window->add(points.csr.row(i), points.labels[i]);
            best = window->best();
        }
        const Stopwatch watch;
        for (std::size_t i = width; i < points.size(); ++i) {
            window->add(points.csr.row(i), points.labels[i]);
            window->remove(points.csr.row(i - width), points.labels[i - width]);
            best = window->best();
        }
        seconds = watch.seconds();
    }
    const double none = std::numeric_limits<double>::quiet_NaN();
    return nb::make_tuple(seconds, best ? best->feature() : -1, best ? best->score : none);
}

}  // namespace

void bind_window(nb::module_& module) {
    module.def("window_timed", &window_timed, nb::arg("criterion"), nb::arg("search"), nb::arg("alpha"),
               nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"), nb::arg("n_features"), nb::arg("n_classes"),
               nb::arg("width"),
               "Fills a window, then slides it to the end of the points: adds one, removes the oldest, asks for the\n"
               "best split. Returns the seconds of the sliding, and the feature and the score of the last answer.");
}

}  // namespace sapwood::bench
