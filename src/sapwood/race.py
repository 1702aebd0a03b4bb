"""Race the searches against each other over one stream of points, and draw the outcome."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sapwood import _core
from sapwood._stream import Stream, rotated
from sapwood.split_finder import Split, SplitFinder
from sapwood.style import COUNTING, duration, line_style, picture_style, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RaceEntry", "RaceResult", "plot_race", "race"]

# The contestants take turns, this many each, so that a slow moment of the machine hits all alike; fewer turns would
# share noise less, more would have each contestant refill the caches that the others emptied.
_TURNS = 10
_SAME_SCORE = 1e-9


@dataclass(frozen=True)
class RaceEntry:
    """What one search did in a race.

    `seconds[i]` is the time spent inside the search, in C++, until `checkpoints[i]` points were added. `optimal` says
    whether the score of the final split equals the exhaustive one up to 1e-9 relative; a different feature with an
    equal score is optimal. `speed_up` is None where the exhaustive search did not take part.
    """

    search: str
    seconds: npt.NDArray[np.float64]
    split: Split | None
    optimal: bool
    times_counting: float
    speed_up: float | None


@dataclass(frozen=True)
class RaceResult:
    """A race: every search over the same points, and the loop that only increments counters.

    `counting` holds the cumulative seconds of counting only, the median over several runs, at the same checkpoints.
    """

    criterion: str
    alpha: float
    every: int
    n: int
    n_features_seen: int
    checkpoints: npt.NDArray[np.int64]
    counting: npt.NDArray[np.float64]
    entries: tuple[RaceEntry, ...]


def race(
    X: object,
    y: npt.ArrayLike,
    *,
    criterion: str = "entropy",
    searches: Sequence[str] | None = None,
    alpha: float = 0.1,
    every: int = 1,
    checkpoints: int | Iterable[int] = 100,
    progress: Callable[[str, int], None] | None = None,
) -> RaceResult:
    """Add the same points to a fresh finder of each search, asking each for its best split after every point.

    The clock runs in C++ and stops between calls, so converting and checking the points is not part of any time.
    The searches take turns over stretches of the stream, in an order that rotates. Times are those of one run and
    vary with the machine; ratios within one result vary less.

    Parameters
    ----------
    X, y : points and labels, as `SplitFinder.add_many` takes them.
    criterion, alpha : as of `SplitFinder`.
    searches : the searches that take part; by default all that there are for the criterion.
    every : ask for the best split after every `every`-th point.
    checkpoints : the numbers of points, ascending, at which the time is recorded; or how many of them, evenly spread.
    progress : called as `progress(search, points)` whenever a search has added that many further points.
    """
    every = _positive("every", every)
    # The reference for optimality, asked once; adding the points also checks them before any clock is started.
    reference = SplitFinder(criterion=criterion, search="exhaustive", alpha=alpha)
    names = tuple(_core.searches_for(criterion) if searches is None else searches)
    if not names or len(set(names)) != len(names):
        raise ValueError(f"race: searches must be distinct and at least one, got {names}")
    finders = {name: SplitFinder(criterion=criterion, search=name, alpha=alpha) for name in names}
    reference.add_many(X, y)
    stream = Stream(X, y)
    marks = _checkpoints(checkpoints, stream.n)

    seconds = {name: np.empty(marks.size) for name in names}
    spent = dict.fromkeys(names, 0.0)
    counting = []
    # A turn is a whole number of queries long, so that turns do not change after which points the query falls.
    turn_length = max(1, math.ceil(stream.n / _TURNS / every)) * every
    for turn, start in enumerate(range(0, stream.n, turn_length)):
        stop = min(stream.n, start + turn_length)
        first, last = np.searchsorted(marks, [start, stop], side="right")
        ends = np.append(marks[first:last] - start, stop - start)
        counting.append(stream.count(marks))
        for name in rotated(names, turn):
            times = _core.run_timed(finders[name]._search, *stream.part(start, stop), every, ends)
            seconds[name][first:last] = spent[name] + times[:-1]
            spent[name] += float(times[-1])
            if progress is not None:
                progress(name, stop - start)

    counted = np.median(counting, axis=0) if counting else np.zeros(0)
    return RaceResult(
        criterion=criterion,
        alpha=alpha,
        every=every,
        n=stream.n,
        n_features_seen=reference.n_features_seen,
        checkpoints=marks,
        counting=counted,
        entries=tuple(
            RaceEntry(
                search=name,
                seconds=seconds[name],
                split=finders[name].best(),
                optimal=_is_optimal(finders[name].best(), reference.best()),
                times_counting=_ratio(seconds[name], counted),
                speed_up=_ratio(seconds["exhaustive"], seconds[name]) if "exhaustive" in names else None,
            )
            for name in names
        ),
    )


def plot_race(results: RaceResult | Sequence[RaceResult], path: str | Path) -> Path:
    """Save a PNG of cumulative seconds against points, a panel for each result, and return its path.

    Needs matplotlib, which the extra `plot` installs.
    """
    # Imported here because matplotlib is an extra: racing does not need it.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels = [results] if isinstance(results, RaceResult) else list(results)
    if not panels or any(panel.checkpoints.size == 0 for panel in panels):
        raise ValueError("plot_race: results must hold at least one checkpoint each, got none")
    target = Path(path)
    with picture_style():
        figure = Figure(figsize=(1.2 + 5.6 * len(panels), 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axis, panel in zip(axes, panels, strict=True):
            _draw(axis, panel)
        axes[0].set_ylabel("cumulative time (log scale)")
        # Labels are placed last: panels share one vertical axis, whose range is known only now.
        for axis, panel in zip(axes, panels, strict=True):
            _label_lines(axis, panel)
        figure.savefig(target, format="png")
    return target


def _draw(axis: Axes, result: RaceResult) -> None:
    for name, seconds in _lines(result):
        style = line_style(name)
        axis.plot(result.checkpoints, seconds, color=style.colour, linestyle=style.dashes, solid_capstyle="butt")
    axis.set_yscale("log")
    axis.set_xlim(0, result.n)
    axis.yaxis.set_major_formatter(lambda value, _: duration(value))
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axis.locator_params(axis="x", nbins=5)
    axis.set_xlabel("points added, the best split asked after each" if result.every == 1 else "points added")
    axis.set_title(f"{result.criterion}, {result.n_features_seen:,} features seen")


def _label_lines(axis: Axes, result: RaceResult) -> None:
    """Name each line at its right end with its total, moved apart where the ends are close."""
    lines = sorted(_lines(result), key=lambda line: line[1][-1])
    bottom, top = (math.log(limit) for limit in axis.get_ylim())
    wanted = [(math.log(max(seconds[-1], math.exp(bottom))) - bottom) / (top - bottom) for _, seconds in lines]
    for (name, seconds), height in zip(lines, spread(wanted), strict=True):
        text = "counting only" if name == COUNTING else name
        axis.annotate(
            f"{text}\n{duration(seconds[-1])}",
            xy=(1.0, height),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=line_style(name).colour,
            fontweight="bold",
            linespacing=1.05,
        )


def _lines(result: RaceResult) -> list[tuple[str, npt.NDArray[np.float64]]]:
    return [(entry.search, entry.seconds) for entry in result.entries] + [(COUNTING, result.counting)]


def _checkpoints(checkpoints: int | Iterable[int], n: int) -> npt.NDArray[np.int64]:
    if isinstance(checkpoints, Iterable):
        marks = np.asarray(list(checkpoints))
        whole = marks.size == 0 or np.issubdtype(marks.dtype, np.integer)
        if not whole or np.any(np.diff(marks) <= 0) or np.any((marks < 1) | (marks > n)):
            raise ValueError(f"race: checkpoints must be ascending integers from 1 to {n}, got {marks.tolist()}")
        return marks.astype(np.int64)
    count = min(_positive("checkpoints", checkpoints), n)
    return np.arange(1, count + 1, dtype=np.int64) * n // count if count else np.zeros(0, dtype=np.int64)


def _positive(name: str, value: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"race: {name} must be an integer, got {value!r}") from None
    if number < 1:
        raise ValueError(f"race: {name} must be at least 1, got {number}")
    return number


def _is_optimal(split: Split | None, reference: Split | None) -> bool:
    if split is None or reference is None:
        return split is reference
    return math.isclose(split.score, reference.score, rel_tol=_SAME_SCORE, abs_tol=_SAME_SCORE)


def _ratio(numerator: npt.NDArray[np.float64], denominator: npt.NDArray[np.float64]) -> float:
    if numerator.size == 0 or denominator[-1] == 0.0:
        return math.nan
    return float(numerator[-1] / denominator[-1])
