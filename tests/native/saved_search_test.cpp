// What a search saves, another loads, and the two go on alike; what no search can have saved is refused.
#include "sapwood/search/saved_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "sapwood/search/make_search.hpp"
#include "streams.hpp"

namespace {

using namespace sapwood;

std::string saved(SplitSearch& search) {
    ByteWriter out;
    search.save(out);
    return out.take();
}

std::unique_ptr<SplitSearch> loaded(const SearchChoice& choice, std::string_view bytes,
                                    const std::vector<Count>& of_class, std::int64_t n_features = max_points) {
    std::unique_ptr<SplitSearch> search = make_search(choice);
    ByteReader in(std::as_bytes(std::span(bytes.data(), bytes.size())));
    search->load(in, {of_class, n_features});
    if (in.left() != 0) throw ModelFormatError("bytes are left over");
    return search;
}

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const ModelFormatError& error) {
        return error.what();
    }
    return "";
}

std::string described(const SearchChoice& choice, std::string_view stream) {
    return std::string(word_of(choice.search)) + " " + std::string(word_of(choice.criterion)) +
           " K=" + std::to_string(choice.n_classes) + " alpha=" + std::to_string(choice.alpha) + " " +
           std::string(stream);
}

void goes_on_alike(const SearchChoice& choice, std::string_view stream) {
    const auto points = streams::make(stream, 400, 12, 5, choice.n_classes);
    std::unique_ptr<SplitSearch> search = make_search(choice);
    bool same = true;
    for (std::size_t i = 0; i < points.size() && same; ++i) {
        if (i % 37 == 36) {
            const std::string bytes = saved(*search);
            const std::unique_ptr<SplitSearch> twin = loaded(choice, bytes, search->of_classes());
            twin->validate();
            search->validate();
            same &= CHECK(saved(*twin) == bytes && saved(*search) == bytes);
            // From here on both see the same points, and are asked the same.
            for (std::size_t j = i; j < std::min(i + 30, points.size()); ++j) {
                for (SplitSearch* each : {search.get(), twin.get()}) each->add(points[j].features, points[j].label);
                const std::optional<Split> mine = search->best();
                const std::optional<Split> theirs = twin->best();
                same &= CHECK(mine.has_value() == theirs.has_value());
                if (mine && theirs) same &= CHECK(mine->test == theirs->test && mine->score == theirs->score);
            }
            same &= CHECK(saved(*twin) == saved(*search));
            i += 30;
        } else {
            search->add(points[i].features, points[i].label);
            if (i % 3 == 0) search->best();
        }
    }
    if (!same) std::fprintf(stderr, "  %s\n", described(choice, stream).c_str());
}

/// Every part of the bytes, and the bytes with one of them changed.
void refuses_or_is_whole(const SearchChoice& choice) {
    const auto points = streams::make("slow drift", 60, 6, 3, choice.n_classes);
    std::unique_ptr<SplitSearch> search = make_search(choice);
    for (const auto& point : points) search->add(point.features, point.label);
    const std::string bytes = saved(*search);
    const std::vector<Count> of_class = search->of_classes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS(ModelFormatError, loaded(choice, std::string_view(bytes).substr(0, size), of_class));
    }
    long refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int change : {1, 2, 16, 127, 128, 255}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ change);
            try {
                loaded(choice, changed, of_class)->validate();
            } catch (const ModelFormatError&) {
                ++refused;
            }
        }
    }
    CHECK(refused > static_cast<long>(bytes.size()));
}

void says_what_is_wrong() {
    const SearchChoice choice{Criterion::gini, SearchKind::exhaustive, 0.1, 2};
    const std::vector<Count> of_class{3, 4};
    const auto why = [&](const std::vector<FeatureId>& ids, const std::vector<std::vector<Count>>& on) {
        SearchState state;
        state.ids = ids;
        state.on = on;
        ByteWriter out;
        write_counts(state, out);
        const std::string bytes = out.take();
        return refusal([&] { loaded(choice, bytes, of_class, 100); });
    };
    CHECK(why({7, 99}, {{1, 3}, {0, 4}}).empty());
    CHECK(why({}, {{}, {}}).empty());
    CHECK(why({7, 99}, {{1, 4}, {0, 4}}) == "state must hold counts within their class");
    CHECK(why({7, 99}, {{1, -1}, {0, 4}}) == "state must hold counts within their class");
    CHECK(why({7, 7}, {{1, 3}, {0, 4}}) == "state must hold every feature once");
    CHECK(why({-7, 7}, {{1, 3}, {0, 4}}) == "state must hold no negative feature");
    CHECK(why({99, 7}, {{1, 3}, {0, 4}}) == "the features of a search must ascend, got another order");
    CHECK(why({7, 100}, {{1, 3}, {0, 4}}) == "the features of a search must be features of the model, got 100");
    CHECK(why({7, 99}, {{0, 3}, {0, 4}}) == "the features of a search must be on in a point, got feature 7 in none");
}

void says_what_is_wrong_with_bins() {
    const SearchChoice choice{Criterion::gini, SearchKind::approximate, 0.1, 2};
    std::unique_ptr<SplitSearch> search = make_search(choice);
    for (const auto& point : streams::make("plain", 50, 3, 1)) search->add(point.features, point.label);
    const std::string bytes = saved(*search);
    const std::size_t n_features = search->n_features();
    const auto with_bins = [&](std::int32_t first, std::int32_t last) {
        std::string changed = bytes.substr(0, bytes.size() - 8 * n_features);
        ByteWriter out;
        for (std::size_t i = 0; i < n_features; ++i) out.put(first);
        for (std::size_t i = 0; i < n_features; ++i) out.put(last);
        return changed + out.take();
    };
    const auto why = [&](std::int32_t first, std::int32_t last) {
        return refusal([&] { loaded(choice, with_bins(first, last), search->of_classes()); });
    };
    const std::string no_bins = "the bins of a search must exist, and be at most 8 per feature, got others";
    CHECK(why(0, 1) == no_bins);
    CHECK(why(-1, -1) == no_bins);
    CHECK(why(1000, 1000) == no_bins);
    CHECK(why(0, 0).starts_with("the bins of a search must hold its features, got a search in which feature "));
}

/// A small alpha has more bins than can be kept, and finds them anew.
void many_bins_are_found_anew() {
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini}) {
        for (const std::string_view stream : {"slow drift", "always on", "rare class", "sorted labels"}) {
            goes_on_alike({criterion, SearchKind::approximate, 1e-4, 2}, stream);
        }
    }
}

void more_classes() {
    const SearchChoice choice{Criterion::entropy, SearchKind::certified, 0.1, 2};
    std::unique_ptr<SplitSearch> search = make_search(choice);
    const auto points = streams::make("plain", 100, 8, 2);
    for (const auto& point : points) search->add(point.features, point.label);
    const SearchChoice wider{Criterion::entropy, SearchKind::certified, 0.1, 4};
    const std::unique_ptr<SplitSearch> made = widened(*search, wider);
    CHECK(made->of_classes() == (std::vector<Count>{search->of_classes()[0], search->of_classes()[1], 0, 0}));
    CHECK(made->n_features() == search->n_features());
    CHECK(made->on(0) == (std::vector<Count>{search->on(0)[0], search->on(0)[1], 0, 0}));
    made->add(points[0].features, 3);
    CHECK(made->of_classes()[3] == 1);
    CHECK_THROWS(std::invalid_argument, search->merge(*made, Merge::points));
    CHECK(search->n() == 100);
}

}  // namespace

int main() {
    for (const SearchKind kind : {SearchKind::exhaustive, SearchKind::approximate, SearchKind::certified}) {
        for (const Criterion criterion : {Criterion::entropy, Criterion::gini, Criterion::kearns_mansour}) {
            for (const int n_classes : {2, 3}) {
                const SearchChoice choice{criterion, kind, 0.1, n_classes};
                if (why_not(choice)) continue;
                CHECK(make_search(choice)->is_exact() == (kind != SearchKind::approximate));
                for (const std::string_view stream : streams::names) goes_on_alike(choice, stream);
                refuses_or_is_whole(choice);
            }
        }
    }
    says_what_is_wrong();
    says_what_is_wrong_with_bins();
    many_bins_are_found_anew();
    more_classes();
    return check::finish();
}
