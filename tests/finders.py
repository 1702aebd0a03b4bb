"""Finders of every kind, filled, and all that they say about themselves."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from streams import Stream

from sapwood import SplitFinder
from sapwood.parameters import Criterion, Search

KINDS = [
    pytest.param(criterion, search, id=f"{criterion}-{search}")
    for criterion in ("entropy", "gini")
    for search in ("exhaustive", "approximate", "certified")
] + [pytest.param("kearns_mansour", search, id=f"kearns_mansour-{search}") for search in ("exhaustive", "certified")]
every_kind = pytest.mark.parametrize(("criterion", "search"), KINDS)
# Whatever a caller may pass, rightly typed or not.
Anything: TypeAlias = Any


def filled(criterion: Criterion, search: Search, stream: Stream) -> SplitFinder:
    """Return a finder that has seen a stream, with a query now and then."""
    finder = SplitFinder(criterion=criterion, search=search, alpha=0.1)
    for i, (features, label) in enumerate(stream):
        finder.add(features, label)
        if i % 7 == 0:
            finder.best()
    return finder


def answers(finder: SplitFinder) -> tuple[object, ...]:
    """Return all that a finder says about itself, its features included."""
    return (
        finder.n,
        finder.class_counts,
        finder.n_features_seen,
        finder.best(),
        finder.top(1000),
        finder.n_trees,
        repr(finder),
    )
