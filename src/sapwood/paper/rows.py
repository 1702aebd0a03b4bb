"""Tables as lists of rows: what the pieces of an experiment give, and what is written to CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Line", "Row", "line", "pick", "summarise", "value", "write_csv", "write_text"]

Row = dict[str, Any]
"""A line of a table: the name of each column with its entry, a string, a number, a truth value or None."""

SPREAD = ("median", "lower", "upper", "repeats")


class Line(NamedTuple):
    """A line of a picture: medians with quartiles."""

    x: npt.NDArray[np.float64]
    median: npt.NDArray[np.float64]
    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]


def summarise(rows: Iterable[Row], by: Sequence[str], quantities: Sequence[str]) -> list[Row]:
    """Return one row for each group and quantity: the columns `by`, `quantity`, median, quartiles, and how many.

    A quantity that is None, or absent, in a row is left out there; groups keep the order of their first rows.
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in by), []).append(row)
    table = []
    for key, members in groups.items():
        for quantity in quantities:
            values = [float(member[quantity]) for member in members if member.get(quantity) is not None]
            if values:
                lower, median, upper = np.percentile(values, [25.0, 50.0, 75.0]).tolist()
                spread = dict(zip(SPREAD, (median, lower, upper, len(values)), strict=True))
                table.append({**dict(zip(by, key, strict=True)), "quantity": quantity, **spread})
    return table


def pick(table: Iterable[Row], **equal: object) -> list[Row]:
    """Return the rows whose columns have these entries."""
    return [row for row in table if all(row.get(name) == entry for name, entry in equal.items())]


def value(table: Iterable[Row], **equal: object) -> float:
    """Return the median of the one row whose columns have these entries."""
    rows = pick(table, **equal)
    if len(rows) != 1:
        raise KeyError(f"value: the table must have one row with {equal}, got {len(rows)}")
    return float(rows[0]["median"])


def line(table: Iterable[Row], x: str, **equal: object) -> Line:
    """Return the rows whose columns have these entries as a line over the column `x`, in ascending order."""
    rows = sorted(pick(table, **equal), key=lambda row: float(row[x]))
    columns = ([float(row[name]) for row in rows] for name in (x, "median", "lower", "upper"))
    return Line(*(np.asarray(column, dtype=np.float64) for column in columns))


def write_csv(table: Sequence[Row], path: Path) -> Path:
    """Write a table to a file, which is complete or is not there."""
    columns = list(dict.fromkeys(name for row in table for name in row))
    temporary = path.with_name(path.name + ".part")
    with temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    temporary.replace(path)
    return path


def write_text(text: str, path: Path) -> Path:
    """Write a text to a file, which is complete or is not there."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
    return path
