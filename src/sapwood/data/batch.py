"""The type for several points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sapwood import _core
from sapwood.data.labels import as_label

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Batch", "Coding", "Columns", "as_objects", "unlabelled"]


class Columns(NamedTuple):
    """The columns of the matrices of a model."""

    n: int
    names: NDArray[np.object_] | None
    """The names, if all of them are text; otherwise each column is named by its number."""


class Coding(NamedTuple):
    """Labels by number."""

    classes: NDArray[Any]
    """The distinct labels of the points."""
    codes: NDArray[np.intp]
    """The number of the label of each point in `classes`."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Successive points with their labels and weights, as compressed rows of active features.

    The features of point i are the entries ``indptr[i]`` to ``indptr[i + 1]`` of `indices` or of `keys`. Features are
    columns in `indices` (matrices, svmlight files and hashed text) and any hashable objects in `keys`; the other of the
    two is None. `points` yields each point as ``learn_one`` takes it, with the features in the same order, so a learner
    meets new features in the same order either way.
    """

    y: NDArray[Any]
    """The labels: those of a matrix in their own type; whole numbers as int64 and others as float64 from svmlight
    files, else objects as the file has them; None throughout if there are no labels."""
    indptr: NDArray[np.int64]
    """Where the features of each point begin, and where the last ones end."""
    indices: NDArray[np.int32] | None
    """The active columns of each point, ascending."""
    keys: list[Any] | None
    """The active features of each point, no feature twice in one."""
    n_features: int | None
    """The number of columns."""
    first_line: int
    """The line of the first point in the file; of a part, that of the batch."""
    weights: NDArray[np.float64] | None = None
    """The weight of each point; None if each counts once."""
    columns: Columns | None = None
    """The columns of the matrix, if the points are its rows."""
    coding: Coding | None = None
    """The labels by number, if they are known already; see `coded`."""

    @classmethod
    def of_points(cls, points: Iterable[Any], labels: Sequence[Hashable], binarize: float | None) -> Batch:
        """Return a batch of single points, each as ``learn_one`` takes it.

        A feature that a point has twice counts once. Raises TypeError or ValueError if a point or a label is invalid.
        """
        keys: list[Hashable] = []
        indptr = [0]
        for x in points:
            keys += dict.fromkeys(_core.active_keys(x, binarize))
            indptr.append(len(keys))
        if len(indptr) - 1 != len(labels):
            raise ValueError(f"y must have a label for each of the {len(indptr) - 1} points, got {len(labels)}")
        y = as_objects([as_label(label) for label in labels])
        return cls(y, np.array(indptr, dtype=np.int64), None, keys, None, 0)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def X(self) -> csr_array:  # noqa: N802 - the name scikit-learn users expect of a matrix of points
        """The points as a matrix of ones; raises ValueError where features are keys."""
        if self.indices is None or self.n_features is None:
            raise ValueError("Batch.X: features must be columns, got keys; use points(), or indptr and keys")
        ones = np.ones(len(self.indices), dtype=np.int8)
        X = csr_array((ones, self.indices, self.indptr), shape=(len(self), self.n_features))
        X.has_canonical_format = True
        return X

    def part(self, start: int, stop: int) -> Batch:
        """Return the points from `start` to `stop - 1`."""
        indptr = self.indptr[start : stop + 1]
        first, last = int(indptr[0]), int(indptr[-1])
        return replace(
            self,
            y=self.y[start:stop],
            indptr=indptr - first,
            indices=None if self.indices is None else self.indices[first:last],
            keys=None if self.keys is None else self.keys[first:last],
            weights=None if self.weights is None else self.weights[start:stop],
            coding=None if self.coding is None else self.coding._replace(codes=self.coding.codes[start:stop]),
        )

    def taken(self, rows: NDArray[np.intp]) -> Batch:
        """Return the points of these numbers, in this order."""
        sizes = np.diff(self.indptr)[rows]
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        # Where each entry was: where its point began, and how far it is from there.
        places = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], sizes)
        classes, codes = self.coded
        return replace(
            self,
            y=self.y[rows],
            indptr=indptr,
            indices=None if self.indices is None else self.indices[places],
            keys=None if self.keys is None else [self.keys[place] for place in places.tolist()],
            weights=None if self.weights is None else self.weights[rows],
            coding=Coding(classes, codes[rows]),
        )

    def features(self) -> Iterator[list[Any]]:
        """Yield the active features of each point."""
        flat: list[Any] = self.indices.tolist() if self.indices is not None else self.keys or []
        for start, end in pairwise(self.indptr.tolist()):
            yield flat[start:end]

    def labels(self) -> list[Any]:
        """Return the label of each point as a Python object; whole numbers are integers."""
        labels: list[Any] = self.y.tolist()
        if self.y.dtype.kind == "f":
            labels = [int(label) if label.is_integer() else label for label in labels]
        return labels

    def points(self) -> Iterator[tuple[list[Any], Any]]:
        """Yield the active features and the label of each point, as Python objects."""
        return zip(self.features(), self.labels(), strict=True)

    # ---- for learners -----------------------------------------------------------------------------------------------

    @cached_property
    def coded(self) -> Coding:
        """The labels by number. Raises TypeError or ValueError if a label is invalid."""
        if self.coding is not None:
            return self.coding
        if self.y.dtype.kind in "iu":
            found, codes = np.unique(self.y, return_inverse=True)
            return Coding(found, codes.reshape(-1))
        labels = self.labels()
        number = {as_label(label): code for code, label in enumerate(dict.fromkeys(labels))}
        return Coding(as_objects(list(number)), np.fromiter(map(number.__getitem__, labels), np.intp, len(labels)))

    def order(self, rows: slice | NDArray[np.intp] = slice(None)) -> list[Hashable]:
        """Return the distinct labels of all points, or of these rows, by first appearance; weight 0 is left out."""
        classes, codes = self.coded
        codes = codes[rows]
        if self.weights is not None:
            codes = codes[self.weights[rows] > 0]
        found, first = np.unique(codes, return_index=True)
        names = classes.tolist()
        return [names[code] for code in found[np.argsort(first)].tolist()]

    def rows_of(self, n_points: int) -> int:
        """Return the number of rows passed when `n_points` points of a weight above 0 have been learned."""
        if self.weights is None:
            return n_points
        return int(np.searchsorted(np.cumsum(self.weights > 0), n_points, side="right"))

    def as_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
        """Return offsets, columns and labels as the split searches take them.

        Features must be columns, and labels the numbers of classes, as those of `binary_batch` are.
        """
        if self.indices is None or self.y.dtype != np.uint16:
            raise ValueError("Batch.as_numbers: features must be columns and labels numbers of classes, got others")
        return self.indptr, self.indices, self.y


def as_objects(labels: Sequence[Any]) -> NDArray[np.object_]:
    """Return labels as they are, in an array: of strings NumPy would cut the zeros at the end."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def unlabelled(n: int) -> NDArray[np.object_]:
    """Return the labels of n points that have none, in no memory."""
    return np.broadcast_to(np.array(None, dtype=object), (n,))
