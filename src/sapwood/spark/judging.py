"""How many rows of a batch a model answers right, before it learns them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import sapwood
from sapwood.spark.counting import check_version

if TYPE_CHECKING:
    from sapwood.spark.columns import Columns
    from sapwood.spark.ensemble import Ensemble

__all__ = ["JUDGED", "judge"]

JUDGED = "right long, total long"
"""The columns of what workers judge."""

Batches = Iterator[pa.RecordBatch]


def judge(kind: type[Ensemble], data: bytes, columns: Columns) -> Callable[[Batches], Batches]:
    """Answer rows of (features, label, weight): out comes how many are right and how many there are, by weight."""
    version = sapwood.__version__

    def judged(batches: Batches) -> Batches:
        check_version(version)
        trees = kind.from_bytes(data)
        right = total = 0
        for batch in batches:
            if batch.num_rows == 0:
                continue
            given, labels, weights = columns.points(batch)
            answers = columns.naming_errors(trees.predict_proba, given).argmax(axis=1)
            counted = np.ones(len(labels), dtype=np.int64) if weights is None else weights.astype(np.int64)
            right += int(counted[answers == labels].sum())
            total += int(counted.sum())
        yield pa.RecordBatch.from_arrays(
            [pa.array([right], pa.int64()), pa.array([total], pa.int64())], names=["right", "total"]
        )

    return judged
