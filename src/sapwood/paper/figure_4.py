"""Figure 4: time against dimension and density."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sapwood.paper.claims import Claim
from sapwood.paper.drawing import draw_line, label_ends, legend, panels, scaled_time
from sapwood.paper.experiment import Experiment, Shown
from sapwood.paper.names import CRITERIA, SEARCHES, algorithm, impurity, ratio, spread_of, time_of
from sapwood.paper.rows import Line, Row, line, summarise
from sapwood.paper.settings import Settings
from sapwood.paper.synthetic import dimension_pieces
from sapwood.style import COUNTING

__all__ = ["EXPERIMENT", "reproduce"]


def _tabulate(rows: list[Row], _: Settings) -> list[Row]:
    # The density of a data set is that of its points; repeats differ in the third digit.
    densities: dict[int, list[float]] = {}
    for row in rows:
        densities.setdefault(row["d"], []).append(row["density"])
    table = summarise(rows, ("criterion", "search", "d"), ("seconds", "times_counting"))
    return [{"density": float(np.median(densities[row["d"]])), **row} for row in table]


def _line(table: list[Row], criterion: str, search: str, x: str) -> Line:
    of = None if search == COUNTING else criterion
    return line(table, x, criterion=of, search=search, quantity="seconds")


def _draw(table: list[Row], _: Settings, path: Path) -> None:
    with panels(2, 2, path) as (figure, axes):
        for row, criterion in enumerate(CRITERIA):
            ends = [(s, float(_line(table, criterion, s, "d").median[-1])) for s in (*SEARCHES, COUNTING)]
            for axis, x, scale, label in (
                (axes[2 * row], "d", 1e3, "noise features / 1000"),
                (axes[2 * row + 1], "density", 1.0, "density (share of ones)"),
            ):
                for search in (*SEARCHES, COUNTING):
                    draw_line(axis, _line(table, criterion, search, x), search, x_scale=scale)
                axis.set_xlabel(label)
                axis.set_ylabel("time (s)")
                axis.set_title(f"({'abcd'[2 * row + (x == 'density')]}) {impurity(criterion)}")
                scaled_time(axis, ends)
            label_ends(axes[2 * row], ends)
        legend(figure, (*SEARCHES, COUNTING))


def _claims(table: list[Row], _: Settings) -> list[Claim]:
    claims = []
    for criterion in CRITERIA:
        base, upd = (_line(table, criterion, search, "d") for search in ("exhaustive", "approximate"))
        gain = base.median / upd.median
        sizes = f"d = {base.x[0]:,.0f}", f"d = {base.x[-1]:,.0f}"
        names = algorithm(criterion, "approximate"), algorithm(criterion, "exhaustive")
        claims.append(
            Claim(
                f"{names[0]} is especially beneficial over {names[1]} with sparse data.",
                "from about 1 × to 17 ×" if criterion == "entropy" else "from about 1 × to 7 ×",
                f"{ratio(float(gain[0]))} as fast at {sizes[0]}, {ratio(float(gain[-1]))} at {sizes[1]}",
                bool(gain[-1] > gain[0] and gain[-1] > 1.0),
            )
        )
        certified = _line(table, criterion, "certified", "d")
        times = certified.median / _line(table, criterion, COUNTING, "d").median
        claims.append(
            Claim(
                f"The certified search for {impurity(criterion)} is faster than both at every density.",
                "–",
                f"{ratio(float(times.min()))} to {ratio(float(times.max()))} counting only",
                bool((certified.median < np.minimum(base.median, upd.median)).all()),
                ours=True,
            )
        )
    return claims


def _shown(table: list[Row], settings: Settings) -> Shown:
    sizes = (min(settings.dimensions), max(settings.dimensions))
    rows = []
    for criterion in (*CRITERIA, None):
        for search in SEARCHES if criterion else (COUNTING,):
            entries = []
            for d in sizes:
                of = {"criterion": criterion, "search": search, "d": d}
                times = spread_of(table, **of, quantity="times_counting")
                entries += [
                    time_of(spread_of(table, **of, quantity="seconds")),
                    "–" if times is None else ratio(times["median"]),
                ]
            rows.append((algorithm(criterion or "", search), *entries))
    columns = [heading for d in sizes for heading in (f"time, d = {d:,}", "over counting only")]
    return Shown(("algorithm", *columns), rows)


EXPERIMENT = Experiment(
    name="figure-4",
    title="Figure 4: time against dimension and density",
    says=(
        "Four panels from 96 data sets sparse(10000, 10, d, 10/d), d = 500, 600, …, 10000: the running times of "
        "UpdEnt and BaseEnt, and of UpdGini and BaseGini, against d and against the share of ones. The baselines "
        "rise with d to 4.5 s and 1.7 s, the approximations stay about level."
    ),
    pieces=dimension_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=_claims,
    shown=_shown,
)

reproduce = EXPERIMENT.reproduce
