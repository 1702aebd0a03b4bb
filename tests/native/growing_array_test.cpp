// Arrays that grow, from a few words to many pages: what was written stays, what is new is zero, copies are their own.
#include "sapwood/growing_array.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "check.hpp"

namespace {

using sapwood::GrowingArray;

template <class Word>
bool holds(const GrowingArray<Word>& array, std::size_t written, std::size_t size) {
    if (array.size() != size || array.capacity() < size) return false;
    for (std::size_t i = 0; i < size; ++i) {
        if (array.data()[i] != static_cast<Word>(i < written ? i + 1 : 0)) return false;
    }
    return true;
}

template <class Word>
void grows_and_keeps() {
    GrowingArray<Word> array;
    CHECK(array.size() == 0 && array.capacity() == 0);
    std::size_t written = 0;
    // The large sizes are more than a huge page; one step is from what is small to what is large.
    for (const std::size_t size : {1u, 7u, 64u, 1000u, 100000u, 1u << 20, (1u << 20) + 5, 1u << 21}) {
        array.reserve(size);
        array.reserve(size / 2);
        array.extend(size);
        if (!CHECK(holds(array, written, size))) return;
        CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
        for (std::size_t i = written; i < size; ++i) array.data()[i] = static_cast<Word>(i + 1);
        written = size;
        GrowingArray<Word> copy(array);
        copy.data()[0] = 77;
        CHECK(holds(array, written, size));
        copy = array;
        CHECK(holds(copy, written, size));
        GrowingArray<Word> moved(std::move(copy));
        CHECK(holds(moved, written, size) && copy.size() == 0);
        copy = std::move(moved);
        CHECK(holds(copy, written, size) && moved.size() == 0);
    }
    GrowingArray<Word> zeros(1 << 19);
    CHECK(holds(zeros, 0, 1 << 19));
    // What is set aside and not used is copied as room.
    zeros.reserve(1 << 20);
    const GrowingArray<Word> copy(zeros);
    CHECK(holds(copy, 0, 1 << 19) && copy.capacity() == zeros.capacity());
}

}  // namespace

int main() {
    grows_and_keeps<std::uint64_t>();
    grows_and_keeps<std::int32_t>();
    return sapwood::check::finish();
}
