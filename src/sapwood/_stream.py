"""Points as the native timings take them, in stretches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sapwood import _core
from sapwood._points import as_points

Part = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint16]]
T = TypeVar("T")
_MOST_COLUMNS = 2**31 - 1


class Stream:
    """The points as the arrays that the native module takes."""

    def __init__(self, X: object, y: npt.ArrayLike, n_classes: int = 2) -> None:
        points = as_points(X, y, n_classes)
        self.n = points.labels.size
        self.n_columns = points.n_columns
        self._points = points

    def part(self, start: int, stop: int) -> Part:
        """Return indptr, indices and labels of the points from `start` until before `stop`."""
        indptr = self._points.indptr[start : stop + 1]
        indices = self._points.indices[indptr[0] : indptr[-1]]
        return indptr - indptr[0], indices, self._points.labels[start:stop]

    def count(self, checkpoints: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the cumulative seconds of counting only, over all the points, which are of two classes."""
        return counting_seconds(self.part(0, self.n), self.n_columns, 2, checkpoints)


def counting_seconds(
    part: Part, n_columns: int, n_classes: int, checkpoints: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the cumulative seconds of counting only: an increment for each feature of each point.

    The native loop has two counters side by side for a feature, by class. Those that a feature has of more classes are
    the same in memory as those of as many features as there are pairs of classes.
    """
    indptr, indices, labels = part
    pairs = (n_classes + 1) // 2
    if pairs > 1:
        n_columns *= pairs
        if n_columns > _MOST_COLUMNS:
            raise ValueError(f"race: features times pairs of classes must be at most {_MOST_COLUMNS}, got {n_columns}")
        indices = indices * np.int32(pairs) + np.repeat(labels >> 1, np.diff(indptr)).astype(np.int32)
        labels = labels & np.uint16(1)
    return _core.count_timed(indptr, indices, labels, n_columns, checkpoints)


def rotated(items: Sequence[T], turn: int) -> tuple[T, ...]:
    """Return the items in their order, but another one first at every turn."""
    cut = turn % len(items)
    return (*items[cut:], *items[:cut])
