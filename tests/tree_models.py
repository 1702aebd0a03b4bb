"""What the tests of the tree classifiers share: their classes, streams for them, and when two models are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from streams import as_matrix, random_labels, random_points, with_feature

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier
from sapwood.estimators import TreeClassifier

Classifier = type[TreeClassifier]
CLASSIFIERS: list[Classifier] = [HoeffdingTreeClassifier, ExtremelyFastDecisionTreeClassifier]
# Short streams decide nothing at the usual delta; and points are learned in the order given, whichever way they come.
BOLD: dict[str, Any] = {"delta": 0.2, "tau": 0.2, "shuffle": False}


def stream(n: int = 300, n_classes: int = 2, seed: int = 1) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return a stream on which trees grow: a feature for each class, some noise, and points without any feature."""
    labels = np.random.default_rng(seed).integers(0, n_classes, size=n).tolist()
    points = random_points(labels, d=20, q=0.08, seed=seed)
    flips = random_labels(0.1, n=n, seed=seed + 1)
    for k in range(n_classes):
        on = [(y == k) != bool(flip) for y, flip in zip(labels, flips, strict=True)]
        points = with_feature(points, 30 + k, on)
    return as_matrix(points)


def dicts(X: csr_matrix | csr_array) -> list[dict[int, bool]]:
    """Return the rows of a sparse matrix as dictionaries of flags, their keys in ascending order."""
    return [dict.fromkeys(X.indices[X.indptr[i] : X.indptr[i + 1]].tolist(), True) for i in range(X.shape[0])]


def content(model: TreeClassifier) -> bytes:
    """Return the tree to the last bit, with what its features are called."""
    tree = model.learner.fitted().tree
    return tree.to_bytes() + repr(tree.keys()).encode()


def state(model: TreeClassifier) -> tuple[object, ...]:
    """Return all that a failed call must leave as it was."""
    learned = model.learner.model
    if learned is None:
        return (model.get_params(),)
    labels, columns = learned.labels, learned.columns
    names = None if columns is None or columns.names is None else columns.names.tolist()
    return (
        model.get_params(),
        learned.tree.to_bytes(),
        repr(learned.tree.keys()),
        labels.order,
        labels.classes.tolist(),
        labels.declared,
        None if columns is None else columns.n,
        names,
    )
