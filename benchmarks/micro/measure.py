"""Repeat measurements so that a slow moment of the machine hits every contestant alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Figures = npt.NDArray[np.float64]


class Quartiles(NamedTuple):
    """A median with the quartiles around it."""

    low: float
    median: float
    high: float

    def show(self) -> str:
        """Return the three to three significant digits; the median alone where nothing varied."""
        low, median, high = (significant(figure) for figure in self)
        if self.low == self.high:
            return median
        return f"{median} ({low}–{high})"


def significant(figure: float) -> str:
    """Return a figure to three significant digits, never in scientific notation."""
    if figure == 0.0:
        return "0"
    decimals = 2 - math.floor(math.log10(abs(figure)))
    return f"{round(figure, decimals):,.{max(0, decimals)}f}"


def quartiles(values: Figures) -> Quartiles:
    """Return the quartiles of repeated measurements."""
    return Quartiles(*(float(figure) for figure in np.percentile(values, [25, 50, 75])))


def verdict(figure: float, most: float) -> str:
    """Say whether a figure is within what is asked for."""
    return f"≤ {most:g}: {'met' if figure <= most else 'MISSED'}"


def interleaved(contestants: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, Figures]:
    """Run every contestant once, then again, `repeats` times, in an order that rotates; return each one's figures.

    The i-th figures of two contestants belong to the same round, so that their ratio is one of neighbours in time.
    """
    names = list(contestants)
    figures = {name: np.empty(repeats) for name in names}
    for i in range(repeats):
        cut = i % len(names)
        for name in names[cut:] + names[:cut]:
            figures[name][i] = contestants[name]()
    return figures


def repeats_within(contestants: Mapping[str, Callable[[], float]], seconds: float, least: int, most: int) -> int:
    """Return the number of rounds that fit into `seconds`, from `least` to `most`; the trial round warms up."""
    one = sum(run() for run in contestants.values())
    return int(min(most, max(least, seconds / max(one, 1e-9))))
