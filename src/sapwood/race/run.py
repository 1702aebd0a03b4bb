"""A race over a matrix."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from sapwood import _core
from sapwood.data import binary_batch
from sapwood.parameters import Criterion, Search
from sapwood.race.contest import Race, RaceResult

__all__ = ["race"]

# The contestants take turns, this many each, so that a slow moment of the machine hits all alike; fewer turns would
# share noise less, more would have each contestant refill the caches that the others emptied.
_TURNS = 10


def race(
    X: object,
    y: npt.ArrayLike,
    *,
    criterion: Criterion = "entropy",
    searches: Sequence[Search] | None = None,
    alpha: float = 0.1,
    every: int = 1,
    n_classes: int | None = None,
    checkpoints: int | Iterable[int] = 100,
    progress: Callable[[str, int], None] | None = None,
) -> RaceResult:
    """Add the same points to a new finder of each search, and ask each for its best split after every point.

    The time is measured in C++, inside the searches, so it does not include converting and checking the points.
    The searches take turns over stretches of the stream, in an order that rotates. Times are those of one run and
    vary with the machine; ratios within one result vary less.

    Parameters
    ----------
    X, y : points and labels, as `SplitFinder.add_many` takes them.
    criterion, alpha : as in `SplitFinder`.
    searches : the searches that take part; by default all that take the criterion and the number of classes.
    every : ask for the best split after every `every`-th point.
    n_classes : as in `SplitFinder`; by default the largest label plus 1.
    checkpoints : the ascending numbers of points at which the time is recorded, or their number, evenly spread.
    progress : called as `progress(search, points)` whenever a search has added that many further points.
    """
    every = _positive("every", every)
    classes = _n_classes(y) if n_classes is None else _positive("n_classes", n_classes)
    contest = Race(criterion, alpha, every, classes, searches)
    try:
        # All points are checked before any clock is started.
        points = binary_batch(X, y, classes)
    except ValueError as error:
        raise ValueError(f"race: {error}") from None
    marks = _checkpoints(checkpoints, len(points))
    # A turn is a whole number of queries long, so that turns do not change after which points the query falls.
    turn_length = max(1, math.ceil(len(points) / _TURNS / every)) * every
    for start in range(0, len(points), turn_length):
        stop = min(len(points), start + turn_length)
        first, last = np.searchsorted(marks, [start, stop], side="right")
        contest.turn(points.part(start, stop), (marks[first:last] - start).tolist(), progress)
    return contest.result()


def _checkpoints(checkpoints: int | Iterable[int], n: int) -> npt.NDArray[np.int64]:
    if isinstance(checkpoints, Iterable):
        marks = np.asarray(list(checkpoints))
        whole = marks.size == 0 or np.issubdtype(marks.dtype, np.integer)
        if not whole or np.any(np.diff(marks) <= 0) or np.any((marks < 1) | (marks > n)):
            raise ValueError(f"race: checkpoints must be ascending integers from 1 to {n}, got {marks.tolist()}")
        return marks.astype(np.int64)
    count = min(_positive("checkpoints", checkpoints), n)
    return np.arange(1, count + 1, dtype=np.int64) * n // count if count else np.zeros(0, dtype=np.int64)


def _n_classes(y: npt.ArrayLike) -> int:
    """Return how many classes labels are of; what is none is refused when all points are checked."""
    labels = np.asarray(y)
    largest = labels.max() if labels.size and labels.dtype.kind in "biuf" else 1
    return int(min(max(2, largest + 1), _core.MAX_CLASSES)) if np.isfinite(largest) else 2


def _positive(name: str, value: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"race: {name} must be an integer, got {value!r}") from None
    if number < 1:
        raise ValueError(f"race: {name} must be at least 1, got {number}")
    return number
