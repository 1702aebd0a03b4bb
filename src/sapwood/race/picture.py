"""The outcome of races as a picture."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sapwood.model_files.files import write_atomically
from sapwood.race.contest import RaceResult
from sapwood.style import COUNTING, duration, line_style, picture_style, spread
from sapwood.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_race"]


def plot_race(results: RaceResult | Sequence[RaceResult], path: str | Path) -> Path:
    """Save a PNG of cumulative seconds against points, one panel per result, and return its path.

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
        # All of it or nothing, as on a disk that is full.
        picture = io.BytesIO()
        figure.savefig(picture, format="png")
    write_atomically(target, picture.getvalue())
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
    axis.set_title(f"{result.criterion}, {counted(result.n_features_seen, 'feature')} seen")


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
