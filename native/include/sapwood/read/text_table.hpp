#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/storage/hash_seed.hpp"

namespace sapwood {

/// Texts by number, from 0 on, in the order in which they were first met; with each a stamp and a value, which are the
/// owner's. Finding a text of up to sixteen bytes, as nearly all words are, looks at one place of the table and nowhere
/// else. The hash is of the process (hash_seed.hpp), and no result depends on it.
class TextTable {
public:
    /// What is readable behind every text that is looked up, so that a short one is loaded at once.
    static constexpr std::size_t padding = 16;

    /// Within one line of the cache.
    struct alignas(32) Entry {
        /// The bytes of a short text, the rest zero; of a long one its hash, and where it stands among all texts.
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::uint32_t length = 0;
        /// The number of the text, plus one; 0 where there is none.
        std::uint32_t place = 0;
        /// The owner's; 0 when the text is new.
        std::uint32_t stamp = 0;
        std::int32_t value = 0;

        std::uint32_t number() const { return place - 1; }
    };

    TextTable() { clear(); }

    std::size_t size() const { return begins_.size(); }

    /// The bytes of all texts.
    std::size_t n_bytes() const { return texts_.size(); }

    /// The text of a number.
    std::string_view text(std::uint32_t number) const {
        const std::size_t begin = begins_[number];
        const std::size_t end = number + 1 < begins_.size() ? begins_[number + 1] : texts_.size();
        return {texts_.data() + begin, end - begin};
    }

    /// What is looked for in place of a text: it can be found for many texts before the first is looked for, and then
    /// none waits for the memory of another.
    struct Key {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::size_t length = 0;
        std::uint64_t hash = 0;
    };

    /// The key of a text. `padding` bytes behind it are readable.
    static Key key_of(const char* text, std::size_t length) {
        Key key;
        key.length = length;
        if (length > 16) {
            key.hash = key.low = hash_of_long(text, length);
            return key;
        }
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(&key.low, text, 8);
            std::memcpy(&key.high, text + 8, 8);
            key.low &= masks[length];
            key.high &= masks[length + 17];
        } else {
            std::memcpy(&key.low, text, length < 8 ? length : 8);
            if (length > 8) std::memcpy(&key.high, text + 8, length - 8);
        }
        key.hash = hash_of(key.low, key.high, length);
        return key;
    }

    /// Begins to bring close where a text stands.
    void prefetch(const Key& key) const { prefetch_to_change(&entries_[key.hash & mask_]); }

    /// The entry of a text, a new one if it has none; until the next call.
    Entry& find_or_add(const Key& key, const char* text) {
        Entry* const entry = place_of(key, text);
        return entry->place != 0 ? *entry : add(key, text);
    }

    /// The same. `padding` bytes behind the text are readable.
    Entry& find_or_add(const char* text, std::size_t length) { return find_or_add(key_of(text, length), text); }

    /// The entry of a text, nullptr if it has none. `padding` bytes behind it are readable.
    const Entry* find(const char* text, std::size_t length) {
        const Entry* const entry = place_of(key_of(text, length), text);
        return entry->place != 0 ? entry : nullptr;
    }

    /// Forgets all texts, and gives the memory of many back.
    void clear() {
        entries_.assign(first_size, Entry());
        entries_.shrink_to_fit();
        mask_ = first_size - 1;
        begins_ = {};
        texts_ = {};
    }

private:
    // A power of two; few, because every column of a table has one of these, and there may be many.
    static constexpr std::size_t first_size = 4;

    /// Which bytes of the first and of the second half of sixteen belong to a text of each length.
    static constexpr std::array<std::uint64_t, 34> masks = [] {
        std::array<std::uint64_t, 34> made{};
        for (std::size_t length = 0; length <= 16; ++length) {
            const std::size_t low = length < 8 ? length : 8;
            const std::size_t high = length - low;
            made[length] = low == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * low)) - 1;
            made[length + 17] = high == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * high)) - 1;
        }
        return made;
    }();

    /// Where a text stands, or would stand.
    Entry* place_of(const Key& key, const char* text) {
        for (std::size_t at = key.hash & mask_;; at = (at + 1) & mask_) {
            Entry& entry = entries_[at];
            if (entry.place == 0) return &entry;
            if (entry.low == key.low && entry.length == key.length &&
                (key.length <= 16 ? entry.high == key.high
                                  : std::memcmp(texts_.data() + entry.high, text, key.length) == 0)) {
                return &entry;
            }
        }
    }

    static std::uint64_t mixed(std::uint64_t value) {
        value *= hash_seed.multiplier;
        return value ^ value >> 32;
    }

    static std::uint64_t hash_of(std::uint64_t low, std::uint64_t high, std::size_t length) {
        const std::uint64_t first = mixed(low ^ hash_seed.mask);
        return mixed((first + length) ^ (high * std::uint64_t{0xD6E8FEB86659FD93u}));
    }

    static std::uint64_t hash_of_long(const char* text, std::size_t length) {
        std::uint64_t hash = hash_seed.mask ^ length;
        std::uint64_t piece = 0;
        for (std::size_t at = 0; at + 8 <= length; at += 8) {
            std::memcpy(&piece, text + at, 8);
            hash = mixed(hash ^ piece);
        }
        std::memcpy(&piece, text + length - 8, 8);
        return mixed(mixed(hash ^ piece));
    }

    Entry& add(const Key& key, const char* text) {
        // At most half full, so that hardly any search takes a second step.
        if (2 * (begins_.size() + 1) > entries_.size()) grow();
        Entry entry;
        entry.low = key.low;
        entry.high = key.length > 16 ? texts_.size() : key.high;
        entry.length = static_cast<std::uint32_t>(key.length);
        begins_.push_back(texts_.size());
        texts_.append(text, key.length);
        entry.place = static_cast<std::uint32_t>(begins_.size());
        return insert(entry, key.hash);
    }

    Entry& insert(const Entry& entry, std::uint64_t hash) {
        std::size_t at = hash & mask_;
        while (entries_[at].place != 0) at = (at + 1) & mask_;
        return entries_[at] = entry;
    }

    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        mask_ = entries_.size() - 1;
        for (const Entry& entry : old) {
            if (entry.place == 0) continue;
            insert(entry, entry.length <= 16 ? hash_of(entry.low, entry.high, entry.length) : entry.low);
        }
    }

    std::vector<Entry> entries_;
    std::size_t mask_ = 0;
    std::vector<std::size_t> begins_;
    std::string texts_;
};

}  // namespace sapwood
