"""What the pictures share: panels, lines with quartiles, one legend, names at the ends of lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.paper.rows import Line
from sapwood.style import COUNTING, duration, line_style, picture_style, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LEGEND", "draw_line", "from_zero", "label_ends", "legend", "panels", "scaled_time"]

LEGEND = {
    "exhaustive": "exhaustive (BaseEnt, BaseGini)",
    "approximate": "approximate (UpdEnt, UpdGini)",
    "certified": "certified",
    COUNTING: "counting only",
}
"""The searches as a legend names them, in the order of every legend."""

_PANEL = (4.9, 3.5)  # inches
_HIDDEN = 10.0


@contextmanager
def panels(rows: int, columns: int, path: Path) -> Iterator[tuple[Figure, list[Axes]]]:
    """Give a figure with panels, row by row, and save it at the end."""
    # Imported here because matplotlib is an extra: only pictures need it.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with picture_style():
        figure = Figure(
            figsize=(_PANEL[0] * columns, _PANEL[1] * rows + 0.6),
            layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12),
        )
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, squeeze=False)
        yield figure, [axis for row in axes for axis in row]
        figure.savefig(path, format="png")


def draw_line(axis: Axes, points: Line, search: str, *, x_scale: float = 1.0, y_scale: float = 1.0) -> None:
    """Draw medians as a line in the style of the search, and the quartiles as a band."""
    style = line_style(search)
    x = points.x / x_scale
    axis.fill_between(x, points.lower / y_scale, points.upper / y_scale, color=style.colour, alpha=0.18, linewidth=0)
    axis.plot(x, points.median / y_scale, color=style.colour, linestyle=style.dashes, solid_capstyle="butt")


def from_zero(axis: Axes) -> None:
    """Let the vertical axis start at 0, with some room above."""
    axis.set_ylim(bottom=0.0)
    axis.margins(x=0.02)


def scaled_time(axis: Axes, ends: Sequence[tuple[str, float]]) -> None:
    """Scale the vertical axis for lines that end at these times: from 0, or by logarithms where that would hide some.

    On an axis from 0 a line at a tenth of the highest one cannot be told from the axis.
    """
    times = [value for _, value in ends if value > 0]
    if times and max(times) > _HIDDEN * min(times):
        axis.set_yscale("log")
        axis.margins(x=0.02)
    else:
        from_zero(axis)


def legend(figure: Figure, searches: Sequence[str]) -> None:
    """Put one legend above all panels."""
    from matplotlib.lines import Line2D

    styles = [line_style(search) for search in searches]
    handles = [Line2D([], [], color=style.colour) for style in styles]
    for handle, style in zip(handles, styles, strict=True):
        handle.set_linestyle(style.dashes)  # type: ignore[arg-type]  # one of matplotlib's own, as it stands in the style
    columns = min(len(handles), 2 if figure.get_figwidth() < 2.5 * _PANEL[0] else 4)
    figure.legend(
        handles,
        [LEGEND[search] for search in searches],
        loc="outside upper center",
        ncols=columns,
        frameon=False,
        fontsize=13,
        handlelength=3.0,
    )


def label_ends(axis: Axes, ends: Sequence[tuple[str, float]], *, apart: float = 0.13) -> None:
    """Write the last value of each line, a time in seconds, to its right, moved apart where they are close."""
    bottom, top = axis.get_ylim()
    ends = sorted(ends, key=lambda end: end[1])
    if axis.get_yscale() == "log":
        wanted = [math.log(value / bottom) / math.log(top / bottom) for _, value in ends]
    else:
        wanted = [(value - bottom) / (top - bottom) for _, value in ends]
    for (search, value), height in zip(ends, spread(wanted, apart), strict=True):
        axis.annotate(
            duration(value),
            xy=(1.0, height),
            xycoords="axes fraction",
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=line_style(search).colour,
            fontweight="bold",
        )
