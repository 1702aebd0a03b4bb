"""A tree that forgets together with what its classes, columns and points are called."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data.batch import flagged
from sapwood.data.labels import NO_LABELS, Labels
from sapwood.data.numbers_as_flags import warns_of_numbers
from sapwood.learner.model import TreeModel

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from sapwood.data import Batch, Columns
    from sapwood.data.core_rows import CoreRows
    from sapwood.data.encode import Reading

__all__ = ["DynamicModel", "NamedPoint", "check_ids"]

NamedPoint = tuple[Any, int, int]
"""The id of a point, its place among all points in the order of the file, and its weight."""


class DynamicModel(TreeModel):
    """What a learner that forgets holds: all of its state but the parameters.

    Guarantee: nothing of it tells in which order points came, or which have gone. The classes are numbered in the
    order of ``labels.classes``; one whose last point is forgotten is gone, unless it was declared.

    Attributes
    ----------
    numbering
        Held while the classes of the tree change their numbers, and while numbers become classes.
    is_renumbering
        Whether it is held because they change.
    ids
        The entry in the store of the tree of each point that was learned with an id. Plain numbers, which are half the
        size of pairs and nothing to the garbage collector.
    weights
        The weight of each of these points that has another than 1.
    """

    __slots__ = ("_has_told", "_labels", "ids", "is_renumbering", "numbering", "weights")

    tree: _core.DynamicTree

    def __init__(
        self,
        tree: Any,
        reading: Reading,
        labels: Labels = NO_LABELS,
        columns: Columns | None = None,
        named: Sequence[NamedPoint] = (),
    ) -> None:
        self.numbering: Any = threading.RLock()
        self.is_renumbering = False
        self._has_told = False
        self._labels = labels
        self.ids: dict[Hashable, int] = {name: place for name, place, _ in named}
        self.weights: dict[Hashable, int] = {name: weight for name, _, weight in named if weight != 1}
        super().__init__(tree, reading, labels, columns)

    @property
    def labels(self) -> Labels:
        """The classes."""
        return self._labels

    @labels.setter
    def labels(self, labels: Labels) -> None:
        with self.numbering:
            now = labels.in_one_order()
            self.is_renumbering = True
            try:
                if now.order != self._labels.order:
                    # A class that is gone has no points, so that its number does not matter.
                    numbers = [now.index.get(label, 0) for label in self._labels.order]
                    self.tree.renumber(numbers or [0], len(now.order))
                self._labels = now
            finally:
                self.is_renumbering = False

    def named_points(self) -> list[NamedPoint]:
        """Return the points that have ids, in an order that does not tell how they came."""
        place = np.empty(0, dtype=np.int64)
        if self.ids:
            entries = self.tree.points_in_order()
            place = np.zeros(int(entries.max()) + 1, dtype=np.int64)
            place[entries] = np.arange(len(entries))
        named = [(name, int(place[entry]), self.weights.get(name, 1)) for name, entry in self.ids.items()]
        return sorted(named, key=lambda each: (each[1], type(each[0]).__name__, repr(each[0])))

    def ids_bytes(self) -> int:
        """Return the memory of the ids in bytes; of an id that is a tuple without its parts."""
        tables: tuple[dict[Hashable, int], ...] = (self.ids, self.weights)
        found = sum(sys.getsizeof(table) + sum(map(sys.getsizeof, table.values())) for table in tables if table)
        return found + sum(map(sys.getsizeof, self.ids))

    def __getstate__(self) -> tuple[Any, ...]:
        with self.numbering:
            return (*super().__getstate__(), self.named_points())

    # ---- points -----------------------------------------------------------------------------------------------------

    def learn_one(self, x: Any, label: int, w: float) -> None:
        """Let the tree learn one point, of the class with a number."""
        if not self._has_told and type(x) is dict:
            numbers = (value for value in x.values() if isinstance(value, (int, float, np.number)))
            self._has_told = warns_of_numbers(numbers, self.reading.binarize, levels=5)
        super().learn_one(x, label, w)

    def rows(self, batch: Batch, *, make: bool) -> CoreRows:
        """Return the points of a batch by the ids of their features, as `TreeModel.rows` does; numbers are flags."""
        if make and not self._has_told and batch.numbers is not None:
            self._has_told = warns_of_numbers(np.unique(batch.numbers.values).tolist(), self.reading.binarize, levels=9)
        return super().rows(batch, make=make)

    def learn_named(self, batch: Batch, ids: Sequence[Hashable]) -> None:
        """Let the tree learn points that have ids, which are new."""
        rows = self.rows(batch, make=True)
        entries = self.tree.learn(rows.indptr, rows.ids, self._codes(batch), batch.weights, named=True)
        assert entries is not None
        if batch.weights is None:
            self.ids.update(zip(ids, entries.tolist(), strict=True))
            return
        for name, entry, weight in zip(ids, entries.tolist(), batch.weights.astype(np.int64).tolist(), strict=True):
            if weight > 0:
                self.ids[name] = entry
            if weight > 1:
                self.weights[name] = weight

    def forget(self, batch: Batch, first_row: int = 0) -> None:
        """Let the tree forget points; raise ValueError, which names the row, if it does not hold one.

        Rows are counted from `first_row`: a stream comes in several batches.
        """
        batch = flagged(batch, self.reading.binarize)
        keys = self._keys_of(batch)
        classes, codes = batch.coded
        # What was never learned is known here; what is not held any more, or not so often, is for the tree to say.
        is_known = np.array([label in self.labels.index for label in classes.tolist()], dtype=bool)
        never = np.zeros(len(batch), dtype=bool) if len(batch) == 0 else ~is_known[codes]
        never[np.repeat(np.arange(len(batch)), np.diff(batch.indptr))[keys < 0]] = True
        if batch.weights is not None:
            never &= batch.weights > 0
        if never.any():
            raise ValueError(f"row {first_row + int(never.argmax())} must be held: {NOT_HELD}")
        self.tree.forget(batch.indptr, keys, self._codes(batch), batch.weights, first_row=first_row)
        self.forget_empty_classes()

    def forget_ids(self, ids: Sequence[Hashable]) -> None:
        """Let the tree forget the points of ids; raise ValueError if one is not known, or comes twice."""
        check_ids(ids)
        for name in ids:
            if name not in self.ids:
                raise ValueError(f"ids must be of points that were learned with them and are held, got {name!r}")
        entries = np.array([self.ids[name] for name in ids], dtype=np.uint32)
        self.tree.forget_named(entries, np.array([self.weights.get(name, 1) for name in ids], dtype=np.int32))
        for name in ids:
            del self.ids[name]
            self.weights.pop(name, None)
        self.forget_empty_classes()

    def forget_empty_classes(self) -> None:
        """Drop the classes that no point has any more, as if they had never been met."""
        counts = self.tree.class_counts()
        gone = [label for label, count in zip(self.labels.order, counts, strict=False) if count == 0]
        if gone:
            self.labels = self.labels.without(gone)

    def _keys_of(self, batch: Batch) -> NDArray[np.int32]:
        """Return the id of each feature of each point, -1 for one that was never met."""
        if batch.indices is None:
            return self.key_ids.of(batch.keys, make=False)
        if batch.names is not None:
            of_names: NDArray[np.int32] = self.tree.ids_of_keys(batch.names, False)[batch.indices]
            return of_names
        if batch.columns is None or batch.columns.names is None:
            return batch.indices
        ids: NDArray[np.int32] = self._ids_of(batch.columns, make=False)[batch.indices]
        return ids

    # ---- answers: the numbers of classes must not change before they are classes ------------------------------------

    def predict(self, batch: Batch) -> NDArray[Any]:
        """Return the class of the largest probability for each point; of several, the first in ``labels.classes``."""
        with self.numbering:
            return super().predict(batch)

    def predict_proba(self, batch: Batch) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``labels.classes``, for each point."""
        with self.numbering:
            return super().predict_proba(batch)


NOT_HELD = "learned more often than it was forgotten, got one that is held 0 times"


def check_ids(ids: Sequence[Hashable]) -> None:
    """Raise TypeError or ValueError unless ids are hashable, equal themselves and differ from each other."""
    met: set[Hashable] = set()
    for name in ids:
        try:
            again = name in met
        except TypeError:
            raise TypeError(f"ids must be hashable, got {name!r}") from None
        if name != name:  # noqa: PLR0124 - NaN is what does not equal itself
            raise ValueError(f"ids must equal themselves, got {name!r}")
        if again:
            raise ValueError(f"ids must differ from each other, got {name!r} twice")
        met.add(name)
