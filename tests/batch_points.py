"""Points and trees for tests of growth by batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from tree_twins import arrays_of, drifting

from sapwood._core import Tree

Points = list[tuple[tuple[int, ...], int, int]]
POINTS = st.lists(
    st.tuples(st.frozensets(st.integers(0, 9), max_size=4).map(tuple), st.integers(0, 2), st.integers(0, 3)),
    max_size=40,
)


def whole(points: Points) -> Points:
    """Return points with weights as the core takes them."""
    return [(features, label, int(weight)) for features, label, weight in points]


def rows_of(points: Points) -> tuple[Any, Any, Any, Any]:
    """Return points as those who count take them."""
    indptr, ids, labels, weights = arrays_of(points)
    return indptr, ids.astype(np.uint64), labels, weights.astype(np.int32)


def grown(points: Points, n_classes: int = 3, **options: Any) -> Tree:
    """Return a tree that has learned batches of 20 points."""
    tree = Tree(growth="batch", split_test="hoeffding", delta=0.4, tau=0.4, leaf_prediction="naive_bayes", **options)
    for start in range(0, len(points), 20):
        indptr, ids, labels, weights = arrays_of(points[start : start + 20])
        tree.learn_batch(indptr, ids, labels, weights.astype(np.int32), n_classes)
    tree.cover_classes(n_classes)
    return tree


def of_classes(n_classes: int, n: int = 160, seed: int = 3) -> Points:
    """Return a stream in which trees grow."""
    return whole(drifting(seed=seed, n=n, n_classes=n_classes))  # type: ignore[arg-type]
