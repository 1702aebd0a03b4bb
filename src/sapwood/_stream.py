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


class Stream:
    """The points as the arrays that the native module takes."""

    def __init__(self, X: object, y: npt.ArrayLike) -> None:
        points = as_points(X, y)
        self.n = points.labels.size
        self.n_columns = points.n_columns
        self._points = points

    def part(self, start: int, stop: int) -> Part:
        """Return indptr, indices and labels of the points from `start` until before `stop`."""
        indptr = self._points.indptr[start : stop + 1]
        indices = self._points.indices[indptr[0] : indptr[-1]]
        return indptr - indptr[0], indices, self._points.labels[start:stop]

    def count(self, checkpoints: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the cumulative seconds of counting only, over all the points."""
        indptr, indices, labels = self.part(0, self.n)
        return _core.count_timed(indptr, indices, labels, self.n_columns, checkpoints)


def rotated(items: Sequence[T], turn: int) -> tuple[T, ...]:
    """Return the items in their order, but another one first at every turn."""
    cut = turn % len(items)
    return (*items[cut:], *items[:cut])
