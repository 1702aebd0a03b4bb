"""One batch of a DataFrame into trees: workers count, counts merge, the driver grows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it

from sapwood import _core
from sapwood.data.category import Category
from sapwood.spark.columns import SparkDataError
from sapwood.spark.counting import (
    COUNTED,
    LOOKED,
    NAMED,
    Counts,
    Draws,
    Sent,
    counter,
    looker,
    merged_rows,
    merger,
    namer,
)
from sapwood.spark.judging import JUDGED, judge
from sapwood.spark.schema import check_types, number_names

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
    partitions are first merged by this many tasks.
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
    frame = narrowed(frame, columns)
    n_parts = int(trees.growers[0].parameters["sub_batches"])
    draws = trees.draws(0 if columns.batch is None else columns.batch)
    check_types(frame.schema, columns, trees.growers[0].tree)
    numbers = number_names(frame.schema, columns)
    looks = [tree for tree, grower in enumerate(trees.growers) if numbers and grower.must_look(numbers)]
    keeps = n_parts > 1 or tests or bool(looks)
    if keeps:
        frame = frame.persist()
    told: dict[str, Any] = {"n_rows": 0, "n_splits": 0, "delta_bytes": 0, "router_bytes": 0}
    try:
        if tests:
            told["accuracy"] = accuracy_of(frame, trees, columns)
        if looks:
            told["delta_bytes"] += look(frame, trees, columns, draws)
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


def narrowed(frame: DataFrame, columns: Columns) -> DataFrame:
    """Return the columns that workers are given: those of features first."""
    if isinstance(columns.features, str):
        return frame.select(*columns.names)
    # Of several, each is a column, and no field of one; what workers are given has no name with a dot.
    features = [F.col(f"`{name}`").alias(f"feature {i}") for i, name in enumerate(columns.features)]
    return frame.select(*features, *columns.names[len(features) :])


def look(frame: DataFrame, trees: Ensemble, columns: Columns, draws: Draws | None) -> int:
    """Let trees know the values of numbers whose bins are not settled; return the bytes that came to the driver."""
    sent = [grower.sent() for grower in trees.growers]
    n_bytes = 0
    found: dict[int, _core.ValueCounts] = {}
    for row in frame.mapInArrow(looker(sent, columns, draws), LOOKED).collect():
        n_bytes += len(row["seen"])
        values = _core.ValueCounts.from_bytes(bytes(row["seen"]))
        found.setdefault(row["tree"], _core.ValueCounts()).merge(values)
    for tree, values in found.items():
        trees.growers[tree].tree.meet_values(values)
    return n_bytes


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
    features = frame.select(*frame.columns[: len(columns.feature_names)])
    for row in features.mapInArrow(namer(everything, columns.features), NAMED).collect():
        each, name, attribute = int(np.int64(row["id"]).view(np.uint64)), row["name"], row["attribute"]
        if attribute is not None:
            name = Category(attribute, name.removeprefix(f"{attribute}="))
        if names.setdefault(each, name) != name:
            raise SparkDataError(f"{columns.owner}: texts must have different hashes, got {names[each]!r} and {name!r}")
    for tree, ids in wanted.items():
        trees.growers[tree].name({each: names[each] for each in ids.tolist()})
