"""Figure 6, of the appendix: cumulative time on every benchmark data set."""

from __future__ import annotations

from pathlib import Path

from sapwood.paper.benchmark import benchmark_notes, benchmark_pieces
from sapwood.paper.claims import Claim
from sapwood.paper.cumulative import cumulative_claims, draw_cumulative, show_cumulative, tabulate_cumulative
from sapwood.paper.experiment import Experiment
from sapwood.paper.rows import Row
from sapwood.paper.settings import Settings

__all__ = ["EXPERIMENT", "reproduce"]


def _tabulate(rows: list[Row], _: Settings) -> list[Row]:
    return tabulate_cumulative(rows)


def _draw(table: list[Row], _: Settings, path: Path) -> None:
    draw_cumulative(table, path, across=True)


def _claims(table: list[Row], settings: Settings) -> list[Claim]:
    """Return the claims about the data sets that Figure 5 does not show."""
    return cumulative_claims([row for row in table if row["key"] != "news20"], settings)


EXPERIMENT = Experiment(
    name="figure-6",
    title="Figure 6: cumulative time on every benchmark data set",
    says=(
        "Eight panels, α = 0.1: the cumulative times of UpdEnt and BaseEnt, and of UpdGini and BaseGini, on "
        "Author (up to 50 s and 12 s), Farm (6 s and 4 s), SRAA (80 s and 25 s) and 20News (1,320 s and 700 s)."
    ),
    pieces=benchmark_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=_claims,
    shown=show_cumulative,
    notes=benchmark_notes,
)

reproduce = EXPERIMENT.reproduce
