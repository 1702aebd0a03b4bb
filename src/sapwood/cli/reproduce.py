"""`sapwood reproduce`: run the experiments of the paper and write a report."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from sapwood.cli.exit_codes import INTERRUPTED, TERMINATED
from sapwood.cli.signals import Stopped, sigterm_stops

if TYPE_CHECKING:
    from sapwood.paper.experiment import Progress
    from sapwood.paper.reproduction import Reproduction
    from sapwood.paper.settings import Settings

__all__ = ["reproduce"]

# As sapwood.paper knows them, which is slow to import.
_EXPERIMENTS = "figure-1, figure-2, figure-3, figure-4, table-1, table-2, figure-5, figure-6, findings"
_DATA_SETS = "author, farm, sraa, news20"


def reproduce(  # noqa: PLR0917 - typer calls it by the names of its options
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[EXPERIMENT]...", help=f"The experiments to run: {_EXPERIMENTS}. All by default."),
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder for tables, pictures and the report.")] = Path("sapwood-paper"),
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", help="The sizes of the paper, or smaller ones that take a minute or two (the default)."
        ),
    ] = False,
    repeats: Annotated[
        int | None,
        typer.Option(min=1, help="Repeats of the synthetic experiments (quick: 3, full: the paper's 100)."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the synthetic data, which are the same on every platform.")
    ] = 1,
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=PATH", help=f"An svmlight file to run on, as {_DATA_SETS} or another name."),
    ] = None,
    download: Annotated[
        bool | None,
        typer.Option("--download/--no-download", help="Download missing data sets (full: yes, quick: no)."),
    ] = None,
) -> None:
    """Reproduce the figures and tables of the paper, with the certified search added to each.

    Ctrl-C keeps the finished pieces, and the same command continues from there. Data sets are looked up in the folder
    named by SAPWOOD_DATA, or in shared/data beside the current folder.
    """
    if importlib.util.find_spec("matplotlib") is None:
        _leave("sapwood reproduce: matplotlib must be installed; install it with: pip install 'sapwood[paper]'")
    from sapwood.paper.claims import tally
    from sapwood.paper.settings import Settings
    from sapwood.paper.sources import data_folder

    settings = Settings.full() if full else Settings()
    if repeats is not None:
        # The benchmark data sets are slow, and the same at every repeat: never more than asked for, seldom as many.
        fewer = {name: min(repeats, getattr(settings, name)) for name in ("plain_repeats", "benchmark_repeats")}
        settings = replace(settings, repeats=repeats, **fewer)
    settings = replace(
        settings,
        seed=seed,
        data=_named(data or []),
        folder=data_folder(),
        download=settings.download if download is None else download,
    )
    try:
        with sigterm_stops():
            done = _run(output, experiments or [], settings)
    except KeyboardInterrupt as stop:
        by, code = ("SIGTERM", TERMINATED) if isinstance(stop, Stopped) else ("Ctrl-C", INTERRUPTED)
        kept = len(list((output / "pieces").rglob("*.json")))
        _leave(f"Stopped by {by}: {kept} finished pieces are kept in {output}; the same command continues.", code)
    except (OSError, ValueError) as error:
        _leave(f"sapwood reproduce: {error}")
    for result in done.results:
        typer.echo(f"{result.experiment.name:10} {tally(result.claims)}")
    typer.echo(f"{'all':10} {tally(done.claims)}")
    typer.echo(f"Report: {done.html}")


def _run(output: Path, names: list[str], settings: Settings) -> Reproduction:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from sapwood.paper.reproduction import reproduce as run

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description:<32}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(description: str, done: float, total: float) -> None:
            bar.update(task, description=description, completed=done, total=total)

        progress: Progress = show
        return run(output, names, settings, progress)


def _named(data: list[str]) -> dict[str, Path]:
    named = {}
    for entry in data:
        name, equals, path = entry.partition("=")
        if not name or not equals or not path:
            raise typer.BadParameter(f"must be NAME=PATH, got {entry!r}", param_hint="--data")
        named[name] = Path(path)
    return named


def _leave(message: str, status: int = 1) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(status)
