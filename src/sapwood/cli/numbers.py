"""From the classes and features of a stream, whatever they are called, to the numbers that split searches take."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.inspect.names import default_name, one_line

if TYPE_CHECKING:
    from sapwood.data import Batch

__all__ = ["Numbers"]


class Numbers:
    """Gives numbers to classes, and to features that are called by strings, in the order in which they are met.

    With `compact`, columns are numbered anew in the same way, so that there are as many as features.
    """

    def __init__(self, *, compact: bool = False) -> None:
        self.classes: dict[Hashable, int] = {}
        self._compact = compact
        self._features: dict[Any, int] = {}
        self._keys: list[Any] = []
        self._n_columns = 0

    def numbered(self, batch: Batch) -> Batch:
        """Return the points of a batch with columns for features and the numbers of classes for labels."""
        labels = batch.labels()
        for label in dict.fromkeys(labels):
            self.classes.setdefault(label, len(self.classes))
        y = np.fromiter((self.classes[label] for label in labels), np.uint16, len(labels))
        if batch.indices is not None and not self._compact:
            self._n_columns = batch.n_features or 0
            return replace(batch, y=y)
        if batch.indices is not None:
            columns, place = np.unique(batch.indices, return_inverse=True)
            ids = self._numbers(columns.tolist())[place.reshape(-1)]
        else:
            keys = batch.keys or []
            distinct = list(dict.fromkeys(keys))
            number = dict(zip(distinct, self._numbers(distinct).tolist(), strict=True))
            ids = np.fromiter((number[key] for key in keys), np.int32, len(keys))
        # In order within each point: one sort of all, by point and then by feature.
        points = np.repeat(np.arange(len(batch)), np.diff(batch.indptr))
        return replace(batch, y=y, indices=ids[np.lexsort((ids, points))], keys=None, n_features=len(self._keys))

    def _numbers(self, keys: list[Any]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        known = self._features
        for key in keys:
            if known.setdefault(key, len(known)) == len(self._keys):
                self._keys.append(key)
        return np.fromiter((known[key] for key in keys), np.int32, len(keys))

    def name(self, feature: int) -> str:
        """Return what a feature is called."""
        return one_line(default_name(feature if self._n_columns else self._keys[feature]))
