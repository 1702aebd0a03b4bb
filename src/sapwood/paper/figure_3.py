"""Figure 3: the time for a single point against the number of points."""

from __future__ import annotations

from pathlib import Path

from sapwood.paper.claims import Claim
from sapwood.paper.drawing import draw_line, from_zero, legend, panels
from sapwood.paper.experiment import Experiment, Shown
from sapwood.paper.names import CRITERIA, SEARCHES, algorithm, impurity, spread_of, time_of
from sapwood.paper.rows import Line, Row, line, summarise
from sapwood.paper.settings import Settings
from sapwood.paper.synthetic import stream_pieces
from sapwood.style import COUNTING, duration

__all__ = ["EXPERIMENT", "reproduce"]

_TURNING_POINT = 2_000  # until which the paper sees UpdGini speed up


def _tabulate(rows: list[Row], _: Settings) -> list[Row]:
    """Return the time so far over the points so far, as the paper draws it, and the time of the latest points."""
    timed = [dict(row) for row in rows if row["search"] != "plain" and row.get("seconds") is not None]
    last: dict[tuple[object, ...], tuple[int, float]] = {}
    for row in sorted(timed, key=lambda row: int(row["n"])):
        series = (row["repeat"], row["criterion"], row["search"])
        n, seconds = last.get(series, (0, 0.0))
        row["seconds_over_n"] = row["seconds"] / row["n"]
        row["seconds_of_latest"] = (row["seconds"] - seconds) / (row["n"] - n)
        last[series] = (row["n"], row["seconds"])
    return summarise(timed, ("criterion", "search", "n"), ("seconds_over_n", "seconds_of_latest"))


def _line(table: list[Row], criterion: str, search: str, quantity: str = "seconds_over_n") -> Line:
    of = None if search == COUNTING else criterion
    return line(table, "n", criterion=of, search=search, quantity=quantity)


def _draw(table: list[Row], _: Settings, path: Path) -> None:
    with panels(2, 2, path) as (figure, axes):
        for row, criterion in enumerate(CRITERIA):
            fast, slow = axes[2 * row : 2 * row + 2]
            for search in ("approximate", "certified", COUNTING):
                draw_line(fast, _line(table, criterion, search), search, x_scale=1e3, y_scale=1e-6)
            fast.set_ylabel("time (µs) / n")
            fast.set_title(f"({'ac'[row]}) {algorithm(criterion, 'approximate')} and certified")
            draw_line(slow, _line(table, criterion, "exhaustive"), "exhaustive", x_scale=1e3, y_scale=1e-3)
            slow.set_ylabel("time (ms) / n")
            slow.set_title(f"({'bd'[row]}) {algorithm(criterion, 'exhaustive')}")
            for axis in (fast, slow):
                axis.set_xlabel("points / 1000")
                from_zero(axis)
        legend(figure, (*SEARCHES, COUNTING))


def _claims(table: list[Row], _: Settings) -> list[Claim]:
    claims = []
    paper = {
        ("entropy", "approximate"): "20 µs to 26 µs",
        ("entropy", "exhaustive"): "to 0.45 ms",
        ("gini", "approximate"): "to 23 µs",
        ("gini", "exhaustive"): "to 0.17 ms",
    }
    for criterion in CRITERIA:
        for search in ("approximate", "exhaustive"):
            points = _line(table, criterion, search)
            first, last = points.median[0], points.median[-1]
            claims.append(
                Claim(
                    f"The time of {algorithm(criterion, search)} for a point increases with the points seen.",
                    paper[criterion, search],
                    f"{duration(first)} at n = {points.x[0]:,.0f}, {duration(last)} at n = {points.x[-1]:,.0f}",
                    bool(last > first),
                )
            )
    points = _line(table, "gini", "approximate")
    turn = int(abs(points.x - _TURNING_POINT).argmin())
    claims.append(
        Claim(
            "UpdGini is slower for early points, and speeds up until 2,000 points have been seen.",
            "22 µs down to 18 µs",
            f"{duration(points.median[0])} at n = {points.x[0]:,.0f}, {duration(points.median[turn])} at "
            f"n = {points.x[turn]:,.0f}",
            bool(points.median[0] > points.median[turn]) if turn > 0 else None,
        )
    )
    for criterion in CRITERIA:
        points = _line(table, criterion, "certified", "seconds_of_latest")
        claims.append(
            Claim(
                f"A point costs the certified search for {impurity(criterion)} no more at the end than at first.",
                "–",
                f"{duration(points.median[0])} for the first {points.x[0]:,.0f}, {duration(points.median[-1])} for "
                f"the last",
                bool(points.median[-1] <= points.median[0]),
                ours=True,
            )
        )
    return claims


def _shown(table: list[Row], _: Settings) -> Shown:
    marks = sorted({row["n"] for row in table})
    chosen = sorted({min(marks, key=lambda n: abs(n - wanted)) for wanted in (500, _TURNING_POINT, marks[-1])})
    rows = []
    for criterion in (*CRITERIA, None):
        for search in SEARCHES if criterion else (COUNTING,):
            of = {"criterion": criterion, "search": search, "quantity": "seconds_over_n"}
            times = [time_of(spread_of(table, **of, n=n)) for n in chosen]
            rows.append((algorithm(criterion or "", search), *times))
    return Shown(("algorithm", *(f"time / n at n = {n:,}" for n in chosen)), rows)


EXPERIMENT = Experiment(
    name="figure-3",
    title="Figure 3: time for a single point",
    says=(
        "Four panels over n up to 10,000 points, each with a scale of its own: the time so far divided by n, for "
        "UpdEnt (18 µs to 26 µs), BaseEnt (up to 0.45 ms), UpdGini (22 µs, falling to 18 µs at 2,000 points, then "
        "rising) and BaseGini (up to 0.17 ms)."
    ),
    pieces=stream_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=_claims,
    shown=_shown,
)

reproduce = EXPERIMENT.reproduce
