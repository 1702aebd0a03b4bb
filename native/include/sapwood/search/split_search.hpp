#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/search/search_state.hpp"
#include "sapwood/search/split.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// The split search: keeps the best split of one node while points arrive.
///
/// The three implementations (exhaustive.hpp, approximate.hpp, certified.hpp) are plain drop-ins for each other; each
/// states its guarantee. A query brings deferred maintenance up to date, and so is not const, but never changes an
/// answer.
class SplitSearch {
public:
    virtual ~SplitSearch() = default;

    /// Adds a point `weight` >= 1 times. The features must be unique and not negative, the label one of the classes,
    /// and the points in all at most `max_points`: see stream.hpp.
    virtual void add(Features features, Label label, Count weight = 1) = 0;

    /// Removes a point that was added, `weight` >= 1 times. Throws std::invalid_argument, and changes nothing, if the
    /// counts show that it was not.
    virtual void remove(Features features, Label label, Count weight = 1) = 0;

    /// The best split, or nothing while no feature has been seen.
    virtual std::optional<Split> best() = 0;

    /// The best k splits, best first; fewer where fewer features have been seen.
    virtual std::vector<Split> top(std::size_t k) = 0;

    virtual std::unique_ptr<SplitSearch> clone() const = 0;

    /// Throws std::logic_error with what is broken if an invariant of the structure does not hold. O(everything).
    virtual void validate() = 0;

    virtual SearchState state() = 0;
    virtual void restore(SearchState state) = 0;

    /// The search trees in use that hold at least one feature; 0 for a search without trees.
    virtual std::size_t n_trees() { return 0; }

    /// The memory held, in bytes.
    virtual std::size_t n_bytes() const = 0;

    virtual Count n() const = 0;
    virtual std::vector<Count> of_classes() const = 0;
    virtual std::size_t n_features() const = 0;

    /// The number of points of each class in which a feature is on.
    virtual std::vector<Count> on(FeatureId id) const = 0;

    /// Counters that tell why a stream is fast or slow, by name.
    virtual std::vector<std::pair<std::string, std::uint64_t>> stats() const = 0;

    const Work& work() const { return work_; }

protected:
    SplitSearch() = default;
    SplitSearch(const SplitSearch&) = default;
    SplitSearch& operator=(const SplitSearch&) = default;

    Work work_;
};

}  // namespace sapwood
