"""Figure 1: the number of search trees and the time against the guarantee α."""

from __future__ import annotations

from pathlib import Path

from sapwood.paper.bounds import tree_bound
from sapwood.paper.claims import Claim
from sapwood.paper.drawing import draw_line, from_zero, label_ends, legend, panels
from sapwood.paper.experiment import Experiment, Shown
from sapwood.paper.names import CRITERIA, SEARCHES, algorithm, impurity, ratio, spread_of, time_of
from sapwood.paper.rows import Line, Row, line, pick, summarise, value
from sapwood.paper.settings import Settings
from sapwood.paper.synthetic import alpha_pieces
from sapwood.style import COUNTING

__all__ = ["EXPERIMENT", "reproduce"]

# "Relatively constant": the slowest within this factor of the fastest.
_CONSTANT = 1.5
# "Rises": by this factor at the smallest α, and nowhere between is it faster by it.
_RISES = 1.1


def _tabulate(rows: list[Row], settings: Settings) -> list[Row]:
    shown = [row for row in rows if row.get("alpha") is None or row["alpha"] <= max(settings.alphas)]
    return summarise(shown, ("criterion", "search", "alpha"), ("trees", "seconds", "times_counting"))


def _draw(table: list[Row], settings: Settings, path: Path) -> None:
    with panels(2, 2, path) as (figure, axes):
        for row, criterion in enumerate(CRITERIA):
            trees, times = axes[2 * row : 2 * row + 2]
            name = algorithm(criterion, "approximate")
            draw_line(trees, _approximate(table, criterion, "trees"), "approximate")
            trees.set_ylabel("number of trees")
            trees.set_title(f"({'ac'[row]}) {name}: trees in use")
            points = _approximate(table, criterion, "seconds")
            draw_line(times, points, "approximate")
            last = [("approximate", float(points.median[-1]))]
            for search in ("exhaustive", "certified", COUNTING):
                # These know no guarantee: a level line.
                of = None if search == COUNTING else criterion
                level = pick(table, criterion=of, search=search, quantity="seconds")
                ends = [{**level[0], "alpha": alpha} for alpha in (min(settings.alphas), max(settings.alphas))]
                draw_line(times, line(ends, "alpha"), search)
                last.append((search, float(level[0]["median"])))
            times.set_ylabel("time (s)")
            times.set_title(f"({'bd'[row]}) time, {impurity(criterion)}")
            for axis in (trees, times):
                axis.set_xlabel("guarantee α")
                from_zero(axis)
            label_ends(times, last)
        legend(figure, (*SEARCHES, COUNTING))


def _approximate(table: list[Row], criterion: str, quantity: str) -> Line:
    return line(table, "alpha", criterion=criterion, search="approximate", quantity=quantity)


def _claims(table: list[Row], settings: Settings) -> list[Claim]:
    claims = []
    for criterion in CRITERIA:
        name = algorithm(criterion, "approximate")
        trees = _approximate(table, criterion, "trees")
        first, middle, last = (trees.median[i] for i in (0, int(abs(trees.x - 1.0).argmin()), -1))
        falls = bool((trees.median[1:] <= trees.median[:-1] + 0.5).all() and last < first)
        claims.append(
            Claim(
                f"The number of trees of {name} declines as α grows.",
                "about 20 to 2" if criterion == "entropy" else "about 12 to 3",
                f"{first:g} at α = {trees.x[0]:g} to {last:g} at α = {trees.x[-1]:g}",
                falls,
            )
        )
        early = (first - middle) / max(1.0 - trees.x[0], 1e-9)
        late = (middle - last) / max(trees.x[-1] - 1.0, 1e-9)
        claims.append(
            Claim(
                f"The decline of the trees of {name} slows down as α grows.",
                "–",
                f"{early:.1f} trees for a unit of α below 1, {late:.1f} above",
                bool(early > late),
            )
        )
        bounds = [tree_bound(criterion, alpha, settings.n) for alpha in trees.x.tolist()]
        claims.append(
            Claim(
                f"The trees of {name} stay within the number of intervals that the propositions give.",
                "O(α⁻¹ log log n)" if criterion == "entropy" else "O(α⁻¹)",
                f"{first:g} of {bounds[0]} at α = {trees.x[0]:g}, {last:g} of {bounds[-1]} at α = {trees.x[-1]:g}",
                all(upper <= bound for upper, bound in zip(trees.upper.tolist(), bounds, strict=True)),
            )
        )
    of = {criterion: _approximate(table, criterion, "trees").median for criterion in CRITERIA}
    fewer = int((of["gini"] < of["entropy"]).sum())
    claims.append(
        Claim(
            "UpdGini has fewer non-empty trees than UpdEnt.",
            "up to 12 against up to 20",
            f"at {fewer} of {len(of['gini'])} guarantees; {of['gini'][0]:g} against {of['entropy'][0]:g} at the first",
            fewer == len(of["gini"]),
        )
    )
    for criterion in CRITERIA:
        name = algorithm(criterion, "approximate")
        times = _approximate(table, criterion, "seconds")
        above = times.median[times.x >= settings.alpha]
        below = times.median[times.x <= settings.alpha]
        claims.append(
            Claim(
                f"The time of {name} is relatively constant for α > 0.1.",
                "–",
                f"the slowest takes {above.max() / above.min():.2f} times the fastest",
                bool(above.max() <= _CONSTANT * above.min()),
            )
        )
        claims.append(
            Claim(
                f"The time of {name} rises as α falls below 0.1.",
                "–",
                f"at α = {times.x[0]:g}, {ratio(below[0] / below[-1])} that at α = {settings.alpha:g}",
                bool(below[0] > _RISES * below[-1] and (below[:-1] >= below[-1] / _RISES).all()),
            )
        )
    for criterion in CRITERIA:
        certified = value(table, criterion=criterion, search="certified", quantity="seconds")
        fastest = _approximate(table, criterion, "seconds").median.min()
        claims.append(
            Claim(
                f"The certified search, which is exact, is faster than {algorithm(criterion, 'approximate')} at any α.",
                "–",
                f"{ratio(float(fastest / certified))} as fast as its fastest",
                bool(certified < fastest),
                ours=True,
            )
        )
    return claims


def _shown(table: list[Row], settings: Settings) -> Shown:
    chosen = [alpha for alpha in settings.alphas if alpha in (0.01, 0.1, 1.0, 5.0)] or [settings.alphas[0]]
    rows = []
    for criterion in CRITERIA:
        for search, alphas in (("approximate", chosen), ("exhaustive", [None]), ("certified", [None])):
            for alpha in alphas:
                of = {"criterion": criterion, "search": search, "alpha": alpha}
                trees = spread_of(table, **of, quantity="trees")
                times = spread_of(table, **of, quantity="times_counting")
                rows.append(
                    (
                        algorithm(criterion, search),
                        "–" if alpha is None else f"{alpha:g}",
                        "–" if trees is None else f"{trees['median']:g}",
                        time_of(spread_of(table, **of, quantity="seconds")),
                        "–" if times is None else ratio(times["median"]),
                    )
                )
    return Shown(("algorithm", "α", "trees", "time, with quartiles", "over counting only"), rows)


EXPERIMENT = Experiment(
    name="figure-1",
    title="Figure 1: trees and time against the guarantee α",
    says=(
        "Four panels over α from 0.01 to 5, for UpdEnt and for UpdGini: the number of non-empty search trees "
        "after the last point of sparse(10000, 10, 10000, 0.001), from 20 down to 2 and from 12 down to 3, and "
        "the running time, between 0.25 s and 0.5 s, and between 0.2 s and 0.8 s."
    ),
    pieces=alpha_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=_claims,
    shown=_shown,
)

reproduce = EXPERIMENT.reproduce
