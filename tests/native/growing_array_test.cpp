// Arrays that grow, from a few words to many pages: what was written stays, copies are their own.
#include "sapwood/storage/growing_array.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "check.hpp"

namespace {

using sapwood::GrowingArray;

template <class Word>
bool holds(const GrowingArray<Word>& array, std::size_t written, std::size_t size) {
    if (array.size() != size || array.capacity() < size) return false;
    for (std::size_t i = 0; i < written; ++i) {
        if (array.data()[i] != static_cast<Word>(i + 1)) return false;
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
    // What is set aside and not used is copied as room.
    array.reserve(1 << 22);
    const GrowingArray<Word> copy(array);
    CHECK(holds(copy, written, written) && copy.capacity() == array.capacity());
    for (const std::size_t size : {1u, 100u, 1u << 18, 1u << 20}) {
        const GrowingArray<Word> zeros(size, true);
        CHECK(zeros.size() == size &&
              std::all_of(zeros.data(), zeros.data() + size, [](Word word) { return word == 0; }));
        CHECK(GrowingArray<Word>(size, false).size() == size);
    }
}

}  // namespace

int main() {
    grows_and_keeps<std::uint64_t>();
    grows_and_keeps<std::int32_t>();
    return sapwood::check::finish();
}
