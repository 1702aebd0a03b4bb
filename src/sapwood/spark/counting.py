"""What workers do: count their rows, merge counts, and tell the names of features that the driver does not know.

Every function here returns one for ``DataFrame.mapInArrow``, which carries all that it needs: no broadcast variables,
so that it also runs on Spark Connect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import sapwood
from sapwood import _core
from sapwood.spark.columns import text_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood.spark.columns import Columns

__all__ = ["counter", "merge_all", "merger", "namer"]

Batches = Iterator[pa.RecordBatch]

# Points that are counted at a time: a table of their counts stays small, and is merged seldom.
_POINTS = 1 << 17


def counter(router: bytes, columns: Columns, part: int, n_parts: int) -> Callable[[Batches], Batches]:
    """Count rows of (features, label) in the leaves that a router leads them to: at most one row of bytes comes out."""
    version = sapwood.__version__

    def count(batches: Batches) -> Batches:
        check_version(version)
        led = _core.Router.from_bytes(router)
        deltas = []
        for batch in gathered(batches):
            indptr, ids = columns.rows(batch.column(0))
            labels = columns.labels(batch.column(1))
            deltas.append(columns.naming_errors(led.count, indptr, ids, labels, None, part, n_parts))
        if deltas:
            yield one_row(merge_all(deltas))

    return count


def merger() -> Callable[[Batches], Batches]:
    """Merge rows of counts to one."""

    def merge(batches: Batches) -> Batches:
        deltas = [_core.Delta.from_bytes(data) for batch in batches for data in batch.column(0).to_pylist()]
        if deltas:
            yield one_row(merge_all(deltas))

    return merge


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


def one_row(delta: _core.Delta) -> pa.RecordBatch:
    """Return counts as a row of bytes."""
    return pa.RecordBatch.from_arrays([pa.array([delta.to_bytes()], pa.binary())], names=["delta"])


def check_version(of_driver: str) -> None:
    """Refuse to count for a driver of another version, whose hashes and bytes may differ."""
    if of_driver != sapwood.__version__:
        raise RuntimeError(
            f"sapwood.spark: every worker must have the version of the driver, {of_driver}, got {sapwood.__version__}"
        )
