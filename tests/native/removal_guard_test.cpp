// The guard against a twin that keeps the points themselves: what is present may go, and what cannot be is refused.
#include "sapwood/search/removal_guard.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using sapwood::Count;
using sapwood::FeatureId;
using sapwood::Label;

/// Points with their weights. Every count is taken from the points anew.
class Points {
public:
    using Point = std::pair<std::set<FeatureId>, Label>;

    const std::map<Point, Count>& all() const { return held_; }
    const std::set<FeatureId>& seen() const { return seen_; }

    Count held(const Point& point) const {
        const auto at = held_.find(point);
        return at == held_.end() ? 0 : at->second;
    }

    void add(const Point& point, Count weight) {
        held_[point] += weight;
        seen_.insert(point.first.begin(), point.first.end());
    }

    void remove(const Point& point, Count weight) {
        if ((held_.at(point) -= weight) == 0) held_.erase(point);
    }

    Count of_class(Label label) const {
        Count sum = 0;
        for (const auto& [point, weight] : held_) sum += point.second == label ? weight : 0;
        return sum;
    }

    Count on(FeatureId id, Label label) const {
        Count sum = 0;
        for (const auto& [point, weight] : held_) {
            sum += point.second == label && point.first.count(id) != 0 ? weight : 0;
        }
        return sum;
    }

    /// Whether the counts leave room for a point: they cannot tell more.
    bool possible(const Point& point, Count weight) const {
        const auto& [features, label] = point;
        if (of_class(label) < weight) return false;
        for (const FeatureId id : features) {
            if (on(id, label) < weight) return false;
        }
        for (const FeatureId id : seen_) {
            if (features.count(id) == 0 && of_class(label) - on(id, label) < weight) return false;
        }
        return true;
    }

private:
    std::map<Point, Count> held_;
    std::set<FeatureId> seen_;
};

/// A guard that is asked about points, as a search would ask it.
class Asked {
public:
    explicit Asked(std::size_t n_classes) : guard_(n_classes) {}

    /// Why a point may not be removed; empty if it may. How often all features were walked is counted.
    std::string refusal(const Points& points, const Points::Point& point, Count weight) {
        const auto& [features, label] = point;
        // In descending order: any is allowed.
        const std::vector<FeatureId> listed(features.rbegin(), features.rend());
        const auto on = [&, of_label = label](FeatureId id) { return points.on(id, of_label); };
        try {
            guard_.check(listed, label, weight, points.of_class(label), on, [&](auto use) {
                ++walks_;
                for (const FeatureId id : points.seen()) use(id);
            });
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    }

    long walks() const { return walks_; }
    std::size_t n_bytes() const { return guard_.n_bytes(); }

private:
    sapwood::RemovalGuard guard_;
    long walks_ = 0;
};

/// `rate`: how likely a feature is on; near 1, features that a point lacks are what matters.
void follows_the_points(int steps, FeatureId d, std::size_t n_classes, double rate, Count heaviest, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto below = [&](std::size_t end) { return random() % end; };
    Points points;
    Asked guard(n_classes);
    long accepted = 0;
    long refused = 0;
    for (int i = 0; i < steps; ++i) {
        const auto weight = static_cast<Count>(1 + below(static_cast<std::size_t>(heaviest)));
        Points::Point point{{}, static_cast<Label>(below(n_classes))};
        for (FeatureId id = 0; id < d; ++id) {
            if (uniform(random) < rate) point.first.insert(id * 1000003);
        }
        // Stretches in which points mostly come, and stretches in which they mostly go, down to the last.
        const bool growing = (i / 60) % 2 == 0;
        if (uniform(random) < (growing ? 0.6 : 0.1)) {
            points.add(point, weight);
            continue;
        }
        const bool present = !points.all().empty() && uniform(random) < 0.7;
        if (present) {
            const auto at = std::next(points.all().begin(), static_cast<std::ptrdiff_t>(below(points.all().size())));
            const auto [its_point, its_weight] = *at;
            const Count taken = std::min(weight, its_weight);
            if (!CHECK(guard.refusal(points, its_point, taken).empty())) return;
            points.remove(its_point, taken);
            ++accepted;
        } else if (points.possible(point, weight)) {
            // It may not be there, and no one who keeps counts alone can tell. Only a point that is there is removed:
            // else the points would no longer be what was counted.
            if (points.held(point) < weight) continue;
            if (!CHECK(guard.refusal(points, point, weight).empty())) return;
            points.remove(point, weight);
            ++accepted;
        } else {
            if (!CHECK(!guard.refusal(points, point, weight).empty())) return;
            ++refused;
        }
    }
    CHECK(accepted > steps / 10);
    CHECK(refused > 0);
}

/// What a refusal says, for each of its reasons.
void reasons() {
    Points points;
    points.add({{1, 2}, 1}, 2);
    points.add({{2}, 1}, 1);
    points.add({{3}, 0}, 1);
    Asked guard(3);
    CHECK(guard.refusal(points, {{}, 2}, 1) == "the point must have been added, got label 2, which 0 points have");
    CHECK(guard.refusal(points, {{3}, 0}, 2) ==
          "the point must have been added 2 times, got label 0, which 1 points have");
    CHECK(guard.refusal(points, {{2, 9}, 1}, 1) ==
          "the point must have been added, got feature 9, which is on in 0 points with label 1");
    CHECK(guard.refusal(points, {{2, 3}, 1}, 1) ==
          "the point must have been added, got feature 3, which is on in 0 points with label 1");
    CHECK(guard.refusal(points, {{1, 2}, 1}, 3) ==
          "the point must have been added 3 times, got feature 1, which is on in 2 points with label 1");
    CHECK(guard.refusal(points, {{1}, 1}, 1) ==
          "the point must have been added, got one without feature 2, which is on in 3 of 3 points with label 1");
    CHECK(guard.refusal(points, {{2}, 1}, 2) ==
          "the point must have been added 2 times, got one without feature 1, which is on in 2 of 3 points with label "
          "1");
    // Nothing of this has changed what may be removed.
    CHECK(guard.refusal(points, {{2}, 1}, 1).empty());
}

/// A feature that comes close to being on in all points of a class after the list of such features was made.
void features_that_come_close_later() {
    Points points;
    points.add({{5}, 0}, 500);
    points.add({{}, 0}, 500);
    Asked guard(2);
    for (Count left = 500; left > 0; --left) {
        CHECK(guard.refusal(points, {{}, 0}, 1).empty());
        points.remove({{}, 0}, 1);
    }
    CHECK(!guard.refusal(points, {{}, 0}, 1).empty());
    // Other points of the class make room again, and more of them take it away.
    points.add({{7}, 0}, 1);
    CHECK(guard.refusal(points, {{7}, 0}, 1).empty());
    points.remove({{7}, 0}, 1);
    CHECK(!guard.refusal(points, {{7}, 0}, 1).empty());
}

/// All features are walked once each time that half of the points have gone, and few are kept: few can be on in half.
void a_check_is_cheap() {
    const FeatureId d = 1000;
    const Count n = 2000;
    Points points;
    std::vector<Points::Point> order;
    for (Count i = 0; i < n; ++i) {
        // One feature that nearly all points have, and one of many.
        order.push_back({{0, 1 + i % (d - 1)}, 0});
        points.add(order.back(), 1);
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    Asked guard(1);
    for (const Points::Point& point : order) {
        CHECK(guard.refusal(points, point, 1).empty());
        CHECK(guard.n_bytes() <= 64);
        points.remove(point, 1);
    }
    CHECK(guard.walks() >= 10);
    CHECK(guard.walks() <= 13);
}

/// Counts at the end of their range.
void the_largest_weights() {
    Points points;
    points.add({{1}, 0}, sapwood::max_points - 1);
    points.add({{2}, 0}, 1);
    Asked guard(2);
    CHECK(guard.refusal(points, {{1}, 0}, sapwood::max_points).find("feature 1") != std::string::npos);
    CHECK(guard.refusal(points, {{1}, 1}, sapwood::max_points).find("label 1, which 0") != std::string::npos);
    CHECK(guard.refusal(points, {{1}, 0}, sapwood::max_points - 1).empty());
    points.remove({{1}, 0}, sapwood::max_points - 1);
    CHECK(!guard.refusal(points, {{1}, 0}, 1).empty());
    CHECK(guard.refusal(points, {{2}, 0}, 1).empty());
}

}  // namespace

int main() {
    unsigned seed = 1;
    for (const FeatureId d : {1, 2, 3, 6}) {
        for (const std::size_t n_classes : {1u, 2u, 5u}) {
            for (const double rate : {0.1, 0.5, 0.9, 0.98}) {
                for (const Count heaviest : {1, 4}) follows_the_points(2000, d, n_classes, rate, heaviest, ++seed);
            }
        }
    }
    reasons();
    features_that_come_close_later();
    a_check_is_cheap();
    the_largest_weights();
    return sapwood::check::finish();
}
