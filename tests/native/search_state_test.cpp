// The state of a search: what two merged searches have seen, which do not fit, and which states no search could have
// had.
#include "sapwood/search/search_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using sapwood::Count;
using sapwood::FeatureId;
using sapwood::Merge;
using sapwood::SearchState;

constexpr Count most = sapwood::max_points;

/// The counts of a state by feature, whatever the order of its rows.
std::map<FeatureId, std::vector<Count>> counts_by_feature(const SearchState& state) {
    std::map<FeatureId, std::vector<Count>> rows;
    for (std::size_t i = 0; i < state.ids.size(); ++i) {
        for (const std::vector<Count>& on : state.on) rows[state.ids[i]].push_back(on[i]);
    }
    return rows;
}

/// A state of random points over features that are multiples of `step`, plus `first`; class counts as given.
SearchState drawn(const std::vector<Count>& of_class, FeatureId first, FeatureId step, std::mt19937& random) {
    SearchState state;
    state.of_class = of_class;
    state.on.resize(of_class.size());
    for (FeatureId i = 0; i < 30; ++i) {
        if (random() % 3 == 0) continue;
        state.ids.push_back(first + i * step);
        for (std::size_t k = 0; k < of_class.size(); ++k) {
            state.on[k].push_back(static_cast<Count>(random() % (static_cast<unsigned>(of_class[k]) + 1)));
        }
    }
    std::shuffle(state.ids.begin(), state.ids.end(), random);
    state.filings.first_bin.assign(state.ids.size(), 1);
    state.filings.last_bin.assign(state.ids.size(), 2);
    state.filings.moves = random() % 100;
    state.filings.key_updates = random() % 100;
    state.examined = random() % 100;
    state.removes = random() % 2 == 0;
    return state;
}

void check_what_all_merges_share(const SearchState& left, const SearchState& right, const SearchState& both) {
    // Features that the left saw keep their rows; those of the right alone follow, in its order.
    CHECK(both.ids.size() >= left.ids.size());
    CHECK(std::equal(left.ids.begin(), left.ids.end(), both.ids.begin()));
    const auto added = both.ids.begin() + static_cast<std::ptrdiff_t>(left.ids.size());
    auto at = right.ids.begin();
    for (auto id = added; id != both.ids.end(); ++id) {
        at = std::find(at, right.ids.end(), *id);
        CHECK(at != right.ids.end());
    }
    // Bins follow from all the counts: they are found anew.
    CHECK(both.filings.first_bin.empty() && both.filings.last_bin.empty());
    CHECK(both.filings.moves == left.filings.moves + right.filings.moves);
    CHECK(both.filings.key_updates == left.filings.key_updates + right.filings.key_updates);
    CHECK(both.examined == left.examined + right.examined);
    CHECK(both.removes == (left.removes || right.removes));
    sapwood::check_state(both, both.of_class.size());
}

void merging_over_points_adds_up(std::size_t n_classes, std::mt19937& random) {
    std::vector<Count> here(n_classes);
    std::vector<Count> there(n_classes);
    for (Count& count : here) count = static_cast<Count>(random() % 50);
    for (Count& count : there) count = static_cast<Count>(random() % 50);
    const SearchState left = drawn(here, 0, 2, random);
    const SearchState right = drawn(there, 0, 3, random);
    const SearchState both = merged(left, right, Merge::points);
    check_what_all_merges_share(left, right, both);
    for (std::size_t k = 0; k < n_classes; ++k) CHECK(both.of_class[k] == here[k] + there[k]);
    auto expected = counts_by_feature(left);
    for (const auto& [id, counts] : counts_by_feature(right)) {
        std::vector<Count>& sum = expected.try_emplace(id, n_classes).first->second;
        for (std::size_t k = 0; k < n_classes; ++k) sum[k] += counts[k];
    }
    CHECK(counts_by_feature(both) == expected);
    CHECK(counts_by_feature(merged(right, left, Merge::points)) == expected);
    SearchState nothing;
    nothing.of_class.resize(n_classes);
    nothing.on.resize(n_classes);
    CHECK(counts_by_feature(merged(left, nothing, Merge::points)) == counts_by_feature(left));
    CHECK(counts_by_feature(merged(nothing, left, Merge::points)) == counts_by_feature(left));
    const SearchState twice = merged(left, left, Merge::points);
    CHECK(twice.ids == left.ids);
    for (std::size_t k = 0; k < n_classes; ++k) {
        for (std::size_t i = 0; i < twice.ids.size(); ++i) CHECK(twice.on[k][i] == 2 * left.on[k][i]);
    }
}

void merging_over_features_unites(std::size_t n_classes, std::mt19937& random) {
    std::vector<Count> of_class(n_classes);
    for (Count& count : of_class) count = static_cast<Count>(random() % 50);
    const SearchState even = drawn(of_class, 0, 2, random);
    const SearchState odd = drawn(of_class, 1, 2, random);
    const SearchState both = merged(even, odd, Merge::features);
    check_what_all_merges_share(even, odd, both);
    CHECK(both.of_class == of_class);
    auto expected = counts_by_feature(even);
    expected.merge(counts_by_feature(odd));
    CHECK(both.ids.size() == even.ids.size() + odd.ids.size());
    CHECK(counts_by_feature(both) == expected);
    CHECK(counts_by_feature(merged(odd, even, Merge::features)) == expected);
}

/// What a call refuses with: an exception of exactly the type, and its message; empty if it does not refuse.
template <class Exception, class Call>
std::string refusal(Call call) {
    try {
        call();
    } catch (const Exception& error) {
        return error.what();
    }
    return "";
}

SearchState with(std::vector<Count> of_class, std::vector<FeatureId> ids, std::vector<std::vector<Count>> on) {
    SearchState state;
    state.of_class = std::move(of_class);
    state.ids = std::move(ids);
    state.on = std::move(on);
    return state;
}

void states_that_do_not_fit_are_refused() {
    const SearchState left = with({3, 4}, {7, 2}, {{1, 2}, {3, 4}});
    CHECK(refusal<std::invalid_argument>([&] { merged(left, with({3, 5}, {8}, {{1}, {1}}), Merge::features); }) ==
          "other must have the class counts (3, 4) to be merged over features, got (3, 5)");
    CHECK(refusal<std::invalid_argument>([&] { merged(left, with({4, 3}, {}, {{}, {}}), Merge::features); }) ==
          "other must have the class counts (3, 4) to be merged over features, got (4, 3)");
    CHECK(refusal<std::invalid_argument>([&] {
              merged(left, with({3, 4}, {1, 2}, {{0, 0}, {1, 1}}), Merge::features);
          }) == "other must have seen other features to be merged over features, got 2 in both");
    CHECK(refusal<std::invalid_argument>([&] { merged(left, left, Merge::features); }) ==
          "other must have seen other features to be merged over features, got 7 in both");
}

/// As many points as can be counted, and one more; over features, the points are the same and do not add up.
void no_more_points_than_can_be_counted() {
    const SearchState nearly = with({most - 3, 1}, {5}, {{most - 3}, {0}});
    const SearchState full = merged(nearly, with({1, 1}, {5}, {{1}, {1}}), Merge::points);
    CHECK(full.of_class == (std::vector<Count>{most - 2, 2}));
    CHECK(full.on == (std::vector<std::vector<Count>>{{most - 2}, {1}}));
    for (const SearchState& more : {with({1, 0}, {}, {{}, {}}), with({0, 1}, {}, {{}, {}})}) {
        CHECK(refusal<std::overflow_error>([&] { merged(full, more, Merge::points); }) ==
              "points must be at most 2147483647 in all, got 2147483648");
    }
    CHECK(refusal<std::overflow_error>([&] { merged(full, full, Merge::points); }) ==
          "points must be at most 2147483647 in all, got 4294967294");
    CHECK(merged(full, with(full.of_class, {6}, {{0}, {2}}), Merge::features).of_class == full.of_class);
}

void states_that_no_search_had_are_refused() {
    const SearchState right = with({3, 4}, {7, 0, most}, {{1, 3, 0}, {0, 4, 0}});
    sapwood::check_state(right, 2);
    sapwood::check_state(with({0, 0, 0}, {}, {{}, {}, {}}), 3);
    sapwood::check_state(with({most - 1, 1}, {1}, {{most - 1}, {1}}), 2);
    const auto why = [&](const std::function<void(SearchState&)>& spoil, std::size_t n_classes = 2) {
        SearchState state = right;
        spoil(state);
        return refusal<std::invalid_argument>([&] { sapwood::check_state(state, n_classes); });
    };
    const auto nothing = [](SearchState&) {};
    CHECK(why(nothing).empty());
    CHECK(why(nothing, 3) == "state must hold every class");
    CHECK(why(nothing, 1) == "state must hold every class");
    CHECK(why([](SearchState& state) { state.of_class.pop_back(); }) == "state must hold every class");
    CHECK(why([](SearchState& state) { state.on.pop_back(); }) == "state must hold every class");
    CHECK(why([](SearchState& state) { state.on.emplace_back(3); }) == "state must hold every class");
    CHECK(why([](SearchState& state) { state.of_class[1] = -1; }) == "state must hold no negative count");
    CHECK(why([](SearchState& state) { state.of_class = {most, 4}; }) == "state must hold at most 2147483647 points");
    CHECK(why([](SearchState& state) { state.of_class = {most, most}; }) ==
          "state must hold at most 2147483647 points");
    CHECK(why([](SearchState& state) { state.on[1].pop_back(); }) == "state must hold a count for every feature");
    CHECK(why([](SearchState& state) { state.on[0].push_back(0); }) == "state must hold a count for every feature");
    CHECK(why([](SearchState& state) { state.ids.pop_back(); }) == "state must hold a count for every feature");
    CHECK(why([](SearchState& state) { state.on[0][2] = 4; }) == "state must hold counts within their class");
    CHECK(why([](SearchState& state) { state.on[1][0] = -1; }) == "state must hold counts within their class");
    CHECK(why([](SearchState& state) { state.ids[1] = -1; }) == "state must hold no negative feature");
    CHECK(why([](SearchState& state) { state.ids[2] = 7; }) == "state must hold every feature once");
}

}  // namespace

int main() {
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        for (const std::size_t n_classes : {1u, 2u, 3u, 20u}) {
            merging_over_points_adds_up(n_classes, random);
            merging_over_features_unites(n_classes, random);
        }
    }
    states_that_do_not_fit_are_refused();
    no_more_points_than_can_be_counted();
    states_that_no_search_had_are_refused();
    return sapwood::check::finish();
}
