"""Runs the experiments and writes the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sapwood.paper import figure_1, figure_2, figure_3, figure_4, figure_5, figure_6, findings, table_1, table_2
from sapwood.paper.claims import Claim
from sapwood.paper.experiment import Experiment, Progress, Result, complete
from sapwood.paper.report import write_report
from sapwood.paper.settings import Settings
from sapwood.paper.store import Store

__all__ = ["EXPERIMENTS", "Reproduction", "reproduce"]

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (figure_1, figure_2, figure_3, figure_4, table_1, table_2, figure_5, figure_6, findings)
}
"""The experiments by name, in the order of the paper."""


@dataclass(frozen=True)
class Reproduction:
    """A finished run."""

    results: list[Result]
    html: Path
    markdown: Path

    @property
    def claims(self) -> list[Claim]:
        """The claims of all experiments."""
        return [claim for result in self.results for claim in result.claims]


def reproduce(
    output: str | Path,
    names: Sequence[str] = (),
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Run the experiments with these names, or all, and write tables, pictures and the report into a folder.

    An interrupt keeps the pieces that are finished, in `output`/pieces; the next call with the same settings goes on
    from there. More repeats, too, only run what is new.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tempfile import TemporaryDirectory
    >>> small = replace(Settings(), repeats=1, n=200, d2=100, dimensions=(50, 100))
    >>> with TemporaryDirectory() as folder:
    ...     run = reproduce(folder, ["figure-4"], small)
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['figure-4.csv', 'figure-4.png', 'pieces', 'report.html', 'report.md']
    """
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        raise ValueError(f"reproduce: names must be among {', '.join(EXPERIMENTS)}, got {unknown[0]!r}")
    settings = Settings() if settings is None else settings
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [experiment for name, experiment in EXPERIMENTS.items() if not names or name in names]
    pieces = {experiment.name: experiment.pieces(settings) for experiment in chosen}
    held = complete([piece for of in pieces.values() for piece in of], Store(folder / "pieces"), progress)
    results = [
        experiment.finish([row for piece in pieces[experiment.name] for row in held[piece.key]], folder, settings)
        for experiment in chosen
    ]
    return Reproduction(results, *write_report(results, folder, settings))
