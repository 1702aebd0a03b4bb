"""Interleaved timings of the searches over one stream, all measured in C++."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sapwood import _core, _timing
from sapwood.data import Batch
from sapwood.race.timing import counting_seconds, rotated

__all__ = ["Contestant", "Outcome", "count", "evenly", "run_turns", "trees"]

Tick = Callable[[float], None]
"""Told the share of a piece that is done."""


@dataclass(frozen=True)
class Contestant:
    """A search for a criterion; alpha matters to the approximate one only."""

    criterion: str
    search: str
    alpha: float = 0.1

    def start(self) -> _core.SplitSearch:
        """Return the search before the first point."""
        return _core.SplitSearch(self.criterion, self.search, self.alpha)


@dataclass
class Outcome:
    """What a contestant did: cumulative seconds at each checkpoint, and the best split after every point."""

    search: _core.SplitSearch
    seconds: list[float] = field(default_factory=list)
    feature: list[npt.NDArray[np.int64]] = field(default_factory=list)
    score: list[npt.NDArray[np.float64]] = field(default_factory=list)

    def features(self) -> npt.NDArray[np.int64]:
        """Return the feature of the best split after every point."""
        return np.concatenate(self.feature)

    def scores(self) -> npt.NDArray[np.float64]:
        """Return the score of the best split after every point."""
        return np.concatenate(self.score)


def evenly(n: int, parts: int) -> npt.NDArray[np.int64]:
    """Return `parts` checkpoints, or n if that is less, evenly spread up to n."""
    parts = min(parts, n)
    return np.arange(1, parts + 1, dtype=np.int64) * n // parts


def run_turns(
    stream: Batch,
    contestants: Sequence[Contestant],
    checkpoints: npt.NDArray[np.int64],
    *,
    turns: int,
    rotation: int = 0,
    tick: Tick | None = None,
) -> dict[Contestant, Outcome]:
    """Add the points up to the last checkpoint to every search, asked for the best split after each point.

    The contestants take turns over stretches of the stream, in an order that rotates from one turn to the next and
    starts with `rotation`, so that a slow moment of the machine hits all alike.
    """
    outcomes = {contestant: Outcome(contestant.start()) for contestant in contestants}
    spent = dict.fromkeys(contestants, 0.0)
    groups = np.array_split(checkpoints, min(turns, checkpoints.size))
    start = 0
    for turn, group in enumerate(groups):
        part = stream.part(start, int(group[-1])).as_numbers()
        for place, contestant in enumerate(rotated(contestants, rotation + turn)):
            outcome = outcomes[contestant]
            seconds, features, scores = _timing.run_traced(outcome.search, *part, group - start)
            outcome.seconds += (spent[contestant] + seconds).tolist()
            outcome.feature.append(features)
            outcome.score.append(scores)
            spent[contestant] += float(seconds[-1])
            if tick is not None:
                tick((turn + (place + 1) / len(contestants)) / len(groups))
        start = int(group[-1])
    return outcomes


def count(stream: Batch, checkpoints: npt.NDArray[np.int64], runs: int = 7) -> npt.NDArray[np.float64]:
    """Return the cumulative seconds of counting only at each checkpoint: the median of several runs."""
    medians: npt.NDArray[np.float64] = np.median(
        [counting_seconds(stream, 2, checkpoints) for _ in range(runs)], axis=0
    )
    return medians


def trees(stream: Batch, contestant: Contestant, checkpoints: npt.NDArray[np.int64]) -> list[int]:
    """Return the number of search trees in use at each checkpoint, from a run of its own, without a clock."""
    search = contestant.start()
    numbers = []
    start = 0
    for stop in checkpoints.tolist():
        search.add_csr(*stream.part(start, stop).as_numbers(), stream.n_features or 0, True)
        numbers.append(search.n_trees())
        start = stop
    return numbers
