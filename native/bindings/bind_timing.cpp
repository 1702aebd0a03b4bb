#include "bindings.hpp"

namespace sapwood::bindings {
namespace {

using Seconds = std::vector<double>;

/// Calls `step(i)` for the points before the last checkpoint, and notes the time since the start at each checkpoint.
template <class Step>
Seconds timed(std::span<const std::int64_t> checkpoints, Step step) {
    using Clock = std::chrono::steady_clock;
    Seconds seconds;
    seconds.reserve(checkpoints.size());
    const auto start = Clock::now();
    std::size_t i = 0;
    for (const std::int64_t checkpoint : checkpoints) {
        for (; i < static_cast<std::size_t>(checkpoint); ++i) step(i);
        seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return seconds;
}

void check_timing(const CsrView& csr, std::int64_t n_columns, std::span<const Label> labels,
                  std::span<const std::int64_t> checkpoints) {
    check_csr(csr, n_columns);
    if (labels.size() != csr.size()) throw std::invalid_argument("labels must be as many as the rows");
    std::int64_t last = 0;
    for (const std::int64_t checkpoint : checkpoints) {
        if (checkpoint < last || checkpoint > static_cast<std::int64_t>(csr.size())) {
            throw std::invalid_argument("checkpoints must ascend within the rows, got " + std::to_string(checkpoint));
        }
        last = checkpoint;
    }
}

auto run_timed(GuardedSearch& guarded, const Array<std::int64_t>& indptr, const Array<FeatureId>& indices,
               const Array<Label>& labels, std::int64_t every, const Array<std::int64_t>& checkpoints) {
    const CsrView csr{span_of(indptr), span_of(indices)};
    const std::span<const Label> y = span_of(labels);
    check_timing(csr, std::int64_t{max_points} + 1, y, span_of(checkpoints));
    if (every < 1) throw std::invalid_argument("every must be at least 1, got " + std::to_string(every));
    Seconds seconds;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(guarded.mutex);
        SplitSearch& search = *guarded.search;
        SignalPoll signals;
        std::int64_t until_query = every;
        seconds = timed(span_of(checkpoints), [&](std::size_t i) {
            search.add(csr.row(i), y[i]);
            if (--until_query == 0) {
                search.best();
                until_query = every;
            }
            signals.poll();
        });
    }
    return to_numpy(std::move(seconds));
}

auto count_timed(const Array<std::int64_t>& indptr, const Array<FeatureId>& indices, const Array<Label>& labels,
                 std::int64_t n_features, const Array<std::int64_t>& checkpoints) {
    const CsrView csr{span_of(indptr), span_of(indices)};
    const std::span<const Label> y = span_of(labels);
    check_timing(csr, n_features, y, span_of(checkpoints));
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

}  // namespace

void bind_timing(nb::module_& module) {
    module.def("run_timed", &run_timed, nb::arg("search"), nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               nb::arg("every"), nb::arg("checkpoints"),
               "Adds points to a search, queries it after every so many, and returns the seconds at each checkpoint.");
    module.def("count_timed", &count_timed, nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
               nb::arg("n_features"), nb::arg("checkpoints"),
               "Counting only, the reference for all times: increments dense counters and nothing else.");
}

}  // namespace sapwood::bindings
