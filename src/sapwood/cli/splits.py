"""`sapwood splits`: the best split of a stream as it goes by."""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable
from typing import Annotated, Any

import numpy as np
import typer
from scipy.sparse import csr_array

from sapwood._feature_names import default_name, one_line
from sapwood.cli.errors import require_two_classes
from sapwood.cli.groups import command
from sapwood.cli.learners import Criterion, Search
from sapwood.cli.output import OutputOptions
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, ReaderOptions, reported
from sapwood.split_finder import Split, SplitFinder
from sapwood.stream import Batch

__all__ = ["splits"]

_BATCH = 10_000


@command
def splits(
    *,
    file: FILE,
    reader: ReaderOptions,
    criterion: Annotated[Criterion, typer.Option(help="The impurity.")] = Criterion.entropy,
    search: Annotated[Search, typer.Option(help="How the best split is found.")] = Search.certified,
    alpha: Annotated[float, typer.Option(help="How far from the best an approximate split may be.")] = 0.1,
    every: Annotated[int, typer.Option(min=1, help="Print the best split after every so many points.")] = 1000,
    top: Annotated[int, typer.Option(min=1, help="Print so many of the best, one a line.")] = 1,
    classes: Annotated[int, typer.Option(min=2, help="How many classes there are.")] = 2,
    output: OutputOptions,
) -> None:
    """Print the best split of all points so far, every so many points and at the end.

    A line has, with tabs between: the points so far, the place (1 is the best), the feature, its gain, and its score,
    which is n times the impurity of the points given the feature. With --json a line is an object of these.

    Try:
      sapwood splits stream.svm.gz --criterion gini --every 1000
      sapwood splits reviews.tsv --top 5 --every 10000
    """
    finder = SplitFinder(criterion.value, search.value, alpha, classes)
    numbers = Numbers(classes)
    with reported(reader.open(file, batch_size=min(every, _BATCH)), quiet=output.quiet) as stream:
        if not output.json:
            _write("points\tplace\tfeature\tgain\tscore\n")
        with shown("Splitting", stream, quiet=output.quiet) as show:
            told = 0
            for batch in stream:
                X, y = numbers.matrix(batch)
                start = 0
                while start < len(batch):
                    stop = min(len(batch), start + every - finder.n % every)
                    finder.add_many(X[start:stop], y[start:stop])
                    start = stop
                    if finder.n % every == 0:
                        told = finder.n
                        _tell(finder, top, numbers, output)
                show(f"{finder.n:,} points")
            if told != finder.n:
                _tell(finder, top, numbers, output)
        require_two_classes(stream.name, numbers.classes)


class Numbers:
    """Gives numbers to classes, and to features that are called by strings, in the order in which they are met."""

    def __init__(self, most_classes: int | None) -> None:
        self.classes: dict[Hashable, int] = {}
        self._features: dict[str, int] = {}
        self._names: list[str] = []
        self._most = most_classes

    def matrix(self, batch: Batch) -> tuple[csr_array, np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """Return the points of a batch as the split searches take them."""
        labels = batch.labels()
        for label in dict.fromkeys(labels):
            self.classes.setdefault(label, len(self.classes))
        if self._most is not None and len(self.classes) > self._most:
            further = list(self.classes)[self._most]
            raise ValueError(
                f"the stream must have {self._most} classes at most, got a further one, {further!r}; "
                "--classes tells how many there are"
            )
        y = np.fromiter((self.classes[label] for label in labels), np.int64, len(labels))
        if batch.indices is not None:
            return batch.X, y
        keys = batch.keys or []
        for key in dict.fromkeys(keys):
            if self._features.setdefault(key, len(self._features)) == len(self._names):
                self._names.append(key)
        indices = np.fromiter((self._features[key] for key in keys), np.int32, len(keys))
        X = csr_array((np.ones(len(keys), np.int8), indices, batch.indptr), shape=(len(batch), len(self._names)))
        X.sort_indices()
        return X, y

    def name(self, feature: int) -> str:
        """Return what a feature is called."""
        return one_line(self._names[feature]) if self._names else default_name(feature)


def _tell(finder: SplitFinder, top: int, numbers: Numbers, output: OutputOptions) -> None:
    lines = []
    for place, split in enumerate(finder.top(top), start=1):
        row = _row(finder.n, place, split, numbers)
        if output.json:
            lines.append(json.dumps(row, ensure_ascii=False))
        else:
            lines.append(
                "\t".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row.values())
            )
    _write("".join(line + "\n" for line in lines))


def _row(n: int, place: int, split: Split, numbers: Numbers) -> dict[str, Any]:
    return {
        "points": n,
        "place": place,
        "feature": numbers.name(split.feature),
        "gain": split.gain,
        "score": split.score,
    }


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
