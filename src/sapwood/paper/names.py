"""What the paper calls the searches, and how numbers are written in a report."""

from __future__ import annotations

from collections.abc import Sequence

from sapwood.paper.rows import Row, pick
from sapwood.style import COUNTING, duration

__all__ = ["CRITERIA", "SEARCHES", "algorithm", "data_name", "impurity", "ratio", "spread_of", "time_of"]

CRITERIA = ("entropy", "gini")
"""The criteria of the paper."""

SEARCHES = ("exhaustive", "approximate", "certified")
"""The searches that are compared: the two of the paper, and the one that sapwood adds."""

_NAMES = {
    ("entropy", "exhaustive"): "BaseEnt",
    ("gini", "exhaustive"): "BaseGini",
    ("entropy", "approximate"): "UpdEnt",
    ("gini", "approximate"): "UpdGini",
    ("entropy", "plain"): "BaseEnt, plain",
    ("gini", "plain"): "BaseGini, plain",
    ("entropy", "certified"): "certified, entropy",
    ("gini", "certified"): "certified, Gini",
}


def data_name(row: Row) -> str:
    """Return the name of a data set, which says so if it is a stand-in."""
    return f"{row['data']}{' (stand-in)' if row['stand_in'] else ''}"


def impurity(criterion: str) -> str:
    """Return a criterion as prose spells it."""
    return "Gini" if criterion == "gini" else criterion


def algorithm(criterion: str, search: str) -> str:
    """Return the paper's name of an algorithm, or sapwood's where the paper has none."""
    return "counting only" if search == COUNTING else _NAMES[criterion, search]


def ratio(number: float) -> str:
    """Return a factor with three significant digits."""
    return f"{number:,.0f} ×" if number >= 100 else f"{number:.3g} ×"  # noqa: PLR2004 - three digits either way


def spread_of(table: Sequence[Row], **equal: object) -> Row | None:
    """Return the one row of a summary with these entries, or None if there is none."""
    rows = pick(table, **equal)
    return rows[0] if rows else None


def time_of(row: Row | None) -> str:
    """Return a median time with its quartiles."""
    if row is None:
        return "–"
    text = duration(row["median"])
    return text if row["repeats"] == 1 else f"{text} ({duration(row['lower'])} – {duration(row['upper'])})"
