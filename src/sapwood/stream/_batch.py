"""A batch of points of a stream."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Successive points of a stream with their labels, as compressed rows of active features.

    The features of point i are entries ``indptr[i]`` to ``indptr[i + 1]`` of `indices`, where features are the columns
    of a matrix (svmlight files and hashed text), or else of `keys`, where they are called by strings. The other of the
    two is None. Either way `points` gives what ``learn_one`` takes, with the features of a point in the same order, so
    that a learner meets new features in one order whichever way it is fed.
    """

    y: NDArray[Any]
    """The labels: whole numbers as int64 and others as float64 from svmlight files, else objects as the file has them;
    None throughout if the stream is read without labels."""
    indptr: NDArray[np.int64]
    """Where the features of each point begin, and where the last ones end."""
    indices: NDArray[np.int32] | None
    """The active columns of each point, ascending."""
    keys: list[str] | None
    """The active features of each point, no feature twice in one."""
    n_features: int | None
    """The number of columns."""
    first_line: int
    """The line of the first point; of a part, that of the batch."""

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def X(self) -> csr_array:  # noqa: N802 - the name scikit-learn users expect of a matrix of points
        """The points as a matrix of ones; ValueError where features have keys and no columns."""
        if self.indices is None or self.n_features is None:
            raise ValueError("Batch.X: features must be columns, got keys; use points(), or indptr and keys")
        ones = np.ones(len(self.indices), dtype=np.int8)
        X = csr_array((ones, self.indices, self.indptr), shape=(len(self), self.n_features))
        X.has_canonical_format = True
        return X

    def part(self, start: int, stop: int) -> Batch:
        """Return the points from number `start` until before `stop`."""
        indptr = self.indptr[start : stop + 1]
        first, last = int(indptr[0]), int(indptr[-1])
        return replace(
            self,
            y=self.y[start:stop],
            indptr=indptr - first,
            indices=None if self.indices is None else self.indices[first:last],
            keys=None if self.keys is None else self.keys[first:last],
        )

    def features(self) -> Iterator[list[str] | list[int]]:
        """Yield the active features of each point."""
        flat: list[Any] = self.indices.tolist() if self.indices is not None else self.keys or []
        for start, end in pairwise(self.indptr.tolist()):
            yield flat[start:end]

    def labels(self) -> list[Any]:
        """Return the label of each point, as Python's own objects: a whole number is an integer."""
        labels: list[Any] = self.y.tolist()
        if self.y.dtype.kind == "f":
            labels = [int(label) if label.is_integer() else label for label in labels]
        return labels

    def points(self) -> Iterator[tuple[list[str] | list[int], Any]]:
        """Yield the active features and the label of each point, as Python's own objects."""
        return zip(self.features(), self.labels(), strict=True)
