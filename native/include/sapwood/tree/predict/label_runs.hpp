#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sapwood/types.hpp"

namespace sapwood {

/// Tells whether labels come sorted: one class after the other, none of which has come back.
///
/// A model that learns step by step then follows the class of the moment: it is right as long as the run lasts, which
/// is all that can be seen, and knows nothing of a point of another class. That the run is no accident shows in its
/// probability if labels came in any order: n points, n_c of them of the class c, make a run of length l with
/// probability (n_c / n)^l or so. That classes do not come back is the other half: where they do, in whatever runs, a
/// model that follows is right to.
class LabelRuns {
public:
    /// The last label, how many points in a row have had it, and how often a class has come back.
    struct State {
        Label last = 0;
        std::int64_t length = 0;
        std::int64_t n_returns = 0;
    };

    const State& state() const { return state_; }
    void restore(const State& state) { state_ = state; }

    /// Notes the next label; `is_known`: whether a point of that class came before.
    void note(Label label, bool is_known) {
        if (state_.length > 0 && label == state_.last) {
            ++state_.length;
            return;
        }
        if (is_known) ++state_.n_returns;
        state_.last = label;
        state_.length = 1;
    }

    /// Whether the labels are sorted as far as one can see, with these points of each class.
    bool are_sorted(std::span<const std::int64_t> n_of_class) const {
        if (state_.n_returns >= enough_returns || state_.length < 2) return false;
        double n = 0;
        for (const std::int64_t count : n_of_class) n += static_cast<double>(count);
        const double of_class = static_cast<double>(n_of_class[state_.last]);
        return static_cast<double>(state_.length) * std::log((n + 1) / (of_class + 1)) > implausible;
    }

private:
    /// In nats: by chance such a run comes once in e^30 = 10^13 points.
    static constexpr double implausible = 30;
    /// Sorted points that are learned twice make two; in any other order, three come within a few runs.
    static constexpr std::int64_t enough_returns = 3;

    State state_;
};

}  // namespace sapwood
