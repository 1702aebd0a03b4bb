#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "guarded_search.hpp"
#include "points_error.hpp"
#include "recursive_mutex.hpp"
#include "sapwood/points.hpp"
#include "signal_clock.hpp"

namespace sapwood::bindings {

namespace nb = nanobind;

/// Holds the lock of a search. While it waits it lets go of the interpreter, which the holder may need to go on.
class Lock {
public:
    explicit Lock(GuardedSearch& guarded) : mutex_(guarded.mutex) {
        if (mutex_.try_lock()) return;
        nb::gil_scoped_release release;
        mutex_.lock();
    }
    ~Lock() { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    RecursiveMutex& mutex_;
};

/// Lets Python see signals during a long loop that runs without the interpreter: `poll` throws what a handler raises.
class SignalPoll {
public:
    void poll() {
        if (is_due()) handle();
    }

    /// Whether it is time to look; for a loop that has something to let go of before `handle`.
    bool is_due() { return clock_.is_due(); }

    static void handle() {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

private:
    SignalClock clock_;
};

/// Raises a ValueError in the words of `in_words` for every PointsError of a module. To be called once for each module.
inline void translate_points_errors() {
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const PointsError& e) {
            PyErr_SetString(PyExc_ValueError, in_words(e).c_str());
        }
    });
}

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
    return {array.data(), array.size()};
}

/// Hands a vector over to NumPy without a copy, as an array of the given shape.
template <class T, std::size_t dimensions>
nb::ndarray<nb::numpy, T, nb::ndim<dimensions>> to_numpy(std::vector<T> values,
                                                         const std::array<std::size_t, dimensions>& shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    std::vector<T>* vector = owned.get();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<dimensions>>(vector->data(), dimensions, shape.data(), owner);
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> values) {
    const std::array<std::size_t, 1> shape{values.size()};
    return to_numpy(std::move(values), shape);
}

/// Hands bytes over to NumPy without a copy.
inline nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> to_numpy(std::string bytes) {
    auto owned = std::make_unique<std::string>(std::move(bytes));
    std::string* text = owned.get();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::string*>(p); });
    const std::array<std::size_t, 1> shape{text->size()};
    return {reinterpret_cast<std::uint8_t*>(text->data()), 1, shape.data(), owner};
}

void bind_arff_rows(nb::module_& module);
void bind_batch(nb::module_& module);
void bind_shards(nb::module_& module);
void bind_csv_rows(nb::module_& module);
void bind_drift(nb::module_& module);
void bind_dynamic_tree(nb::module_& module);
void bind_encode(nb::module_& module);
void bind_forest(nb::module_& module);
void bind_generate(nb::module_& module);
void bind_json_lines(nb::module_& module);
void bind_split_search(nb::module_& module);
void bind_svmlight(nb::module_& module);
void bind_text_lines(nb::module_& module);
void bind_tree(nb::module_& module);
void bind_vowpal_wabbit_lines(nb::module_& module);

}  // namespace sapwood::bindings
