"""The picture of the speed benchmark: every search on every stream, as a multiple of counting only."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sapwood.style import COUNTING

from .pictures import style_of
from .workloads import CERTIFIED, CRITERIA

BESIDE = ("exhaustive", "approximate")


def draw_speed(figures: list[dict[str, Any]], canvas: Figure) -> None:
    """Draw one row of dots per stream, one panel per criterion, on one logarithmic axis."""
    streams = list(dict.fromkeys(figure["stream"] for figure in figures))
    canvas.set_size_inches(14.5, 2.2 + 0.6 * len(streams))
    axes = canvas.subplots(1, len(CRITERIA), sharex=True, sharey=True)
    for axis, criterion in zip(axes, CRITERIA, strict=True):
        for figure in figures:
            if figure["criterion"] == criterion:
                _draw_row(axis, streams.index(figure["stream"]), figure)
        axis.axvline(1, color=style_of(COUNTING).colour, linestyle=style_of(COUNTING).dashes)
        axis.set(xscale="log", title=criterion)
        axis.xaxis.set_major_formatter("{x:,g}")
    axes[0].set_yticks(range(len(streams)), streams)
    axes[0].set_ylim(len(streams) - 0.4, -0.6)
    canvas.supxlabel("time, as a multiple of counting only (log scale)", fontsize=13)
    canvas.legend(handles=_legend(), loc="outside upper center", ncols=6, frameon=False)


def _draw_row(axis: Axes, place: int, figure: dict[str, Any]) -> None:
    beside = figure["beside"]["microseconds"]
    for name in BESIDE:
        times = beside[name]["median"] / beside[COUNTING]["median"]
        axis.plot(times, place, "o", markersize=9, color=style_of(name).colour)
    certified, seldom = figure["whole"][CERTIFIED], figure["whole"]["seldom"]
    colour = style_of(CERTIFIED).colour
    axis.plot(seldom["times_counting"]["median"], place, "o", markersize=9, color=colour, markerfacecolor="white")
    axis.plot(certified["times_counting"]["median"], place, "o", markersize=11, color=colour)
    if figure["must"] is not None:
        axis.plot([figure["must"]] * 2, [place - 0.32, place + 0.32], color="black", linewidth=2)


def _legend() -> list[Line2D]:
    def dot(name: str, text: str, *, hollow: bool = False) -> Line2D:
        colour = style_of(name).colour
        face = "white" if hollow else colour
        return Line2D(
            [], [], linestyle="none", marker="o", markersize=9, color=colour, markerfacecolor=face, label=text
        )

    # Any: matplotlib's annotation of a line style takes fewer strings than matplotlib does.
    dashes: Any = style_of(COUNTING).dashes
    return [
        Line2D([], [], color=style_of(COUNTING).colour, linestyle=dashes, label="counting only"),
        dot(CERTIFIED, "certified, asked every 200", hollow=True),
        dot(CERTIFIED, "certified"),
        Line2D(
            [],
            [],
            color="black",
            linestyle="none",
            marker="|",
            markersize=14,
            markeredgewidth=2,
            label="asked for: at most",
        ),
        *(dot(name, name) for name in BESIDE),
    ]
