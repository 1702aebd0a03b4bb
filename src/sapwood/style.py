"""How each search is drawn: the same colour and dashes in every picture.

The colours differ in lightness as well as in hue, and each line has its own dashes, so that a picture can be read in
grey print and by a colour-blind reader.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple

__all__ = ["COUNTING", "LineStyle", "line_style", "picture_style"]

COUNTING = "counting"  # the reference that only increments counters


class LineStyle(NamedTuple):
    """Colour (hexadecimal) and dashes (matplotlib's notation) of one line."""

    colour: str
    dashes: str | tuple[int, tuple[float, ...]]


_STYLES = {
    "exhaustive": LineStyle("#16325c", "solid"),
    "approximate": LineStyle("#e8871e", "solid"),
    "certified": LineStyle("#1f8a70", (0, (6, 1.5))),
    COUNTING: LineStyle("#8c8c8c", (0, (1, 1.2))),
}


def line_style(name: str) -> LineStyle:
    """Return the style of a search, or of `COUNTING`; raise ValueError for a name that has none."""
    if name not in _STYLES:
        raise ValueError(f"line_style: name must be one of {', '.join(_STYLES)}, got {name!r}")
    return _STYLES[name]


def picture_style() -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws in the manner of every picture: legible at half size.

    Needs matplotlib, which the extra `plot` installs.
    """
    import matplotlib as mpl

    return mpl.rc_context(
        {
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.labelsize": 13,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 14,
            "axes.titleweight": "bold",
            "figure.dpi": 100,
            "font.size": 12,
            "grid.color": "#d9d9d9",
            "grid.linewidth": 0.7,
            "lines.linewidth": 2.4,
            "savefig.dpi": 160,
            "xtick.labelsize": 12,
            "ytick.labelsize": 12,
        }
    )
