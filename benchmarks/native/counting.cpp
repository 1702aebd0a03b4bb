// Counting only, where the package's own yardstick does not reach: more than two classes, and a window that slides.

#include <vector>

#include "bench.hpp"

namespace nb = nanobind;

namespace sapwood::bench {
namespace {

/// Increments, or decrements, dense counters and does nothing else.
class Counters {
public:
    Counters(std::size_t n_features, std::size_t n_classes)
        : n_classes_(n_classes), of_class_(n_classes), on_(n_features * n_classes) {}

    void change(Features features, Label label, Count by) {
        of_class_[label] += by;
        for (const FeatureId id : features) on_[static_cast<std::size_t>(id) * n_classes_ + label] += by;
    }

private:
    std::size_t n_classes_;
    std::vector<Count> of_class_;
    std::vector<Count> on_;
};

double count_timed(const Array<std::int64_t>& indptr, const Array<FeatureId>& indices, const Array<Label>& labels,
                   std::size_t n_features, int n_classes) {
    const Points points(indptr, indices, labels, n_features, n_classes);
    Counters counters(n_features, static_cast<std::size_t>(n_classes));
    nb::gil_scoped_release release;
    const Stopwatch watch;
    for (std::size_t i = 0; i < points.size(); ++i) counters.change(points.csr.row(i), points.labels[i], 1);
    return watch.seconds();
}

double count_window_timed(const Array<std::int64_t>& indptr, const Array<FeatureId>& indices,
                          const Array<Label>& labels, std::size_t n_features, int n_classes, std::size_t width) {
    const Points points(indptr, indices, labels, n_features, n_classes);
    require(width > 0 && width <= points.size(), "width must be from 1 to the number of points");
    Counters counters(n_features, static_cast<std::size_t>(n_classes));
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < width; ++i) counters.change(points.csr.row(i), points.labels[i], 1);
    const Stopwatch watch;
    for (std::size_t i = width; i < points.size(); ++i) {
        counters.change(points.csr.row(i), points.labels[i], 1);
        counters.change(points.csr.row(i - width), points.labels[i - width], -1);
    }
    return watch.seconds();
}

}  // namespace

void bind_counting(nb::module_& module) {
    module.def("count_timed", &count_timed, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               nb::arg("n_features"), nb::arg("n_classes"), "The seconds of counting only, for any number of classes.");
    module.def("count_window_timed", &count_window_timed, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               nb::arg("n_features"), nb::arg("n_classes"), nb::arg("width"),
               "The seconds of counting only while a full window slides to the end of the points.");
}

}  // namespace sapwood::bench
