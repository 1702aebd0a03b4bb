"""The forest classifiers with the scikit-learn interface: many trees, of which each can be looked into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from sapwood.estimators.classifier import TreeClassifier
from sapwood.inspect.boxes import DEPTH
from sapwood.inspect.summary import ForestSummary
from sapwood.learner import ForestLearner, ForestModel

if TYPE_CHECKING:
    import graphviz
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames

__all__ = ["ForestClassifier"]


class ForestClassifier(TreeClassifier):
    """The base of the forest classifiers, which say what is theirs; not to be used itself."""

    __slots__ = ()

    def _of_tree(self, tree: int, *, may_learn: bool = False) -> TreeClassifier:
        """Return a tree as a classifier of its own: a copy, which answers as the tree does."""
        self._learned()
        learner = self._learner
        assert isinstance(learner, ForestLearner)
        return TreeClassifier.of(learner.member(tree, may_learn=may_learn))

    def _forest(self, method: str, X: Any) -> tuple[ForestModel, Any]:
        model, batch = self._answerable(method, X)
        assert isinstance(model, ForestModel)
        return model, batch

    @property
    def estimators_(self) -> list[TreeClassifier]:
        """The trees, each as a classifier of its own: copies, which answer as the trees do now."""
        model = self._known("estimators_")
        assert isinstance(model, ForestModel)
        return [self._of_tree(tree, may_learn=True) for tree in range(model.forest.n_trees())]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The mean over the trees of the share of each feature in the impurity that the splits of a tree removed.

        As of a single tree: only splits count, and the shares add up to 1, or to 0 if there is no split. They are in
        the order of the columns, or without a matrix in that of ``features_seen_``.
        """
        model = self._known("feature_importances_")
        with self._learner.lock:
            return model.importances()

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row reaches in each tree.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators)
            The numbers of the leaves, in pre-order from the root of each tree.
        """
        model, batch = self._forest("apply", X)
        with self._learner.lock:
            return model.leaves(batch)

    def decision_path(self, X: Any) -> tuple[scipy.sparse.csr_matrix, NDArray[np.int64]]:  # type: ignore[override]
        """Return which nodes each row passes, as scikit-learn's forests do.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
            1 at (i, k) if row i passes node k, over the nodes of all trees.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The columns ``n_nodes_ptr[i]`` to ``n_nodes_ptr[i + 1]`` are the nodes of tree i.
        """
        model, batch = self._forest("decision_path", X)
        # The numbers of the nodes must not change meanwhile.
        with self._learner.lock:
            indptr, nodes = model.decision_paths(batch)
            sizes = [model.of_tree(tree).tree.n_nodes() for tree in range(model.forest.n_trees())]
        ends = np.concatenate(([0], np.cumsum(sizes)))
        ones = np.ones(len(nodes), dtype=np.int64)
        return scipy.sparse.csr_matrix((ones, nodes, indptr), shape=(len(indptr) - 1, ends[-1])), ends

    def get_depth(self) -> int:
        """Return the largest number of tests between the root of a tree and a leaf."""
        return self._learned().tree.depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves of all trees."""
        return self._learned().tree.n_leaves()

    def summary(self) -> ForestSummary:  # type: ignore[override]  # that of a forest is another
        """Return the size and the history of the forest in a few numbers, which print as a table."""
        self._learned()
        found = self._learner.summary()
        assert isinstance(found, ForestSummary)
        return found

    # ---- looking inside one tree ------------------------------------------------------------------------------------

    def export_text(self, *, tree: int = 0, **options: Any) -> str:
        """Return a tree as rules. The other parameters are those of a single tree's ``export_text``.

        Parameters
        ----------
        tree : int, default=0
            The number of the tree.
        **options
            ``feature_names``, ``max_depth``, ``decimals``, ``show_counts``, ``show_gain``, ``show_model``.
        """
        return self._of_tree(tree).export_text(**options)

    def to_dict(self, *, tree: int = 0, feature_names: FeatureNames = None) -> dict[str, Any]:
        """Return a tree in plain types for json.dumps: a flat list of nodes, however deep the tree."""
        return self._of_tree(tree).to_dict(feature_names=feature_names)

    def to_dataframe(self, *, tree: int = 0, feature_names: FeatureNames = None) -> pd.DataFrame:
        """Return a tree as a pandas table, one row per node. Needs pandas, which the extra ``pandas`` installs."""
        return self._of_tree(tree).to_dataframe(feature_names=feature_names)

    def to_dot(self, *, tree: int = 0, feature_names: FeatureNames = None, max_depth: int | None = DEPTH) -> str:
        """Return a tree in the language of graphviz, down to `max_depth`; None is no limit."""
        return self._of_tree(tree).to_dot(feature_names=feature_names, max_depth=max_depth)

    def draw(
        self, *, tree: int = 0, feature_names: FeatureNames = None, max_depth: int | None = DEPTH
    ) -> graphviz.Source:
        """Return a tree as a graph that a notebook shows and whose ``render`` writes a file.

        Needs the package graphviz, which the extra ``draw`` installs. Showing and writing need the program ``dot``.
        """
        return self._of_tree(tree).draw(feature_names=feature_names, max_depth=max_depth)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        tree: int = 0,
        feature_names: FeatureNames = None,
        max_depth: int | None = DEPTH,
    ) -> Axes:
        """Draw a tree with matplotlib and return the axes; ``plot().figure.savefig(path)`` saves the picture.

        Needs matplotlib, which the extra ``plot`` installs.
        """
        return self._of_tree(tree).plot(ax, feature_names=feature_names, max_depth=max_depth)

    def explain_one(self, x: Any, *, tree: int = 0, feature_names: FeatureNames = None) -> Explanation:
        """Explain the prediction of a tree for a point; print the result to read it.

        Parameters
        ----------
        x : dict, other mapping, iterable of active features, or sparse matrix of one row
            The point. Features that the model has never seen have no effect and are not mentioned.
        tree : int, default=0
            The number of the tree.
        feature_names : sequence, mapping, function or None, default=None
            The names of the features.
        """
        return self._of_tree(tree).explain_one(x, feature_names=feature_names)
