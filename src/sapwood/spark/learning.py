"""One batch of a DataFrame into a tree: workers count, counts merge, the driver grows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.spark.columns import SparkDataError
from sapwood.spark.counting import counter, merge_all, merger, namer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sapwood.spark.columns import Columns
    from sapwood.spark.grower import Grower

__all__ = ["counted", "learn_frame"]


def counted(
    frame: DataFrame,
    router: _core.Router,
    columns: Columns,
    *,
    part: int = 0,
    n_parts: int = 1,
    reducers: int | None = None,
) -> tuple[_core.Delta | None, int]:
    """Return what the rows of a frame of (features, label) add to a tree, and the bytes that came to the driver.

    With `reducers`, the counts of all partitions are first merged by so many tasks.
    """
    deltas = frame.mapInArrow(counter(router.to_bytes(), columns, part, n_parts), "delta binary")
    if reducers is not None:
        deltas = deltas.repartition(reducers).mapInArrow(merger(), "delta binary")
    rows = [bytes(row["delta"]) for row in deltas.collect()]
    if not rows:
        return None, 0
    return merge_all([_core.Delta.from_bytes(row) for row in rows]), sum(map(len, rows))


def learn_frame(frame: DataFrame, grower: Grower, columns: Columns, reducers: int | None) -> dict[str, Any]:
    """Let a tree learn a batch; return what is told of it. If a row is refused, the tree is to be thrown away."""
    began = time.monotonic()
    assert columns.label is not None
    frame = frame.select(columns.features, columns.label)
    n_parts = int(grower.parameters["sub_batches"])
    if n_parts > 1:
        frame = frame.persist()
    told: dict[str, Any] = {"n_rows": 0, "n_splits": 0, "delta_bytes": 0, "router_bytes": 0}
    try:
        for part in range(n_parts):
            router = grower.tree.router()
            delta, n_bytes = counted(frame, router, columns, part=part, n_parts=n_parts, reducers=reducers)
            told["router_bytes"] += len(router.to_bytes())
            told["delta_bytes"] += n_bytes
            if delta is None or delta.n_met() == 0:
                continue
            _name(frame, grower, delta, columns)
            told["n_splits"] += grower.learn(delta)
            told["n_rows"] += delta.n_met()
    finally:
        if n_parts > 1:
            frame.unpersist()
    told["n_points"] = grower.tree.n()
    told["n_leaves"] = grower.tree.n_leaves()
    told["seconds"] = time.monotonic() - began
    return told


def _name(frame: DataFrame, grower: Grower, delta: _core.Delta, columns: Columns) -> None:
    """Look up the names of features that are new: each is in a row of this batch."""
    wanted = grower.unnamed(delta)
    if len(wanted) == 0:
        return
    names: dict[int, str] = {}
    for row in frame.select(columns.features).mapInArrow(namer(wanted), "id long, name string").collect():
        each = int(np.int64(row["id"]).view(np.uint64))
        if names.setdefault(each, row["name"]) != row["name"]:
            raise SparkDataError(
                f"{columns.owner}: texts must have different hashes, got {names[each]!r} and {row['name']!r}"
            )
    grower.name(names)
