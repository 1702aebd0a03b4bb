#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sapwood/storage/memory_block.hpp"

namespace sapwood {

/// The error of bytes that are no model. The message is one sentence: what must hold, and what was found.
class ModelFormatError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

namespace detail {

/// Bytes in the order of the format, least significant first, and back: the same operation.
template <class T>
T in_file_order(T value) {
    static_assert(std::is_arithmetic_v<T>);
    if constexpr (std::endian::native == std::endian::big && sizeof(T) > 1) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
        std::memcpy(&value, bytes, sizeof(T));
    }
    return value;
}

}  // namespace detail

/// Appends numbers to a string of bytes: little-endian, without padding.
class ByteWriter {
public:
    template <class T>
    void put(T value) {
        static_assert(std::is_arithmetic_v<T>);
        value = detail::in_file_order(value);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }

    template <class T>
    void put_all(std::span<const T> values) {
        if constexpr (std::endian::native == std::endian::little) {
            if (!values.empty()) bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
        } else {
            for (const T value : values) put(value);
        }
    }

    /// Up to 255 bytes, after their number.
    void put_word(std::string_view word) {
        if (word.size() > 255) throw std::length_error("a word must have at most 255 bytes");
        put(static_cast<std::uint8_t>(word.size()));
        bytes_.append(word);
    }

    void put_raw(std::string_view raw) { bytes_.append(raw); }

    /// What `put` appends, after its number of bytes, in 64 bits.
    template <class Put>
    void put_counted(Put put) {
        const std::size_t at = bytes_.size();
        this->put(std::uint64_t{0});
        const std::size_t start = bytes_.size();
        put(*this);
        const std::uint64_t size = detail::in_file_order(static_cast<std::uint64_t>(bytes_.size() - start));
        bytes_.replace(at, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
    }

    /// Makes room for so many bytes, none of which is touched before it is written: growing would copy all.
    void reserve(std::size_t n_bytes) {
        bytes_.reserve(n_bytes);
        prefer_huge_pages(bytes_.data(), bytes_.capacity());
    }

    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Reads numbers from bytes that may be anything. Throws ModelFormatError where they end too early. A list is made only
/// once all of its bytes are known to be there, so a false length takes no memory.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::size_t left() const { return bytes_.size() - at_; }

    /// Throws unless `count` things of at least `size` bytes each can still come.
    void require(std::uint64_t count, std::size_t size, const char* what) const {
        if (count <= left() / size) return;
        throw ModelFormatError(std::string("the bytes must hold ") + what + ", which take at least " +
                               std::to_string(size) + " bytes each, got " + std::to_string(count) + " of them and " +
                               std::to_string(left()) + " bytes");
    }

    template <class T>
    T get(const char* what) {
        require(1, sizeof(T), what);
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return detail::in_file_order(value);
    }

    template <class T>
    void get_all(std::span<T> out, const char* what) {
        require(out.size(), sizeof(T), what);
        if (out.empty()) return;
        std::memcpy(out.data(), bytes_.data() + at_, out.size_bytes());
        at_ += out.size_bytes();
        if constexpr (std::endian::native == std::endian::big) {
            for (T& value : out) value = detail::in_file_order(value);
        }
    }

    template <class T>
    std::vector<T> get_list(std::uint64_t count, const char* what) {
        require(count, sizeof(T), what);
        std::vector<T> values(static_cast<std::size_t>(count));
        get_all(std::span<T>(values), what);
        return values;
    }

    std::string get_word(const char* what) {
        const auto size = get<std::uint8_t>(what);
        return get_raw(size, what);
    }

    std::string get_raw(std::size_t size, const char* what) {
        require(size, 1, what);
        std::string raw(reinterpret_cast<const char*>(bytes_.data() + at_), size);
        at_ += size;
        return raw;
    }

    /// A reader of the next `size` bytes, which are there; this one goes on behind them.
    ByteReader get_part(std::size_t size) {
        const ByteReader part(bytes_.subspan(at_, size));
        at_ += size;
        return part;
    }

    /// 0 or 1.
    bool get_flag(const char* what) {
        const auto flag = get<std::uint8_t>(what);
        if (flag > 1) throw ModelFormatError(std::string(what) + " must be 0 or 1, got " + std::to_string(flag));
        return flag == 1;
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

}  // namespace sapwood
