#pragma once

#include "sapwood/types.hpp"

namespace sapwood {

/// A feature and how well it splits a node.
struct Split {
    FeatureId feature = -1;
    /// n * impurity(D | feature): the smaller the better.
    double score = 0;
    /// impurity(D) - impurity(D | feature), a point: the larger the better.
    double gain = 0;
};

/// Which of two splits comes first: the smaller score, and among equal scores the smaller feature id, so that the
/// answer does not depend on the order in which features were first seen.
inline bool comes_before(const Split& left, const Split& right) {
    return left.score != right.score ? left.score < right.score : left.feature < right.feature;
}

}  // namespace sapwood
