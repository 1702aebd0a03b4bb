#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

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

/// Has a generator make n points; of those, as soon as there are `at_once`, `use` takes the arrays. Returns the rest.
template <class Generate>
Points generated(std::int64_t n, std::optional<std::int64_t> at_once, const nb::object& use, Generate generate) {
    if (at_once && (*at_once < 1 || use.is_none())) {
        throw std::invalid_argument("at_once must be at least 1, and something must use the points");
    }
    const std::int64_t most = at_once.value_or(n);
    Generated points(0);
    {
        nb::gil_scoped_release release;
        SignalPoll signals;
        points = generate(std::min(n, most), [&](Generated& made) {
            signals.poll();
            if (!at_once || static_cast<std::int64_t>(made.labels.size()) < most) return;
            nb::gil_scoped_acquire acquire;
            auto [indptr, indices, labels] = to_python(made.taken());
            use(std::move(indptr), std::move(indices), std::move(labels));
        });
    }
    return to_python(std::move(points));
}

Points make_sparse(std::int64_t n, std::int64_t d1, std::int64_t d2, double q, const Array<std::uint64_t>& state,
                   std::optional<std::int64_t> at_once, const nb::object& use) {
    const Random random = random_of(state);
    return generated(n, at_once, use,
                     [&](std::int64_t room, auto each) { return generate_sparse({n, d1, d2, q}, random, room, each); });
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
                 const Array<std::uint64_t>& state, std::optional<std::int64_t> at_once, const nb::object& use) {
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
    return generated(n, at_once, use,
                     [&](std::int64_t room, auto each) { return generate_text(stream, random, room, each); });
}

}  // namespace

void bind_generate(nb::module_& module) {
    module.def(
        "make_sparse", &make_sparse, nb::arg("n"), nb::arg("d1"), nb::arg("d2"), nb::arg("q"), nb::arg("state"),
        nb::arg("at_once").none() = nb::none(), nb::arg("use").none() = nb::none(),
        "Draws sparse(n, d1, d2, q): indptr, indices and labels; of all but the last points `use` is given those "
        "of `at_once` at a time.");
    module.def(
        "make_text", &make_text, nb::arg("n"), nb::arg("d"), nb::arg("length"), nb::arg("exponent"), nb::arg("topical"),
        nb::arg("contrast"), nb::arg("drift"), nb::arg("changes"), nb::arg("n_changes"), nb::arg("severity"),
        nb::arg("state"), nb::arg("at_once").none() = nb::none(), nb::arg("use").none() = nb::none(),
        "Draws a stream of texts: indptr, indices and labels; of all but the last points `use` is given those of "
        "`at_once` at a time.");
}

}  // namespace sapwood::bindings
