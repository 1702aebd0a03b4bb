"""Figure 2: time and number of trees against the number of points."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sapwood.paper.bounds import tree_bound
from sapwood.paper.claims import Claim
from sapwood.paper.drawing import draw_line, from_zero, label_ends, legend, panels
from sapwood.paper.experiment import Experiment, Shown
from sapwood.paper.names import CRITERIA, SEARCHES, algorithm, impurity, ratio, spread_of, time_of
from sapwood.paper.rows import Line, Row, line, pick, summarise
from sapwood.paper.settings import Settings
from sapwood.paper.synthetic import stream_pieces
from sapwood.style import COUNTING, line_style

__all__ = ["EXPERIMENT", "reproduce"]

# "Somewhat linearly": how much of the variance a straight line explains.
_LINEAR = 0.97


def _tabulate(rows: list[Row], _: Settings) -> list[Row]:
    kept = [row for row in rows if row["search"] != "plain"]
    return summarise(kept, ("criterion", "search", "n"), ("seconds", "times_counting", "trees"))


def _line(table: list[Row], criterion: str, search: str, quantity: str) -> Line:
    of = None if search == COUNTING else criterion
    return line(table, "n", criterion=of, search=search, quantity=quantity)


def _draw(table: list[Row], _: Settings, path: Path) -> None:
    with panels(1, 3, path) as (figure, axes):
        for axis, criterion, letter in ((axes[0], "entropy", "a"), (axes[2], "gini", "c")):
            ends = []
            for search in (*SEARCHES, COUNTING):
                points = _line(table, criterion, search, "seconds")
                draw_line(axis, points, search, x_scale=1000.0)
                ends.append((search, float(points.median[-1])))
            axis.set_ylabel("time (s)")
            axis.set_title(f"({letter}) time, {impurity(criterion)}")
            from_zero(axis)
            label_ends(axis, ends)
        colour = line_style("approximate").colour
        for criterion, dashes, marker in (("entropy", "solid", "o"), ("gini", "dashed", "s")):
            points = _line(table, criterion, "approximate", "trees")
            axes[1].fill_between(points.x / 1000, points.lower, points.upper, color=colour, alpha=0.18, linewidth=0)
            axes[1].plot(
                points.x / 1000,
                points.median,
                color=colour,
                linestyle=dashes,
                marker=marker,
                markersize=5,
                label=algorithm(criterion, "approximate"),
            )
        axes[1].set_ylabel("number of trees")
        axes[1].set_title("(b) trees in use")
        axes[1].legend(frameon=False)
        from_zero(axes[1])
        for axis in axes:
            axis.set_xlabel("points / 1000")
        legend(figure, (*SEARCHES, COUNTING))


def _linearity(points: Line) -> float:
    if points.x.size < 3:  # noqa: PLR2004 - two points are always on a line
        return 1.0
    correlation = np.corrcoef(points.x, points.median)[0, 1]
    return float(correlation * correlation)


def _claims(table: list[Row], settings: Settings) -> list[Claim]:
    claims = []
    for criterion in CRITERIA:
        for search in ("exhaustive", "approximate"):
            explained = _linearity(_line(table, criterion, search, "seconds"))
            claims.append(
                Claim(
                    f"The time of {algorithm(criterion, search)} grows somewhat linearly with the points.",
                    "–",
                    f"a straight line explains {explained:.1%} of the variance",
                    explained >= _LINEAR,
                )
            )
    entropy, gini = (_line(table, criterion, "approximate", "trees") for criterion in CRITERIA)
    claims.append(
        Claim(
            "The number of non-empty trees of UpdEnt decreases as points come.",
            "20 to 10",
            f"{entropy.median[0]:g} at n = {entropy.x[0]:,.0f} to {entropy.median[-1]:g} at n = {entropy.x[-1]:,.0f}",
            bool(entropy.median[-1] < entropy.median[0]),
        )
    )
    claims.append(
        Claim(
            "The number of non-empty trees of UpdGini remains constant, approximately 10.",
            "about 10",
            f"from {gini.median.min():g} to {gini.median.max():g}",
            bool(np.ptp(gini.median) <= 3.0 and 7.0 <= gini.median.mean() <= 13.0),  # noqa: PLR2004 - "approximately"
        )
    )
    within = [
        upper <= tree_bound(criterion, settings.alpha, int(n))
        for criterion, points in zip(CRITERIA, (entropy, gini), strict=True)
        for n, upper in zip(points.x.tolist(), points.upper.tolist(), strict=True)
    ]
    last = int(entropy.x[-1])
    bound = tree_bound("entropy", settings.alpha, last)
    claims.append(
        Claim(
            "The trees stay within the number of intervals that the propositions give, at every n.",
            "O(α⁻¹ log log n), O(α⁻¹)",
            f"{entropy.median[-1]:g} of {bound} for UpdEnt at n = {last:,}",
            all(within),
        )
    )
    for criterion in CRITERIA:
        times = pick(table, criterion=criterion, search="certified", n=last, quantity="times_counting")[0]["median"]
        exact, paper = (_line(table, criterion, search, "seconds").median for search in ("certified", "approximate"))
        claims.append(
            Claim(
                f"The certified search, which is exact, is faster at all n than {algorithm(criterion, 'approximate')}.",
                "–",
                f"{ratio(float(paper[-1] / exact[-1]))} as fast at n = {last:,}; {ratio(times)} counting only",
                bool((exact < paper).all()),
                ours=True,
            )
        )
    return claims


def _shown(table: list[Row], _: Settings) -> Shown:
    last = max(row["n"] for row in table)
    rows = []
    for criterion in (*CRITERIA, None):
        for search in SEARCHES if criterion else (COUNTING,):
            of = {"criterion": criterion, "search": search, "n": last}
            trees = spread_of(table, **of, quantity="trees")
            times = spread_of(table, **of, quantity="times_counting")
            rows.append(
                (
                    algorithm(criterion or "", search),
                    time_of(spread_of(table, **of, quantity="seconds")),
                    "–" if times is None else ratio(times["median"]),
                    "–" if trees is None else f"{trees['median']:g} ({trees['lower']:g} – {trees['upper']:g})",
                )
            )
    return Shown(("algorithm", f"time for {last:,} points", "over counting only", "trees"), rows)


EXPERIMENT = Experiment(
    name="figure-2",
    title="Figure 2: time and trees against the number of points",
    says=(
        "Three panels over n up to 10,000 points of sparse(10000, 10, 10000, 0.001), α = 0.1: the running times "
        "of UpdEnt (0.26 s at the end) and BaseEnt (4.52 s), the number of non-empty trees of UpdEnt, which falls "
        "from about 20 to 10, and the running times of UpdGini (0.23 s) and BaseGini (1.69 s)."
    ),
    pieces=stream_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=_claims,
    shown=_shown,
)

reproduce = EXPERIMENT.reproduce
