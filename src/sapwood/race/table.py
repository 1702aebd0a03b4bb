"""The outcome of races as a table, for a terminal or a log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sapwood.inspect.names import shortened
from sapwood.race.contest import RaceResult
from sapwood.split_finder import Split
from sapwood.style import COUNTING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_table"]

_NAME_WIDTH = 12  # as wide as the table can be and fit 80 columns


def print_table(console: Console, results: Sequence[RaceResult], name_of: Callable[[int], str] = str) -> None:
    """Print the results of races, one per criterion; `name_of` names a feature."""
    from rich import box
    from rich.table import Table

    # Narrow enough for 80 columns, the width of a terminal at its smallest and of a log.
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("criterion", no_wrap=True)
    table.add_column("search", no_wrap=True)
    for heading in ("seconds", "×\ncounting\nonly", "speed-up\nover\nexhaustive", "split on\nfeature", "its score"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("optimal", no_wrap=True)
    for result in results:
        table.add_row(result.criterion, COUNTING, _last(result.counting), "1.0", "", "", "", "")
        for entry in result.entries:
            table.add_row(
                "",
                entry.search,
                _last(entry.seconds),
                f"{entry.times_counting:,.1f}",
                "–" if entry.speed_up is None else f"{entry.speed_up:,.1f}",
                *_describe(entry.split, name_of),
                "yes" if entry.optimal else "no",
            )
        table.add_section()
    console.print(table)
    reasons = {f"Without {search}: {reason}." for result in results for search, reason in result.left_out.items()}
    for reason in sorted(reasons):
        console.print(reason, highlight=False, markup=False)


def _last(seconds: npt.NDArray[np.float64]) -> str:
    return f"{seconds[-1]:.4f}" if seconds.size else "–"


def _describe(split: Split | None, name_of: Callable[[int], str]) -> tuple[str, str]:
    if split is None:
        return "none", "–"
    return shortened(name_of(split.feature_id), _NAME_WIDTH), f"{split.score:,.2f}"
