"""A forest of the core together with what its classes and columns are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sapwood import _core
from sapwood.learner.model import TreeModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood.data import Batch

__all__ = ["ForestModel"]


class ForestModel(TreeModel):
    """What a learner with many trees holds: all of its state but the parameters."""

    __slots__ = ()

    @property
    def forest(self) -> _core.Forest:
        """The forest, which takes the place of a tree."""
        found = self.tree
        assert isinstance(found, _core.Forest)
        return found

    def of_tree(self, number: int, *, may_learn: bool = False) -> TreeModel:
        """Return a copy of a tree, with what its classes and columns are called; one that may learn takes longer."""
        return TreeModel(self.forest.tree(number, may_learn), self.reading, self.labels, self.columns)

    def importances(self) -> NDArray[np.float64]:
        """Return the mean over the trees of the share of each column, or feature, in the impurity taken away."""
        of_trees = [self.of_tree(number).importances() for number in range(self.forest.n_trees())]
        shares: NDArray[np.float64] = np.mean(of_trees, axis=0)
        return shares / shares.sum() if shares.sum() > 0 else shares

    def decision_paths(self, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nodes of all trees that each point passes, as compressed rows; one tree after the other."""
        passed, start = [], 0
        for number in range(self.forest.n_trees()):
            model = self.of_tree(number)
            indptr, nodes = model.decision_paths(batch)
            passed.append((indptr, nodes + start))
            start += model.tree.n_nodes()
        ends = np.sum([indptr for indptr, _ in passed], axis=0)
        rows = [nodes[indptr[i] : indptr[i + 1]] for i in range(len(batch)) for indptr, nodes in passed]
        return ends, np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)

    def leaves(self, batch: Batch) -> NDArray[np.int64]:
        """Return the leaf that each point reaches in each tree, by its number in the tree."""
        columns = []
        for number in range(self.forest.n_trees()):
            indptr, nodes = self.of_tree(number).decision_paths(batch)
            columns.append(nodes[indptr[1:] - 1])
        return np.stack(columns, axis=1)
