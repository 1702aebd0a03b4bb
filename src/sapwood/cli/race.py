"""`sapwood race`: every search over the same stream."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.errors import require_two_classes
from sapwood.cli.groups import command
from sapwood.cli.learners import RaceOptions
from sapwood.cli.output import OutputOptions, check_apart, check_place
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, ReaderOptions, reported
from sapwood.cli.signals import StopSignals, batches
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.cli.numbers import Numbers
    from sapwood.race import RaceResult

__all__ = ["race"]

_BATCH = 10_000


@command
def race(
    *,
    file: FILE,
    reader: ReaderOptions,
    searched: RaceOptions,
    every: Annotated[int, typer.Option(min=1, help="Ask for the best split after every N points.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Use the first N points only. [default: all]")] = None,
    classes: Annotated[
        int | None,
        typer.Option(min=2, help="The maximum number of classes. [default: that of the first 10,000 points]"),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw time against points; needs matplotlib.")
    ] = None,
    output: OutputOptions,
) -> None:
    """Time every search over the same stream, and compare it with counting only.

    The searches take turns of 10,000 points, so the stream is never held in memory as a whole. Times are measured
    inside the searches and vary with the machine. Searches that do not take more than two classes are left out where
    there are more. A number counts as the features that it is above one of its quantiles. On Ctrl-C or SIGTERM, the
    command stops at the end of a turn and prints the table so far.

    Try:
      sapwood race stream.svm.gz
      sapwood race reviews.tsv --criterion gini --limit 20000 --picture race.png
    """
    from sapwood.cli.growing_finder import refuse_class
    from sapwood.cli.numbers import Numbers
    from sapwood.race import Race

    if picture is not None:
        check_place(picture)
        check_apart(picture, "--picture", [file])
        if importlib.util.find_spec("matplotlib") is None:
            raise ValueError("--picture must have matplotlib installed; install with: pip install 'sapwood[plot]'")
    numbers = Numbers(compact=True)
    races: list[Race] = []
    n = 0
    # A turn is a whole number of queries long, so that turns do not change after which points the query falls.
    turn = max(1, _BATCH // every) * every
    with (
        reported(reader.open(file, batch_size=turn), quiet=output.quiet) as stream,
        shown("Racing", stream, quiet=output.quiet) as show,
        StopSignals(stream.interrupt) as signals,
    ):
        for batch in batches(stream):
            points = numbers.numbered(batch)
            if limit is not None and len(batch) > limit - n:
                points = points.part(0, limit - n)
            if not races:
                most = classes or max(2, int(points.y.max()) + 1)
                races = [Race(each, searched.alpha, every, most) for each in searched.criteria]
            if int(points.y.max()) >= most:
                refuse_class(stream.name, list(numbers.classes), most, n)
            for each in races:
                each.feed(points)
            n += len(points)
            show(counted(n, "point"))
            if n == limit:
                break
        if signals.number is None:
            require_two_classes(stream.name, numbers.classes)
    if n > 0:
        _tell([each.result() for each in races], numbers, picture, output)
    signals.check(f"after {counted(n, 'point')}")


def _tell(results: list[RaceResult], numbers: Numbers, picture: Path | None, output: OutputOptions) -> None:
    if picture is not None:
        from sapwood.race import plot_race

        plot_race(results, picture)
    if output.json:
        output.result("", [_data(result, numbers) for result in results])
    else:
        from rich.console import Console

        from sapwood.race import print_table

        print_table(Console(), results, numbers.name)


def _data(result: RaceResult, numbers: Numbers) -> dict[str, Any]:
    def plain(value: float | None) -> float | None:
        return value if value is not None and math.isfinite(value) else None

    return {
        "criterion": result.criterion,
        "alpha": result.alpha,
        "every": result.every,
        "points": result.n,
        "classes": result.n_classes,
        "features_seen": result.n_features_seen,
        "counting_seconds": float(result.counting[-1]),
        "searches": [
            {
                "search": entry.search,
                "seconds": float(entry.seconds[-1]),
                "times_counting": plain(entry.times_counting),
                "speed_up": plain(entry.speed_up),
                "feature": None if entry.split is None else numbers.name(entry.split.feature_id),
                "score": None if entry.split is None else entry.split.score,
                "optimal": entry.optimal,
            }
            for entry in result.entries
        ],
        "left_out": dict(result.left_out),
    }
