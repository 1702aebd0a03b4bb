"""`python -m sapwood.demo`: learn a drifting stream of texts, and race every search over a synthetic one.

The stream is learned by a tree that follows changes and by one that does not. It prints their accuracy, the tree and a
table of the race; it leaves a page about the first tree, a picture of the two, and one of the race.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.datasets import make_sparse, make_text
from sapwood.evaluate import Evaluation, PrequentialRun
from sapwood.parameters import Criterion
from sapwood.race import RaceResult, plot_race, print_table, race
from sapwood.split_finder import SEARCHES
from sapwood.style import line_style
from sapwood.trees import StreamingTreeClassifier
from sapwood.wording import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from rich.console import Console
    from scipy.sparse import csr_array

__all__ = ["main"]

_CRITERIA: tuple[Criterion, ...] = ("entropy", "gini")  # those for which every search exists
_INTERRUPTED = 130  # what a shell reports of a program that Ctrl-C ended
_TEXTS_A_POINT = 10  # learning is so much faster than asking every search after every point
_EXTRAS = {"rich": "cli", "matplotlib": "plot"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration with the given command-line arguments and return the exit status."""
    options = _parser().parse_args(arguments)
    missing = [module for module in _EXTRAS if importlib.util.find_spec(module) is None]
    if missing:
        extras = ",".join(_EXTRAS[module] for module in missing)
        print(
            f"sapwood.demo: {' and '.join(missing)} must be installed; install with: pip install 'sapwood[{extras}]'",
            file=sys.stderr,
        )
        return 1

    # rich is imported late, here and below, so that its absence can be reported in one sentence.
    from rich.console import Console

    console = Console()
    results: list[RaceResult] = []
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        stream = _texts(console, options)
        follows = _evaluate(console, options, stream, StreamingTreeClassifier(drift=True))
        if not follows.interrupted:
            remembers = _evaluate(console, options, stream, StreamingTreeClassifier(drift=False))
        if follows.interrupted or remembers.interrupted:
            console.print(f"Stopped by Ctrl-C after {counted(follows.n, 'point')}, before any race.")
            return _INTERRUPTED
        console.print(
            f"\nAccuracy over all texts: {follows['accuracy']:.3f}; of the same tree with drift=False: "
            f"{remembers['accuracy']:.3f}. Alternates swapped in: {follows.tally['alternates_swapped']}."
        )
        _race_all(console, options, results)
        learned = _draw(options, follows, remembers)
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
    console.print(f"Picture of the two trees, accuracy against points: {learned}", soft_wrap=True)
    console.print(f"Picture of cumulative time against points: {picture}", soft_wrap=True)
    console.print(f"Report of the accuracy over the stream, the tree and its splits: {_page(options)}", soft_wrap=True)
    return 0


def _texts(console: Console, options: argparse.Namespace) -> tuple[csr_array, npt.NDArray[np.uint8]]:
    """Return texts of which two classes use other words after each third."""
    n = _TEXTS_A_POINT * options.n
    X, y = make_text(n, d=20_000, topical=0.3, contrast=0.9, drift="abrupt", n_changes=2, seed=options.seed)
    console.print(
        f"{X.shape[0]:,} texts over {X.shape[1]:,} words, about {X.nnz / X.shape[0]:.0f} in each. The classes that "
        "words indicate change twice. Each text is predicted before it is learned."
    )
    return X, y


def _evaluate(
    console: Console,
    options: argparse.Namespace,
    stream: tuple[csr_array, npt.NDArray[np.uint8]],
    model: StreamingTreeClassifier,
) -> Evaluation:
    """Predict, then learn, each text of a stream; print the result and, of the tree that follows it, write a page."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    n = len(stream[1])
    run = PrequentialRun(model)
    columns = (TextColumn("{task.description:<22}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=n)

        def show(now: PrequentialRun) -> None:
            bar.update(task, completed=now.n, description=f"recent accuracy {now.accuracy_window:.3f}")

        run.feed(stream, progress=show)
    evaluation = run.result()
    if evaluation.n and model.drift:
        # The tables are plain text, in which rich must not look for mark-up.
        console.print(evaluation.summary, markup=False, highlight=False, soft_wrap=True)
        tree = model.export_text(max_depth=4, show_counts=False, show_model=False)
        console.print(f"\nThe tree, down to depth 4:\n{tree}", markup=False, highlight=False, soft_wrap=True)
        evaluation.save_report(_page(options))
    return evaluation


def _draw(options: argparse.Namespace, follows: Evaluation, remembers: Evaluation) -> Path:
    """Draw the accuracy over the last 1,000 texts of a tree that follows the changes and of one that does not."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    for evaluation, label, search in ((remembers, "drift=False", "approximate"), (follows, "drift=True", "certified")):
        drawn = line_style(search)
        records = evaluation.records
        axes.plot(
            records["n"],
            records["accuracy_window"],
            color=drawn.colour,
            linestyle=drawn.dashes,
            label=label,
            linewidth=2,
        )
    for i, change in enumerate(change for change in follows.changes if change.swapped):
        once = "an alternate was swapped in before" if i == 0 else None
        axes.axvline(change.at, color="0.6", linestyle=":", linewidth=1.2, label=once)
    axes.set_xlabel("texts")
    axes.set_ylabel("accuracy over the last 1,000")
    axes.set_title("A stream whose meaning changes twice, learned with and without following it", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", frameon=False)
    folder: Path = options.output
    picture = folder / "drift.png"
    figure.savefig(picture, dpi=150)
    return picture


def _page(options: argparse.Namespace) -> Path:
    folder: Path = options.output
    return folder / "report.html"


def _race_all(console: Console, options: argparse.Namespace, results: list[RaceResult]) -> None:
    """Append the race of each criterion to `results` as it finishes."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    X, y = make_sparse(options.n, seed=options.seed)
    console.print(
        f"{X.shape[0]:,} points, {X.shape[1]:,} features, {X.nnz / max(1, X.shape[0]):.1f} active per point; "
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
        "--output", type=Path, default=Path("sapwood-demo"), help="folder for the page and the pictures (%(default)s)"
    )
    parser.add_argument(
        "--n",
        type=_points,
        default=10_000,
        help="number of points of the race; ten times as many texts are learned (%(default)s)",
    )
    parser.add_argument(
        "--alpha", type=float, default=0.1, help="relative error allowed to the approximate search (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the synthetic streams (%(default)s)")
    return parser


def _points(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
