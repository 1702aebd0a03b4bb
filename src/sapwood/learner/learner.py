"""A learner: the parameters of a tree, and what it has learned."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, cast

import numpy as np

from sapwood import _core
from sapwood.data.batch import as_dict
from sapwood.data.category import Category
from sapwood.data.labels import NO_LABELS, Labels, as_label, error_of_label
from sapwood.data.weights import LARGEST_WEIGHT, weight_of_one
from sapwood.learner.answers import Answers, by_class, most_probable
from sapwood.learner.declared import check_declared, check_number_of_classes, declared
from sapwood.learner.locks import Lock, new_lock
from sapwood.learner.make_tree import checked_reading, make_tree
from sapwood.learner.model import TreeModel, points_met
from sapwood.learner.weighting import times_class_weight, weighted, weighted_in_fit
from sapwood.parameters import parameter, tree_called

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from numpy.typing import NDArray

    from sapwood.data import Batch, Columns
    from sapwood.data.core_rows import CoreRows
    from sapwood.data.encode import Reading
    from sapwood.inspect.core_tree import CoreTree
    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.strongest_features import TopFeatures
    from sapwood.inspect.summary import Summary
    from sapwood.inspect.view import TreeView
    from sapwood.parameters import TreeKind

    Point: TypeAlias = Mapping[Any, Any] | Iterable[Hashable]
else:
    Point = Any

__all__ = ["REFUSED", "Point", "TreeLearner"]

REFUSED = (TypeError, ValueError, OverflowError)
"""The errors by which something is refused, before anything has changed."""
_PLAIN = frozenset({dict, list, tuple, set, frozenset})
"""Points that are read without code of the user's."""
_ROWS_IN_PART = 1 << 14
"""Of points that are put in another order at a time: their features are in the cache when the tree reads them."""
T = TypeVar("T")


class TreeLearner:
    """A tree that learns from batches and single points, and predicts. Estimators and commands each have one.

    Guarantee:

    - An error changes nothing: whatever can be refused is refused before the first point is learned. An interrupt
      (Ctrl-C) keeps the points learned so far.
    - The tree depends only on the points and their order, not on the batches that they come in.
    - Many threads may read one object at once; one at a time may change it.

    Parameters
    ----------
    kind : TreeKind
        The kind of tree: a row of `sapwood.parameters.TREES`.
    parameters : mapping
        The parameters of the kind, by name. They take effect at the first point; until then `parameters` may be set
        again.
    owner : str
        The name in errors; by default that of the kind.

    Attributes
    ----------
    model : TreeModel or None
        The model learned so far; None before the first point.
    lock : context manager
        The reentrant lock for changing the model, or for reading it several times in one state.
    """

    __slots__ = ("__weakref__", "kind", "lock", "model", "owner", "parameters")

    type_of_model: ClassVar[type[TreeModel]] = TreeModel

    def __init__(
        self,
        kind: TreeKind,
        parameters: Mapping[str, Any],
        *,
        owner: str | None = None,
        model: TreeModel | None = None,
    ) -> None:
        self.kind = kind
        self.parameters = dict(parameters)
        self.owner = owner or kind.name
        self.lock: Lock = new_lock(self)
        self.model = model

    def __getstate__(self) -> dict[str, Any]:
        # Nothing of it is shared with the learner, which may go on.
        with self.lock:
            model = None if self.model is None else self.model.__getstate__()
            return {"kind": self.kind.name, "parameters": dict(self.parameters), "owner": self.owner, "model": model}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kind, model = tree_called(state["kind"]), None
        if state["model"] is not None:
            model = self.type_of_model.of_state(kind, state["parameters"], state["model"])
        self.__init__(kind, state["parameters"], owner=state["owner"], model=model)  # type: ignore[misc]

    # ---- what is known ----------------------------------------------------------------------------------------------

    @property
    def is_fitted(self) -> bool:
        """Whether a point has been learned."""
        return self.model is not None and self.model.tree.n_met() > 0

    @property
    def labels(self) -> Labels:
        """The classes."""
        return NO_LABELS if self.model is None else self.model.labels

    @property
    def columns(self) -> Columns | None:
        """The columns of the matrices learned from, if any."""
        return None if self.model is None else self.model.columns

    @property
    def reading(self) -> Reading:
        """How sparse matrices are read."""
        if self.model is not None:
            return self.model.reading
        try:
            return checked_reading(self.parameters)
        except REFUSED as error:
            self.refuse("", error)

    def fitted(self) -> TreeModel:
        """Return the model; raise ValueError before the first point."""
        model = self.model
        if model is None or model.tree.n_met() == 0:
            raise ValueError(f"{self.owner}: a point must be learned first, got none")
        return model

    # ---- learning ---------------------------------------------------------------------------------------------------

    def fit(self, batch: Batch) -> None:
        """Forget everything, and learn the points of a batch, which has all classes.

        Weights are relative (`sapwood.data.weights.relative`). If ``shuffle``, points are taken in random order, that
        of ``RandomState(seed).permutation(n)``. An interrupt, too, leaves the model as it was.
        """
        with self.lock:
            model = self._new_model()
            try:
                batch = weighted_in_fit(batch, self.parameters["class_weight"])
                classes = batch.coded.classes
                check_number_of_classes(len(classes), self.parameters)
                model.columns = batch.columns
                labels = NO_LABELS.declare(classes)
                model.expect_classes(labels)
                if model.grows_by_batches:
                    model.labels = labels.seen(classes.tolist())
                    model.learn(batch)
                elif self.parameters.get("shuffle", True):
                    rows = np.random.RandomState(model.tree.seed() or 0).permutation(len(batch))
                    model.labels = labels.seen(batch.order(rows))
                    # In parts, so that no copy of all points is made.
                    for start in range(0, len(rows), _ROWS_IN_PART):
                        model.learn(batch.taken(rows[start : start + _ROWS_IN_PART]))
                else:
                    model.labels = labels.seen(batch.order())
                    model.learn(batch)
            except REFUSED as error:
                self.refuse("fit", error)
            self.model = model

    def learn(
        self, batch: Batch, method: str = "learn_one", how: Callable[[Any, Batch], None] = TreeModel.learn
    ) -> None:
        """Learn the points of a batch in order. A class may be new.

        The model is, to the byte, the one that `learn_one` makes of ``batch.points()``. `method` is named in errors;
        `how` is the method of the model that learns.
        """
        with self.lock:
            model = self.model or self._new_model()
            try:
                batch = weighted(batch, self.parameters.get("class_weight"), method)
                self._learn_or_undo(model, model.labels, batch, partial(how, model))
            except REFUSED as error:
                self.refuse(method, error)

    def begin(self, classes: NDArray[Any]) -> TreeModel:
        """Return a model of which all classes are known, which others let grow by what they have counted."""
        with self.lock:
            model = self._new_model()
            try:
                if len(classes) == 0:
                    raise ValueError("classes must hold a class, got none")
                check_number_of_classes(len(classes), self.parameters)
                assert isinstance(model.tree, _core.Tree)
                model.tree.cover_classes(len(classes))
            except REFUSED as error:
                self.refuse("", error)
            model.labels = NO_LABELS.declare(classes).seen(classes.tolist())
            return model

    def learn_declared(
        self,
        batch: Batch,
        classes: NDArray[Any] | None,
        how: Callable[[Any, Batch], None] = TreeModel.learn,
    ) -> None:
        """Learn the points of a batch in order; all classes must be declared, now or before."""
        with self.lock:
            model = self.model or self._new_model()
            try:
                labels = declared(model.labels, classes)
                if labels is not model.labels:
                    check_number_of_classes(len(labels.classes), self.parameters)
                check_declared(labels, batch.coded.classes)
                batch = weighted(batch, self.parameters.get("class_weight"), "partial_fit", labels)
                self._learn_or_undo(model, labels, batch, partial(how, model))
            except REFUSED as error:
                self.refuse("partial_fit", error)

    def learn_many(self, points: Callable[[], Batch]) -> None:
        """Learn the points that a function returns. If it refuses, or a class is one too many, nothing is learned."""
        with self.lock:
            try:
                batch = points()
                check_number_of_classes(len({*self.labels.order, *batch.order()}), self.parameters)
            except REFUSED as error:
                self.refuse("learn_many", error)
            self.learn(batch, "learn_many")

    def test_then_learn(self, batch: Batch, method: str = "learn_one") -> Answers:
        """Predict each point of a batch before learning it. A class may be new.

        The predictions and the tree are those of `predict_proba_one` and `learn_one`, point by point.
        """
        with self.lock:
            model = self.model or self._new_model()
            try:
                n_known = len(model.labels.order)
                batch = weighted(batch, self.parameters.get("class_weight"), method)
                found = self._learn_or_undo(model, model.labels, batch, model.test_then_learn)
            except REFUSED as error:
                self.refuse(method, error)
            order = model.labels.order
        return Answers.of_core(order, n_known, *found)

    def learn_one(self, x: Point, y: Hashable, w: float = 1) -> None:
        """Learn one point of weight `w`. Its class may be new."""
        with self.lock:
            if type(x) not in _PLAIN:
                # To read it may run code that learns, too; so that is done before anything is looked at.
                x = self._read(x)
            model = self.model
            if model is None:
                model = self._new_model()
            try:
                if type(w) is not int or not 0 <= w <= LARGEST_WEIGHT:
                    w = weight_of_one(w)
                if (class_weight := self.parameters.get("class_weight")) is not None:
                    w = times_class_weight(w, y, class_weight)
                label = model.labels.index.get(y)
                if label is None:
                    # A number or a date of NumPy is kept as Python's, and may be known as that.
                    y = as_label(y)
                    label = model.labels.index.get(y)
                if label is not None:
                    model.learn_one(x, label, w)
                else:
                    self._learn_new_class(model, x, y, w)
            except REFUSED as error:
                self.refuse("learn_one", error_of_label(error, y))
            if self.model is None:
                self.model = model

    def _read(self, x: Point) -> Point:
        """Return a point in Python's own types, read once."""
        if self.model is None:
            self._new_model()  # whose parameters may be refused, which comes first
        try:
            flags, numbers = _core.encoded(x)
        except REFUSED as error:
            self.refuse("learn_one", error)
        return as_dict(flags, numbers) if numbers or any(type(flag) is Category for flag in flags) else flags

    def _learn_new_class(self, model: TreeModel, x: Point, y: Hashable, w: float) -> None:
        before = model.labels
        after = before.seen([y])
        n_before = model.tree.n_met()
        if w > 0:
            model.labels = after
        try:
            model.learn_one(x, model.labels.index.get(y, len(before.order)), w)
        except BaseException:
            if w > 0 and points_met(model.tree) == n_before:
                model.labels = before
            raise

    def _learn_or_undo(self, model: TreeModel, labels: Labels, batch: Batch, learn: Callable[[Batch], T]) -> T:
        """Let `learn` learn from points; if it fails, or is interrupted, know no more than what was learned by then."""
        published, old_labels, old_columns = self.model, model.labels, model.columns
        n_before = model.tree.n_met()
        order = batch.order()
        if model.grows_by_batches:
            # There no number of a class depends on the order of the rows.
            order = list(dict.fromkeys([*labels.classes.tolist(), *batch.coded.classes.tolist()]))
        new_labels = labels.seen(order)
        model.labels = new_labels
        model.expect_classes(labels)
        if batch.columns is not None:
            # Unlike rows of a matrix, points of a stream say nothing of the columns that there are.
            model.columns = batch.columns
        self.model = model
        try:
            return learn(batch)
        except BaseException:
            n_met = points_met(model.tree)
            if n_met is None:
                self.model = published
            elif n_met == n_before:
                self.model, model.labels, model.columns = published, old_labels, old_columns
            elif model.labels is new_labels and not model.grows_by_batches:
                model.labels = labels.seen(batch.order(slice(batch.rows_of(n_met - n_before))))
            raise

    def _new_model(self) -> TreeModel:
        try:
            tree = make_tree(self.kind, self.parameters)
            if "class_weight" not in self.kind.lacks:
                # A dict of its own: the user's may change.
                self.parameters["class_weight"] = parameter("class_weight").value.check(
                    "class_weight", self.parameters.get("class_weight")
                )
            return self.type_of_model(cast("CoreTree", tree), checked_reading(self.parameters))
        except REFUSED as error:
            self.refuse("", error)

    # ---- answers ----------------------------------------------------------------------------------------------------

    def predict(self, batch: Batch) -> NDArray[Any]:
        """Return the class of each point of a batch, as `predict_one` does. Unknown features have no effect."""
        return self._model_for(batch).predict(batch)

    def predict_proba(self, batch: Batch) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``labels.classes``, for each point of a batch."""
        return self._model_for(batch).predict_proba(batch)

    def n_known(self, batch: Batch) -> NDArray[np.int64]:
        """Return how many features and numbers of each point of a batch the tree has met."""
        return self._model_for(batch).n_known(batch)

    def _model_for(self, batch: Batch) -> TreeModel:
        model = self.fitted()
        has_names = model.columns is not None and model.columns.names is not None
        if has_names and batch.indices is not None and batch.columns is None:
            raise ValueError(
                f"{self.owner}.predict: the points must have named features, as the model has, got numbered columns; "
                "CSV and JSON lines have names"
            )
        return model

    def predict_one(self, x: Point) -> Hashable:
        """Return the most probable class of one point, of several the first in ``labels.classes``.

        It is None before anything was learned.
        """
        return most_probable(*self._told_of_one("predict_one", x))

    def predict_proba_one(self, x: Point) -> dict[Hashable, float]:
        """Return the probability of each class for one point; an empty dict before anything was learned.

        The classes are in the order of ``labels.classes``.
        """
        return by_class(*self._told_of_one("predict_proba_one", x))

    def _told_of_one(self, method: str, x: Point) -> tuple[Labels, list[float]]:
        """Return the labels and, for one point, the probability of each class of the tree; none before any was met."""
        model = self.model
        if model is None or not model.labels.order:
            return NO_LABELS, []
        try:
            probabilities = model.predict_proba_one(x)
        except REFUSED as error:
            self.refuse(method, error)
        # Read last: they may be newer than the probabilities, but know all classes of these.
        return model.labels, probabilities

    # ---- looking inside: what does it is loaded when it is asked ----------------------------------------------------

    def member(self, tree: int = 0) -> TreeLearner:
        """Return a learner of a tree of this one, which has one, its own: number 0."""
        if tree != 0:
            raise ValueError(f"{self.owner}: tree must be 0 for a model of one tree, got {tree!r}")
        return self

    def html(self, title: str) -> str:
        """Return the tree in its current state as a small piece of HTML."""
        from sapwood.inspect.html import tree_html

        return tree_html(self.view(None, "html"), title)

    def view(self, feature_names: FeatureNames = None, owner: str = "TreeView.of") -> TreeView:
        """Return a view of the tree in its current state; `owner` is the function named in errors."""
        from sapwood.inspect.view import TreeView

        model = self.fitted()
        with self.lock:
            labels = model.labels
            criterion = self.parameters["criterion"]
            return TreeView.of(model.tree, labels.order, feature_names, criterion, labels.in_order, owner=owner)

    def explain(self, point: CoreRows, feature_names: FeatureNames, owner: str) -> Explanation:
        """Explain the prediction for a point, a single row."""
        from sapwood.inspect.explain import explain_row
        from sapwood.inspect.view import places_of

        model = self.fitted()
        with self.lock:
            view = self.view(feature_names, owner)
            places = places_of(model.labels.order, view.classes)
            return explain_row(model.tree, view, point, places, feature_names, owner=owner)

    def explain_batch(self, batch: Batch, feature_names: FeatureNames = None) -> Iterator[Explanation]:
        """Yield why each point of a batch is predicted as it is. The tree must not learn meanwhile."""
        from sapwood.inspect.explain import explain_row
        from sapwood.inspect.view import places_of

        model = self._model_for(batch)
        view = self.view(feature_names, "explain_batch")
        places = places_of(model.labels.order, view.classes)
        for i in range(len(batch)):
            point = model.rows(batch.part(i, i + 1), make=False)
            yield explain_row(model.tree, view, point, places, feature_names, owner="explain_batch")

    @property
    def has_feature_weights(self) -> bool:
        """Whether the leaves keep models with weights of the features, as `top_features` needs."""
        return bool(self.parameters["leaf_prediction"] != "majority")

    def require_feature_weights(self, owner: str) -> None:
        """Raise ValueError unless the leaves keep models with weights of the features."""
        if not self.has_feature_weights:
            raise ValueError(
                f"{owner}: leaf_prediction must be one with models of the features, got 'majority'; "
                "feature_importances_ has the features that the splits use"
            )

    def top_features(self, k: int = 10, feature_names: FeatureNames = None, owner: str | None = None) -> TopFeatures:
        """Return for each class the features with the largest weights for it in the models of the leaves."""
        from sapwood.inspect import top_features

        model = self.fitted()
        owner = owner or f"{self.owner}.top_features"
        self.require_feature_weights(owner)
        with self.lock:
            labels = model.labels
            return top_features(
                model.tree,
                k,
                classes=labels.order,
                feature_names=feature_names,
                in_order=labels.in_order,
                owner=owner,
            )

    def summary(self) -> Summary:
        """Return the size and the history of the tree in a few numbers."""
        from sapwood.inspect.summary import summary_of

        model = self.fitted()
        with self.lock:
            return summary_of(model.tree, len(model.labels.classes))

    # ---- errors -----------------------------------------------------------------------------------------------------

    def refuse(self, method: str, error: Exception) -> NoReturn:
        """Raise an error again, under the name that the user called. Those of other types are the user's own."""
        if type(error) not in REFUSED:
            raise error
        owner = f"{self.owner}.{method}" if method else self.owner
        raise type(error)(f"{owner}: {error}") from None
