// Streams of points made to break a split search, each by name.
#pragma once

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood::streams {

struct Point {
    std::vector<FeatureId> features;
    Label label;
};

inline constexpr std::array<std::string_view, 14> names{
    "plain",           "sorted labels", "one class only", "always on",  "never repeated",
    "empty points",    "duplicates",    "abrupt drift",   "slow drift", "rare class",
    "pure at the end", "halves",        "late features",  "label flips"};

/// Makes n points over about d features. The same arguments make the same points.
inline std::vector<Point> make(std::string_view name, int n, int d, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto chance = [&](double p) { return uniform(random) < p; };
    std::vector<std::array<double, 2>> rates(static_cast<std::size_t>(d));  // P(on | label), by feature
    const auto draw_rates = [&] {
        for (auto& rate : rates) {
            const double base = 0.5 * uniform(random) * uniform(random);
            const bool same = chance(0.5);
            rate = {base, same ? base : std::min(1.0, base * 4 * uniform(random))};
        }
    };
    draw_rates();
    std::vector<Point> points;
    for (int i = 0; i < n; ++i) {
        const double progress = static_cast<double>(i) / n;
        Label label = chance(0.5) ? 1 : 0;
        if (name == "sorted labels") label = progress < 0.5 ? 0 : 1;
        if (name == "one class only") label = seed % 2;
        if (name == "rare class") label = chance(0.01) ? 1 : 0;
        if (name == "halves") label = static_cast<Label>(i % 2);
        if (name == "abrupt drift" && i == n / 2) draw_rates();
        if (name == "slow drift") {
            auto& drifting = rates[random() % rates.size()];
            drifting[0] = uniform(random);
            drifting[1] = uniform(random) * 0.3;
        }
        const bool flipped = name == "label flips" && (i / 50) % 2 == 1;
        Point point{{}, label};
        for (int j = 0; j < d; ++j) {
            const std::size_t shown = static_cast<std::size_t>(name == "duplicates" ? j / 3 * 3 : j);
            bool on = name == "duplicates" && j % 3 != 0 ? !point.features.empty() && point.features.back() == j - 1
                                                         : chance(rates[shown][flipped ? 1 - label : label]);
            if (name == "always on" && j == 0) on = true;
            if (name == "always on" && j == 1) on = i != n / 2;
            if (name == "pure at the end" && j == 0) on = label == 1;
            if (name == "pure at the end" && j == 1) on = label == 0;
            if (name == "pure at the end" && i < 3 && j < 2) on = seed % 2 == 0;
            if (name == "halves" && j == 0) on = i / 2 % 2 == 0;
            if (name == "late features" && progress < static_cast<double>(j) / d) on = false;
            if (on) point.features.push_back(j);
        }
        if (name == "never repeated") point.features = {2 * i, 2 * i + 1};
        if (name == "empty points" && chance(0.7)) point.features.clear();
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace sapwood::streams
