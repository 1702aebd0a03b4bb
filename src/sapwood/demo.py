"""`python -m sapwood.demo`: race every search over the synthetic stream, print a table, save a picture."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sapwood.datasets import make_sparse
from sapwood.race import RaceResult, plot_race, race
from sapwood.split_finder import SEARCHES, Split
from sapwood.style import COUNTING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["main"]

_CRITERIA = ("entropy", "gini")  # those for which every search exists
_INTERRUPTED = 130  # what a shell reports of a program that Ctrl-C ended
_EXTRAS = {"rich": "cli", "matplotlib": "plot"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration with the given command-line arguments and return the exit status."""
    options = _parser().parse_args(arguments)
    missing = [module for module in _EXTRAS if importlib.util.find_spec(module) is None]
    if missing:
        extras = ",".join(_EXTRAS[module] for module in missing)
        print(
            f"sapwood.demo: {' and '.join(missing)} must be installed, got nothing by that name; "
            f"install with: pip install 'sapwood[{extras}]'",
            file=sys.stderr,
        )
        return 1

    # rich is imported late, here and below, so that its absence can be reported in one sentence.
    from rich.console import Console

    console = Console()
    results: list[RaceResult] = []
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        _race_all(console, options, results)
        picture = plot_race(results, options.output / "race.png")
    except KeyboardInterrupt:
        if results:
            print_table(console, results)
        finished = " and ".join(result.criterion for result in results) or "no criterion"
        console.print(f"Stopped by Ctrl-C: {finished} had finished, and no picture was saved.")
        return _INTERRUPTED
    except (OSError, ValueError) as error:
        print(f"sapwood.demo: {error}", file=sys.stderr)
        return 1
    print_table(console, results)
    console.print(f"Picture of cumulative time against points: {picture}", soft_wrap=True)
    return 0


def _race_all(console: Console, options: argparse.Namespace, results: list[RaceResult]) -> None:
    """Append the race of each criterion to `results` as it finishes."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    X, y = make_sparse(options.n, seed=options.seed)
    console.print(
        f"{X.shape[0]:,} points, {X.shape[1]:,} features, {X.nnz / max(1, X.shape[0]):.1f} of them on in a point; "
        f"the best split is asked for after every point, α = {options.alpha:g}."
    )
    columns = (TextColumn("{task.description:<22}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=len(_CRITERIA) * len(SEARCHES) * options.n)
        for criterion in _CRITERIA:

            def advance(search: str, points: int, criterion: str = criterion) -> None:
                bar.update(task, advance=points, description=f"{criterion}, {search}")

            bar.update(task, description=criterion)
            results.append(race(X, y, criterion=criterion, alpha=options.alpha, progress=advance))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sapwood.demo", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("sapwood-demo"), help="folder for the picture (%(default)s)"
    )
    parser.add_argument("--n", type=_points, default=10_000, help="points to stream (%(default)s)")
    parser.add_argument("--alpha", type=float, default=0.1, help="what the approximate search may lose (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the synthetic stream (%(default)s)")
    return parser


def _points(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
