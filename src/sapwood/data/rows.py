"""The rows of a matrix or a table, column by column made points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sapwood.data.batch import Numbers

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

__all__ = ["EncodedRows", "Gathered", "dense_numbers"]


class EncodedRows(NamedTuple):
    """The points of a matrix, as the fields of a `Batch` have them."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    numbers: Numbers | None = None
    names: list[Hashable] | None = None


class Gathered:
    """The flags and numbers of the columns of a table, gathered column by column in their order."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._names: list[Hashable] = []
        self._flags: list[tuple[NDArray[Any], NDArray[np.int32]]] = []
        self._numbers: list[tuple[NDArray[Any], NDArray[np.int32], NDArray[np.float64]]] = []

    def add_flags(self, rows: NDArray[Any], codes: NDArray[Any], names: list[Hashable]) -> None:
        """Add features that are on: the row of each, ascending, and its number in `names`."""
        self._flags.append((rows, codes.astype(np.int32) + np.int32(len(self._names))))
        self._names += names

    def add_numbers(self, rows: NDArray[Any], column: int, values: NDArray[np.float64]) -> None:
        """Add the numbers of a column: the row of each, ascending, and its value."""
        self._numbers.append((rows, np.full(len(rows), column, dtype=np.int32), values))

    def rows(self) -> EncodedRows:
        """Return everything by row, in each row by column."""
        indptr, order, codes = self._by_row(self._flags)
        starts, places, columns = self._by_row([(rows, each) for rows, each, _ in self._numbers])
        values = np.concatenate([each for _, _, each in self._numbers] or [np.empty(0)])
        numbers = Numbers(starts, columns[places], values[places])
        return EncodedRows(indptr, codes[order], numbers, self._names)

    def _by_row(
        self, parts: list[tuple[NDArray[Any], NDArray[np.int32]]]
    ) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.int32]]:
        rows = np.concatenate([each for each, _ in parts] or [np.empty(0, dtype=np.intp)])
        what = np.concatenate([each for _, each in parts] or [np.empty(0, dtype=np.int32)])
        counts = np.bincount(rows, minlength=self._n) if len(rows) else np.zeros(self._n, dtype=np.intp)
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        # Stable: the columns of a row stay in their order.
        return indptr, np.argsort(rows, kind="stable"), what


def dense_numbers(X: NDArray[Any]) -> Numbers:
    """Return the numbers of a dense matrix, in which NaN is missing. Raises ValueError, with the column, for others."""
    # A copy: another thread may change X at any time, and what is learned must be what was checked.
    values = np.array(X, dtype=np.float64, order="C")
    n, width = values.shape
    columns = np.broadcast_to(np.arange(width, dtype=np.int32), (n, width))
    if np.isfinite(values).all():
        # Most matrices lack nothing, and then all rows are alike.
        indptr = width * np.arange(n + 1, dtype=np.int64)
        return Numbers(indptr, columns.reshape(-1), values.reshape(-1))
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0].tolist()
        raise ValueError(f"X must hold finite numbers, got {values[row, column]} in column {column}")
    there = ~np.isnan(values)
    indptr = np.concatenate(([0], np.cumsum(np.count_nonzero(there, axis=1)))).astype(np.int64)
    return Numbers(indptr, columns[there], values[there])
