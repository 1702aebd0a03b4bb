// Clocks around loops over points, for `sapwood race`, `sapwood reproduce` and the benchmarks. A module of its own:
// what only measures is no part of the core.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "bindings.hpp"
#include "plain_exhaustive.hpp"
#include "points_error.hpp"

namespace sapwood::bindings {
namespace {

using Seconds = std::vector<double>;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Calls `step(i)` for the points before the last checkpoint, and notes the time since the start at each checkpoint.
template <class Step>
Seconds timed(std::span<const std::int64_t> checkpoints, Step step) {
    Seconds seconds;
    seconds.reserve(checkpoints.size());
    const auto start = Clock::now();
    std::size_t i = 0;
    for (const std::int64_t checkpoint : checkpoints) {
        for (; i < static_cast<std::size_t>(checkpoint); ++i) step(i);
        seconds.push_back(seconds_since(start));
    }
    return seconds;
}

void check_checkpoints(std::span<const std::int64_t> checkpoints, std::size_t n) {
    std::int64_t last = 0;
    for (const std::int64_t checkpoint : checkpoints) {
        if (checkpoint < last || checkpoint > static_cast<std::int64_t>(n)) {
            throw std::invalid_argument("checkpoints must ascend within the rows, got " + std::to_string(checkpoint));
        }
        last = checkpoint;
    }
}

/// Adds the points of a matrix to a search one by one, and queries it after every `every` points.
class Run {
public:
    Run(GuardedSearch& guarded, const CsrView& csr, std::span<const Label> labels, std::int64_t every)
        : search_(*guarded.search), csr_(csr), labels_(labels), every_(every), until_query_(every) {
        check_csr(csr, std::int64_t{max_points} + 1);
        check_labels(csr, labels, guarded.choice.n_classes);
        if (every < 1) throw std::invalid_argument("every must be at least 1, got " + std::to_string(every));
        check_room(search_.n(), static_cast<std::int64_t>(csr.size()));
    }

    /// Adds a point and queries the search, whatever `every` says.
    std::optional<Split> step_and_ask(std::size_t i) {
        search_.add(csr_.row(i), labels_[i]);
        return search_.best();
    }

    void step(std::size_t i) {
        search_.add(csr_.row(i), labels_[i]);
        if (--until_query_ == 0) {
            search_.best();
            until_query_ = every_;
        }
    }

private:
    SplitSearch& search_;
    const CsrView csr_;
    const std::span<const Label> labels_;
    const std::int64_t every_;
    std::int64_t until_query_;
};

auto run_timed(GuardedSearch& guarded, const Array<std::int64_t>& indptr, const Array<FeatureId>& indices,
               const Array<Label>& labels, std::int64_t every, const Array<std::int64_t>& checkpoints) {
    Seconds seconds;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(guarded.mutex);
        const CsrView csr{span_of(indptr), span_of(indices)};
        Run run(guarded, csr, span_of(labels), every);
        check_checkpoints(span_of(checkpoints), csr.size());
        SignalPoll signals;
        seconds = timed(span_of(checkpoints), [&](std::size_t i) {
            run.step(i);
            signals.poll();
        });
    }
    return to_numpy(std::move(seconds));
}

using Traced =
    std::tuple<nb::ndarray<nb::numpy, double, nb::ndim<1>>, nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>,
               nb::ndarray<nb::numpy, double, nb::ndim<1>>>;

Traced run_traced(GuardedSearch& guarded, const Array<std::int64_t>& indptr, const Array<FeatureId>& indices,
                  const Array<Label>& labels, const Array<std::int64_t>& checkpoints) {
    Seconds seconds;
    std::vector<std::int64_t> features;
    std::vector<double> scores;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(guarded.mutex);
        const CsrView csr{span_of(indptr), span_of(indices)};
        Run run(guarded, csr, span_of(labels), 1);
        check_checkpoints(span_of(checkpoints), csr.size());
        const auto n = checkpoints.size() == 0 ? std::size_t{0}
                                               : static_cast<std::size_t>(checkpoints.data()[checkpoints.size() - 1]);
        // Written to before the clock starts, so that no new page of memory is met while it runs.
        features.assign(n, -1);
        scores.assign(n, std::numeric_limits<double>::quiet_NaN());
        SignalPoll signals;
        seconds = timed(span_of(checkpoints), [&](std::size_t i) {
            if (const std::optional<Split> best = run.step_and_ask(i)) {
                features[i] = best->feature();
                scores[i] = best->score;
            }
            signals.poll();
        });
    }
    return {to_numpy(std::move(seconds)), to_numpy(std::move(features)), to_numpy(std::move(scores))};
}

template <class Criterion>
Seconds plain_run(const CsrView& csr, std::span<const Label> y, std::size_t n_features,
                  std::span<const std::int64_t> checkpoints, double& score) {
    PlainExhaustive<Criterion> search(n_features);
    SignalPoll signals;
    return timed(checkpoints, [&](std::size_t i) {
        search.add(csr.row(i), y[i]);
        score = search.best_score();
        signals.poll();
    });
}

auto plain_timed(const std::string& criterion, const Array<std::int64_t>& indptr, const Array<FeatureId>& indices,
                 const Array<Label>& labels, std::int64_t n_features, const Array<std::int64_t>& checkpoints) {
    const bool entropy = criterion == "entropy";
    if (!entropy && criterion != "gini") {
        throw std::invalid_argument("criterion must be entropy or gini, got " + criterion);
    }
    const CsrView csr{span_of(indptr), span_of(indices)};
    const std::span<const Label> y = span_of(labels);
    check_csr(csr, n_features);
    check_labels(csr, y, 2);
    check_checkpoints(span_of(checkpoints), csr.size());
    Seconds seconds;
    double score = std::numeric_limits<double>::infinity();
    {
        nb::gil_scoped_release release;
        const auto size = static_cast<std::size_t>(n_features);
        seconds = entropy ? plain_run<PlainEntropy>(csr, y, size, span_of(checkpoints), score)
                          : plain_run<PlainGini>(csr, y, size, span_of(checkpoints), score);
    }
    return std::make_pair(to_numpy(std::move(seconds)), score);
}

std::pair<double, double> slowest_timed(GuardedSearch& guarded, const Array<std::int64_t>& indptr,
                                        const Array<FeatureId>& indices, const Array<Label>& labels,
                                        std::int64_t every) {
    nb::gil_scoped_release release;
    const std::lock_guard lock(guarded.mutex);
    const CsrView csr{span_of(indptr), span_of(indices)};
    Run run(guarded, csr, span_of(labels), every);
    SignalPoll signals;
    double sum = 0;
    double slowest = 0;
    for (std::size_t i = 0; i < csr.size(); ++i) {
        const auto start = Clock::now();
        run.step(i);
        const double seconds = seconds_since(start);
        sum += seconds;
        slowest = std::max(slowest, seconds);
        signals.poll();
    }
    return {csr.size() == 0 ? 0 : sum / static_cast<double>(csr.size()), slowest};
}

auto count_timed(const Array<std::int64_t>& indptr, const Array<FeatureId>& indices, const Array<Label>& labels,
                 std::int64_t n_features, const Array<std::int64_t>& checkpoints) {
    const CsrView csr{span_of(indptr), span_of(indices)};
    const std::span<const Label> y = span_of(labels);
    check_csr(csr, n_features);
    check_labels(csr, y, 2);
    check_checkpoints(span_of(checkpoints), csr.size());
    Seconds seconds;
    std::vector<std::array<Count, 2>> on(static_cast<std::size_t>(n_features));
    {
        nb::gil_scoped_release release;
        std::array<Count, 2> of_class{};
        seconds = timed(span_of(checkpoints), [&](std::size_t i) {
            ++of_class[y[i]];
            for (const FeatureId id : csr.row(i)) ++on[static_cast<std::size_t>(id)][y[i]];
        });
    }
    return to_numpy(std::move(seconds));
}

void bind_timing(nb::module_& module) {
    // Where the class of the searches is, which the functions take.
    nb::module_::import_("sapwood._core");
    module.def(
        "run_timed", &run_timed, nb::arg("search"), nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
        nb::arg("every"), nb::arg("checkpoints"),
        "Adds points to a search, queries it after every `every` points, and returns the seconds at each checkpoint.");
    module.def("run_traced", &run_traced, nb::arg("search"), nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               nb::arg("checkpoints"),
               "Adds points to a search, queries it after each, and returns the seconds at each checkpoint with the "
               "feature and the score of the best split after every point.");
    module.def("plain_timed", &plain_timed, nb::arg("criterion"), nb::arg("indptr"), nb::arg("indices"),
               nb::arg("labels"), nb::arg("n_features"), nb::arg("checkpoints"),
               "The baselines of the paper as it defines them, term by term: the seconds at each checkpoint, and the "
               "last score.");
    module.def(
        "slowest_timed", &slowest_timed, nb::arg("search"), nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
        nb::arg("every"),
        "Adds points to a search, queries it after every `every` points, and returns the average seconds per point and "
        "those of the slowest point.");
    module.def("count_timed", &count_timed, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               nb::arg("n_features"), nb::arg("checkpoints"),
               "Counting only, the reference for all times: increments dense counters and nothing else.");
}

}  // namespace
}  // namespace sapwood::bindings

NB_MODULE(_timing, module) {
    module.doc() = "Clocks for the searches of sapwood. Private: use the names that the package exports.";
    sapwood::bindings::translate_points_errors();
    sapwood::bindings::bind_timing(module);
}
