// Streams of points made to break a split search, each by name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string_view>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood::streams {

struct Point {
    std::vector<FeatureId> features;
    Label label;
};

inline constexpr std::array<std::string_view, 21> names{
    "plain",         "sorted labels", "one class only", "always on",    "never repeated",  "empty points",
    "duplicates",    "abrupt drift",  "slow drift",     "rare class",   "pure at the end", "halves",
    "late features", "label flips",   "one flip",       "falling gain", "no gain",         "one, then others",
    "all alike",     "taking turns",  "neck and neck"};

/// Makes n points over about d features and K classes. The same arguments make the same points.
inline std::vector<Point> make(std::string_view name, int n, int d, unsigned seed, int n_classes = 2) {
    // What is asked of every feature of every point is found out once.
    const bool is_duplicates = name == "duplicates";
    const bool is_always_on = name == "always on";
    const bool is_pure_at_the_end = name == "pure at the end";
    const bool is_halves = name == "halves";
    const bool is_late_features = name == "late features";
    const bool is_falling_gain = name == "falling gain";
    const bool is_all_alike = name == "all alike";
    const bool is_taking_turns = name == "taking turns";
    const bool is_neck_and_neck = name == "neck and neck";
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto chance = [&](double p) { return uniform(random) < p; };
    const auto draw_label = [&] { return static_cast<Label>(random() % static_cast<unsigned>(n_classes)); };
    // P(on | label), by feature.
    std::vector<std::vector<double>> rates(static_cast<std::size_t>(d),
                                           std::vector<double>(static_cast<std::size_t>(n_classes)));
    const auto draw_rates = [&] {
        for (auto& rate : rates) {
            const double base = 0.5 * uniform(random) * uniform(random);
            const bool same = chance(0.5);
            for (double& of_label : rate) of_label = same ? base : std::min(1.0, base * 4 * uniform(random));
        }
    };
    draw_rates();
    std::vector<Point> points;
    points.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        const double progress = static_cast<double>(i) / n;
        Label label = draw_label();
        if (name == "sorted labels") label = static_cast<Label>(progress * n_classes);
        if (name == "one class only") label = static_cast<Label>(seed % static_cast<unsigned>(n_classes));
        if (name == "one, then others" && progress < 0.6) label = 0;
        if (name == "rare class") label = chance(0.01) ? static_cast<Label>(n_classes - 1) : 0;
        if (name == "halves") label = static_cast<Label>(i % n_classes);
        if (name == "abrupt drift" && i == n / 2) draw_rates();
        if (name == "slow drift") {
            auto& drifting = rates[random() % rates.size()];
            for (double& of_label : drifting) of_label = uniform(random) * (&of_label == &drifting[0] ? 1 : 0.3);
        }
        // The labels change places, and with them what every feature says of them.
        const bool flipped = (name == "label flips" && (i / 50) % 2 == 1) || (name == "one flip" && progress >= 0.5);
        const auto shown_label = static_cast<std::size_t>(flipped ? n_classes - 1 - label : label);
        Point point{{}, label};
        const bool all_on = chance(rates[0][shown_label]);
        for (int j = 0; j < d; ++j) {
            const std::size_t shown = static_cast<std::size_t>(is_duplicates ? j / 3 * 3 : j);
            bool on = is_duplicates && j % 3 != 0 ? !point.features.empty() && point.features.back() == j - 1
                                                  : chance(rates[shown][shown_label]);
            if (is_always_on && j == 0) on = true;
            if (is_always_on && j == 1) on = i != n / 2;
            if (is_pure_at_the_end && j == 0) on = label == 1;
            if (is_pure_at_the_end && j == 1) on = label == 0;
            if (is_pure_at_the_end && i < 3 && j < 2) on = seed % 2 == 0;
            if (is_halves && j == 0) on = i / n_classes % 2 == 0;
            if (is_late_features && progress < static_cast<double>(j) / d) on = false;
            // At first the label itself, then ever less of it.
            if (is_falling_gain && j < 3) on = chance(progress * (j + 1)) ? chance(0.5) : label == 0;
            if (is_all_alike) on = all_on;
            // For a while each feature is the label.
            if (is_taking_turns && (i / 100) % d == j) on = label == 1;
            // Two copies of the label that differ in a few points, now in favour of one and now of the other.
            if (is_neck_and_neck && j < 2) on = (label == 0) != (i % 40 == 20 * j);
            if (on) point.features.push_back(j);
        }
        if (name == "never repeated") point.features = {2 * i, 2 * i + 1};
        if (name == "empty points" && chance(0.7)) point.features.clear();
        // The same features once with every label: no feature is worth anything then, nor for long in between.
        if (name == "no gain" && i % n_classes != 0) point.features = points.back().features;
        if (name == "no gain") point.label = static_cast<Label>(i % n_classes);
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace sapwood::streams
