"""The tree classifiers as scikit-learn knows classifiers, and beyond: single points, and a look inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from sapwood.data.labels import distinct
from sapwood.estimators.base import TreeEstimator
from sapwood.inspect.inspectable import Inspectable
from sapwood.learner import TreeLearner
from sapwood.learner.learner import REFUSED

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.summary import TreeSummary
    from sapwood.inspect.view import TreeView
    from sapwood.learner import Point, TreeModel

__all__ = ["StreamingTreeClassifier"]


class StreamingTreeClassifier(Inspectable, TreeEstimator):
    """The base of the tree classifiers, which say what is theirs; not to be used itself."""

    __slots__ = ()

    # ---- learning from matrices -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget all, and learn from the rows of a matrix in their order.

        An error or an interrupt (Ctrl-C) leaves the model as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.
        y : array-like of shape (n_samples,)
            The class of each.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each counts: non-negative integers. A point of weight 0 is checked and not learned.

        Returns
        -------
        self : object
            The model itself.
        """
        with self._learner.lock:
            fresh = TreeLearner(self.kind, self.get_params(deep=False), owner=type(self).__name__)
            fresh.fit(self.batch_of(X, y, sample_weight, learner=fresh, method="fit"))
            self._learner.parameters, self._learner.model = fresh.parameters, fresh.model
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from the rows of a matrix in their order, after all that was learned before.

        In how many calls the rows come makes no difference to the tree. An error leaves the model as it was; an
        interrupt (Ctrl-C) keeps the rows learned so far, of which ``n_points_`` tells how many there are.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.
        y : array-like of shape (n_samples,)
            The class of each.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever be passed here. Needed at the first call unless the model has learned by ``fit``
            or ``learn_one``; later it may be left out, or must be the same.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each counts: non-negative integers. A point of weight 0 is checked and not learned.

        Returns
        -------
        self : object
            The model itself.
        """
        learner = self.learner
        with learner.lock:
            try:
                declared = None if classes is None else distinct(np.asarray(classes).reshape(-1), "classes")[0]
            except REFUSED as error:
                learner.refuse("partial_fit", error)
            learner.learn_declared(self.batch_of(X, y, sample_weight), declared)
        return self

    # ---- learning from points ---------------------------------------------------------------------------------------

    def learn_one(self, x: Point, y: Hashable, *, w: float = 1) -> None:
        """Learn from one point.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point. A mapping has the values of its features: a number is on where it is greater than ``binarize``, a
            boolean where it is true; text is the feature ``"key=text"``, and a list of texts is one such feature each;
            an absent key is 0, and so is None. Any other iterable holds the active features, hashable objects. Column j
            of a matrix is the feature j, or the name of the column if the first matrix had names.
        y : hashable
            Its class, which may be a new one.
        w : int, default=1
            How often it counts. A point of weight 0 is checked and not learned.
        """
        learner = self._learner
        if learner.model is None:
            learner = self.learner
        learner.learn_one(x, y, w)

    # ---- answers ----------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the largest probability for each row; of several, that which the model met first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Their classes.
        """
        model, batch = self._answerable("predict", X)
        return model.predict(batch)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``. A class that was declared and not met has probability 0.
        """
        model, batch = self._answerable("predict_proba", X)
        return model.predict_proba(batch)

    def predict_one(self, x: Point) -> Hashable:
        """Return the class of the largest probability for one point; None before anything was learned.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, as ``learn_one`` takes it.
        """
        return self._learner.predict_one(x)

    def predict_proba_one(self, x: Point) -> dict[Hashable, float]:
        """Return the probability of each class for one point; nothing before anything was learned.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, as ``learn_one`` takes it.
        """
        return self._learner.predict_proba_one(x)

    # ---- what was learned -------------------------------------------------------------------------------------------

    def _known(self, name: str) -> TreeModel:
        """Return the model; raise AttributeError before there is one, as an attribute of scikit-learn's does."""
        model = self._learner.model
        if model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} before it is fitted")
        return model

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes: sorted if they can be compared, else in the order of their appearance."""
        return self._known("classes_").labels.classes

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the matrices; there is none if the model has learned by ``learn_one`` alone."""
        columns = self._known("n_features_in_").columns
        if columns is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'n_features_in_' before a matrix")
        return columns.n

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The names of the columns, if the first matrix had names."""
        columns = self._known("feature_names_in_").columns
        if columns is None or columns.names is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'feature_names_in_' without names")
        return columns.names

    @property
    def features_seen_(self) -> list[Hashable]:
        """The features that were on in a point, in the order of their appearance."""
        return self._known("features_seen_").tree.keys()

    @property
    def n_points_(self) -> int:
        """The points learned, each as often as its weight says."""
        return self._known("n_points_").tree.n()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much of all impurity taken away by the tests in the tree each feature took away.

        A test takes away its gain times the points it was decided on. The shares of all features are 1 in sum, or 0 if
        there is no test. They are in the order of the columns; features that are no column are left out. A model that
        never met a matrix has them in the order of ``features_seen_``.
        """
        model = self._known("feature_importances_")
        with self._learner.lock:
            return model.importances()

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row reaches; nodes are numbered as in ``decision_path``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.
        """
        model, batch = self._answerable("apply", X)
        with self._learner.lock:
            indptr, nodes = model.decision_paths(batch)
        leaves: NDArray[np.int64] = nodes[indptr[1:] - 1]
        return leaves

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return which nodes each row passes: 1 at (i, k) if row i passes node k.

        Nodes are numbered from the root, which is 0, each before those below it, and those for a feature that is off
        before those for it on. A tree that learns is numbered anew.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
            In CSR format.
        """
        model, batch = self._answerable("decision_path", X)
        # The numbers of the nodes must not change meanwhile.
        with self._learner.lock:
            indptr, nodes = model.decision_paths(batch)
            n_nodes = model.tree.n_nodes()
        ones = np.ones(len(nodes), dtype=np.int64)
        return scipy.sparse.csr_matrix((ones, nodes, indptr), shape=(len(indptr) - 1, n_nodes))

    def get_depth(self) -> int:
        """Return the tests between the root and the leaf that is farthest from it."""
        return self._learned().tree.depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._learned().tree.n_leaves()

    def summary(self) -> TreeSummary:
        """Return what the tree is and what it has done, in a few numbers; it prints as a table."""
        self._learned()
        return self._learner.summary()

    # ---- looking inside ---------------------------------------------------------------------------------------------

    def _view(self, feature_names: FeatureNames, owner: str) -> TreeView:
        self._learned()
        return self._learner.view(feature_names, owner)

    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        model, learner = self._learned(), self._learner
        with learner.lock:
            if scipy.sparse.issparse(x):
                row: Any = x
                _, batch = self._answerable("explain_one", row.reshape(1, -1) if row.ndim == 1 else row)
                if len(batch) != 1:
                    learner.refuse("explain_one", ValueError(f"x must be one row, got {len(batch)}"))
                _, ids = model.rows(batch, make=False)
            else:
                try:
                    ids = model.active_ids(x)
                except REFUSED as error:
                    learner.refuse("explain_one", error)
            return learner.explain(ids, feature_names, f"{type(self).__name__}.explain_one")
