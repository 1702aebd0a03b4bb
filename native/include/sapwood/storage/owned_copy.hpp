#pragma once

#include <memory>
#include <utility>

namespace sapwood {

/// A value in a block of its own, or none; a copy has a copy. It takes a pointer where the value is not needed.
template <class T>
class OwnedCopy {
public:
    OwnedCopy() = default;
    explicit OwnedCopy(T value) : value_(std::make_unique<T>(std::move(value))) {}
    OwnedCopy(const OwnedCopy& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    OwnedCopy(OwnedCopy&&) noexcept = default;
    OwnedCopy& operator=(OwnedCopy other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~OwnedCopy() = default;

    explicit operator bool() const { return value_ != nullptr; }
    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }
    T* operator->() { return value_.get(); }
    const T* operator->() const { return value_.get(); }

private:
    std::unique_ptr<T> value_;
};

}  // namespace sapwood
