"""What the timings of searches share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from sapwood import _timing

if TYPE_CHECKING:
    from sapwood.data import Batch

__all__ = ["counting_seconds", "rotated"]

T = TypeVar("T")
_MOST_COLUMNS = 2**31 - 1


def counting_seconds(points: Batch, n_classes: int, checkpoints: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the cumulative seconds of counting only: an increment for each feature of each point.

    The native loop has two counters side by side for a feature, by class. Those that a feature has of more classes are
    the same in memory as those of as many features as there are pairs of classes.
    """
    indptr, indices, labels = points.as_numbers()
    n_columns = points.n_features or 0
    pairs = (n_classes + 1) // 2
    if pairs > 1:
        n_columns *= pairs
        if n_columns > _MOST_COLUMNS:
            raise ValueError(f"race: features times pairs of classes must be at most {_MOST_COLUMNS}, got {n_columns}")
        indices = indices * np.int32(pairs) + np.repeat(labels >> 1, np.diff(indptr)).astype(np.int32)
        labels = labels & np.uint16(1)
    return _timing.count_timed(indptr, indices, labels, n_columns, checkpoints)


def rotated(items: Sequence[T], turn: int) -> tuple[T, ...]:
    """Return the items in their order, but another one first at every turn."""
    cut = turn % len(items)
    return (*items[cut:], *items[:cut])
