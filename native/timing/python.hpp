#pragma once

// Python by its own interface. A module of five functions has no use for a binding library, which would be most of it.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "points_error.hpp"
#include "signal_clock.hpp"

namespace sapwood::timing {

/// Python has an error set, which is to be raised.
struct PythonError {};

/// A reference that is given back in the end. Made of null it throws: then Python has an error set.
class Object {
public:
    explicit Object(PyObject* owned) : object_(owned) {
        if (object_ == nullptr) throw PythonError();
    }
    ~Object() { Py_XDECREF(object_); }
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }

private:
    PyObject* object_;
};

/// What `buffer` and NumPy call a type of ours.
template <class T>
constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, double>) return "float64";
    if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
    if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
    if constexpr (std::is_same_v<T, std::uint16_t>) return "uint16";
}

/// The items of a one-dimensional, contiguous array of another's, which is kept meanwhile.
template <class T>
class Items {
public:
    Items(PyObject* array, const char* name) {
        constexpr int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
        if (PyObject_GetBuffer(array, &view_, flags) != 0) throw PythonError();
        if (view_.ndim == 1 && view_.itemsize == Py_ssize_t{sizeof(T)} && is_kind(view_.format)) return;
        PyBuffer_Release(&view_);
        PyErr_Format(PyExc_TypeError, "%s must be an array of %s in one dimension, got %R", name, type_name<T>(),
                     array);
        throw PythonError();
    }
    ~Items() { PyBuffer_Release(&view_); }
    Items(const Items&) = delete;
    Items& operator=(const Items&) = delete;

    std::span<const T> span() const {
        return {static_cast<const T*>(view_.buf), static_cast<std::size_t>(view_.len) / sizeof(T)};
    }

private:
    /// By the letters of Python's `struct`; the size says the rest.
    static bool is_kind(const char* format) {
        const std::string letters = std::is_signed_v<T> ? "bhilqn" : "BHILQN";
        return format != nullptr && format[0] != '\0' && format[1] == '\0' &&
               letters.find(format[0]) != std::string::npos;
    }

    Py_buffer view_;
};

/// An array of NumPy with these items.
template <class T>
PyObject* to_numpy(const std::vector<T>& items) {
    const Object bytes(PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(items.data()),
                                                     static_cast<Py_ssize_t>(items.size() * sizeof(T))));
    const Object numpy(PyImport_ImportModule("numpy"));
    return PyObject_CallMethod(numpy.get(), "frombuffer", "Os", bytes.get(), type_name<T>());
}

/// Lets other threads have the interpreter, and lets Python see signals now and then.
class WithoutInterpreter {
public:
    WithoutInterpreter() : thread_(PyEval_SaveThread()) {}
    ~WithoutInterpreter() { PyEval_RestoreThread(thread_); }
    WithoutInterpreter(const WithoutInterpreter&) = delete;
    WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;

    /// Throws if a handler raises.
    void poll() {
        if (!clock_.is_due()) return;
        PyEval_RestoreThread(thread_);
        const bool raised = PyErr_CheckSignals() != 0;
        thread_ = PyEval_SaveThread();
        if (raised) throw PythonError();
    }

private:
    PyThreadState* thread_;
    bindings::SignalClock clock_;
};

/// Calls a function that may throw, and says to Python what it threw.
template <class Function>
PyObject* raising(Function function) {
    try {
        return function();
    } catch (const PythonError&) {
        // It is set.
    } catch (const PointsError& error) {
        PyErr_SetString(PyExc_ValueError, bindings::in_words(error).c_str());
    } catch (const std::invalid_argument& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const std::overflow_error& error) {
        PyErr_SetString(PyExc_OverflowError, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

}  // namespace sapwood::timing
