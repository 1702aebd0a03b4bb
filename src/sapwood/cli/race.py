"""`sapwood race`: every search over the same stream."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy.sparse import csr_array

from sapwood.cli.errors import require_two_classes
from sapwood.cli.groups import command
from sapwood.cli.learners import Criterion
from sapwood.cli.output import OutputOptions, check_place
from sapwood.cli.progress import shown
from sapwood.cli.race_table import print_table
from sapwood.cli.readers import FILE, ReaderOptions, reported
from sapwood.cli.splits import Numbers
from sapwood.race import RaceResult, plot_race
from sapwood.race import race as run
from sapwood.stream import Reader

__all__ = ["race"]

_CLASSES = 2  # that the approximate searches are for


@command
def race(
    *,
    file: FILE,
    reader: ReaderOptions,
    criterion: Annotated[
        list[Criterion] | None, typer.Option(help="The impurity; may be repeated. [default: entropy and gini]")
    ] = None,
    alpha: Annotated[float, typer.Option(help="How far from the best an approximate split may be.")] = 0.1,
    every: Annotated[int, typer.Option(min=1, help="Ask for the best split after every so many points.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Race over the first so many points. [default: all]")] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw time against points; needs matplotlib.")
    ] = None,
    output: OutputOptions,
) -> None:
    """Time every search over the same stream of two classes, beside the loop that counts only.

    The points are read into memory first. Times are those inside the searches, and vary with the machine.

    Try:
      sapwood race stream.svm.gz
      sapwood race reviews.tsv --criterion gini --limit 20000 --picture race.png
    """
    if picture is not None:
        check_place(picture)
        if importlib.util.find_spec("matplotlib") is None:
            raise ValueError("--picture must have matplotlib installed; install with: pip install 'sapwood[plot]'")
    numbers = Numbers(None)
    with reported(reader.open(file), quiet=output.quiet) as stream:
        X, y, columns = _points(stream, numbers, limit, quiet=output.quiet)
        require_two_classes(stream.name, numbers.classes)
        if len(numbers.classes) > _CLASSES:
            raise ValueError(f"{stream.name}: a race must be of 2 classes, got {len(numbers.classes)}")
    results = [
        run(X, y, criterion=each.value, alpha=alpha, every=every)
        for each in criterion or [Criterion.entropy, Criterion.gini]
    ]
    names = [numbers.name(column) for column in columns.tolist()]
    if picture is not None:
        plot_race(results, picture)
    if output.json:
        output.result("", [_data(result, names) for result in results])
    else:
        from rich.console import Console

        print_table(Console(), results, names.__getitem__)


def _points(
    stream: Reader, numbers: Numbers, limit: int | None, *, quiet: bool
) -> tuple[csr_array, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the points, with columns only for features that are on in one, and which feature each column is."""
    indptr, indices, labels, n = [np.zeros(1, np.int64)], [], [], 0
    with shown("Reading", stream, quiet=quiet) as show:
        for batch in stream:
            X, y = numbers.matrix(batch)
            take = len(batch) if limit is None else min(len(batch), limit - n)
            indptr.append(X.indptr[1 : take + 1].astype(np.int64) + indptr[-1][-1])
            indices.append(X.indices[: X.indptr[take]])
            labels.append(y[:take])
            n += take
            show(f"{n:,} points")
            if n == limit:
                break
    columns, compact = np.unique(np.concatenate(indices), return_inverse=True)
    ends = np.concatenate(indptr)
    ones = np.ones(len(compact), np.int8)
    shape = (n, max(1, len(columns)))
    return csr_array((ones, compact.astype(np.int32), ends), shape=shape), np.concatenate(labels), columns


def _data(result: RaceResult, names: list[str]) -> dict[str, Any]:
    def plain(value: float | None) -> float | None:
        return value if value is not None and math.isfinite(value) else None

    return {
        "criterion": result.criterion,
        "alpha": result.alpha,
        "every": result.every,
        "points": result.n,
        "features_seen": result.n_features_seen,
        "counting_seconds": float(result.counting[-1]),
        "searches": [
            {
                "search": entry.search,
                "seconds": float(entry.seconds[-1]),
                "times_counting": plain(entry.times_counting),
                "speed_up": plain(entry.speed_up),
                "feature": None if entry.split is None else names[entry.split.feature],
                "score": None if entry.split is None else entry.split.score,
                "optimal": entry.optimal,
            }
            for entry in result.entries
        ],
    }
