#pragma once

#include "sapwood/search/test.hpp"

namespace sapwood {

/// A test and how well it splits a node.
struct Split {
    Test test;
    /// n * impurity(D | test): the smaller the better.
    double score = 0;
    /// impurity(D) - impurity(D | test), per point: the larger the better.
    double gain = 0;

    FeatureId feature() const { return test.feature(); }
};

/// Which of two splits comes first: the smaller score, and among equal scores the smaller test, which is the one of the
/// smaller feature id.
inline bool comes_before(const Split& left, const Split& right) {
    return left.score != right.score ? left.score < right.score : left.test < right.test;
}

}  // namespace sapwood
