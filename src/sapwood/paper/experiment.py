"""An experiment of the paper: the pieces of work it is made of, its table, its picture, its claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sapwood.paper.claims import Claim
from sapwood.paper.measure import Tick
from sapwood.paper.rows import Row, write_csv
from sapwood.paper.settings import Settings
from sapwood.paper.store import Store

__all__ = ["Experiment", "Piece", "Progress", "Result", "Shown", "complete"]

Progress = Callable[[str, float, float], None]
"""Told what is being done, how much of the work is done, and how much there is in all."""


@dataclass(frozen=True)
class Piece:
    """A piece of work that is done whole or not at all, and kept. Experiments may share it."""

    series: str
    name: str
    parameters: dict[str, Any]
    """All that its rows depend on; only what JSON can hold."""
    run: Callable[[Tick], list[Row]] = field(compare=False)
    size: float = 1.0
    """About how long it takes beside the others."""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from other pieces."""
        return self.series, self.name


class Shown(NamedTuple):
    """The table that a report shows."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Result:
    """A finished experiment."""

    experiment: Experiment
    table: list[Row]
    csv: Path
    picture: Path | None
    """None where there was nothing to draw."""
    claims: list[Claim]
    notes: list[str]
    """What was left out, and why; which data are stand-ins."""
    shown: Shown


@dataclass(frozen=True)
class Experiment:
    """A figure, a table or the findings in the text. `reproduce` runs it alone."""

    name: str
    title: str
    says: str
    """What the paper shows there."""
    pieces: Callable[[Settings], list[Piece]]
    tabulate: Callable[[list[Row], Settings], list[Row]]
    """From the rows of the pieces to the tidy table."""
    draw: Callable[[list[Row], Settings, Path], None]
    claims: Callable[[list[Row], Settings], list[Claim]]
    shown: Callable[[list[Row], Settings], Shown]
    notes: Callable[[Settings], list[str]] = lambda _: []

    def reproduce(
        self, output: str | Path, settings: Settings | None = None, progress: Progress | None = None
    ) -> Result:
        """Run what is not yet done, and write the table as CSV and the picture as PNG into the folder `output`.

        Needs matplotlib, which the extra `plot` installs. An interrupt keeps the pieces that are finished, in
        `output`/pieces; the next call goes on from there.
        """
        settings = Settings() if settings is None else settings
        folder = Path(output)
        folder.mkdir(parents=True, exist_ok=True)
        pieces = self.pieces(settings)
        held = complete(pieces, Store(folder / "pieces"), progress)
        return self.finish([row for piece in pieces for row in held[piece.key]], folder, settings)

    def finish(self, rows: list[Row], folder: Path, settings: Settings) -> Result:
        """Write table and picture from the rows of the pieces."""
        table = self.tabulate(rows, settings)
        picture = folder / f"{self.name}.png"
        if table:
            self.draw(table, settings, picture)
        return Result(
            experiment=self,
            table=table,
            csv=write_csv(table, folder / f"{self.name}.csv"),
            picture=picture if table else None,
            claims=self.claims(table, settings) if table else [],
            notes=self.notes(settings),
            shown=self.shown(table, settings) if table else Shown((), ()),
        )


def complete(
    pieces: Sequence[Piece], store: Store, progress: Progress | None = None
) -> dict[tuple[str, str], list[Row]]:
    """Return the rows of every piece by its key, running and keeping those that the store has not.

    A piece that several experiments share is run once.
    """
    pieces = list({piece.key: piece for piece in pieces}.values())
    held = {piece.key: store.get(piece.series, piece.name, piece.parameters) for piece in pieces}
    total = sum(piece.size for piece in pieces)
    done = sum(piece.size for piece in pieces if held[piece.key] is not None)
    for piece in pieces:
        if held[piece.key] is not None:
            continue

        def tick(share: float, done: float = done, piece: Piece = piece) -> None:
            if progress is not None:
                progress(f"{piece.series}: {piece.name}", done + share * piece.size, total)

        tick(0.0)
        rows = piece.run(tick)
        store.put(piece.series, piece.name, piece.parameters, rows)
        held[piece.key] = rows
        done += piece.size
    if progress is not None:
        progress("done", total, total)
    return {key: rows or [] for key, rows in held.items()}
