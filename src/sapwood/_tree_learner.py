"""How the tree classifiers learn, from matrices and from single points, and answer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sapwood import _core
from sapwood._batch import LARGEST_WEIGHT, Batch, checked_labels, checked_weights, weight_of_one
from sapwood._labels import NO_LABELS, Labels, as_label, distinct
from sapwood._rows import Rows, as_rows, checked
from sapwood._tree_model import Model
from sapwood._tree_parameters import make_tree, seed_of, threshold_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping
    from typing import TypeAlias

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    Point: TypeAlias = Mapping[Any, Any] | Iterable[Hashable]

# Rows that are answered at a time: between two chunks an interrupt (Ctrl-C) is seen.
ROWS_IN_CHUNK = 1 << 16
REFUSED = (TypeError, ValueError, OverflowError)
T = TypeVar("T")


class TreeLearner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no annotations
    """A classifier that learns a tree; see those that are derived from it."""

    # Not in the dictionary of the object, which scikit-learn takes for parameters and results.
    __slots__ = ("_lock", "_model")

    _growth: ClassVar[str]
    _lock: threading.RLock
    _model: Model | None

    # Of the parameters, those that are looked at here; every classifier stores all of its own.
    criterion: str
    search: str

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        """Make an object that has learned nothing."""
        self: Self = super().__new__(cls)
        self._lock = threading.RLock()
        self._model = None
        return self

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
        with self._lock:
            model = self._new_model()
            try:
                batch = self._checked_batch(model, X, y, sample_weight)
                if batch.weights is not None and not batch.weights.any():
                    raise ValueError("sample_weight must hold a weight that is not zero, got none")
                self._check_number_of_classes(len(batch.classes))
                model.columns = batch.columns
                model.labels = NO_LABELS.declare(batch.classes).seen(batch.order())
                model.learn(batch)
            except REFUSED as error:
                self._raise_named("fit", error)
            self._model = model
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
        with self._lock:
            model = self._model or self._new_model()
            try:
                labels = self._declared(model.labels, classes)
                batch = self._checked_batch(model, X, y, sample_weight)
                for label in batch.classes.tolist():
                    if label not in labels.column:
                        raise ValueError(f"y must hold the classes {_listed(labels.classes)} only, got {label!r}")
                self._learn_or_undo(model, labels, batch, model.learn)
            except REFUSED as error:
                self._raise_named("partial_fit", error)
        return self

    def _learn_or_undo(self, model: Model, labels: Labels, batch: Batch, learn: Callable[[Batch], T]) -> T:
        """Let `learn` learn from points; if it fails, or is interrupted, know no more than what was learned by then."""
        published, old_labels, old_columns = self._model, model.labels, model.columns
        n_before = model.tree.n()
        new_labels = labels.seen(batch.order())
        model.labels, model.columns = new_labels, batch.columns
        self._model = model
        try:
            return learn(batch)
        except BaseException:
            n_points = model.tree.n() - n_before
            if n_points == 0:
                self._model, model.labels, model.columns = published, old_labels, old_columns
            elif model.labels is new_labels:
                model.labels = labels.seen(batch.order(batch.rows_of(n_points)))
            raise

    def _new_model(self) -> Model:
        try:
            parameters = self.get_params(deep=False)
            binarize = threshold_of(parameters["binarize"])
            make_tree(self._growth, parameters)
            # Drawn from a RandomState only if all else is right.
            seed = seed_of(parameters["random_state"])
            return Model(make_tree(self._growth, parameters, seed), binarize)
        except REFUSED as error:
            self._raise_named("", error)

    def _checked_batch(self, model: Model, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Batch:
        X, columns = checked(X, type(self).__name__, model.columns)
        if model.columns is None:
            columns = model.with_ids(columns, make=True)
        classes, codes = distinct(checked_labels(y))
        check_consistent_length(X, codes)
        weights = checked_weights(sample_weight, len(codes))
        return Batch(as_rows(X, model.binarize, columns.ids), classes, codes, weights, columns)

    def _declared(self, labels: Labels, classes: ArrayLike | None) -> Labels:
        """Return the labels with the classes that a call of `partial_fit` declares, if it does."""
        if classes is None:
            if not labels.declared and not labels.order:
                raise ValueError("classes must be passed on the first call to partial_fit, got None")
            return labels
        given, _ = distinct(np.asarray(classes).reshape(-1), "classes")
        if labels.declared:
            if set(given.tolist()) != set(labels.column):
                raise ValueError(f"classes must be the same as before, {_listed(labels.classes)}, got {_listed(given)}")
            return labels
        missing = [label for label in labels.order if label not in set(given.tolist())]
        if missing:
            raise ValueError(f"classes must hold all classes that were learned, got none that equals {missing[0]!r}")
        if len(given) == 0:
            raise ValueError("classes must hold a class, got none")
        self._check_number_of_classes(len(given))
        return labels.declare(given)

    def _check_number_of_classes(self, n_classes: int) -> None:
        """Refuse classes that the search cannot tell apart now, not when the first point of one comes."""
        if n_classes > _core.MAX_CLASSES:
            raise ValueError(f"classes must be at most {_core.MAX_CLASSES}, got {n_classes}")
        searches = _core.searches_for(self.criterion, max(n_classes, 2))
        if self.search not in searches:
            raise ValueError(
                f"classes must be 2 for criterion={self.criterion!r} with search={self.search!r}, got {n_classes}"
            )

    # ---- learning from points ---------------------------------------------------------------------------------------

    def learn_one(self, x: Point, y: Hashable, *, w: float = 1) -> None:
        """Learn from one point.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point. A mapping has the values of its features: a number is on where it is greater than ``binarize``, a
            boolean where it is true, and text is the feature ``"key=text"``; an absent key is 0. Any other iterable
            holds the active features, hashable objects. Column j of a matrix is the feature j, or the name of the
            column if the first matrix had names.
        y : hashable
            Its class, which may be a new one.
        w : int, default=1
            How often it counts. A point of weight 0 is checked and not learned.
        """
        with self._lock:
            model = self._model
            if model is None:
                model = self._new_model()
            try:
                if type(w) is not int or not 0 <= w <= LARGEST_WEIGHT:
                    w = weight_of_one(w)
                label = model.labels.index.get(y)
                if label is None:
                    # A number or a date of NumPy is kept as Python's, and may be known as that.
                    y = as_label(y)
                    label = model.labels.index.get(y)
                if label is not None:
                    model.tree.learn_one(x, label, w, model.threshold())
                else:
                    self._learn_new_class(model, x, y, int(w))
            except REFUSED as error:
                self._raise_named("learn_one", _of_label(error, y))
            if self._model is None:
                self._model = model

    def _learn_new_class(self, model: Model, x: Point, y: Hashable, w: int) -> None:
        before = model.labels
        after = before.seen([y])
        n_before = model.tree.n()
        if w > 0:
            model.labels = after
        try:
            model.tree.learn_one(x, len(before.order), w, model.threshold())
        except BaseException:
            if model.labels is after and model.tree.n() == n_before:
                model.labels = before
            raise

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
        return self._answers(*self._fitted_rows("predict", X))

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
        return self._probabilities(*self._fitted_rows("predict_proba", X))

    def predict_one(self, x: Point) -> Hashable:
        """Return the class of the largest probability for one point; None before anything was learned.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, as ``learn_one`` takes it.
        """
        labels, probabilities = self._told_of_one("predict_one", x)
        if not probabilities:
            return None
        return labels.order[min(probabilities.index(max(probabilities)), len(labels.order) - 1)]

    def predict_proba_one(self, x: Point) -> dict[Hashable, float]:
        """Return the probability of each class for one point; nothing before anything was learned.

        Parameters
        ----------
        x : dict, other mapping, or iterable
            The point, as ``learn_one`` takes it.
        """
        labels, probabilities = self._told_of_one("predict_proba_one", x)
        if not probabilities:
            return {}
        if len(labels.order) == 1:
            probabilities = [1.0]
        # The labels may be newer than the probabilities: what these did not know is not met.
        answers = dict.fromkeys((*labels.order, *labels.unseen), 0.0)
        answers.update(zip(labels.order, probabilities, strict=False))
        return answers

    def _told_of_one(self, method: str, x: Point) -> tuple[Labels, list[float]]:
        """Return the labels and, for one point, the probability of each class of the tree; none before any was met."""
        model = self._model
        if model is None or not model.labels.order:
            return NO_LABELS, []
        try:
            probabilities = model.tree.predict_proba_one(x, model.threshold())
        except REFUSED as error:
            self._raise_named(method, error)
        # Read last: they may be newer than the probabilities, but know all classes of these.
        return model.labels, probabilities

    def _answers(self, model: Model, rows: Rows) -> NDArray[Any]:
        """Return the classes of points, as `predict` does."""
        found = [model.tree.predict(*chunk) for chunk in rows.chunks(ROWS_IN_CHUNK)]
        numbers = np.concatenate(found)
        labels = model.labels
        # The core has two classes at least; the second may not have been met.
        columns = labels.columns[np.minimum(numbers, len(labels.order) - 1)]
        answers: NDArray[Any] = labels.classes[columns]
        return answers

    def _probabilities(self, model: Model, rows: Rows) -> NDArray[np.float64]:
        """Return the probabilities of the classes of points, as `predict_proba` does."""
        found = [model.tree.predict_proba(*chunk) for chunk in rows.chunks(ROWS_IN_CHUNK)]
        labels = model.labels
        answers = np.zeros((len(rows), len(labels.classes)))
        if len(labels.order) == 1:
            answers[:, labels.columns[0]] = 1
            return answers
        start = 0
        for part in found:
            answers[start : start + len(part), labels.columns[: part.shape[1]]] = part
            start += len(part)
        return answers

    def _fitted_model(self) -> Model:
        check_is_fitted(self)
        model = self._model
        assert model is not None
        return model

    def _fitted_rows(self, method: str, X: Any) -> tuple[Model, Rows]:
        model = self._fitted_model()
        # Read once: another thread may be learning from the first matrix.
        known = model.columns
        try:
            X, columns = checked(X, type(self).__name__, known)
            if known is None:
                columns = model.with_ids(columns, make=False)
            return model, as_rows(X, model.binarize, columns.ids)
        except REFUSED as error:
            self._raise_named(method, error)

    # ---- what scikit-learn asks -------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None and self._model.tree.n() > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # The checks measure it on points with numbers for features, of which only the sign is seen.
        tags.classifier_tags.poor_score = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Return the tags as scikit-learn before 1.6 asks for them."""
        return {"poor_score": True}

    def _raise_named(self, method: str, error: Exception) -> NoReturn:
        """Raise an error again, under the name that the user called. Those of other types are the user's own."""
        if type(error) not in REFUSED:
            raise error
        owner = f"{type(self).__name__}.{method}" if method else type(self).__name__
        raise type(error)(f"{owner}: {error}") from None


def _listed(classes: NDArray[Any]) -> str:
    return np.array2string(classes, threshold=10, separator=", ")


def _of_label(error: Exception, y: Any) -> Exception:
    """Say that a label must be hashable if that was the error."""
    if isinstance(error, TypeError):
        try:
            hash(y)
        except TypeError:
            return TypeError(f"y must be hashable, got {y!r}")
    return error
