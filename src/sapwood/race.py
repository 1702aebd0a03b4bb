"""Race the searches against each other over one stream of points, and draw the outcome."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sapwood import _core
from sapwood._race import Race, RaceEntry, RaceResult
from sapwood._stream import Stream
from sapwood.style import COUNTING, duration, line_style, picture_style, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RaceEntry", "RaceResult", "plot_race", "race"]

# The contestants take turns, this many each, so that a slow moment of the machine hits all alike; fewer turns would
# share noise less, more would have each contestant refill the caches that the others emptied.
_TURNS = 10


def race(
    X: object,
    y: npt.ArrayLike,
    *,
    criterion: str = "entropy",
    searches: Sequence[str] | None = None,
    alpha: float = 0.1,
    every: int = 1,
    n_classes: int | None = None,
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
    searches : the searches that take part; by default all that there are for the criterion and the classes.
    every : ask for the best split after every `every`-th point.
    n_classes : as of `SplitFinder`; by default as many as the labels need, which go from 0 on.
    checkpoints : the numbers of points, ascending, at which the time is recorded; or how many of them, evenly spread.
    progress : called as `progress(search, points)` whenever a search has added that many further points.
    """
    every = _positive("every", every)
    classes = _n_classes(y) if n_classes is None else _positive("n_classes", n_classes)
    contest = Race(criterion, alpha, every, classes, searches)
    try:
        # All points are checked before any clock is started.
        stream = Stream(X, y, classes)
    except ValueError as error:
        raise ValueError(f"race: {error}") from None
    marks = _checkpoints(checkpoints, stream.n)
    # A turn is a whole number of queries long, so that turns do not change after which points the query falls.
    turn_length = max(1, math.ceil(stream.n / _TURNS / every)) * every
    for start in range(0, stream.n, turn_length):
        stop = min(stream.n, start + turn_length)
        first, last = np.searchsorted(marks, [start, stop], side="right")
        contest.turn(stream.part(start, stop), stream.n_columns, (marks[first:last] - start).tolist(), progress)
    return contest.result()


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
