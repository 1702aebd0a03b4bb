#pragma once

#include <vector>

namespace sapwood {

/// What the trunk of a stream says of one point, before it learned it: all that a leaf needs of it to answer and to
/// learn. Trees that share a trunk ask it once per point, and each of their leaves builds on the same words.
struct TrunkSays {
    /// The scores of its regressions, the outputs of each in turn.
    std::vector<double> regressions;
    /// The opinion of naive Bayes of the stream, as the mixer takes it.
    std::vector<double> bayes;
    /// What the step sizes of the leaf are multiplied by.
    double step_scale = 1;
    /// Whether labels come sorted (label_runs.hpp).
    bool is_sorted = false;
};

}  // namespace sapwood
