#pragma once

#include <cstddef>
#include <memory>

#include "sapwood/criterion.hpp"
#include "sapwood/search/split_search.hpp"
#include "sapwood/storage/hash_seed.hpp"

namespace sapwood {

// One function for each family of searches, each with a source file of its own in native/src: every search is a
// template over what it minimises, and is compiled there once, the families at the same time. The choice must be a
// search (`why_not`), except that a multiclass one may have two classes.

std::unique_ptr<SplitSearch> make_exhaustive(Criterion criterion, std::size_t n_classes);
std::unique_ptr<SplitSearch> make_approximate(Criterion criterion, double alpha);
std::unique_ptr<SplitSearch> make_binary_certified(Criterion criterion, const HashSeed& seed = hash_seed);
/// `room`: the classes that records have room for, if more than `n_classes`.
std::unique_ptr<SplitSearch> make_multiclass_certified(Criterion criterion, std::size_t n_classes,
                                                       const HashSeed& seed = hash_seed, std::size_t room = 0);

}  // namespace sapwood
