"""How searches and classes are drawn: the same colours and dashes in every picture.

The colours differ in lightness as well as in hue, and each line has its own dashes, so that a picture can be read in
grey print and by a colour-blind reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

__all__ = [
    "COUNTING",
    "N_CLASS_COLOURS",
    "LineStyle",
    "class_colour",
    "duration",
    "line_style",
    "picture_style",
    "spread",
]

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


# First the eight colours for colour-blind readers of Okabe and Ito (2008), with grey for black, on which letters would
# not be legible, in an order that keeps the first few apart in grey print too.
_CLASS_COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8c8c8c"),
    # Each as far as can be, in CIELAB with lightness at 0.8, from all before it; no two colours are closer than 30. So
    # many cannot all be told apart by a colour-blind reader: a picture names its classes as well.
    *("#6434b8", "#e81058", "#70e864", "#646410", "#7c281c", "#d01ca0", "#f4b888", "#c4dc88"),
    *("#ac94f4", "#10e8f4", "#287c10", "#583470", "#f47c7c", "#104c34", "#10f4ac", "#94104c"),
)
N_CLASS_COLOURS = len(_CLASS_COLOURS)
"""The colours that there are, after which `class_colour` begins again."""


def class_colour(place: int, strength: float = 1.0) -> str:
    """Return the colour of a class, by its place among the classes: full at strength 1, white at 0.

    There are `N_CLASS_COLOURS`, 24; the class after these has that of the first.
    """
    if not 0 <= strength <= 1:
        raise ValueError(f"class_colour: strength must be from 0 to 1, got {strength!r}")
    colour = _CLASS_COLOURS[place % len(_CLASS_COLOURS)]
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in parts)


def duration(seconds: float) -> str:
    """Return a time in the largest unit, up to seconds, of which there is one at least; three digits, or all."""
    if seconds >= 1000.0:  # noqa: PLR2004 - where three digits would turn into an exponent
        return f"{seconds:,.0f} s"
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def spread(ascending: Sequence[float], apart: float = 0.125) -> list[float]:
    """Move heights, as fractions of the axis, until they are `apart` from each other and none is above the top."""
    heights = list(ascending)
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + apart)
    ceiling = 1.0
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], ceiling)
        ceiling = heights[i] - apart
    return heights
