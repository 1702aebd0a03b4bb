"""A learner that forgets."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sapwood.data.labels import as_label
from sapwood.learner.answers import Answers
from sapwood.learner.declared import check_number_of_classes
from sapwood.learner.dynamic_model import NOT_HELD, DynamicModel, check_ids
from sapwood.learner.learner import REFUSED, TreeLearner
from sapwood.learner.model import TreeModel, points_met

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from sapwood.data import Batch, Labels
    from sapwood.inspect.summary import Summary
    from sapwood.learner.learner import Point

__all__ = ["DynamicLearner"]


class DynamicLearner(TreeLearner):
    """A tree that learns and forgets points. Estimators and commands each have one.

    Guarantee, beside that of `TreeLearner`, with an allowed regret of 0: what is held, and every answer, is a function
    of the points that were learned and not forgotten, whatever their order. An interrupt (Ctrl-C) during a call comes
    after it.
    """

    __slots__ = ()

    type_of_model: ClassVar[type[TreeModel]] = DynamicModel
    model: DynamicModel | None

    # ---- learning ---------------------------------------------------------------------------------------------------

    def fit(self, batch: Batch, ids: Sequence[Hashable] | None = None) -> None:
        """Forget everything, and learn the points of a batch. Weights are whole numbers."""
        with self.lock:
            try:
                check_number_of_classes(len(batch.coded.classes), self.parameters)
                if batch.weights is not None and not batch.weights.any():
                    raise ValueError("sample_weight must hold a weight that is not zero, got none")
            except REFUSED as error:
                self.refuse("fit", error)
            before, self.model = self.model, None
            try:
                self.learn(batch, "fit", self._how(batch, ids, "fit"))
            except BaseException:
                self.model = before
                raise

    def learn_with(
        self,
        batch: Batch,
        ids: Sequence[Hashable] | None,
        method: str,
        classes: NDArray[Any] | None = None,
    ) -> None:
        """Learn the points of a batch, which have ids if there are any; for partial_fit, of declared classes."""
        with self.lock:
            how = self._how(batch, ids, method)
            if method == "partial_fit":
                self.learn_declared(batch, classes, how)
            else:
                self.learn(batch, method, how)

    def _how(self, batch: Batch, ids: Sequence[Hashable] | None, method: str) -> Callable[[Any, Batch], None]:
        """Return the method of the model that learns points, with their ids if they have any."""
        if ids is None:
            return TreeModel.learn
        try:
            self._check_new(ids)
            if len(ids) != len(batch):
                raise ValueError(f"ids must have one for every point, {len(batch):,} in all, got {len(ids)}")
        except REFUSED as error:
            self.refuse(method, error)
        return partial(DynamicModel.learn_named, ids=ids)

    def _check_new(self, ids: Sequence[Hashable]) -> None:
        check_ids(ids)
        for name in ids:
            if self.model is not None and name in self.model.ids:
                raise ValueError(f"ids must be new, got {name!r}, which a point has")

    def learn_one_with(self, x: Point, y: Hashable, w: float, point_id: Hashable) -> None:
        """Learn one point that has an id. Its class may be new."""
        from sapwood.data import Batch

        with self.lock:
            try:
                self._check_new([point_id])
                batch = Batch.of_points([x], [y])
                batch = replace(batch, weights=np.array([w], dtype=np.float64))
            except REFUSED as error:
                self.refuse("learn_one", error)
            self.learn(batch, "learn_one", partial(DynamicModel.learn_named, ids=[point_id]))

    def test_then_learn(self, batch: Batch, method: str = "learn_one") -> Answers:
        """Predict each point of a batch before learning it. A class may be new.

        The predictions and the tree are those of `predict_proba_one` and `learn_one`, point by point. Where a class is
        new, which changes the numbers of the others, the batch is divided.
        """
        with self.lock:
            had_model, known = self.model is not None, set(self.labels.order)
            try:
                names = batch.coded.classes.tolist()
            except REFUSED as error:
                self.refuse(method, error)
            labels, done = [names[code] for code in batch.coded.codes.tolist()], 0
            weights = [1.0] * len(batch) if batch.weights is None else batch.weights.tolist()
            parts: list[tuple[int, tuple[Hashable, ...], NDArray[np.float64]]] = []
            try:
                while done < len(batch):
                    is_new = labels[done] not in known and weights[done] > 0
                    end = done + 1
                    while not is_new and end < len(batch) and (labels[end] in known or weights[end] == 0):
                        end += 1
                    part = batch.part(done, end)
                    parts.append((end - done, self.labels.order, self._answers_before(part, method, is_new)))
                    known.update(part.order())
                    done = end
            except BaseException:
                if self.model is not None and done > 0 and points_met(self.model.tree) is not None:
                    self.model.forget(batch.part(0, done))
                if not had_model:
                    self.model = None
                raise
            order = self.labels.order
            column = {label: k for k, label in enumerate(order)}
            probabilities = np.zeros((len(batch), len(order)))
            predicted = np.full(len(batch), -1, dtype=np.int64)
            start = 0
            for n, classes, found in parts:
                columns = [column[label] for label in classes]
                if columns:
                    probabilities[start : start + n, columns] = found
                    predicted[start : start + n] = np.array(columns)[found.argmax(axis=1)]
                start += n
        true = np.array([column.get(label, -1) for label in labels], dtype=np.int64)
        return Answers(order, true, predicted, probabilities)

    def _answers_before(self, part: Batch, method: str, is_new: bool) -> NDArray[np.float64]:
        """Return the probability of each class that is known for each point, and learn the points."""
        n_classes = len(self.labels.order)
        if is_new or n_classes == 0:
            known = np.zeros((len(part), 0))
            if n_classes > 0:
                assert self.model is not None
                labels = self.labels
                try:
                    found = self.model.predict_proba(part)
                except REFUSED as error:
                    self.refuse(method, error)
                known = found[:, [labels.column[label] for label in labels.order]]
            self.learn(part, method)
            return known
        return super().test_then_learn(part, method).probabilities[:, :n_classes]

    def _told_of_one(self, method: str, x: Point) -> tuple[Labels, list[float]]:
        model = self.model
        if model is None:
            return super()._told_of_one(method, x)
        with model.numbering:
            return super()._told_of_one(method, x)

    # ---- forgetting -------------------------------------------------------------------------------------------------

    def forget(self, batch: Batch, method: str = "partial_forget", first_row: int = 0) -> None:
        """Forget the points of a batch; all of them are held, or nothing changes. An error counts from `first_row`."""
        self._forget(method, lambda model: model.forget(batch, first_row))

    def forget_ids(self, ids: Sequence[Hashable]) -> None:
        """Forget the points that were learned with ids; all of them are held, or nothing changes."""
        self._forget("forget", lambda model: model.forget_ids(ids))

    def forget_one(self, x: Point, y: Hashable, w: float = 1) -> None:
        """Forget one point of weight `w`, which is held."""

        def forget(model: DynamicModel) -> None:
            label = model.labels.index.get(as_label(y))
            if label is None:
                raise ValueError(f"the point must be held: {NOT_HELD}")
            model.tree.forget_one(x, label, w, model.reading.binarize)
            model.forget_empty_classes()

        self._forget("forget_one", forget)

    def _forget(self, method: str, forget: Callable[[DynamicModel], None]) -> None:
        with self.lock:
            try:
                if self.model is None:
                    raise ValueError("a point must be learned before it is forgotten, got none")
                forget(self.model)
            except REFUSED as error:
                self.refuse(method, error)

    def summary(self) -> Summary:
        """Return the size and the work of the tree in a few numbers."""
        from sapwood.inspect.summary import DynamicTreeSummary

        with self.lock:
            found = super().summary()
            assert isinstance(found, DynamicTreeSummary)
            return replace(found, ids_bytes=self.fitted().ids_bytes())

    def rebuild(self) -> None:
        """Build the tree anew from the points held, with the best test at every node."""
        with self.lock:
            self.fitted().tree.rebuild()

    def fitted(self) -> DynamicModel:
        """Return the model; raise ValueError before the first point."""
        model = super().fitted()
        assert isinstance(model, DynamicModel)
        return model

    def _new_model(self) -> DynamicModel:
        model = super()._new_model()
        assert isinstance(model, DynamicModel)
        return model
