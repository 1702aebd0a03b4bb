"""What workers do: count their rows, merge counts, and tell the names of features that the driver does not know.

Every function here returns one for ``DataFrame.mapInArrow``, which carries all that it needs: no broadcast variables,
so that it also runs on Spark Connect.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import sapwood
from sapwood import _core
from sapwood.spark.columns import text_ids
from sapwood.spark.mixed import named_flags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood.spark.columns import Columns, Labelled

__all__ = [
    "COUNTED",
    "LOOKED",
    "NAMED",
    "Counts",
    "Draws",
    "Sent",
    "count_batches",
    "counter",
    "looker",
    "merged_rows",
    "merger",
    "namer",
]

COUNTED = "tree int, n_rows long, delta binary, gradients binary"
"""The columns of what workers count."""

NAMED = "id long, name string, attribute string"
"""The columns of names: the id as a signed number, and the column of which the text is a value, if of one."""
LOOKED = "tree int, seen binary"
"""The columns of what workers see of numbers before they count."""

Batches = Iterator[pa.RecordBatch]

# Points that are counted at a time: a table of their counts stays small, and is merged seldom.
_POINTS = 1 << 17


@dataclass(frozen=True)
class Draws:
    """How often the trees of a forest learn the points of a batch: a function of these, the tree and the row."""

    mean: float
    seed: int
    batch: int

    def weights(self, points: Labelled, tree: int) -> NDArray[np.int32]:
        """Return how often a tree learns each point."""
        (indptr, ids, numbers), labels, weights = points
        return _core.batch_draws(indptr, ids, labels, weights, self.mean, self.seed, tree, self.batch, numbers)


@dataclass(frozen=True)
class Sent:
    """What workers are sent of a tree: where points go, and where leaves learn from gradients what they answer."""

    router: bytes
    answers: bytes | None = None
    names: Sequence[Hashable] = ()
    number_names: Sequence[Hashable] = ()

    def n_bytes(self) -> int:
        """Return its size, but for the names."""
        return len(self.router) + len(self.answers or b"")


class Counts:
    """What points add to a tree: counts, and gradients where leaves learn from them."""

    def __init__(self, delta: _core.Delta, gradients: _core.Gradients | None = None) -> None:
        self.delta = delta
        self.gradients = gradients

    def merge(self, other: Counts) -> None:
        """Add those of other points."""
        self.delta.merge(other.delta)
        if self.gradients is not None and other.gradients is not None:
            self.gradients.merge(other.gradients)


def counter(
    sent: Sequence[Sent], columns: Columns, part: int, n_parts: int, draws: Draws | None
) -> Callable[[Batches], Batches]:
    """Count rows of (features, label, weight) in the leaves that each router leads them to.

    Out come `COUNTED`: one row per tree, with the number of rows that were read in the first of them.
    """
    version = sapwood.__version__

    def count(batches: Batches) -> Batches:
        check_version(version)
        counts, n_rows = count_batches(batches, sent, columns, part=part, n_parts=n_parts, draws=draws)
        if n_rows > 0:
            yield as_rows(counts, n_rows)

    return count


def count_batches(
    batches: Batches, sent: Sequence[Sent], columns: Columns, *, part: int, n_parts: int, draws: Draws | None
) -> tuple[dict[int, Counts], int]:
    """Return what rows add to each tree, nothing if there is none, and how many they are, of all parts."""
    led = [_core.Router.from_bytes(each.router) for each in sent]
    asked = [
        None if each.answers is None else _core.Tree.from_bytes(each.answers, list(each.names), list(each.number_names))
        for each in sent
    ]
    counts: list[list[Counts]] = [[] for _ in led]
    n_rows = 0
    for batch in gathered(batches):
        points = columns.points(batch)
        n_rows += batch.num_rows
        for tree, (router, answering) in enumerate(zip(led, asked, strict=True)):
            weights = points.weights if draws is None else columns.naming_errors(draws.weights, points, tree)
            (indptr, ids, numbers), labels, _ = points
            rows = (indptr, ids, labels, weights, part, n_parts, numbers)
            found = Counts(columns.naming_errors(router.count, *rows))
            if answering is not None:
                found.gradients = answering.gradients(*rows)
            counts[tree].append(found)
    return {tree: merge_all(each) for tree, each in enumerate(counts) if each}, n_rows


def looker(sent: Sequence[Sent], columns: Columns, draws: Draws | None) -> Callable[[Batches], Batches]:
    """Look at the values of numbers that a tree must know before it counts: out come `LOOKED`, one row per tree."""
    version = sapwood.__version__

    def look(batches: Batches) -> Batches:
        check_version(version)
        led = [_core.Router.from_bytes(each.router) for each in sent]
        values = [_core.ValueCounts() for _ in led]
        for batch in gathered(batches):
            points = columns.points(batch)
            for tree, router in enumerate(led):
                weights = points.weights if draws is None else columns.naming_errors(draws.weights, points, tree)
                (indptr, ids, numbers), labels, _ = points
                values[tree].merge(columns.naming_errors(router.values, indptr, ids, labels, weights, numbers))
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(range(len(led)), pa.int32()),
                pa.array([each.to_bytes() for each in values], pa.binary()),
            ],
            names=["tree", "seen"],
        )

    return look


def merger() -> Callable[[Batches], Batches]:
    """Merge the rows of each tree to one."""

    def merge(batches: Batches) -> Batches:
        merged, n_rows = merged_rows(row for batch in batches for row in batch.to_pylist())
        if merged:
            yield as_rows(merged, n_rows)

    return merge


def merged_rows(rows: Iterable[Any]) -> tuple[dict[int, Counts], int]:
    """Return the merged counts of each tree in rows of `COUNTED`, and the number of rows that were read."""
    counts: dict[int, list[Counts]] = {}
    n_rows = 0
    for row in rows:
        given = row["gradients"]
        gradients = None if given is None else _core.Gradients.from_bytes(bytes(given))
        counts.setdefault(row["tree"], []).append(Counts(_core.Delta.from_bytes(bytes(row["delta"])), gradients))
        n_rows += row["n_rows"]
    return {tree: merge_all(each) for tree, each in counts.items()}, n_rows


def namer(wanted: NDArray[np.uint64], features: str | tuple[str, ...]) -> Callable[[Batches], Batches]:
    """Return `NAMED`: the texts of the ids that are wanted, each once per partition."""
    columns = (features,) if isinstance(features, str) else features

    def name(batches: Batches) -> Batches:
        found: dict[int, tuple[str, str | None]] = {}
        clashing: list[tuple[int, tuple[str, str | None]]] = []
        for batch in batches:
            for texts, attribute in named_flags([(each, batch.column(i)) for i, each in enumerate(columns)]):
                ids = text_ids(texts)
                for i in np.flatnonzero(np.isin(ids, wanted)).tolist():
                    each, named = int(ids[i].view(np.int64)), (texts[i].as_py(), attribute)
                    if found.setdefault(each, named)[0] != named[0]:
                        clashing.append((each, named))
        rows = [*found.items(), *clashing]
        if rows:
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([each for each, _ in rows], pa.int64()),
                    pa.array([text for _, (text, _) in rows], pa.string()),
                    pa.array([attribute for _, (_, attribute) in rows], pa.string()),
                ],
                names=["id", "name", "attribute"],
            )

    return name


def gathered(batches: Batches) -> Batches:
    """Join small batches to larger ones."""
    held: list[pa.RecordBatch] = []
    n = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        held.append(batch)
        n += batch.num_rows
        if n >= _POINTS:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()
            held, n = [], 0
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def merge_all(counts: list[Counts]) -> Counts:
    """Merge counts two by two, so that each is copied a logarithm of times; the first is changed."""
    while len(counts) > 1:
        for left, right in zip(counts[::2], counts[1::2], strict=False):
            left.merge(right)
        counts = counts[::2]
    return counts[0]


def as_rows(counts: dict[int, Counts], n_rows: int) -> pa.RecordBatch:
    """Return counts as rows of `COUNTED`."""
    gradients = [None if each.gradients is None else each.gradients.to_bytes() for each in counts.values()]
    return pa.RecordBatch.from_arrays(
        [
            pa.array(list(counts), pa.int32()),
            pa.array([n_rows, *[0] * (len(counts) - 1)], pa.int64()),
            pa.array([each.delta.to_bytes() for each in counts.values()], pa.binary()),
            pa.array(gradients, pa.binary()),
        ],
        names=["tree", "n_rows", "delta", "gradients"],
    )


def check_version(of_driver: str) -> None:
    """Refuse to count for a driver of another version, whose hashes and bytes may differ."""
    if of_driver != sapwood.__version__:
        raise RuntimeError(
            f"sapwood.spark: every worker must have the version of the driver, {of_driver}, got {sapwood.__version__}"
        )
