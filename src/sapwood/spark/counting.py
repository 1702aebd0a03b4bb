"""What workers do: count their rows, merge counts, and tell the names of features that the driver does not know.

Every function here returns one for ``DataFrame.mapInArrow``, which carries all that it needs: no broadcast variables,
so that it also runs on Spark Connect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import sapwood
from sapwood import _core
from sapwood.spark.columns import text_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood.spark.columns import Columns, Points

__all__ = ["COUNTED", "Draws", "counter", "merged_rows", "merger", "namer"]

COUNTED = "tree int, n_rows long, delta binary"
"""The columns of what workers count."""

Batches = Iterator[pa.RecordBatch]

# Points that are counted at a time: a table of their counts stays small, and is merged seldom.
_POINTS = 1 << 17


@dataclass(frozen=True)
class Draws:
    """How often the trees of a forest learn the points of a batch: a function of these, the tree and the row."""

    mean: float
    seed: int
    batch: int

    def weights(self, points: Points, tree: int) -> NDArray[np.int32]:
        """Return how often a tree learns each point."""
        return _core.batch_draws(*points, self.mean, self.seed, tree, self.batch)


def counter(
    routers: Sequence[bytes], columns: Columns, part: int, n_parts: int, draws: Draws | None
) -> Callable[[Batches], Batches]:
    """Count rows of (features, label, weight) in the leaves that each router leads them to.

    Out come `COUNTED`: one row per tree, with the number of rows that were read in the first of them.
    """
    version = sapwood.__version__

    def count(batches: Batches) -> Batches:
        check_version(version)
        led = [_core.Router.from_bytes(router) for router in routers]
        deltas: list[list[_core.Delta]] = [[] for _ in led]
        n_rows = 0
        for batch in gathered(batches):
            points = columns.points(batch)
            n_rows += batch.num_rows
            for tree, router in enumerate(led):
                weights = points[3] if draws is None else columns.naming_errors(draws.weights, points, tree)
                deltas[tree].append(columns.naming_errors(router.count, *points[:3], weights, part, n_parts))
        if n_rows > 0:
            yield as_rows({tree: merge_all(each) for tree, each in enumerate(deltas)}, n_rows)

    return count


def merger() -> Callable[[Batches], Batches]:
    """Merge the rows of each tree to one."""

    def merge(batches: Batches) -> Batches:
        merged, n_rows = merged_rows(row for batch in batches for row in batch.to_pylist())
        if merged:
            yield as_rows(merged, n_rows)

    return merge


def merged_rows(rows: Iterable[Any]) -> tuple[dict[int, _core.Delta], int]:
    """Return the merged counts of each tree in rows of `COUNTED`, and the number of rows that were read."""
    deltas: dict[int, list[_core.Delta]] = {}
    n_rows = 0
    for row in rows:
        deltas.setdefault(row["tree"], []).append(_core.Delta.from_bytes(bytes(row["delta"])))
        n_rows += row["n_rows"]
    return {tree: merge_all(each) for tree, each in deltas.items()}, n_rows


def namer(wanted: NDArray[np.uint64]) -> Callable[[Batches], Batches]:
    """Return the texts of the ids that are wanted, each once per partition, with their ids as signed numbers."""

    def name(batches: Batches) -> Batches:
        found: dict[int, str] = {}
        clashing: list[tuple[int, str]] = []
        for batch in batches:
            texts = batch.column(0).flatten().unique()
            ids = text_ids(texts)
            for i in np.flatnonzero(np.isin(ids, wanted)).tolist():
                each, text = int(ids[i].view(np.int64)), texts[i].as_py()
                if found.setdefault(each, text) != text:
                    clashing.append((each, text))
        pairs = [*found.items(), *clashing]
        if pairs:
            yield pa.RecordBatch.from_arrays(
                [pa.array([i for i, _ in pairs], pa.int64()), pa.array([t for _, t in pairs], pa.string())],
                names=["id", "name"],
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


def merge_all(deltas: list[_core.Delta]) -> _core.Delta:
    """Merge counts two by two, so that each is copied a logarithm of times; the first is changed."""
    while len(deltas) > 1:
        for left, right in zip(deltas[::2], deltas[1::2], strict=False):
            left.merge(right)
        deltas = deltas[::2]
    return deltas[0]


def as_rows(deltas: dict[int, _core.Delta], n_rows: int) -> pa.RecordBatch:
    """Return counts as rows of `COUNTED`."""
    return pa.RecordBatch.from_arrays(
        [
            pa.array(list(deltas), pa.int32()),
            pa.array([n_rows, *[0] * (len(deltas) - 1)], pa.int64()),
            pa.array([delta.to_bytes() for delta in deltas.values()], pa.binary()),
        ],
        names=["tree", "n_rows", "delta"],
    )


def check_version(of_driver: str) -> None:
    """Refuse to count for a driver of another version, whose hashes and bytes may differ."""
    if of_driver != sapwood.__version__:
        raise RuntimeError(
            f"sapwood.spark: every worker must have the version of the driver, {of_driver}, got {sapwood.__version__}"
        )
