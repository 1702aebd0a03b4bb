#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/search/added_counts.hpp"
#include "sapwood/search/saved_search.hpp"
#include "sapwood/search/search_state.hpp"
#include "sapwood/search/split.hpp"
#include "sapwood/search/summed_counts.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

class AttributeSearch;

/// What the allocator takes for a block besides what is asked of it (glibc's malloc: a header of 16 bytes): part of the
/// memory of a search that lives in a block of its own.
inline constexpr std::size_t block_overhead = 16;

/// The split search: keeps the best split of one node while points arrive.
///
/// The three implementations (exhaustive.hpp, approximate.hpp, certified.hpp) are plain drop-ins for each other; each
/// states its guarantee. A query brings deferred maintenance up to date, and so is not const, but never changes an
/// answer.
class SplitSearch {
public:
    virtual ~SplitSearch() = default;

    // ---- points and answers -------------------------------------------------------------------------------------

    // What adds, removes or asks has no such guarantee where memory runs out: then the search must be used no more,
    // only destroyed (refusal.hpp).

    /// Adds a point `weight` >= 1 times. The features must be unique and not negative, the label one of the classes,
    /// and the points in all at most `max_points`: see points.hpp.
    virtual void add(Features features, Label label, Count weight = 1) = 0;

    /// Removes a point that was added, `weight` >= 1 times. Throws std::invalid_argument, and changes nothing, if the
    /// counts show that it was not.
    virtual void remove(Features features, Label label, Count weight = 1) = 0;

    /// The same for a point that is known to have been added: nothing is checked, and no check prepared.
    virtual void take_back(Features features, Label label, Count weight) { remove(features, label, weight); }

    /// The same for many points, by their sums: O(counts).
    virtual void take_back_counts(const SummedCounts& gone) = 0;

    /// Takes over what another search, of any kind, has counted. Throws std::invalid_argument or std::overflow_error if
    /// the two do not fit, or std::bad_alloc, and then nothing has changed. The other one brings its deferred
    /// maintenance up to date.
    virtual void merge(SplitSearch& other, Merge how) { restore(merged(state(), other.state(), how)); }

    /// Adds many points by their counts. O(counts) in the exact searches; others take over a state, in O(features
    /// seen).
    virtual void add_counts(const AddedCounts& added) { restore(merged(state(), added.state(), Merge::points)); }

    /// Adds or removes a point with its numbers, if the search looks at them (numbers/composite.hpp).
    virtual void add_point(const Point& point, Label label, Count weight) { add(point.on, label, weight); }
    virtual void remove_point(const Point& point, Label label, Count weight) { remove(point.on, label, weight); }
    /// Removes a point that is known to have been added, for whoever keeps the points: it need not be checked.
    virtual void take_back_point(const Point& point, Label label, Count weight) { take_back(point.on, label, weight); }

    /// The best split, or nothing while no feature has been seen.
    virtual std::optional<Split> best() = 0;

    /// The best k splits, best first; fewer where fewer features have been seen.
    virtual std::vector<Split> top(std::size_t k) = 0;

    /// The same by a look at every feature: for who asks so seldom that to prepare the next answer takes longer.
    virtual std::vector<Split> scan(std::size_t k) { return top(k); }

    /// The points of each class that pass a test which the search has just recommended, or which it keeps.
    virtual std::vector<Count> passing(const Test& test) const { return on(test.feature()); }

    /// From now on `passing` must answer for this test, and no longer for the one before.
    virtual void keep(const Test&) {}

    /// What is known of numbers and categories; null for a search over features alone.
    virtual const Attributes* attributes() const { return nullptr; }
    /// The number of the gap that a threshold is in (numbers/histogram.hpp); 0 if in none.
    virtual std::uint32_t gap_of(const Test&) const { return 0; }

    /// For who asks after every point: lets sets of many values of a category rest until `end_rest`, but now and then.
    /// Returns whether bounds that came with earlier answers are to be forgotten (numbers/attribute_search.hpp). `wake`
    /// says whether those of the last answer do not hold for all sets.
    virtual bool rest_sets(Count /*asked_at*/, Count /*n*/) { return false; }
    virtual void end_rest() {}
    virtual bool wake() { return false; }

    /// The parts of a search over features, numbers and categories: that over features, and that over attributes, which
    /// a search over features alone has not.
    virtual SplitSearch& over_features() { return *this; }
    virtual const AttributeSearch* over_attributes() const { return nullptr; }

    /// Whether `best` and `top` are the best of all, and not only nearly so.
    virtual bool is_exact() const = 0;

    // ---- what is counted ----------------------------------------------------------------------------------------

    virtual Count n() const = 0;
    virtual std::vector<Count> of_classes() const = 0;
    virtual std::size_t n_features() const = 0;

    /// The number of points of each class in which a feature is on.
    virtual std::vector<Count> on(FeatureId id) const = 0;

    /// Appends those of the given features that are on in exactly n points, in their order.
    virtual void append_with(Features features, Count n, std::vector<FeatureId>& found) const {
        for (const FeatureId id : features) {
            if (n_on(id) == n) found.push_back(id);
        }
    }

    /// How many features are on in at least n points. O(features seen).
    virtual std::size_t n_with_at_least(Count n) const = 0;

    /// The number of points in which a feature is on.
    Count n_on(FeatureId id) const {
        Count sum = 0;
        for (const Count count : on(id)) sum += count;
        return sum;
    }

    // ---- kept and continued -------------------------------------------------------------------------------------

    virtual std::unique_ptr<SplitSearch> clone() const = 0;

    /// Writes what must be kept of the search. It goes on exactly as one that loads these bytes. Where memory runs out
    /// it is as before.
    virtual void save(ByteWriter& out) { write_counts(by_feature(without_gone(state())), out); }

    /// Gives back the memory for features of which every point was removed.
    void forget_gone() { restore(without_gone(state())); }

    /// Becomes the search that was saved; this one must have seen nothing. The bytes may be anything: throws
    /// ModelFormatError unless some search with what is expected could have written them. After that, discard this one.
    virtual void load(ByteReader& in, const SavedSearch& expected) { restore(read_counts(in, expected)); }

    /// All that must be kept to continue, as values; and what was kept is taken over. If one throws, nothing has
    /// changed.
    virtual SearchState state() = 0;
    virtual void restore(SearchState state) = 0;

    /// Counts points of more classes from now on, in place, if its records have room for them; else returns false, and
    /// nothing has changed: `widened` makes another search then. Answers are those of a search that had them before.
    virtual bool take_classes(std::size_t) { return false; }

    // ---- what it costs ------------------------------------------------------------------------------------------

    /// The memory held, in bytes.
    virtual std::size_t n_bytes() const = 0;

    /// Features whose score was computed to answer a query.
    virtual std::uint64_t n_examined() const = 0;

    /// Counters by name that explain why a stream is fast or slow.
    virtual std::vector<std::pair<std::string, std::uint64_t>> stats() const = 0;

    /// Throws std::logic_error with what is broken if an invariant of the structure does not hold. O(everything).
    virtual void validate() = 0;

protected:
    SplitSearch() = default;
    SplitSearch(const SplitSearch&) = default;
    SplitSearch& operator=(const SplitSearch&) = default;
};

}  // namespace sapwood
