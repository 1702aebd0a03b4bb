#pragma once

#include "sapwood/types.hpp"

namespace sapwood {

/// A feature and its score: what searches compare while they look for the best. Unlike a split, which is made of it in
/// the end, it fits into registers.
struct Scored {
    FeatureId feature;
    double score;
};

/// The order of splits: the smaller score, and among equal scores the smaller id.
inline bool is_better(const Scored& a, const Scored& b) {
    return a.score < b.score || (a.score == b.score && a.feature < b.feature);
}

inline Scored better(const Scored& a, const Scored& b) { return is_better(a, b) ? a : b; }

}  // namespace sapwood
