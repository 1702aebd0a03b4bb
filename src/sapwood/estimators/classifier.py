"""The tree classifiers with the scikit-learn interface, and more: single points, and looking inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from sapwood.data import Batch
from sapwood.data.labels import distinct, label_array
from sapwood.data.weights import checked_weights
from sapwood.estimators.base import TreeEstimator
from sapwood.estimators.checks import checked_labels
from sapwood.inspect.inspectable import Inspectable
from sapwood.inspect.summary import TreeSummary
from sapwood.learner import make_learner
from sapwood.learner.learner import REFUSED
from sapwood.stream.texts import are_texts, as_list, text_batch

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.strongest_features import TopFeatures
    from sapwood.inspect.view import TreeView
    from sapwood.learner import Point, TreeModel

__all__ = ["TreeClassifier"]


class TreeClassifier(Inspectable, TreeEstimator):
    """The base of the tree classifiers, which say what is theirs; not to be used itself."""

    __slots__ = ()

    # ---- learning from matrices -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, and learn from the rows of a matrix, in random order unless ``shuffle`` is False.

        The order is that of NumPy's ``RandomState(seed).permutation(n_samples)``. The seed is ``random_state``, 0 if
        that is None, or drawn from it if it is a RandomState; so fitting twice gives the same model. An error or an
        interrupt (Ctrl-C) leaves the model as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points. In a dense array a value is a number and a boolean a flag; NaN is missing. In a table of pandas
            or polars a column is what its type says: flags, numbers, or a category if it holds texts. A sparse matrix
            holds flags (``binarize``), and CSR is read in place.
        y : array-like of shape (n_samples,)
            The class of each point.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights, non-negative numbers. If the weights, times ``class_weight``, are all whole, a point of weight
            w counts w times. If not, only their ratios matter: they are scaled to a mean of 1 over the points whose
            weight is not 0. Logistic regression uses a fraction as it is; for counts it is rounded at random, up with
            the probability of the fraction. A point of weight 0 is only checked.

        Returns
        -------
        self : object
            The model itself.
        """
        with self._learner.lock:
            fresh = make_learner(self.kind, self.get_params(deep=False), owner=type(self).__name__)
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
        """Learn from the rows of a matrix in order, after everything learned before.

        The tree does not depend on how the rows are divided into calls. An error leaves the model as it was. An
        interrupt (Ctrl-C) keeps the rows learned so far, which ``n_points_`` counts.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points. In a dense array a value is a number and a boolean a flag; NaN is missing. In a table of pandas
            or polars a column is what its type says: flags, numbers, or a category if it holds texts. A sparse matrix
            holds flags (``binarize``), and CSR is read in place.
        y : array-like of shape (n_samples,)
            The class of each point.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever be passed. Required at the first call unless the model has learned by ``fit`` or
            ``learn_one``; later it may be left out or must be the same.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights, non-negative numbers: a point of weight w counts w times. Logistic regression uses a fraction
            as it is; for counts it is rounded at random, up with the probability of the fraction. A point of weight 0
            is only checked.

        Returns
        -------
        self : object
            The model itself.
        """
        learner = self.learner
        with learner.lock:
            try:
                all_of_them = np.asarray(label_array(classes)).reshape(-1)
                declared = None if classes is None else distinct(all_of_them, "classes")[0]
            except REFUSED as error:
                learner.refuse("partial_fit", error)
            learner.learn_declared(self.batch_of(X, y, sample_weight, learner=learner), declared)
        return self

    # ---- learning from points ---------------------------------------------------------------------------------------

    def learn_one(self, x: Point, y: Hashable, *, w: float = 1) -> None:
        """Learn from one point.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point. In a mapping a boolean is a flag, on or off, a number is a number, and a text the value of a
            category: the feature ``"key=text"``. A list of texts is a flag per text, and the items of a dict are
            called ``"key.item"``. None, NaN and empty text are missing, as an absent key is. Any other iterable holds
            the flags that are on, which are hashable. Column j of a matrix is called j, or by the name of the column if
            the first matrix had names.
        y : hashable
            The class, which may be new.
        w : float, default=1
            The weight, a non-negative number: the point counts w times. Logistic regression uses a fraction as it is;
            for counts it is rounded at random, up with the probability of the fraction. A point of weight 0 is only
            checked.
        """
        learner = self._learner
        if learner.model is None:
            learner = self.learner
        learner.learn_one(x, y, w)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from texts, or from points, in order, exactly as ``learn_one`` would learn their words, or each.

        Words are found in native code, so that this is the fastest way for texts. If a text, a point or a label is
        invalid, nothing is learned.

        Parameters
        ----------
        X : list of str, Series, Arrow array, or sequence of points
            Texts, whose words are flags as ``sapwood.stream.text_batch`` finds them; or points as ``learn_one`` takes
            them. For matrices and tables there is ``partial_fit``.
        y : sequence
            The class of each, which may be new.

        Examples
        --------
        >>> from sapwood import StreamingTreeClassifier
        >>> model = StreamingTreeClassifier()
        >>> model.learn_many(["Win cash now", "Lunch at noon?", "Cash prize"], ["spam", "ham", "spam"])
        >>> model.predict_many(["a cash prize", "see you at lunch"]).tolist()
        ['spam', 'ham']
        """

        def points() -> Batch:
            texts = are_texts(X)
            found = X if texts else _checked_points(X)
            if not hasattr(y, "__len__"):
                raise TypeError(f"y must be a sequence of labels, got {type(y).__name__}")
            if len(X) != len(y):
                raise ValueError(f"y must have a label for every point of X, {len(X):,} in all, got {len(y)}")
            labels = as_list(y)
            return text_batch(found, labels) if texts else Batch.of_points(found, labels)

        self.learner.learn_many(points)

    # ---- answers ----------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; of several, the first in ``classes_``.

        That is ``classes_[predict_proba(X).argmax(axis=1)]``.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The classes.
        """
        model, batch = self._answerable("predict", X)
        return model.predict(batch)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            The probabilities in the order of ``classes_``. A class that was declared but not met has probability 0.
        """
        model, batch = self._answerable("predict_proba", X)
        return model.predict_proba(batch)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class for each row; minus infinity for the probability 0.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        model, batch = self._answerable("predict_log_proba", X)
        with np.errstate(divide="ignore"):
            return np.log(model.predict_proba(batch))

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy: the share of the rows, counted with their weights, whose class is predicted.

        Labels may be of several types, of which scikit-learn's own score takes but one: 1 and "1" are two classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.
        y : array-like of shape (n_samples,)
            The true class of each point.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights, non-negative numbers, of which one is above 0.
        """
        answers = self.predict(X).tolist()
        try:
            true = checked_labels(y).tolist()
            if len(true) != len(answers):
                raise ValueError(f"y must have a label for every row, {len(answers):,} in all, got {len(true)}")
            weights = checked_weights(sample_weight, len(answers))
            if weights is not None and not weights.any():
                raise ValueError("sample_weight must hold a number above 0, got none")
            kinds = [
                {isinstance(label, str) + 2 * isinstance(label, bytes) for label in labels}
                for labels in (self.classes_.tolist(), true)
            ]
            if kinds[0].isdisjoint(kinds[1]):
                raise ValueError(f"y must hold labels like the classes, such as {answers[0]!r}, got {true[0]!r}")
        except REFUSED as error:
            self._learner.refuse("score", error)
        right = [answer == label for answer, label in zip(answers, true, strict=True)]
        return float(np.average(right, weights=weights))

    def predict_one(self, x: Point) -> Hashable:
        """Return the most probable class of one point; None before anything was learned.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, as ``learn_one`` takes it.
        """
        return self._learner.predict_one(x)

    def predict_proba_one(self, x: Point) -> dict[Hashable, float]:
        """Return the probability of each class for one point; an empty dict before anything was learned.

        The classes are in the order of ``classes_``.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, as ``learn_one`` takes it.
        """
        return self._learner.predict_proba_one(x)

    def predict_many(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each text or point; None of each before anything was learned.

        Parameters
        ----------
        X : list of str, Series, Arrow array, or sequence of points
            The texts or points, as ``learn_many`` takes them.
        """
        learner = self._learner
        if learner.is_fitted and are_texts(X):
            answers: NDArray[Any] = learner.predict(text_batch(X))
            return answers
        points = X if are_texts(X) else self._points(X, "predict_many")
        found = np.empty(len(points), dtype=object)
        if learner.is_fitted:
            found[:] = [learner.predict_one(x) for x in points]
        return found

    def predict_proba_many(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each text or point, in the order of ``classes_``.

        Before anything was learned there is no column.

        Parameters
        ----------
        X : list of str, Series, Arrow array, or sequence of points
            The texts or points, as ``learn_many`` takes them.
        """
        learner = self._learner
        points = X if are_texts(X) else self._points(X, "predict_proba_many")
        if not learner.is_fitted:
            return np.empty((len(points), 0))
        if are_texts(X):
            return learner.predict_proba(text_batch(X))
        rows = [list(learner.predict_proba_one(x).values()) for x in points]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(learner.labels.order))

    def _points(self, X: Any, method: str) -> Sequence[Any]:
        try:
            return _checked_points(X)
        except REFUSED as error:
            self._learner.refuse(method, error)

    # ---- what was learned -------------------------------------------------------------------------------------------

    def _known(self, name: str) -> TreeModel:
        """Return the model; raise AttributeError before there is one, as an attribute of scikit-learn's does."""
        model = self._learner.model
        if model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} before it is fitted")
        return model

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes: sorted if they can be compared, otherwise in the order of appearance."""
        return self._known("classes_").labels.classes

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the matrices; not defined if the model has learned by ``learn_one`` alone."""
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
        """The features that were on in a point, and the numbers, in the order of appearance."""
        return self._known("features_seen_").features_seen()

    @property
    def n_points_(self) -> int:
        """The number of points learned, counted with their weights."""
        return self._known("n_points_").tree.n()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each feature in the impurity that the splits of the tree removed.

        Only splits count: a feature that no split tests has 0, however much weight the models of the leaves give it.
        ``top_features`` returns those weights.

        A split removes its gain times the number of points it was decided on. The shares of all features add up to 1,
        or to 0 if there is no split. They are in the order of the columns; features that are no column are left out. A
        model that never met a matrix has them in the order of ``features_seen_``.
        """
        model = self._known("feature_importances_")
        with self._learner.lock:
            return model.importances()

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row reaches; nodes are numbered as in ``decision_path``.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.
        """
        model, batch = self._answerable("apply", X)
        with self._learner.lock:
            indptr, nodes = model.decision_paths(batch)
        leaves: NDArray[np.int64] = nodes[indptr[1:] - 1]
        return leaves

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return which nodes each row passes: 1 at (i, k) if row i passes node k.

        Nodes are numbered in pre-order from the root, which is 0, with the side where the feature is off first. The
        numbers change when the tree grows.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The points, which are read as in ``fit``.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
            The matrix in CSR format.
        """
        model, batch = self._answerable("decision_path", X)
        # The numbers of the nodes must not change meanwhile.
        with self._learner.lock:
            indptr, nodes = model.decision_paths(batch)
            n_nodes = model.tree.n_nodes()
        ones = np.ones(len(nodes), dtype=np.int64)
        return scipy.sparse.csr_matrix((ones, nodes, indptr), shape=(len(indptr) - 1, n_nodes))

    def get_depth(self) -> int:
        """Return the largest number of tests between the root and a leaf."""
        return self._learned().tree.depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._learned().tree.n_leaves()

    def summary(self) -> TreeSummary:
        """Return the size and the history of the tree in a few numbers, which print as a table."""
        self._learned()
        found = self._learner.summary()
        assert isinstance(found, TreeSummary)
        return found

    # ---- looking inside ---------------------------------------------------------------------------------------------

    def _view(self, feature_names: FeatureNames, owner: str) -> TreeView:
        self._learned()
        return self._learner.view(feature_names, owner)

    def _html(self) -> str:
        self._learned()
        return self._learner.html(type(self).__name__)

    def _top_features(self, k: int, feature_names: FeatureNames) -> TopFeatures:
        self._learned()
        return self._learner.top_features(k, feature_names, f"{type(self).__name__}.top_features")

    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        model, learner = self._learned(), self._learner
        with learner.lock:
            if scipy.sparse.issparse(x):
                row: Any = x
                _, batch = self._answerable("explain_one", row.reshape(1, -1) if row.ndim == 1 else row)
                if len(batch) != 1:
                    learner.refuse("explain_one", ValueError(f"x must be one row, got {len(batch)}"))
                point = model.rows(batch, make=False)
            else:
                try:
                    point = model.row_of(x)
                except REFUSED as error:
                    learner.refuse("explain_one", error)
            return learner.explain(point, feature_names, f"{type(self).__name__}.explain_one")


def _checked_points(X: Any) -> Sequence[Any]:
    """Return points; raise TypeError for rows, which have columns, and for what is no sequence."""
    is_sequence = hasattr(X, "__len__") and not isinstance(X, (str, bytes))
    if hasattr(X, "columns") or hasattr(X, "shape") or not is_sequence:
        what = f"X must be texts, or points as learn_one takes them (partial_fit takes rows), got {type(X).__name__}"
        raise TypeError(what)
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], str):
        other = next(each for each in X if not isinstance(each, str))
        raise TypeError(f"X must be texts or points, not both, got {X[0]!r} and {other!r}")
    points: Sequence[Any] = X
    return points
