"""How to check that a call is refused, says what was wrong, and changes nothing."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from streams import random_labels, random_points

from sapwood import SEARCHES, SplitFinder
from sapwood.parameters import Criterion, Search

CRITERIA: tuple[Criterion, ...] = ("entropy", "gini")
KINDS = [(c, s) for c in CRITERIA for s in SEARCHES]
WRONG = (ValueError, TypeError)
# Whatever a caller may pass, rightly typed or not.
Anything: TypeAlias = Any


def brief(value: object) -> str:
    """Name a case by what is passed, in a few characters."""
    if value is WRONG:
        return "ValueError or TypeError"
    return value.__name__ if isinstance(value, type) else repr(value)[:40]


ROWS = np.array([[1, 0, 1, 0, 1], [0, 1, 1, 0, 0], [1, 1, 0, 1, 0]])
LABELS = np.array([1, 0, 1])


def finder_with_a_past(criterion: Criterion, search: Search) -> SplitFinder:
    """Return a finder that has seen forty points and answered once."""
    finder = SplitFinder(criterion=criterion, search=search, alpha=0.1)
    for features, label in random_points(random_labels(0.4, n=40), d=12, seed=7):
        finder.add(features, label)
    finder.best()
    return finder


def assert_same_state(finder: SplitFinder, untouched: SplitFinder) -> None:
    """Check that two finders are alike to the last byte, and go on alike."""
    assert pickle.dumps(finder) == pickle.dumps(untouched)
    assert finder.n == untouched.n
    assert finder.class_counts == untouched.class_counts
    assert finder.n_features_seen == untouched.n_features_seen
    assert finder.best() == untouched.best()
    assert finder.top(100) == untouched.top(100)
    for feature in range(20):
        assert finder.counts(feature) == untouched.counts(feature)
    finder.validate()
    for each in (finder, untouched):
        each.add([7, 3], 1)
    assert finder.best() == untouched.best()


def refuses(
    call: Callable[[SplitFinder], object],
    error: type[Exception] | tuple[type[Exception], ...],
    message: str,
) -> None:
    """Check that every kind of finder refuses the call, new or in use, and stays as it was."""
    for criterion, search in KINDS:
        for finder in (
            SplitFinder(criterion=criterion, search=search),
            finder_with_a_past(criterion, search),
        ):
            untouched = finder.copy()
            with pytest.raises(error) as caught:
                call(finder)
            text = str(caught.value)
            assert re.search(message, text), f"{text!r} does not match {message!r}"
            assert_same_state(finder, untouched)
