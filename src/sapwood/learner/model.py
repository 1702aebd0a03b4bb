"""A tree of the core together with what its classes and columns are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from sapwood import _core
from sapwood.data.csr import chunks, kept
from sapwood.data.labels import NO_LABELS, Labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood.data import Batch, Columns

__all__ = ["TreeModel"]

# Rows that are answered at a time: between two chunks an interrupt (Ctrl-C) is seen.
_ROWS_IN_CHUNK = 1 << 16


class TreeModel:
    """What a learner has learned: all of its state but the parameters.

    Attributes
    ----------
    tree
        The tree of the core, which has a lock of its own: it may be read while another thread changes it.
    binarize
        The threshold that all points are read with.
    labels
        The classes. A writer sets them before the tree meets a new one, and a reader looks at the tree first; so every
        class that a reader meets has a label.
    columns
        The columns of the matrices, None before the first.
    reads_points
        Whether single points can be read: not with a threshold below 0, as all that they lack would be on.
    """

    __slots__ = ("_ids", "binarize", "columns", "labels", "reads_points", "tree")

    def __init__(
        self,
        tree: _core.Tree,
        binarize: float | None,
        labels: Labels = NO_LABELS,
        columns: Columns | None = None,
    ) -> None:
        self.tree = tree
        self.binarize = binarize
        self.labels = labels
        self.columns = columns
        self.reads_points = binarize is None or binarize >= 0
        self._ids: tuple[Columns, NDArray[np.int32]] | None = None
        if columns is not None and columns.names is not None:
            self._ids_of(columns, make=True)

    def __getstate__(self) -> tuple[Any, ...]:
        # Read together: the tree last, which knows no class that the labels do not.
        return self.tree.to_bytes(), self.tree.keys(), self.binarize, self.labels, self.columns

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        data, keys, *rest = state
        self.__init__(_core.Tree.from_bytes(data, keys), *rest)  # type: ignore[misc]  # as a new one

    def refuse_points(self) -> NoReturn:
        """Raise the error of a single point that cannot be read."""
        raise ValueError(
            "binarize must be at least 0 for single points, all of whose absent features would be on otherwise, "
            f"got {self.binarize}"
        )

    def active_ids(self, x: Any) -> NDArray[np.int32]:
        """Return the ids of those active features of a single point that the tree has met."""
        if not self.reads_points:
            self.refuse_points()
        return self.tree.point(x, self.binarize)

    # ---- batches ----------------------------------------------------------------------------------------------------

    def rows(self, batch: Batch, *, make: bool) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the points of a batch by the ids of their features.

        With `make` a feature that the tree never met is given an id, because it is about to meet it; else it is left
        out. A name that was never on has an id, and no place in the tree.
        """
        if batch.indices is None:
            ids = self.tree.ids_of_keys(batch.keys or [], make)
        elif batch.columns is None or batch.columns.names is None:
            return batch.indptr, batch.indices
        else:
            ids = self._ids_of(batch.columns, make=make)[batch.indices]
        return (batch.indptr, ids) if make else kept(batch.indptr, ids, ids >= 0)

    def _ids_of(self, columns: Columns, *, make: bool) -> NDArray[np.int32]:
        """Return the id of the feature in each column, which has a name."""
        assert columns.names is not None
        # Ids that were made stay; what has none yet may have one the next time.
        known = self._ids
        if known is not None and known[0] is columns:
            return known[1]
        ids = self.tree.ids_of_keys(columns.names.tolist(), make)
        if make:
            self._ids = columns, ids
        return ids

    def learn(self, batch: Batch) -> None:
        """Let the tree learn points whose labels are known."""
        self.tree.learn(*self.rows(batch, make=True), self._numbers(batch), batch.weights)

    def test_then_learn(self, batch: Batch) -> tuple[NDArray[np.uint16], NDArray[np.float64], NDArray[np.uint16]]:
        """Let the tree answer each point before it learns it; return what it predicts, its probabilities, the labels.

        All of them by the number of the class in the core, which has two classes at least.
        """
        numbers = self._numbers(batch)
        rows, places = self.rows(batch, make=True), self.labels.columns
        predicted, probabilities = self.tree.prequential(*rows, numbers, batch.weights, places)
        return predicted, probabilities, numbers

    def _numbers(self, batch: Batch) -> NDArray[np.uint16]:
        """Return the label of each point as the core knows it."""
        classes, codes = batch.coded
        # A class that is not known has only points of weight 0, which the tree leaves out, or none at all.
        known = [self.labels.index.get(label, 0) for label in classes.tolist()]
        return np.array(known, dtype=np.uint16)[codes]

    def predict(self, batch: Batch) -> NDArray[Any]:
        """Return the class of the largest probability for each point; of several, the first in ``labels.classes``."""
        rows = self.rows(batch, make=False)
        places = self.labels.columns
        numbers = np.concatenate([self.tree.predict(*chunk, places) for chunk in chunks(*rows, _ROWS_IN_CHUNK)])
        labels = self.labels
        # The core has two classes at least; the second may not have been met.
        columns = labels.columns[np.minimum(numbers, len(labels.order) - 1)]
        answers: NDArray[Any] = labels.classes[columns]
        return answers

    def predict_proba(self, batch: Batch) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``labels.classes``, for each point."""
        rows = self.rows(batch, make=False)
        found = [self.tree.predict_proba(*chunk) for chunk in chunks(*rows, _ROWS_IN_CHUNK)]
        labels = self.labels
        answers = np.zeros((len(batch), len(labels.classes)))
        if len(labels.order) == 1:
            answers[:, labels.columns[0]] = 1
            return answers
        start = 0
        for part in found:
            answers[start : start + len(part), labels.columns[: part.shape[1]]] = part
            start += len(part)
        return answers

    def decision_paths(self, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nodes that each point passes, as compressed rows. The tree must not learn meanwhile."""
        ends = [np.zeros(1, dtype=np.int64)]
        nodes = []
        for chunk in chunks(*self.rows(batch, make=False), _ROWS_IN_CHUNK):
            indptr, passed = self.tree.decision_path(*chunk)
            ends.append(indptr[1:] + ends[-1][-1])
            nodes.append(passed)
        return np.concatenate(ends), np.concatenate(nodes)

    # ---- features ---------------------------------------------------------------------------------------------------

    def importances(self) -> NDArray[np.float64]:
        """Return the share of each column, or without columns of each feature, in the impurity taken away by tests."""
        nodes = self.tree.nodes()
        keys = self.tree.keys()
        inner = nodes["feature"] >= 0
        taken = nodes["counts"][inner].sum(axis=1) * nodes["gain"][inner]
        shares = np.bincount(nodes["feature"][inner], weights=taken, minlength=len(keys)).astype(np.float64)
        if shares.sum() > 0:
            shares /= shares.sum()
        if self.columns is None:
            return shares
        names = None if self.columns.names is None else {name: i for i, name in enumerate(self.columns.names.tolist())}
        of_columns = np.zeros(self.columns.n)
        for slot in np.flatnonzero(shares).tolist():
            key = keys[slot]
            column = names.get(key, -1) if names is not None else key if isinstance(key, int) else -1
            if 0 <= column < self.columns.n:
                of_columns[column] = shares[slot]
        return of_columns
