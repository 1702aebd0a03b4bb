// BaseEnt and BaseGini as a paper would write them: every seen feature after every point, each term of the definition
// computed on its own, entropy with a call of std::log a term. Only a yardstick for the benchmarks; the package's own
// exhaustive search has a table of x ln x and vectorises.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Seconds = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

/// -c ln(c / total), with 0 ln 0 = 0.
struct Entropy {
    static double term(double c, double total) { return c > 0 ? -c * std::log(c / total) : 0.0; }
};

/// c (1 - c / total), with 0 where there is no point.
struct Gini {
    static double term(double c, double total) { return c > 0 ? c * (1.0 - c / total) : 0.0; }
};

struct Best {
    std::int32_t feature = -1;
    double score = std::numeric_limits<double>::quiet_NaN();
};

template <typename Criterion>
class ScalarExhaustive {
public:
    explicit ScalarExhaustive(std::size_t n_features) : place_(n_features, -1) {}

    void add(const std::int32_t* first, const std::int32_t* last, std::size_t label) {
        class_[label] += 1;
        for (; first != last; ++first) {
            std::int32_t& place = place_[static_cast<std::size_t>(*first)];
            if (place < 0) {
                place = static_cast<std::int32_t>(seen_.size());
                seen_.push_back({*first, {0, 0}});
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
        std::int32_t feature;
        std::int32_t on[2];
    };
    std::vector<std::int32_t> place_;
    std::vector<Seen> seen_;
    double class_[2] = {0, 0};
};

template <typename Criterion>
Best run(const Array<std::int64_t>& indptr, const Array<std::int32_t>& indices, const Array<std::uint8_t>& labels,
         std::size_t n_features, std::size_t every, const Array<std::int64_t>& checkpoints, double* seconds) {
    ScalarExhaustive<Criterion> search(n_features);
    Best best;
    std::size_t point = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < checkpoints.size(); ++k) {
        const auto stop = static_cast<std::size_t>(checkpoints(k));
        for (; point < stop; ++point) {
            const std::int32_t* row = indices.data();
            search.add(row + indptr(point), row + indptr(point + 1), labels(point));
            if ((point + 1) % every == 0) best = search.best();
        }
        seconds[k] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return best;
}

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(std::string("scalar_timed: ") + message);
}

nb::tuple scalar_timed(const std::string& criterion, const Array<std::int64_t>& indptr,
                       const Array<std::int32_t>& indices, const Array<std::uint8_t>& labels, std::size_t n_features,
                       std::size_t every, const Array<std::int64_t>& checkpoints) {
    const bool entropy = criterion == "entropy";
    require(entropy || criterion == "gini", "criterion must be entropy or gini");
    require(every > 0, "every must be at least 1");
    require(indptr.size() == labels.size() + 1, "indptr must have one entry more than labels");
    require(indptr(0) == 0 && indptr(labels.size()) == static_cast<std::int64_t>(indices.size()),
            "indptr must run from 0 to the number of indices");
    for (std::size_t i = 0; i < labels.size(); ++i) {
        require(indptr(i) <= indptr(i + 1), "indptr must not descend");
        require(labels(i) <= 1, "labels must be 0 or 1");
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
        require(indices(i) >= 0 && static_cast<std::size_t>(indices(i)) < n_features,
                "indices must be from 0 to n_features - 1");
    }
    for (std::size_t k = 0; k < checkpoints.size(); ++k) {
        require(checkpoints(k) >= (k == 0 ? 0 : checkpoints(k - 1)) &&
                    checkpoints(k) <= static_cast<std::int64_t>(labels.size()),
                "checkpoints must ascend up to the number of points");
    }

    const std::size_t count = checkpoints.size();
    auto* seconds = new double[count];
    nb::capsule owner(seconds, [](void* array) noexcept { delete[] static_cast<double*>(array); });
    Best best;
    {
        nb::gil_scoped_release release;
        best = entropy ? run<Entropy>(indptr, indices, labels, n_features, every, checkpoints, seconds)
                       : run<Gini>(indptr, indices, labels, n_features, every, checkpoints, seconds);
    }
    return nb::make_tuple(Seconds(seconds, {count}, owner), best.feature, best.score);
}

}  // namespace

NB_MODULE(_bench, m) {
    m.doc() = "Yardsticks for sapwood's benchmarks; never installed.";
    m.def(
        "scalar_timed", &scalar_timed, nb::arg("criterion"), nb::arg("indptr"), nb::arg("indices"), nb::arg("labels"),
        nb::arg("n_features"), nb::arg("every"), nb::arg("checkpoints"),
        "Add the points of a CSR one by one, look at every seen feature after every `every`-th point, and return the\n"
        "cumulative seconds at each checkpoint, with the feature and the score that the last look found.");
}
