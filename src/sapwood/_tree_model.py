"""What a tree classifier has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sapwood._labels import NO_LABELS, Labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood import _core
    from sapwood._batch import Batch
    from sapwood._rows import Columns


class Model:
    """What a classifier has learned: all of its state but the parameters.

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
    """

    __slots__ = ("binarize", "columns", "labels", "tree")

    def __init__(self, tree: _core.Tree, binarize: float | None, labels: Labels = NO_LABELS) -> None:
        self.tree = tree
        self.binarize = binarize
        self.labels = labels
        self.columns: Columns | None = None

    def threshold(self) -> float | None:
        """Return the threshold for single points; raise ValueError if they cannot be read with it."""
        if self.binarize is not None and self.binarize < 0:
            raise ValueError(
                "binarize must be at least 0 for single points, all of whose absent features would be on otherwise, "
                f"got {self.binarize}"
            )
        return self.binarize

    def with_ids(self, columns: Columns, *, make: bool) -> Columns:
        """Find the features of columns that have names. A name that was never on has an id, and no place in the tree.

        Parameters
        ----------
        columns
            The columns of a matrix.
        make
            Whether names that the model never met are given an id, because it is about to meet them.
        """
        if columns.names is None:
            return columns
        return columns._replace(ids=self.tree.ids_of_keys(columns.names.tolist(), make))

    def learn(self, batch: Batch) -> None:
        """Let the tree learn from points whose labels are known."""
        self.tree.learn(*batch.rows, self._numbers(batch), batch.weights)

    def test_then_learn(self, batch: Batch) -> tuple[NDArray[np.uint16], NDArray[np.float64], NDArray[np.uint16]]:
        """Let the tree answer each point before it learns it; return what it predicts, its probabilities, the labels.

        All of them by the number of the class in the core, which has two classes at least. Points have no weights.
        """
        numbers = self._numbers(batch)
        predicted, probabilities = self.tree.prequential(*batch.rows, numbers)
        return predicted, probabilities, numbers

    def _numbers(self, batch: Batch) -> NDArray[np.uint16]:
        """Return the label of each point as the core knows it."""
        # A class that is not known has only points of weight 0, which the tree leaves out, or none at all.
        known = [self.labels.index.get(label, 0) for label in batch.classes.tolist()]
        return np.array(known, dtype=np.uint16)[batch.codes]

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
