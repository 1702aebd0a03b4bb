#pragma once

#include <memory>
#include <utility>

#include "recursive_mutex.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/search/numbers/named_attributes.hpp"

namespace sapwood::bindings {

/// A search as Python holds it: what chose it, and a lock that makes one object safe in many threads. The lock is
/// recursive because a signal handler may use the object while a long call of the same thread lets signals through; and
/// so the search, once made, is never destroyed: with the first number or category it becomes a part of another.
struct GuardedSearch {
    SearchChoice choice;
    /// The numbers and categories; null until a point has one. The search looks at what is known of them.
    std::unique_ptr<NamedAttributes> named;
    std::unique_ptr<SplitSearch> search;
    RecursiveMutex mutex;

    /// The name of the capsules that hand a search to another module of the package.
    static constexpr const char* capsule_name = "sapwood.search";

    explicit GuardedSearch(const SearchChoice& chosen) : choice(chosen), search(make_search(choice)) {}
    GuardedSearch(const SearchChoice& chosen, std::unique_ptr<SplitSearch> made)
        : choice(chosen), search(std::move(made)) {}
    GuardedSearch(const SearchChoice& chosen, std::unique_ptr<NamedAttributes> names, std::unique_ptr<SplitSearch> made)
        : choice(chosen), named(std::move(names)), search(std::move(made)) {}

    /// Looks at numbers and categories from now on. Throws std::invalid_argument, and changes nothing, if a feature
    /// that was seen has an id that they need.
    void use_attributes() {
        if (named) return;
        NamedAttributes::check_ids(search->state().ids);
        auto made = std::make_unique<NamedAttributes>();
        search = with_attributes(choice, std::move(search), made->attributes());
        named = std::move(made);
    }
};

}  // namespace sapwood::bindings
