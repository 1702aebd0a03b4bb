#pragma once

#include <memory>
#include <utility>

#include "recursive_mutex.hpp"
#include "sapwood/search/make_search.hpp"

namespace sapwood::bindings {

/// A search as Python holds it: what chose it, and a lock that makes one object safe in many threads. The lock is
/// recursive because a signal handler may use the object while a long call of the same thread lets signals through; and
/// so the search, once made, is never exchanged for another.
struct GuardedSearch {
    SearchChoice choice;
    std::unique_ptr<SplitSearch> search;
    RecursiveMutex mutex;

    /// The name of the capsules that hand a search to another module of the package.
    static constexpr const char* capsule_name = "sapwood.search";

    explicit GuardedSearch(const SearchChoice& chosen) : choice(chosen), search(make_search(choice)) {}
    GuardedSearch(const SearchChoice& chosen, std::unique_ptr<SplitSearch> made)
        : choice(chosen), search(std::move(made)) {}
};

}  // namespace sapwood::bindings
