"""One batch of a DataFrame into trees: workers count, counts merge, the driver grows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.spark.columns import SparkDataError
from sapwood.spark.counting import COUNTED, Counts, Draws, Sent, counter, merged_rows, merger, namer
from sapwood.spark.judging import JUDGED, judge

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sapwood.spark.columns import Columns
    from sapwood.spark.ensemble import Ensemble
    from sapwood.spark.shards import Shards

__all__ = ["accuracy_of", "counted", "learn_frame"]


def counted(
    frame: DataFrame,
    sent: Sequence[Sent],
    columns: Columns,
    *,
    part: int = 0,
    n_parts: int = 1,
    reducers: int | None = None,
    draws: Draws | None = None,
) -> tuple[dict[int, Counts], int, int]:
    """Return what the rows of a frame of (features, label, weight) add to each tree.

    And the rows of the frame, of all parts, and the bytes that came to the driver. With `reducers`, the counts of all
    partitions are first merged by so many tasks.
    """
    rows = frame.mapInArrow(counter(sent, columns, part, n_parts, draws), COUNTED)
    if reducers is not None:
        rows = rows.repartition(reducers, "tree") if len(sent) > 1 else rows.repartition(reducers)
        rows = rows.mapInArrow(merger(), COUNTED)
    found = rows.collect()
    counts, n_rows = merged_rows(found)
    return counts, n_rows, sum(len(row["delta"]) + len(row["gradients"] or b"") for row in found)


def learn_frame(
    frame: DataFrame,
    trees: Ensemble,
    columns: Columns,
    reducers: int | None,
    *,
    tests: bool = False,
    shards: Shards | None = None,
) -> dict[str, Any]:
    """Let trees learn a batch; return what is told of it. If a row is refused, the trees are to be thrown away.

    With `tests`, they answer every row before they learn the batch: another pass over it. With `shards`, these keep
    what is counted of features.
    """
    began = time.monotonic()
    frame = frame.select(*columns.names)
    n_parts = int(trees.growers[0].parameters["sub_batches"])
    draws = trees.draws(0 if columns.batch is None else columns.batch)
    keeps = n_parts > 1 or tests
    if keeps:
        frame = frame.persist()
    told: dict[str, Any] = {"n_rows": 0, "n_splits": 0, "delta_bytes": 0, "router_bytes": 0}
    try:
        if tests:
            told["accuracy"] = accuracy_of(frame, trees, columns)
        for part in range(n_parts):
            sent = [grower.sent() for grower in trees.growers]
            told["router_bytes"] += sum(each.n_bytes() for each in sent)
            if shards is None:
                counts, n_rows, n_bytes = counted(
                    frame, sent, columns, part=part, n_parts=n_parts, reducers=reducers, draws=draws
                )
                counts = {tree: each for tree, each in counts.items() if each.delta.n_met() > 0}
                _name(frame, trees, {tree: each.delta for tree, each in counts.items()}, columns)
                n_splits = sum(trees.growers[tree].learn(each) for tree, each in counts.items())
            else:
                n_rows, n_bytes, n_splits = shards.learn(
                    frame, sent, trees.growers, columns, part=part, n_parts=n_parts, draws=draws
                )
            told["n_rows"] = n_rows
            told["delta_bytes"] += n_bytes
            told["n_splits"] += n_splits
    finally:
        if keeps:
            frame.unpersist()
    told["n_points"] = trees.n_points()
    told["n_leaves"] = trees.n_leaves()
    if shards is not None:
        told["statistics_bytes"] = shards.n_bytes
    told["seconds"] = time.monotonic() - began
    return told


def accuracy_of(frame: DataFrame, trees: Ensemble, columns: Columns) -> float | None:
    """Return the share of rows, by weight, that trees answer right; None without rows, or if they have learned none."""
    if not trees.has_learned():
        return None
    found = frame.mapInArrow(judge(type(trees), trees.to_bytes(), columns), JUDGED).collect()
    total = sum(row["total"] for row in found)
    return sum(row["right"] for row in found) / total if total > 0 else None


def _name(frame: DataFrame, trees: Ensemble, deltas: dict[int, _core.Delta], columns: Columns) -> None:
    """Look up the names of features that are new to a tree: each is in a row of this batch."""
    wanted = {tree: trees.growers[tree].unnamed(delta) for tree, delta in deltas.items()}
    everything = np.unique(np.concatenate([np.empty(0, dtype=np.uint64), *wanted.values()]))
    if len(everything) == 0:
        return
    names: dict[int, str] = {}
    for row in frame.select(columns.features).mapInArrow(namer(everything), "id long, name string").collect():
        each = int(np.int64(row["id"]).view(np.uint64))
        if names.setdefault(each, row["name"]) != row["name"]:
            raise SparkDataError(
                f"{columns.owner}: texts must have different hashes, got {names[each]!r} and {row['name']!r}"
            )
    for tree, ids in wanted.items():
        trees.growers[tree].name({each: names[each] for each in ids.tolist()})
