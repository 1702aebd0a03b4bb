"""`sapwood splits`: the best split of a stream as it goes by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.errors import require_two_classes
from sapwood.cli.groups import command
from sapwood.cli.learners import SearchOptions
from sapwood.cli.output import OutputOptions, write
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, ReaderOptions, reported
from sapwood.cli.signals import StopSignals, batches
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.cli.numbers import Numbers
    from sapwood.split_finder import Split, SplitFinder

__all__ = ["splits"]

_BATCH = 10_000
_HEADER = "points\tplace\tfeature\tgain\tscore\n"


@command
def splits(
    *,
    file: FILE,
    reader: ReaderOptions,
    searched: SearchOptions,
    every: Annotated[int, typer.Option(min=1, help="Print the best split after every N points.")] = 1000,
    top: Annotated[int, typer.Option(min=1, help="Print the best N splits, one per line.")] = 1,
    classes: Annotated[
        int | None,
        typer.Option(min=2, help="The maximum number of classes. [default: that of the first 10,000 points]"),
    ] = None,
    output: OutputOptions,
) -> None:
    """Print the best split of all points so far, every N points and at the end.

    Each line has tab-separated columns: the number of points so far, the place (1 is the best), the feature, its gain
    and its score, which is n times the impurity of the points given the feature. With --json each line is an object
    with these fields. A number counts as the features that it is above one of its quantiles. Output starts once there
    are points of two classes; before that there is nothing to split.

    Try:
      sapwood splits stream.svm.gz --criterion gini --every 1000
      sapwood splits reviews.tsv --top 5 --every 10000
    """
    from sapwood.cli.growing_finder import GrowingFinder
    from sapwood.cli.numbers import Numbers

    numbers = Numbers()
    growing = GrowingFinder(searched.criterion, searched.search, searched.alpha, classes)
    with (
        reported(reader.open(file, batch_size=min(every, _BATCH)), quiet=output.quiet) as stream,
        shown("Splitting", stream, quiet=output.quiet, prints=True) as show,
        StopSignals(stream.interrupt) as signals,
    ):
        header = "" if output.json else _HEADER
        told = 0
        for batch in batches(stream):
            points = numbers.numbered(batch)
            start = 0
            while start < len(batch):
                stop = min(len(batch), start + every - growing.n % every)
                finder = growing.add(points.part(start, stop), stream.name, list(numbers.classes))
                start = stop
                if finder.n % every == 0 and _has_two_classes(finder):
                    told = finder.n
                    write(header + _lines(finder, top, numbers, as_json=output.json), signals)
                    header = ""
            show(counted(growing.n, "point"))
        if signals.number is None:
            require_two_classes(stream.name, numbers.classes)
        if told != growing.n and _has_two_classes(growing.finder):
            write(header + _lines(growing.finder, top, numbers, as_json=output.json), signals)
    signals.check(f"after {counted(growing.n, 'point')}")


def _has_two_classes(finder: SplitFinder) -> bool:
    return sum(count > 0 for count in finder.class_counts) > 1


def _lines(finder: SplitFinder, top: int, numbers: Numbers, *, as_json: bool) -> str:
    lines = []
    for place, split in enumerate(finder.top(top), start=1):
        row = _row(finder.n, place, split, numbers)
        if as_json:
            lines.append(json.dumps(row, ensure_ascii=False))
        else:
            lines.append(
                "\t".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row.values())
            )
    return "".join(line + "\n" for line in lines)


def _row(n: int, place: int, split: Split, numbers: Numbers) -> dict[str, Any]:
    return {
        "points": n,
        "place": place,
        "feature": numbers.name(split.feature_id),
        "gain": split.gain,
        "score": split.score,
    }
