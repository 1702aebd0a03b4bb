"""How a model is asked for the class of each point, and then told: by points, by rows, or inside the core."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sapwood.data import Batch
from sapwood.data.csr import is_sparse
from sapwood.evaluate._answers import as_matrix
from sapwood.evaluate._faces import learner_of, reads_matrices
from sapwood.evaluate._pieces import MatrixPart, Piece, SinglePoints
from sapwood.evaluate._scoreboard import Answered
from sapwood.learner import TreeLearner

__all__ = ["Tester", "tester_of"]


class Tester(ABC):
    """Lets a model answer each point and learn it after that.

    `run` adds to `answered` the points that were learned; so that they are known when it is interrupted, or fails.
    """

    stopped = False  # set from outside, to stop before the next point

    @abstractmethod
    def run(self, piece: Piece, answered: Answered) -> None:
        """Test then train on each point of a piece, in order."""


class PointTester(Tester):
    """A model with `learn_one` and `predict_one`, and maybe `predict_proba_one`."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._gives_probabilities = hasattr(model, "predict_proba_one")
        # Ours promise that the prediction is the most probable class, so that there is no need to ask twice.
        self._says_the_same = reads_matrices(model)

    def run(self, piece: Piece, answered: Answered) -> None:
        """Test then train on each point of a piece, in order."""
        points = _points_of(piece)
        if not self._gives_probabilities:
            self._run(points, self._model.predict_one, answered.true, answered.predicted)
            return
        probabilities: list[Mapping[Hashable, float]] = []
        try:
            if self._says_the_same:
                self._run(points, self._model.predict_proba_one, answered.true, probabilities)
            else:
                self._run_both(points, answered, probabilities)
        finally:
            answered.classes, answered.probabilities, best = as_matrix(probabilities)
            if self._says_the_same:
                answered.predicted += best

    def _run(
        self,
        points: Iterator[tuple[Any, Hashable]],
        predict: Callable[[Any], Any],
        true: list[Hashable],
        answers: list[Any],
    ) -> None:
        learn = self._model.learn_one
        for x, y in points:
            if self.stopped:
                break
            answer = predict(x)
            learn(x, y)
            answers.append(answer)
            true.append(y)

    def _run_both(
        self,
        points: Iterator[tuple[Any, Hashable]],
        answered: Answered,
        probabilities: list[Mapping[Hashable, float]],
    ) -> None:
        model = self._model
        for x, y in points:
            if self.stopped:
                break
            answer = model.predict_one(x)
            shares = model.predict_proba_one(x)
            model.learn_one(x, y)
            answered.predicted.append(answer)
            probabilities.append(shares)
            answered.true.append(y)


class RowTester(Tester):
    """A model with scikit-learn's `partial_fit` and `predict`, `block` rows at a time."""

    def __init__(self, model: Any, classes: Sequence[Hashable] | None, block: int) -> None:
        self._model = model
        self._classes = classes
        self._block = block
        self._gives_probabilities = hasattr(model, "predict_proba")

    def run(self, piece: Piece, answered: Answered) -> None:
        """Test then train on each block of rows of a piece, in order."""
        rows = _rows_of(piece)
        found = []
        try:
            for start in range(0, len(rows), self._block):
                if self.stopped:
                    break
                part = rows.part(start, start + self._block)
                predicted, shares = self._answers(part.X)
                self._model.partial_fit(part.X, part.y, **self._declaration())
                answered.true += part.y
                answered.predicted += predicted
                found.append(shares)
        finally:
            if self._gives_probabilities and found:
                answered.classes = np.asarray(self._model.classes_).tolist()
                k = len(answered.classes)
                answered.probabilities = np.concatenate([np.zeros((n, k)) if p is None else p for n, p in found])

    def _answers(self, X: Any) -> tuple[list[Hashable | None], tuple[int, Any]]:
        from sklearn.exceptions import NotFittedError

        n = X.shape[0]
        try:
            predicted: list[Hashable | None] = np.asarray(self._model.predict(X)).tolist()
            return predicted, (n, self._model.predict_proba(X) if self._gives_probabilities else None)
        except NotFittedError:
            return [None] * n, (n, None)

    def _declaration(self) -> dict[str, Any]:
        if self._classes is None:
            raise ValueError("prequential: classes must be given for a model that learns by partial_fit, got None")
        return {"classes": self._classes}


class TreeTester(Tester):
    """A tree of ours: batches and rows are answered and learned inside the core, single points as of any model.

    A matrix is checked as a whole, as `partial_fit` does, before its first row is learned. An error leaves the model as
    it was.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._points = PointTester(model)
        self._checked: tuple[Any, Batch] | None = None  # a matrix, and its rows as points

    def run(self, piece: Piece, answered: Answered) -> None:
        """Test then train on each point of a piece, in order."""
        if isinstance(piece, SinglePoints):
            self._points.stopped = self.stopped
            self._points.run(piece, answered)
            return
        learner = learner_of(self._model)
        assert learner is not None
        is_told = isinstance(piece, Batch) and piece.columns is not None  # what its columns are called
        if isinstance(piece, Batch) and (is_told or not (_has_columns(piece) and _has_names(learner))):
            found = learner.test_then_learn(piece)
        else:
            rows = MatrixPart.of_batch(piece) if isinstance(piece, Batch) else piece
            found = learner.test_then_learn(self._batch(learner, rows), "partial_fit")
        answered.numbers = found.true, found.predicted
        answered.probabilities = found.probabilities
        answered.classes = found.classes

    def _batch(self, learner: TreeLearner, rows: MatrixPart) -> Batch:
        """Return the points that rows of a matrix are for the learner."""
        if self._checked is not None:
            matrix, batch = self._checked
            # The first rows that were learned may have told the learner of the columns of this very matrix.
            if matrix is rows.whole and learner.columns in (None, batch.columns):
                return batch.part(rows.start, rows.stop)
        model = self._model
        if isinstance(model, TreeLearner):
            # scikit-learn checks matrices on behalf of an estimator.
            from sapwood.trees import classifier_of

            model = classifier_of(model)
        points: Batch = model.batch_of(rows.whole, rows.labels)
        self._checked = rows.whole, points
        return points.part(rows.start, rows.stop)


def _has_columns(batch: Batch) -> bool:
    """Whether the features of a batch are columns, so that its points are the rows of a matrix of ones."""
    return batch.indices is not None and batch.names is None


def _has_names(learner: TreeLearner) -> bool:
    return learner.columns is not None and learner.columns.names is not None


def tester_of(model: Any, classes: Sequence[Hashable] | None, block: int) -> Tester:
    """Return the tester for a model. One that can learn by points does, unless blocks of several are asked for."""
    if block == 1 and reads_matrices(model):
        return TreeTester(model)
    by_points = hasattr(model, "learn_one") and hasattr(model, "predict_one")
    by_rows = hasattr(model, "partial_fit") and hasattr(model, "predict")
    if by_points and (block == 1 or not by_rows):
        if block > 1:
            raise ValueError(f"prequential: block must be 1 for a model that learns by points, got {block}")
        return PointTester(model)
    if by_rows:
        return RowTester(model, classes, block)
    raise TypeError(
        f"prequential: model must have learn_one and predict_one, or partial_fit and predict, got {model!r:.60}"
    )


def _points_of(piece: Piece) -> Iterator[tuple[Any, Hashable]]:
    """Yield points by themselves: rows as mappings from column, by number or by name, to value."""
    if isinstance(piece, SinglePoints):
        yield from piece.points
        return
    if isinstance(piece, Batch):
        if not _has_columns(piece):
            yield from piece.points()
            return
        piece = MatrixPart.of_batch(piece)
    X = piece.X
    if hasattr(X, "iloc"):
        names = list(X.columns)
        for values, y in zip(X.itertuples(index=False, name=None), piece.y, strict=True):
            yield dict(zip(names, values, strict=True)), y
        return
    if not is_sparse(X):
        for values, y in zip(np.asarray(X).tolist(), piece.y, strict=True):
            yield dict(enumerate(values)), y
        return
    rows_in_order: Any = X
    indptr, indices, data = (getattr(rows_in_order, name).tolist() for name in ("indptr", "indices", "data"))
    for i, y in enumerate(piece.y):
        part = slice(indptr[i], indptr[i + 1])
        yield dict(zip(indices[part], data[part], strict=True)), y


def _rows_of(piece: Piece) -> MatrixPart:
    """Return points as rows of one matrix; those by themselves must be rows."""
    if isinstance(piece, MatrixPart):
        return piece
    if isinstance(piece, Batch) and _has_columns(piece):
        return MatrixPart.of_batch(piece)
    points = list(_points_of(piece))
    xs = [x for x, _ in points]
    if all(is_sparse(x) for x in xs):
        from scipy.sparse import vstack

        X: Any = vstack(xs, format="csr")
    elif all(isinstance(x, (np.ndarray, list, tuple)) for x in xs):
        X = np.array(xs)
    else:
        wrong = next(x for x in xs if not isinstance(x, (np.ndarray, list, tuple)))
        raise TypeError(f"prequential: x must be a row of numbers for a model that learns by rows, got {wrong!r:.60}")
    return MatrixPart(X, [y for _, y in points])
