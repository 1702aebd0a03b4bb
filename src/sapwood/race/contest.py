"""A race of the searches over a stream that comes in parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sapwood import _core, _timing
from sapwood.data import Batch
from sapwood.parameters import Criterion, Search
from sapwood.race.timing import counting_seconds, rotated
from sapwood.split_finder import SEARCHES, Split, SplitFinder

__all__ = ["Race", "RaceEntry", "RaceResult"]

_SAME_SCORE = 1e-9
_COUNTINGS = 3  # of each part, of which the median is taken: one is over too soon to be steady
# Checkpoints of a part that is fed, and those that are kept of all parts.
_MARKS = 20
_MOST_MARKS = 400

Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class RaceEntry:
    """What one search did in a race.

    `seconds[i]` is the time spent inside the search, in C++, until `checkpoints[i]` points were added. `optimal` says
    whether the score of the final split equals the exhaustive one up to 1e-9 relative; a different feature with an
    equal score is optimal. `speed_up` is None where the exhaustive search did not take part.
    """

    search: Search
    seconds: npt.NDArray[np.float64]
    split: Split | None
    optimal: bool
    times_counting: float
    speed_up: float | None


@dataclass(frozen=True)
class RaceResult:
    """A race: every search over the same points, and the loop that only increments counters.

    `counting` holds the cumulative seconds of counting only, the median over several runs, at the same checkpoints.
    `left_out` says of each search that did not take part, though none was chosen, why it cannot.
    """

    criterion: Criterion
    alpha: float
    every: int
    n: int
    n_classes: int
    n_features_seen: int
    checkpoints: npt.NDArray[np.int64]
    counting: npt.NDArray[np.float64]
    entries: tuple[RaceEntry, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


class Race:
    """A race over points that come in parts; the memory is that of the searches, however long the stream is.

    The searches take turns, a part of the stream each, in an order that rotates, so that a slow moment of the machine
    hits all alike. Counting only is timed over the same parts, with counters that are 0 at the beginning of each.

    A turn that is broken off, as by Ctrl-C, ends the race: its result is that of the turns before.
    """

    def __init__(
        self,
        criterion: Criterion,
        alpha: float,
        every: int,
        n_classes: int,
        searches: Sequence[Search] | None = None,
    ) -> None:
        def finder(search: Search) -> SplitFinder:
            return SplitFinder(criterion=criterion, search=search, alpha=alpha, n_classes=n_classes)

        # The reference for optimality; it also refuses what no search is for.
        self._reference = finder("exhaustive")
        there = [name for name in SEARCHES if name in _core.searches_for(criterion, n_classes)]
        self.names = tuple(there if searches is None else searches)
        if not self.names or len(set(self.names)) != len(self.names):
            raise ValueError(f"race: searches must be distinct and at least one, got {self.names}")
        self._finders = {name: finder(name) for name in self.names}
        self._left_out: dict[str, str] = {}
        if searches is None:
            for name in SEARCHES:
                if name not in there:
                    self._left_out[name] = _reason(finder, name)
        self._criterion, self._alpha, self._every, self._n_classes = criterion, alpha, every, n_classes
        self.n = 0
        self._turns = 0
        self._is_in_turn = False
        # What every search recommends after the turns so far, and what is the best, of how many features.
        self._splits: dict[Search, Split | None] = dict.fromkeys(self.names)
        self._best: Split | None = None
        self._n_features_seen = 0
        self._marks: list[int] = []
        self._spent = dict.fromkeys(("", *self.names), 0.0)  # counting only has no name
        self._seconds: dict[str, list[float]] = {name: [] for name in self._spent}

    def feed(self, points: Batch) -> None:
        """Let each search add the next points, and choose the checkpoints: so that there are not too many of them."""
        size = len(points)
        marks = range(1, size + 1) if size <= _MARKS else (np.arange(1, _MARKS + 1) * size // _MARKS).tolist()
        self.turn(points, marks)
        if len(self._marks) > _MOST_MARKS:
            # The last is kept, so that the times are those of all points.
            self._marks = self._marks[::-2][::-1]
            self._seconds = {name: seconds[::-2][::-1] for name, seconds in self._seconds.items()}

    def turn(self, points: Batch, marks: Sequence[int], progress: Progress | None = None) -> None:
        """Let each search add the next points; `marks` are the checkpoints, by the number of points from here.

        The points must be valid, and their number a multiple of `every`, except in the last turn.
        """
        if self._is_in_turn:
            raise RuntimeError("Race.turn: the race must not have been broken off in the middle of a turn, but it was")
        self._is_in_turn = True
        part = points.as_numbers()
        size = len(points)
        ends = np.array([*marks, size], dtype=np.int64)
        counted = [counting_seconds(points, self._n_classes, ends) for _ in range(_COUNTINGS)]
        times = {"": np.median(counted, axis=0)}
        for name in rotated(self.names, self._turns):
            times[name] = _timing.run_timed(self._finders[name].native, *part, self._every, ends)
            if progress is not None:
                progress(name, size)
        if "exhaustive" not in self.names:
            self._reference.add_batch(points)
        reference = self._finders.get("exhaustive", self._reference)
        splits, best = {name: finder.best() for name, finder in self._finders.items()}, reference.best()
        # All of a turn or nothing of it: what breaks off what stands above leaves the result of the turns before.
        for contestant, spent in times.items():
            self._note(contestant, spent)
        self._splits, self._best, self._n_features_seen = splits, best, reference.n_features_seen
        self._marks += [self.n + mark for mark in marks]
        self.n += size
        self._turns += 1
        self._is_in_turn = False

    def _note(self, name: str, times: npt.NDArray[np.float64]) -> None:
        self._seconds[name] += (self._spent[name] + times[:-1]).tolist()
        self._spent[name] += float(times[-1])

    def result(self) -> RaceResult:
        """Return what has come out so far."""
        seconds = {name: np.array(times) for name, times in self._seconds.items()}
        return RaceResult(
            criterion=self._criterion,
            alpha=self._alpha,
            every=self._every,
            n=self.n,
            n_classes=self._n_classes,
            n_features_seen=self._n_features_seen,
            checkpoints=np.array(self._marks, dtype=np.int64),
            counting=seconds[""],
            entries=tuple(
                RaceEntry(
                    search=name,
                    seconds=seconds[name],
                    split=self._splits[name],
                    optimal=_is_optimal(self._splits[name], self._best),
                    times_counting=_ratio(seconds[name], seconds[""]),
                    speed_up=_ratio(seconds["exhaustive"], seconds[name]) if "exhaustive" in self.names else None,
                )
                for name in self.names
            ),
            left_out=dict(self._left_out),
        )


def _reason(finder: Callable[[Search], SplitFinder], search: Search) -> str:
    """Return why there is no such search, as the finder says it."""
    try:
        finder(search)
    except ValueError as error:
        return str(error).removeprefix("SplitFinder: ")
    raise AssertionError(f"{search} must not be one of the searches that there are")


def _is_optimal(split: Split | None, reference: Split | None) -> bool:
    if split is None or reference is None:
        return split is reference
    return math.isclose(split.score, reference.score, rel_tol=_SAME_SCORE, abs_tol=_SAME_SCORE)


def _ratio(numerator: npt.NDArray[np.float64], denominator: npt.NDArray[np.float64]) -> float:
    if numerator.size == 0 or denominator[-1] == 0.0:
        return math.nan
    return float(numerator[-1] / denominator[-1])
