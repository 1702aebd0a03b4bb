"""Bad weights, removals, merges, numbers of classes and pickles raise, say what was wrong, and change nothing."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from refusals import KINDS, LABELS, ROWS, Anything, assert_same_state, brief, finder_with_a_past, refuses

from sapwood import SplitFinder
from sapwood.parameters import Criterion, Search


@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        (-1, ValueError, r"weight must be a non-negative integer, got -1$"),
        (-(10**30), ValueError, r"weight must be a non-negative integer, got -10{30}$"),
        (2**31, ValueError, r"weight must be at most 2147483647, got 2147483648$"),
        (10**30, ValueError, r"weight must be at most 2147483647, got 10{30}$"),
        (1.0, TypeError, r"weight must be a non-negative integer, got 1\.0$"),
        ("1", TypeError, r"weight must be a non-negative integer, got '1'$"),
        (None, TypeError, r"weight must be a non-negative integer, got None$"),
    ],
    ids=brief,
)
@pytest.mark.parametrize("method", ["add", "remove"])
def test_a_weight_is_refused(method: str, weight: Anything, error: Anything, message: str) -> None:
    refuses(lambda finder: getattr(finder, method)([3, 50], 1, weight), error, rf"^SplitFinder\.{method}: " + message)


@pytest.mark.parametrize("weight", [0, 1])
@pytest.mark.parametrize(
    ("features", "label", "error", "message"),
    [
        ([7, 2, 7], 1, ValueError, r"features must be unique, got 7 twice$"),
        ([-1], 1, ValueError, r"features must not be negative, got -1$"),
        ([2**31], 1, ValueError, r"features must be at most 2147483647, got 2147483648$"),
        ([1.5], 1, TypeError, r"features must be integers, got 1\.5$"),
        (None, 1, TypeError, r"features must be an iterable of integers, got None$"),
        ([3], 2, ValueError, r"label must be 0 or 1, got 2$"),
        ([3], float("nan"), ValueError, r"label must be 0 or 1, got nan$"),
    ],
    ids=brief,
)
def test_add_and_remove_refuse_a_point_whatever_its_weight(
    features: Anything, label: Anything, error: Anything, message: str, weight: int
) -> None:
    for method in ("add", "remove"):
        refuses(
            lambda finder, method=method: getattr(finder, method)(features, label, weight),  # type: ignore[misc]
            error,
            rf"^SplitFinder\.{method}: " + message,
        )


EXACT = [(c, s) for c in ("entropy", "gini", "kearns_mansour") for s in ("exhaustive", "certified")]


@pytest.mark.parametrize(("criterion", "search"), EXACT)
@pytest.mark.parametrize(
    ("point", "message"),
    [
        (([1], 2, 1), r"label must be 0 or 1, got 2$"),
        (([77], 1, 1), r"got feature 77, which is on in 0 points with label 1$"),
        (([3], 1, 3), r"must have been added 3 times, got feature 3, which is on in 2 points with label 1$"),
        (([], 0, 8), r"must have been added 8 times, got label 0, which 1 points have$"),
        (([3], 0, 1), r"got feature 3, which is on in 0 points with label 0$"),
        (([], 0, 1), r"got one without feature 5, which is on in 1 of 1 points with label 0$"),
        (([3], 1, 1), r"got one without feature 4, which is on in 3 of 3 points with label 1$"),
    ],
    ids=brief,
)
def test_remove_refuses_a_point_that_was_never_added(
    criterion: Criterion, search: Search, point: tuple[Any, int, int], message: str
) -> None:
    finder = SplitFinder(criterion=criterion, search=search)
    for features, label in (([3, 4], 1), ([3, 4], 1), ([4], 1), ([5], 0)):
        finder.add(features, label)
    finder.best()
    untouched = finder.copy()
    with pytest.raises(ValueError, match=r"^SplitFinder\.remove: (the point )?.*" + message):
        finder.remove(*point)
    assert_same_state(finder, untouched)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("weight", [0, 1])
def test_the_approximate_search_removes_nothing(criterion: Criterion, weight: int) -> None:
    finder = finder_with_a_past(criterion, "approximate")
    finder.add([3], 1)
    untouched = finder.copy()
    message = r"^SplitFinder\.remove: search must be 'exhaustive' or 'certified' to remove points, got 'approximate'$"
    with pytest.raises(ValueError, match=message):
        finder.remove([3], 1, weight)
    assert_same_state(finder, untouched)


def full(criterion: Criterion, search: Search) -> SplitFinder:
    """Return a finder that has room for one more point."""
    finder = SplitFinder(criterion=criterion, search=search)
    finder.add([3], 1, 2**30)
    finder.add([5], 0, 2**30 - 2)
    return finder


@pytest.mark.parametrize(("criterion", "search"), KINDS)
def test_no_more_points_than_can_be_counted(criterion: Criterion, search: Search) -> None:
    finder = full(criterion, search)
    message = r"points must be at most 2147483647 in all, got "
    calls: dict[str, Callable[[], object]] = {
        "add": lambda: finder.add([3], 1, 2),
        "add_many": lambda: finder.add_many(ROWS, LABELS),
        "merge": lambda: finder.merge(finder),
    }
    for name, call in calls.items():
        untouched = pickle.dumps(finder)
        with pytest.raises(OverflowError, match=rf"^SplitFinder\.{name}: {message}"):
            call()
        assert pickle.dumps(finder) == untouched
    finder.add([3], 1)
    assert finder.n == 2**31 - 1
    best = finder.best()
    assert best is not None
    assert (best.feature, best.score) == (3, 0.0)
    finder.validate()
    with pytest.raises(OverflowError, match=rf"^SplitFinder\.add: {message}1 more than 2147483647$"):
        finder.add([], 0)
    finder.add([], 0, 0)


@pytest.mark.parametrize(
    ("other", "over", "error", "message"),
    [
        ({"criterion": "kearns_mansour"}, "points", ValueError, r"other must have the criterion '\w+', got 'kearns_m"),
        ({"n_classes": 3}, "points", ValueError, r"other must have (2 classes, got 3|the criterion 'gini', got 'ent)"),
        ({}, "rows", ValueError, r"over must be one of 'points', 'features', got 'rows'$"),
        ({}, None, TypeError, r"over must be a string, got None$"),
        (None, "points", TypeError, r"other must be a SplitFinder, got None$"),
        (7, "points", TypeError, r"other must be a SplitFinder, got 7$"),
    ],
    ids=brief,
)
def test_merge_refuses(other: Anything, over: Anything, error: Anything, message: str) -> None:
    stranger = SplitFinder(**other) if isinstance(other, dict) else other
    refuses(lambda finder: finder.merge(stranger, over), error, r"^SplitFinder\.merge: " + message)


@pytest.mark.parametrize(("criterion", "search"), KINDS)
def test_merging_over_features_refuses_what_does_not_fit(criterion: Criterion, search: Search) -> None:
    finder = finder_with_a_past(criterion, search)
    untouched = finder.copy()
    with pytest.raises(ValueError, match=r"^SplitFinder\.merge: other must have the class counts .* got \(0, 0\)"):
        finder.merge(SplitFinder(criterion, search), over="features")
    for other in (finder, finder.copy()):
        with pytest.raises(
            ValueError, match=r"^SplitFinder\.merge: other must have seen other features .*got \d+ in both"
        ):
            finder.merge(other, over="features")
    assert_same_state(finder, untouched)


@pytest.mark.parametrize(
    ("n_classes", "error"),
    [
        (1, ValueError),
        (0, ValueError),
        (-3, ValueError),
        (65536, ValueError),
        (10**30, ValueError),
        (2.0, TypeError),
        ("3", TypeError),
        (None, TypeError),
    ],
    ids=brief,
)
def test_construction_refuses_n_classes(n_classes: Anything, error: Anything) -> None:
    constraint = "be from 2 to 65535" if error is ValueError else "be an integer"
    with pytest.raises(error, match=rf"^SplitFinder: n_classes must {constraint}, got {re.escape(repr(n_classes))}$"):
        SplitFinder(n_classes=n_classes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"search": "approximate", "n_classes": 3},
            r"n_classes must be 2 for the search 'approximate', got 3: .*share",
        ),
        (
            {"criterion": "kearns_mansour", "n_classes": 3},
            r"n_classes must be 2 for the criterion 'kearns_m.*, got 3: ",
        ),
        (
            {"criterion": "kearns_mansour", "search": "approximate"},
            r"criterion must be 'entropy' or 'gini' for the search 'approximate', got 'kearns_mansour': ",
        ),
    ],
)
def test_construction_refuses_what_does_not_exist_and_says_why(options: Anything, message: str) -> None:
    with pytest.raises(ValueError, match=r"^SplitFinder: " + message):
        SplitFinder(**options)


@pytest.mark.parametrize("search", ["exhaustive", "certified"])
def test_labels_beyond_the_classes_are_refused(search: Search) -> None:
    finder = SplitFinder(search=search, n_classes=5)
    finder.add([3], 4)
    for label in (5, 7, -1, 65540, 2.5):
        shown = re.escape(repr(label))
        with pytest.raises(ValueError, match=rf"^SplitFinder\.add: label must be from 0 to 4, got {shown}$"):
            finder.add([3], label)  # type: ignore[arg-type]
        for y in ([0, label, 1], np.array([0, label, 1], dtype=object)):
            with pytest.raises(
                ValueError, match=rf"^SplitFinder\.add_many: y must hold labels .* 0 to 4 only, got {shown}$"
            ):
                finder.add_many(ROWS, y)
    assert finder.class_counts == (0, 0, 0, 0, 1)


def tampered(finder: SplitFinder, field: int, value: object) -> tuple[object, ...]:
    """Return what pickle keeps of a finder, with one field replaced."""
    state = list(finder.native.__getstate__())
    state[field] = value
    return tuple(state)


@pytest.mark.parametrize("search", ["exhaustive", "certified"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        (3, 3),
        (3, 1),
        (4, np.array([4, 4], dtype=np.int32)[:1]),
        (4, np.array([-1, 4], dtype=np.int32)),
        (4, np.array([2**31 - 1, 1], dtype=np.int32)),
        (4, np.array([0, 0], dtype=np.int32)),
        (5, np.array([3, 3], dtype=np.int32)),
        (5, np.array([3, -4], dtype=np.int32)),
        (5, np.array([3], dtype=np.int32)),
        (6, np.zeros((2, 3), dtype=np.int32)),
        (6, np.zeros((1, 2), dtype=np.int32)),
        (6, np.full((2, 2), -1, dtype=np.int32)),
    ],
    ids=brief,
)
def test_a_pickle_that_no_finder_wrote_is_refused(search: Search, field: int, value: Anything) -> None:
    finder = SplitFinder(search=search)
    finder.add([3, 4], 1, 4)
    finder.add([3], 0, 4)
    twin = finder.native.__class__.__new__(finder.native.__class__)
    twin.__setstate__(tampered(finder, 0, "entropy"))
    assert twin.best() == finder.native.best()
    broken = finder.native.__class__.__new__(finder.native.__class__)
    with pytest.raises(ValueError, match=r"^(state must hold|n_classes must be)"):
        broken.__setstate__(tampered(finder, field, value))
