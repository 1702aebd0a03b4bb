"""`sapwood race`: every search over the same stream."""

from __future__ import annotations

import importlib.util
import math
import time
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
    from sapwood.data import Batch
    from sapwood.race import Race, RaceResult

__all__ = ["race"]

_BATCH = 10_000
# Points that had been read when a signal came are still raced for so long, in turns of about so many: with what else
# there is to end, it takes less than a second.
_SECONDS_AFTER_SIGNAL = 0.3
_POINTS_AFTER_SIGNAL = 100


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
    command breaks off the turn, prints the table of those before, and draws no picture.

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
    results: list[RaceResult] = []
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
            if raced := _feed(races, points, every, signals):
                n += raced
                # Of whole turns only: one that is broken off may have ended for some of the races.
                results = [each.result() for each in races]
            show(counted(n, "point"))
            if n == limit or signals.number is not None:
                break
        if signals.number is None:
            require_two_classes(stream.name, numbers.classes)
    if results:
        _tell(results, numbers, output)
    # It takes longer to draw than the command may take to end.
    signals.check(f"after {counted(n, 'point')}{'' if picture is None else '; no picture was drawn'}")
    if results and picture is not None:
        from sapwood.race import plot_race

        plot_race(results, picture)


def _feed(races: list[Race], points: Batch, every: int, signals: StopSignals) -> int:
    """Let all races take a turn, and return of how many points: none if a signal came, after one as many as may be."""
    if signals.number is None:
        with signals.breaking_off():
            for each in races:
                each.feed(points)
            return len(points)
        return 0
    end = time.monotonic() + _SECONDS_AFTER_SIGNAL
    step = max(1, _POINTS_AFTER_SIGNAL // every) * every
    n = 0
    while n < len(points) and time.monotonic() < end:
        part = points.part(n, min(n + step, len(points)))
        for each in races:
            each.feed(part)
        n += len(part)
    return n


def _tell(results: list[RaceResult], numbers: Numbers, output: OutputOptions) -> None:
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
