// Clocks around loops over points, for `sapwood race`, `sapwood reproduce` and the benchmarks. A module of its own:
// what only measures is no part of the core.

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>

#include "clocks.hpp"
#include "plain_exhaustive.hpp"
#include "python.hpp"

namespace sapwood::timing {
namespace {

using bindings::GuardedSearch;

/// The native search of a SplitSearch, which must outlive it.
GuardedSearch& search_of(PyObject* object) {
    const Object capsule(PyObject_CallMethod(object, "capsule", nullptr));
    void* const found = PyCapsule_GetPointer(capsule.get(), GuardedSearch::capsule_name);
    if (found == nullptr) throw PythonError();
    return *static_cast<GuardedSearch*>(found);
}

/// Points as Python hands them over.
struct Points {
    Points(PyObject* indptr_array, PyObject* indices_array, PyObject* labels_array)
        : indptr(indptr_array, "indptr"), indices(indices_array, "indices"), labels(labels_array, "labels") {}

    CsrView csr() const { return {indptr.span(), indices.span()}; }

    Items<std::int64_t> indptr;
    Items<FeatureId> indices;
    Items<Label> labels;
};

template <std::size_t n>
void parse(PyObject* given, PyObject* names, const char* format, const std::array<const char*, n>& parameters,
           auto*... values) {
    static_assert(sizeof...(values) + 1 == n, "a name for each, and a null at the end");
    auto* const list = const_cast<char**>(parameters.data());
    if (PyArg_ParseTupleAndKeywords(given, names, format, list, values...) == 0) throw PythonError();
}

PyObject* run_timed(PyObject*, PyObject* given, PyObject* names) {
    return raising([&] {
        PyObject *search, *indptr, *indices, *labels, *checkpoints;
        long long every = 0;
        parse<7>(given, names, "OOOOLO:run_timed",
                 {"search", "indptr", "indices", "labels", "every", "checkpoints", nullptr}, &search, &indptr, &indices,
                 &labels, &every, &checkpoints);
        GuardedSearch& guarded = search_of(search);
        const Points points(indptr, indices, labels);
        const Items<std::int64_t> marks(checkpoints, "checkpoints");
        Seconds seconds;
        {
            WithoutInterpreter elsewhere;
            const std::lock_guard lock(guarded.mutex);
            Run run(guarded, points.csr(), points.labels.span(), every);
            check_checkpoints(marks.span(), points.csr().size());
            seconds = timed(marks.span(), [&](std::size_t i) {
                run.step(i);
                elsewhere.poll();
            });
        }
        return to_numpy(seconds);
    });
}

PyObject* run_traced(PyObject*, PyObject* given, PyObject* names) {
    return raising([&] {
        PyObject *search, *indptr, *indices, *labels, *checkpoints;
        parse<6>(given, names, "OOOOO:run_traced", {"search", "indptr", "indices", "labels", "checkpoints", nullptr},
                 &search, &indptr, &indices, &labels, &checkpoints);
        GuardedSearch& guarded = search_of(search);
        const Points points(indptr, indices, labels);
        const Items<std::int64_t> marks(checkpoints, "checkpoints");
        Seconds seconds;
        std::vector<std::int64_t> features;
        std::vector<double> scores;
        {
            WithoutInterpreter elsewhere;
            const std::lock_guard lock(guarded.mutex);
            Run run(guarded, points.csr(), points.labels.span(), 1);
            check_checkpoints(marks.span(), points.csr().size());
            const auto n = marks.span().empty() ? std::size_t{0} : static_cast<std::size_t>(marks.span().back());
            // Written to before the clock starts, so that no new page of memory is met while it runs.
            features.assign(n, -1);
            scores.assign(n, std::numeric_limits<double>::quiet_NaN());
            seconds = timed(marks.span(), [&](std::size_t i) {
                if (const std::optional<Split> best = run.step_and_ask(i)) {
                    features[i] = best->feature();
                    scores[i] = best->score;
                }
                elsewhere.poll();
            });
        }
        const Object at(to_numpy(seconds));
        const Object which(to_numpy(features));
        const Object how_good(to_numpy(scores));
        return PyTuple_Pack(3, at.get(), which.get(), how_good.get());
    });
}

template <class Criterion>
Seconds plain_run(const Points& points, std::size_t n_features, std::span<const std::int64_t> checkpoints,
                  WithoutInterpreter& elsewhere, double& score) {
    PlainExhaustive<Criterion> search(n_features);
    const CsrView csr = points.csr();
    const std::span<const Label> y = points.labels.span();
    return timed(checkpoints, [&](std::size_t i) {
        search.add(csr.row(i), y[i]);
        score = search.best_score();
        elsewhere.poll();
    });
}

PyObject* plain_timed(PyObject*, PyObject* given, PyObject* names) {
    return raising([&] {
        const char* criterion = nullptr;
        PyObject *indptr, *indices, *labels, *checkpoints;
        long long n_features = 0;
        parse<7>(given, names, "sOOOLO:plain_timed",
                 {"criterion", "indptr", "indices", "labels", "n_features", "checkpoints", nullptr}, &criterion,
                 &indptr, &indices, &labels, &n_features, &checkpoints);
        const bool entropy = std::string(criterion) == "entropy";
        if (!entropy && std::string(criterion) != "gini") {
            throw std::invalid_argument("criterion must be entropy or gini, got " + std::string(criterion));
        }
        const Points points(indptr, indices, labels);
        const Items<std::int64_t> marks(checkpoints, "checkpoints");
        check_csr(points.csr(), n_features);
        check_labels(points.csr(), points.labels.span(), 2);
        check_checkpoints(marks.span(), points.csr().size());
        Seconds seconds;
        double score = std::numeric_limits<double>::infinity();
        {
            WithoutInterpreter elsewhere;
            const auto size = static_cast<std::size_t>(n_features);
            seconds = entropy ? plain_run<PlainEntropy>(points, size, marks.span(), elsewhere, score)
                              : plain_run<PlainGini>(points, size, marks.span(), elsewhere, score);
        }
        return Py_BuildValue("Nd", to_numpy(seconds), score);
    });
}

PyObject* slowest_timed(PyObject*, PyObject* given, PyObject* names) {
    return raising([&] {
        PyObject *search, *indptr, *indices, *labels;
        long long every = 0;
        parse<6>(given, names, "OOOOL:slowest_timed", {"search", "indptr", "indices", "labels", "every", nullptr},
                 &search, &indptr, &indices, &labels, &every);
        GuardedSearch& guarded = search_of(search);
        const Points points(indptr, indices, labels);
        const std::size_t n = points.csr().size();
        double sum = 0;
        double slowest = 0;
        {
            WithoutInterpreter elsewhere;
            const std::lock_guard lock(guarded.mutex);
            Run run(guarded, points.csr(), points.labels.span(), every);
            for (std::size_t i = 0; i < n; ++i) {
                const auto start = Clock::now();
                run.step(i);
                const double seconds = seconds_since(start);
                sum += seconds;
                slowest = std::max(slowest, seconds);
                elsewhere.poll();
            }
        }
        return Py_BuildValue("dd", n == 0 ? 0 : sum / static_cast<double>(n), slowest);
    });
}

PyObject* count_timed(PyObject*, PyObject* given, PyObject* names) {
    return raising([&] {
        PyObject *indptr, *indices, *labels, *checkpoints;
        long long n_features = 0;
        parse<6>(given, names, "OOOLO:count_timed",
                 {"indptr", "indices", "labels", "n_features", "checkpoints", nullptr}, &indptr, &indices, &labels,
                 &n_features, &checkpoints);
        const Points points(indptr, indices, labels);
        const Items<std::int64_t> marks(checkpoints, "checkpoints");
        const CsrView csr = points.csr();
        const std::span<const Label> y = points.labels.span();
        check_csr(csr, n_features);
        check_labels(csr, y, 2);
        check_checkpoints(marks.span(), csr.size());
        Seconds seconds;
        std::vector<std::array<Count, 2>> on(static_cast<std::size_t>(n_features));
        {
            const WithoutInterpreter elsewhere;
            std::array<Count, 2> of_class{};
            seconds = timed(marks.span(), [&](std::size_t i) {
                ++of_class[y[i]];
                for (const FeatureId id : csr.row(i)) ++on[static_cast<std::size_t>(id)][y[i]];
            });
        }
        return to_numpy(seconds);
    });
}

PyCFunction with_names(PyCFunctionWithKeywords function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// The first line of each text is the signature, as `inspect` reads it.
PyMethodDef functions[] = {
    {"run_timed", with_names(run_timed), METH_VARARGS | METH_KEYWORDS,
     "run_timed(search, indptr, indices, labels, every, checkpoints)\n--\n\n"
     "Adds points to a search, queries it after every `every` points, and returns the seconds at each checkpoint."},
    {"run_traced", with_names(run_traced), METH_VARARGS | METH_KEYWORDS,
     "run_traced(search, indptr, indices, labels, checkpoints)\n--\n\n"
     "Adds points to a search, queries it after each, and returns the seconds at each checkpoint with the feature and "
     "the score of the best split after every point."},
    {"plain_timed", with_names(plain_timed), METH_VARARGS | METH_KEYWORDS,
     "plain_timed(criterion, indptr, indices, labels, n_features, checkpoints)\n--\n\n"
     "The baselines of the paper as it defines them, term by term: the seconds at each checkpoint, and the last "
     "score."},
    {"slowest_timed", with_names(slowest_timed), METH_VARARGS | METH_KEYWORDS,
     "slowest_timed(search, indptr, indices, labels, every)\n--\n\n"
     "Adds points to a search, queries it after every `every` points, and returns the average seconds per point and "
     "those of the slowest point."},
    {"count_timed", with_names(count_timed), METH_VARARGS | METH_KEYWORDS,
     "count_timed(indptr, indices, labels, n_features, checkpoints)\n--\n\n"
     "Counting only, the reference for all times: increments dense counters and nothing else."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    "_timing",
    "Clocks for the searches of sapwood. Private: use the names that the package exports.",
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace
}  // namespace sapwood::timing

PyMODINIT_FUNC PyInit__timing() { return PyModule_Create(&sapwood::timing::module_definition); }
