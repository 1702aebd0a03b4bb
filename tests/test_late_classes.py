"""Classes that come late: records have room for those that were declared, and grow seldom for others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier
from sapwood.data.labels import NO_LABELS

N_CLASSES = 12
FEATURES = 30


def late_points(n: int, known: int, seed: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return points of the first classes alone; one feature tells of each, most of the time."""
    random = np.random.default_rng(seed)
    y = random.integers(known, size=n)
    X = (random.random((n, FEATURES)) < 0.2).astype(float)
    X[np.arange(n), y % FEATURES] = random.random(n) < 0.9
    return X, y


def core_tree(model: Any) -> Any:
    return model.learner.model.tree


@pytest.mark.parametrize("classifier", [HoeffdingTreeClassifier, ExtremelyFastDecisionTreeClassifier])
@pytest.mark.parametrize("leaf_prediction", ["majority", "adaptive", "mixed"])
@pytest.mark.parametrize("max_bytes", [None, 20_000_000])
def test_a_declared_class_that_comes_late_moves_no_record(
    classifier: Any, leaf_prediction: str, max_bytes: int | None
) -> None:
    model = classifier(delta=0.1, tau=0.3, leaf_prediction=leaf_prediction, max_bytes=max_bytes)
    model.partial_fit(*late_points(300, 3, 1), classes=range(N_CLASSES))
    tree = core_tree(model)
    assert (tree.n_classes(), tree.n_rewrites()) == (3, 1)
    for known in range(4, N_CLASSES + 1):
        model.partial_fit(np.zeros((1, FEATURES)), [known - 1])
        assert (tree.n_classes(), tree.n_rewrites()) == (known, 1)
    model.partial_fit(*late_points(300, N_CLASSES, 2))
    assert tree.n_rewrites() == 1


@pytest.mark.parametrize(("max_bytes", "expected"), [(None, 6), (5_000_000, 17)])
def test_classes_that_nobody_declared_move_records_seldom(max_bytes: int | None, expected: int) -> None:
    model = HoeffdingTreeClassifier(delta=0.1, tau=0.3, max_bytes=max_bytes)
    moved = []
    for known in range(1, 70):
        for x, y in zip(*late_points(20, known, known), strict=True):
            model.learner.learn_one(np.flatnonzero(x).tolist(), int(y))
        model.learner.learn_one([known], known - 1)
        moved.append(core_tree(model).n_rewrites())
    assert core_tree(model).n_classes() == 69
    # With the 3rd, 5th, 9th, 17th, 33rd and 65th class; under a limit whenever they are a quarter more.
    assert moved[-1] == expected


@pytest.mark.parametrize(
    "labels",
    [
        [5, 3, 2**62, -7, -(2**63), 2**63 - 1],
        [2**63, -1, 5, 2**63 + 1],
        ["b", "a\0", "", "ab", "c\0\0"],
        [1, 2.5, -3, 0.25, 2**53 + 1],
        ["b", 3, "a", (1, "x"), 2, None.__class__],
        [True, False],
        [False, 2, "a", 3.5],
    ],
    ids=str,
)
@pytest.mark.parametrize("first", [0, 1, 3])
def test_classes_are_the_same_however_many_come_at_once(labels: list[Any], first: int) -> None:
    together = NO_LABELS.seen(labels[:first]).seen(labels[first:])
    one_by_one = NO_LABELS
    for label in labels:
        one_by_one = one_by_one.seen([label])
    assert together.order == one_by_one.order
    assert together.classes.dtype == one_by_one.classes.dtype
    assert [(type(label), label) for label in together.classes.tolist()] == [
        (type(label), label) for label in one_by_one.classes.tolist()
    ]
    assert together.columns.tolist() == one_by_one.columns.tolist()
