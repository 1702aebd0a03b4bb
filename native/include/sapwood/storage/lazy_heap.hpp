#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

/// A priority queue that serves as the paper's search tree: the first entry, insertion, and removal of any entry.
///
/// Removal is lazy. The owner knows which entries still count (their stamp is current), says `forget` when one of
/// them no longer does, and passes a predicate `live(entry)`; an entry that is not live is dropped when it comes to the
/// front, and all such entries are swept out when they outnumber the live ones. So every operation takes amortised
/// O(log size), memory stays within twice the live entries, and the most frequent operation, insertion of a key that
/// does not become the first, takes O(1) on average.
///
/// `First(x, y)` says whether x comes before y; it is passed to every call because it may need the owner's tables.
class LazyHeap {
public:
    struct Entry {
        double key;
        Slot slot;
        std::uint32_t stamp;
    };

    std::size_t size() const { return live_; }

    const std::vector<Entry>& entries() const { return entries_; }

    template <class First, class Live>
    void push(Entry entry, First first, Live live) {
        if (entries_.size() >= 2 * live_ + slack) sweep(first, live);
        entries_.push_back(entry);
        std::push_heap(entries_.begin(), entries_.end(), after(first));
        ++live_;
    }

    /// One of the entries has stopped being live.
    void forget() { --live_; }

    /// The first live entry, or null.
    template <class First, class Live>
    const Entry* first(First first, Live live) {
        while (!entries_.empty() && !live(entries_.front())) drop_first(first);
        return entries_.empty() ? nullptr : &entries_.front();
    }

    /// Takes out the first entry if it satisfies `wanted(key)`, live or not.
    template <class First, class Wanted>
    bool pop_if(First first, Wanted wanted, Entry& entry) {
        if (entries_.empty() || !wanted(entries_.front().key)) return false;
        entry = entries_.front();
        drop_first(first);
        return true;
    }

    /// Copies the first k live entries to `out`, in order.
    template <class First, class Live>
    void first_k(std::size_t k, First first, Live live, std::vector<Entry>& out) {
        const std::size_t start = out.size();
        while (out.size() - start < k && this->first(first, live) != nullptr) {
            out.push_back(entries_.front());
            drop_first(first);
        }
        for (std::size_t i = start; i < out.size(); ++i) {
            entries_.push_back(out[i]);
            std::push_heap(entries_.begin(), entries_.end(), after(first));
        }
    }

    std::size_t n_bytes() const { return entries_.capacity() * sizeof(Entry); }

private:
    static constexpr std::size_t slack = 32;

    /// The standard heaps put the greatest in front: greatest is what comes first.
    template <class First>
    static auto after(First first) {
        return [first](const Entry& x, const Entry& y) { return first(y, x); };
    }

    template <class First>
    void drop_first(First first) {
        std::pop_heap(entries_.begin(), entries_.end(), after(first));
        entries_.pop_back();
    }

    template <class First, class Live>
    void sweep(First first, Live live) {
        std::erase_if(entries_, [&](const Entry& entry) { return !live(entry); });
        std::make_heap(entries_.begin(), entries_.end(), after(first));
    }

    std::vector<Entry> entries_;
    std::size_t live_ = 0;
};

}  // namespace sapwood
