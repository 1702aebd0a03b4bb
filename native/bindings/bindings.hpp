#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "sapwood/points.hpp"
#include "sapwood/search/make_search.hpp"

namespace sapwood::bindings {

namespace nb = nanobind;

/// A search as Python holds it: what chose it, and a lock that makes one object safe in many threads. The lock is
/// recursive because a signal handler may use the object while a long call of the same thread lets signals through; and
/// so the search, once made, is never exchanged for another.
struct GuardedSearch {
    SearchChoice choice;
    std::unique_ptr<SplitSearch> search;
    std::recursive_mutex mutex;

    explicit GuardedSearch(const SearchChoice& chosen) : choice(chosen), search(make_search(choice)) {}
    GuardedSearch(const SearchChoice& chosen, std::unique_ptr<SplitSearch> made)
        : choice(chosen), search(std::move(made)) {}
};

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
    std::recursive_mutex& mutex_;
};

/// Lets Python see signals during a long loop that runs without the interpreter: `poll` throws what a handler raises.
/// The clock is read every 16th time, so that a loop of fast steps does not notice.
class SignalPoll {
public:
    void poll() {
        if (is_due()) handle();
    }

    /// Whether it is time to look; for a loop that has something to let go of before `handle`.
    bool is_due() {
        if (++calls_ % 16 != 0) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(50);
        return true;
    }

    static void handle() {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

private:
    std::uint32_t calls_ = 0;
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
};

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

void bind_encode(nb::module_& module);
void bind_generate(nb::module_& module);
void bind_split_search(nb::module_& module);
void bind_svmlight(nb::module_& module);
void bind_tree(nb::module_& module);

}  // namespace sapwood::bindings
