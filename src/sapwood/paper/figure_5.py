"""Figure 5: cumulative time on 20News."""

from __future__ import annotations

from pathlib import Path

from sapwood.paper.benchmark import benchmark_notes, benchmark_pieces
from sapwood.paper.cumulative import cumulative_claims, draw_cumulative, show_cumulative, tabulate_cumulative
from sapwood.paper.experiment import Experiment, Piece
from sapwood.paper.rows import Row
from sapwood.paper.settings import Settings
from sapwood.paper.sources import available

__all__ = ["EXPERIMENT", "reproduce"]


def _key(settings: Settings) -> str:
    """Return 20News, or, where it is not here, the data set with the name that comes last."""
    keys = [source.key for source in available(settings)]
    return "news20" if "news20" in keys else keys[-1]


def _pieces(settings: Settings) -> list[Piece]:
    key = _key(settings)
    return [piece for piece in benchmark_pieces(settings) if piece.name.startswith(f"{key}-repeat-")]


def _tabulate(rows: list[Row], _: Settings) -> list[Row]:
    return tabulate_cumulative(rows)


def _draw(table: list[Row], _: Settings, path: Path) -> None:
    draw_cumulative(table, path, across=True)


def _notes(settings: Settings) -> list[str]:
    return [note for note in benchmark_notes(settings) if note.startswith(("20News", "Text", "Of a data set"))]


EXPERIMENT = Experiment(
    name="figure-5",
    title="Figure 5: cumulative time on 20News",
    says=(
        "Two panels over the 20 thousand points of 20News, α = 0.1: BaseEnt rises, ever steeper, to 1,320 s and "
        "BaseGini to 700 s, while UpdEnt and UpdGini stay below 40 s."
    ),
    pieces=_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=cumulative_claims,
    shown=show_cumulative,
    notes=_notes,
)

reproduce = EXPERIMENT.reproduce
