"""What Figures 5 and 6 share: cumulative time along a benchmark data set."""

from __future__ import annotations

from pathlib import Path

from sapwood.paper.claims import Claim
from sapwood.paper.drawing import draw_line, label_ends, legend, panels, scaled_time
from sapwood.paper.experiment import Shown
from sapwood.paper.names import CRITERIA, SEARCHES, algorithm, data_name, impurity, ratio, spread_of, time_of
from sapwood.paper.rows import Line, Row, line, summarise
from sapwood.paper.settings import Settings
from sapwood.style import COUNTING, duration

__all__ = ["cumulative_claims", "draw_cumulative", "show_cumulative", "tabulate_cumulative"]

# The data sets of which the paper says that the baseline's time is convex: those with many features.
_CONVEX = ("farm", "news20")
# "Convex": the second half of the points takes this many times what the first half took.
_HALVES = 1.2


def tabulate_cumulative(rows: list[Row]) -> list[Row]:
    """Return the cumulative time at each checkpoint."""
    timed = [row for row in rows if row.get("seconds") is not None]
    return summarise(timed, ("data", "key", "stand_in", "criterion", "search", "n"), ("seconds", "times_counting"))


def _line(table: list[Row], key: str, criterion: str, search: str) -> Line:
    of = None if search == COUNTING else criterion
    return line(table, "n", key=key, criterion=of, search=search, quantity="seconds")


def _sets(table: list[Row]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row["key"], data_name(row)) for row in table))


def draw_cumulative(table: list[Row], path: Path, *, across: bool) -> None:
    """Draw a panel for each data set and criterion; `across` puts the criteria beside each other."""
    sets = _sets(table)
    rows, columns = (len(sets), len(CRITERIA)) if across else (len(CRITERIA), len(sets))
    with panels(rows, columns, path) as (figure, axes):
        for i, (key, name) in enumerate(sets):
            for j, criterion in enumerate(CRITERIA):
                place = i * columns + j if across else j * columns + i
                axis = axes[place]
                ends = []
                for search in (*SEARCHES, COUNTING):
                    points = _line(table, key, criterion, search)
                    draw_line(axis, points, search, x_scale=1e3)
                    ends.append((search, float(points.median[-1])))
                axis.set_title(f"({'abcdefghijklmnopqrstuvwxyz'[place]}) {name}, {impurity(criterion)}")
                axis.set_xlabel("points / 1000")
                axis.set_ylabel("time (s)")
                scaled_time(axis, ends)
                label_ends(axis, ends)
        legend(figure, (*SEARCHES, COUNTING))


def cumulative_claims(table: list[Row], _: Settings) -> list[Claim]:
    """Return what the paper says of the shape of the lines."""
    claims = []
    for key, name in _sets(table):
        if key not in _CONVEX:
            continue
        for criterion in CRITERIA:
            base, upd = (_line(table, key, criterion, search) for search in ("exhaustive", "approximate"))
            middle = int(abs(base.x - base.x[-1] / 2).argmin())
            halves = float((base.median[-1] - base.median[middle]) / base.median[middle])
            claims.append(
                Claim(
                    f"{name}: the time of {algorithm(criterion, 'exhaustive')} is convex.",
                    "–",
                    f"the second half of the points takes {halves:.2f} times what the first took",
                    halves >= _HALVES,
                )
            )
            behind = base.x[base.median < upd.median]
            upto = (
                f"faster up to {behind[-1]:,.0f} points" if behind.size else f"slower from {base.x[0]:,.0f} points on"
            )
            claims.append(
                Claim(
                    f"{name}: {algorithm(criterion, 'exhaustive')} may be faster at first, with few features seen.",
                    "–",
                    upto,
                    bool(behind.size),
                )
            )
    return claims


def show_cumulative(table: list[Row], _: Settings) -> Shown:
    """Return the time after a quarter, half and all of the points."""
    rows = []
    for key, name in _sets(table):
        marks = sorted({row["n"] for row in table if row["key"] == key})
        chosen = [min(marks, key=lambda n: abs(n - share * marks[-1])) for share in (0.25, 0.5, 1.0)]
        for criterion in (*CRITERIA, None):
            for search in SEARCHES if criterion else (COUNTING,):
                of = {"key": key, "criterion": criterion, "search": search}
                first = [spread_of(table, **of, n=n, quantity="seconds") for n in chosen[:2]]
                times = spread_of(table, **of, n=chosen[-1], quantity="times_counting")
                rows.append(
                    (
                        f"{name}, {marks[-1]:,} points",
                        algorithm(criterion or "", search),
                        *("–" if row is None else duration(row["median"]) for row in first),
                        time_of(spread_of(table, **of, n=chosen[-1], quantity="seconds")),
                        "–" if times is None else ratio(times["median"]),
                    )
                )
    columns = ("data", "algorithm", "a quarter of the points", "half", "all, with quartiles", "over counting only")
    return Shown(columns, rows)
