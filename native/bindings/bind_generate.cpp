#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "bindings.hpp"
#include "sapwood/generate/sparse.hpp"
#include "sapwood/generate/text.hpp"

namespace sapwood::bindings {
namespace {

using Points =
    std::tuple<nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>, nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>,
               nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>>;

Random random_of(const Array<std::uint64_t>& state) {
    if (state.size() != 4) {
        throw std::invalid_argument("state must have four words, got " + std::to_string(state.size()));
    }
    return Random({state.data()[0], state.data()[1], state.data()[2], state.data()[3]});
}

Points to_python(Generated points) {
    return {to_numpy(std::move(points.indptr)), to_numpy(std::move(points.indices)),
            to_numpy(std::move(points.labels))};
}

Points make_sparse(std::int64_t n, std::int64_t d1, std::int64_t d2, double q, const Array<std::uint64_t>& state) {
    const Random random = random_of(state);
    Generated points(0);
    {
        nb::gil_scoped_release release;
        SignalPoll signals;
        points = generate_sparse({n, d1, d2, q}, random, [&] { signals.poll(); });
    }
    return to_python(std::move(points));
}

template <class Choice>
Choice choice_of(const char* parameter, const std::string& word, std::initializer_list<const char*> words) {
    int number = 0;
    for (const char* known : words) {
        if (word == known) return static_cast<Choice>(number);
        ++number;
    }
    throw std::invalid_argument(std::string(parameter) + " must be a known word, got " + word);
}

Points make_text(std::int64_t n, std::int64_t d, std::int64_t length, double exponent, double topical, double contrast,
                 const std::string& drift, const std::string& changes, std::int64_t n_changes, double severity,
                 const Array<std::uint64_t>& state) {
    const TextStream stream{n,
                            d,
                            length,
                            exponent,
                            topical,
                            contrast,
                            choice_of<Drift>("drift", drift, {"none", "abrupt", "gradual", "recurring"}),
                            choice_of<Changes>("changes", changes, {"labels", "vocabulary"}),
                            n_changes,
                            severity};
    const Random random = random_of(state);
    Generated points(0);
    {
        nb::gil_scoped_release release;
        SignalPoll signals;
        points = generate_text(stream, random, [&] { signals.poll(); });
    }
    return to_python(std::move(points));
}

}  // namespace

void bind_generate(nb::module_& module) {
    module.def("make_sparse", &make_sparse, nb::arg("n"), nb::arg("d1"), nb::arg("d2"), nb::arg("q"), nb::arg("state"),
               "Draws sparse(n, d1, d2, q): indptr, indices and labels.");
    module.def("make_text", &make_text, nb::arg("n"), nb::arg("d"), nb::arg("length"), nb::arg("exponent"),
               nb::arg("topical"), nb::arg("contrast"), nb::arg("drift"), nb::arg("changes"), nb::arg("n_changes"),
               nb::arg("severity"), nb::arg("state"), "Draws a stream of texts: indptr, indices and labels.");
}

}  // namespace sapwood::bindings
