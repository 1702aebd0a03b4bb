"""Shapes of picture that the benchmarks share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from sapwood.style import COUNTING, LineStyle, line_style

from .workloads import SCALAR


class Bar(NamedTuple):
    """One bar: whose style it has, how long it is, and what is written at its end."""

    contestant: str
    length: float
    text: str


def style_of(contestant: str) -> LineStyle:
    """Return the style of a contestant: the package's own, or that of the benchmarks' yardstick."""
    return LineStyle("#7a1f3d", (0, (4, 1.5, 1, 1.5))) if contestant == SCALAR else line_style(contestant)


def draw_bars(figure: Figure, panels: Sequence[tuple[str, Sequence[Bar]]], label: str, *, log: bool = False) -> None:
    """Draw a panel of horizontal bars, or of dots on a logarithmic axis, for each title, all with one scale."""
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    longest = max(len(bars) for _, bars in panels)
    figure.set_size_inches(6.4 * columns, (0.9 + 0.5 * longest) * rows + 0.5)
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel()
    for axis, (title, bars) in zip(axes, panels, strict=False):
        for place, bar in enumerate(bars):
            colour = style_of(bar.contestant).colour
            if log:  # a bar would start at zero, which a logarithmic axis does not have
                axis.plot(bar.length, place, "o", markersize=11, color=colour)
            else:
                axis.barh(place, bar.length, color=colour, height=0.66)
            at = (bar.length, place)
            paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            axis.annotate(bar.text, at, xytext=(10, 0), textcoords="offset points", va="center", bbox=paper)
        axis.set_yticks(range(len(bars)), [bar.contestant for bar in bars])
        axis.set_ylim(len(bars) - 0.4, -0.6)
        axis.grid(visible=log, axis="y")
        axis.set_title(title, loc="left")
        axis.tick_params(axis="x", labelbottom=True)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    lengths = [bar.length for _, bars in panels for bar in bars]
    if log:
        axes[0].set_xscale("log")
        axes[0].set_xlim(min(lengths) / 3, max(lengths) * 30)
        axes[0].xaxis.set_major_formatter("{x:,g}")
    else:
        axes[0].set_xlim(0, max(lengths) * 1.35)
    figure.supxlabel(label, fontsize=13)


Lines = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def draw_lines(panels: Sequence[tuple[str, str, Lines]], label: str, figure: Figure) -> None:
    """Draw a panel of lines for each title and horizontal label, two a row, with one vertical scale."""
    rows = -(-len(panels) // 2)
    figure.set_size_inches(14.5, 4.6 * rows)
    axes = figure.subplots(rows, 2, sharey=True, squeeze=False)
    for axis, (title, across, lines) in zip(axes.ravel(), panels, strict=True):
        for name, (places, heights) in lines.items():
            style = style_of(name)
            axis.plot(places, heights, color=style.colour, linestyle=style.dashes, marker="o", markersize=5)
            axis.annotate(
                "counting only" if name == COUNTING else name,
                (places[-1], heights[-1]),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                color=style.colour,
                fontweight="bold",
                annotation_clip=False,
            )
        axis.set(xscale="log", yscale="log", title=title, xlabel=across)
        axis.yaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_major_formatter("{x:,.0f}")
    for row in axes:
        row[0].set_ylabel(label)
