"""A stream in pieces: points by themselves, or rows of a matrix."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from sapwood.data import Batch
from sapwood.data.csr import is_sparse

__all__ = ["MatrixPart", "Piece", "Pieces", "SinglePoints"]


@dataclass(frozen=True)
class SinglePoints:
    """Points by themselves, each with its class, as a model takes them."""

    points: list[tuple[Any, Hashable]]

    def __len__(self) -> int:
        return len(self.points)


class MatrixPart:
    """Points that are some of the rows of a matrix: compressed sparse rows, an array or a DataFrame.

    They are as they were given: what is on, if a model cares, is for the model to say. `whole` and `labels` are the
    matrix and its labels, so that whoever checks it needs to do so once.
    """

    def __init__(self, whole: Any, labels: list[Hashable], start: int = 0, stop: int | None = None) -> None:
        self.whole = whole
        self.labels = labels
        self.start = start
        self.stop = len(labels) if stop is None else min(stop, len(labels))

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def X(self) -> Any:  # noqa: N802 - the name of a matrix
        """The rows."""
        rows = slice(self.start, self.stop)
        return self.whole.iloc[rows] if hasattr(self.whole, "iloc") else self.whole[rows]

    @property
    def y(self) -> list[Hashable]:
        """Their labels."""
        return self.labels[self.start : self.stop]

    def part(self, start: int, stop: int) -> MatrixPart:
        """Return some of the rows, counted from the first of these."""
        return MatrixPart(self.whole, self.labels, self.start + start, min(self.start + stop, self.stop))

    @staticmethod
    def of_batch(batch: Batch) -> MatrixPart:
        """Return the points of a batch of a stream, whose features must be columns, as a matrix of ones."""
        return MatrixPart(batch.X, batch.y.tolist())


Piece: TypeAlias = SinglePoints | MatrixPart | Batch


class Pieces:
    """Takes a stream apart into pieces of at most as many points as are asked for.

    A stream is a pair of a matrix and its labels, or an iterable whose items are points (x, y), pairs (X, y) of a
    matrix and its labels, or batches of `sapwood.stream`.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._items: Iterator[Any] = iter([stream] if _is_block(stream) else _iterated(stream))
        self._block: MatrixPart | Batch | None = None  # of which some points have not been taken
        self._taken = 0
        self._error: BaseException | None = None  # to be raised next

    def take(self, size: int) -> Piece | None:
        """Return the next points, at least one and at most `size`; None at the end of the stream.

        An error of the stream, or an interrupt, is raised once the points before it have been returned.
        """
        if self._error is not None:
            raise self._error
        if self._block is not None:
            return self._take_of_block(size)
        points: list[tuple[Any, Hashable]] = []
        try:
            self._fill(points, size)
        except BaseException as error:
            if not points:
                raise
            self._error = error
        if points:
            return SinglePoints(points)
        return self._take_of_block(size)

    def interrupt(self) -> None:
        """Break off waiting for the stream: as it says itself, or by KeyboardInterrupt."""
        interrupt = getattr(self._stream, "interrupt", None)
        if interrupt is None:
            raise KeyboardInterrupt
        interrupt()

    def _fill(self, points: list[tuple[Any, Hashable]], size: int) -> None:
        """Add points up to `size` points, or up to a matrix, a batch or the end."""
        while len(points) < size:
            item = next(self._items, self)
            if item is self:
                return
            if (block := _block_of(item)) is None:
                points.append(_checked_point(item))
            elif len(block):
                self._block, self._taken = block, 0
                return

    def _take_of_block(self, size: int) -> MatrixPart | Batch | None:
        block = self._block
        if block is None:
            return None
        start, self._taken = self._taken, min(len(block), self._taken + size)
        if self._taken == len(block):
            self._block = None
        return block.part(start, start + size)


def _iterated(stream: Any) -> Iterable[Any]:
    if not isinstance(stream, Iterable) or isinstance(stream, (str, bytes)):
        raise TypeError(f"prequential: stream must be (X, y) or an iterable of points or batches, got {stream!r:.60}")
    return stream


def _is_matrix(x: Any) -> bool:
    return len(getattr(x, "shape", ())) == 2  # noqa: PLR2004 - that is what a matrix is


def _is_block(item: Any) -> bool:
    # A sparse matrix of one row may stand for a point, if its class is a class and not an array of one.
    return isinstance(item, tuple) and len(item) == 2 and _is_matrix(item[0]) and np.ndim(item[1]) == 1  # noqa: PLR2004


def _block_of(item: Any) -> MatrixPart | Batch | None:
    """Return a batch, or rows of a matrix, checked; None if the item is neither."""
    if isinstance(item, Batch):
        return item
    if _is_block(item):
        X, y = item
    elif hasattr(item, "X") and hasattr(item, "y"):
        X, y = item.X, item.y
    else:
        return None
    labels = np.asarray(y).tolist()
    if X.shape[0] != len(labels):
        raise ValueError(f"prequential: y must have a label for every row, {X.shape[0]:,} in all, got {len(labels)}")
    matrix: Any = X
    return MatrixPart(matrix.tocsr() if is_sparse(X) else X, labels)


def _checked_point(point: Any) -> tuple[Any, Hashable]:
    if not isinstance(point, (tuple, list)) or len(point) != 2:  # noqa: PLR2004 - x and y
        raise TypeError(f"prequential: stream must hold points (x, y) or batches, got {point!r:.60}")
    x, y = point
    return x, y
