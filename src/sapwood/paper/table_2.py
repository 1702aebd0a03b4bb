"""Table 2: the running times on the benchmark data sets."""

from __future__ import annotations

from pathlib import Path

from sapwood.paper.benchmark import benchmark_notes, benchmark_pieces
from sapwood.paper.claims import Claim
from sapwood.paper.drawing import LEGEND, panels
from sapwood.paper.experiment import Experiment, Shown
from sapwood.paper.names import CRITERIA, SEARCHES, algorithm, data_name, impurity, ratio, spread_of, time_of
from sapwood.paper.rows import Row, summarise, value
from sapwood.paper.settings import Settings
from sapwood.paper.sources import PAPER
from sapwood.style import COUNTING, duration, line_style

__all__ = ["EXPERIMENT", "reproduce"]

_MARKERS = {"exhaustive": "s", "approximate": "o", "certified": "D", COUNTING: "|"}


def _tabulate(rows: list[Row], _: Settings) -> list[Row]:
    ends = {
        key: max(row["n"] for row in rows if row["key"] == key) for key in dict.fromkeys(row["key"] for row in rows)
    }
    last = [row for row in rows if row["n"] == ends[row["key"]] and row.get("seconds") is not None]
    return summarise(last, ("data", "key", "stand_in", "n", "criterion", "search"), ("seconds", "times_counting"))


def _sets(table: list[Row]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row["key"], data_name(row)) for row in table))


def _seconds(table: list[Row], key: str, criterion: str, search: str) -> float:
    of = None if search == COUNTING else criterion
    return value(table, key=key, criterion=of, search=search, quantity="seconds")


def _draw(table: list[Row], _: Settings, path: Path) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.ticker import LogLocator

    sets = _sets(table)
    with panels(1, 2, path) as (figure, axes):
        for axis, criterion in zip(axes, CRITERIA, strict=True):
            for place, (key, _name) in enumerate(sets):
                for search in (*SEARCHES, COUNTING):
                    axis.plot(
                        [_seconds(table, key, criterion, search)],
                        [place],
                        marker=_MARKERS[search],
                        markersize=15 if search == COUNTING else 10,
                        markeredgewidth=3.0 if search == COUNTING else 1.0,
                        color=line_style(search).colour,
                        linestyle="none",
                    )
                    if key in PAPER and search in ("exhaustive", "approximate"):
                        axis.plot(
                            [PAPER[key].seconds[criterion, search]],
                            [place + 0.28],
                            marker=_MARKERS[search],
                            markersize=11,
                            markeredgewidth=2.0,
                            markerfacecolor="none",
                            color=line_style(search).colour,
                            linestyle="none",
                        )
            axis.set_xscale("log")
            axis.set_xlabel("time for the data set, log scale")
            axis.set_xticks([1e-3, 1e-1, 1e1, 1e3], ["1 ms", "0.1 s", "10 s", "1000 s"])
            axis.xaxis.set_minor_locator(LogLocator(10.0, numticks=99))
            axis.xaxis.set_minor_formatter(lambda *_: "")
            axis.set_yticks(list(range(len(sets))), [name.replace(" (", "\n(") for _, name in sets])
            axis.set_ylim(len(sets) - 0.4, -0.6)
            axis.set_title(impurity(criterion))
        handles = [
            Line2D(
                [],
                [],
                marker=_MARKERS[s],
                markersize=10,
                color=line_style(s).colour,
                linestyle="none",
                markeredgewidth=2.0,
            )
            for s in (*SEARCHES, COUNTING)
        ]
        hollow = Line2D([], [], marker="s", markersize=12, markerfacecolor="none", color="#16325c", linestyle="none")
        figure.legend(
            [*handles, hollow],
            [*(LEGEND[s] for s in (*SEARCHES, COUNTING)), "hollow: the paper"],
            loc="outside upper center",
            ncols=3,
            frameon=False,
            fontsize=13,
        )


def _claims(table: list[Row], _: Settings) -> list[Claim]:
    claims = []
    for key, name in _sets(table):
        published = PAPER.get(key)
        for criterion in CRITERIA:
            upd, base, exact = (
                _seconds(table, key, criterion, search) for search in ("approximate", "exhaustive", "certified")
            )
            printed = published.seconds if published else None
            claims.append(
                Claim(
                    f"{name}: {algorithm(criterion, 'approximate')} beats {algorithm(criterion, 'exhaustive')}.",
                    ratio(printed[criterion, "exhaustive"] / printed[criterion, "approximate"]) if printed else "–",
                    ratio(base / upd),
                    upd < base,
                )
            )
            claims.append(
                Claim(
                    f"{name}: the certified search for {impurity(criterion)}, which is exact, is faster than either.",
                    "–",
                    f"{ratio(base / exact)} as fast as {algorithm(criterion, 'exhaustive')}, "
                    f"{ratio(upd / exact)} as fast as {algorithm(criterion, 'approximate')}",
                    exact < min(upd, base),
                    ours=True,
                )
            )
    return claims


def _shown(table: list[Row], _: Settings) -> Shown:
    rows = []
    for key, name in _sets(table):
        published = PAPER.get(key)
        whole = {row["n"] for row in table if row["key"] == key}
        for criterion in (*CRITERIA, None):
            for search in SEARCHES if criterion else (COUNTING,):
                of = {"key": key, "criterion": criterion, "search": search}
                times = spread_of(table, **of, quantity="times_counting")
                printed = published.seconds.get((criterion or "", search)) if published else None
                rows.append(
                    (
                        name,
                        f"{max(whole):,}",
                        algorithm(criterion or "", search),
                        "–" if printed is None else duration(printed),
                        time_of(spread_of(table, **of, quantity="seconds")),
                        "–" if times is None else ratio(times["median"]),
                    )
                )
    return Shown(("data", "points", "algorithm", "paper, all points", "here", "over counting only"), rows)


EXPERIMENT = Experiment(
    name="table-2",
    title="Table 2: running times on the benchmark data sets",
    says=(
        "UpdEnt, BaseEnt, UpdGini and BaseGini, α = 0.1, asked after every point: Author 6.71 s, 47.57 s, 6.41 s, "
        "11.49 s; Farm 2.75 s, 5.52 s, 2.44 s, 3.78 s; SRAA 11.52 s, 78 s, 7.86 s, 25.37 s; 20News 39.35 s, 22 "
        "min 7 s, 31.51 s, 11 min 46 s."
    ),
    pieces=benchmark_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=_claims,
    shown=_shown,
    notes=benchmark_notes,
)

reproduce = EXPERIMENT.reproduce
