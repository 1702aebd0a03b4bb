"""From the classes and features of a stream, whatever they are called, to the numbers that split searches take."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.inspect.names import default_name, one_line

if TYPE_CHECKING:
    from sapwood.data import Batch
    from sapwood.data import Numbers as NumbersOfPoints

__all__ = ["Numbers"]

_MOST_EDGES = 32  # as many as a tree has at first


class Numbers:
    """Gives numbers to classes, and to features that are called by strings, in the order in which they are met.

    With `compact`, columns are numbered anew in the same way, so that there are as many as features. A number becomes
    the features that it is above an edge, for edges at the quantiles of the first batch that has it.
    """

    def __init__(self, *, compact: bool = False) -> None:
        self.classes: dict[Hashable, int] = {}
        self._compact = compact
        self._features: dict[Any, int] = {}
        self._keys: list[Any] = []
        self._n_columns = 0
        self._edges: dict[Any, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}

    def numbered(self, batch: Batch) -> Batch:
        """Return the points of a batch with columns for features and the numbers of classes for labels."""
        labels = batch.labels()
        for label in dict.fromkeys(labels):
            self.classes.setdefault(label, len(self.classes))
        y = np.fromiter((self.classes[label] for label in labels), np.uint16, len(labels))
        if batch.numbers is not None:
            batch = self._flagged(batch, batch.numbers)
        if batch.indices is not None and batch.names is None and not self._compact:
            self._n_columns = batch.n_features or 0
            return replace(batch, y=y)
        if batch.indices is not None:
            columns, place = np.unique(batch.indices, return_inverse=True)
            names = columns.tolist() if batch.names is None else [batch.names[column] for column in columns.tolist()]
            ids = self._numbers(names)[place.reshape(-1)]
        else:
            keys = list(batch.keys or ())
            distinct = list(dict.fromkeys(keys))
            number = dict(zip(distinct, self._numbers(distinct).tolist(), strict=True))
            ids = np.fromiter((number[key] for key in keys), np.int32, len(keys))
        # In order within each point: one sort of all, by point and then by feature.
        points = np.repeat(np.arange(len(batch)), np.diff(batch.indptr))
        ids = ids[np.lexsort((ids, points))]
        return replace(batch, y=y, indices=ids, keys=None, names=None, n_features=len(self._keys))

    def _flagged(self, batch: Batch, numbers: NumbersOfPoints) -> Batch:
        """Return points with features in place of numbers."""
        assert numbers.names is not None
        points = np.repeat(np.arange(len(batch)), np.diff(numbers.indptr))
        extra: list[list[str]] = [[] for _ in range(len(batch))]
        for column, name in enumerate(numbers.names):
            here = numbers.columns == column
            values = numbers.values[here]
            if name not in self._edges and len(values):
                self._edges[name] = _edges_of(values)
            edges = self._edges.get(name, np.empty(0))
            flags = [f"{name} > {edge:.6g}" for edge in edges.tolist()]
            for point, n_above in zip(points[here].tolist(), np.searchsorted(edges, values).tolist(), strict=True):
                extra[point] += flags[:n_above]
        rows = [[*features, *more] for features, more in zip(batch.features(), extra, strict=True)]
        indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
        keys = [key for row in rows for key in row]
        return replace(batch, indptr=indptr, indices=None, names=None, keys=keys, numbers=None)

    def _numbers(self, keys: list[Any]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        known = self._features
        for key in keys:
            if known.setdefault(key, len(known)) == len(self._keys):
                self._keys.append(key)
        return np.fromiter((known[key] for key in keys), np.int32, len(keys))

    def name(self, feature: int) -> str:
        """Return what a feature is called."""
        return one_line(default_name(feature if self._n_columns else self._keys[feature]))


def _edges_of(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the edges of a number: between its values while these are few, else their quantiles."""
    distinct = np.unique(values)
    if len(distinct) <= _MOST_EDGES:
        return distinct[:-1] / 2 + distinct[1:] / 2
    return np.unique(np.quantile(values, np.arange(1, _MOST_EDGES + 1) / (_MOST_EDGES + 1)))
