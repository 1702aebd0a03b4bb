"""Test then train inside the core, where a point costs no call of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sapwood._batches import as_batch
from sapwood._tree_learner import REFUSED
from sapwood.evaluate._pieces import Keyed, Rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sapwood._batch import Batch
    from sapwood._tree_classifier import StreamingTreeClassifier
    from sapwood._tree_model import Model
    from sapwood.evaluate._scoreboard import Answered

__all__ = ["TreeRows"]


class TreeRows:
    """Lets a tree answer and then learn the rows of matrices and the batches of streams.

    The answers and the tree are those of `predict_proba_one` and `learn_one`, point by point; a class may be new. A
    matrix is checked as a whole before its first row is learned. An error leaves the classifier as it was.
    """

    def __init__(self, classifier: StreamingTreeClassifier) -> None:
        self._classifier = classifier
        self._matrix: Any = None
        self._model: Model | None = None  # that the matrix was checked for
        self._batch: Batch | None = None

    def run(self, piece: Rows | Keyed, answered: Answered) -> None:
        """Answer, then learn, some points, and set what was answered in `answered`."""
        classifier = self._classifier
        with classifier._lock:
            try:
                model, batch = self._points(piece)
                n_known = len(model.labels.order)
                found = classifier._learn_or_undo(model, model.labels, batch, model.test_then_learn)
                predicted, probabilities, labels = found[0].astype(np.int64), found[1], found[2].astype(np.int64)
            except REFUSED as error:
                classifier._raise_named("partial_fit" if isinstance(piece, Rows) else "learn_one", error)
            order = model.labels.order
        # The core has two classes at least. Before the second was met the first has all probability, before that none.
        known = _known_before(labels, n_known)
        probabilities[known == 0] = 0
        probabilities[known == 1] = np.arange(probabilities.shape[1]) == 0
        # The number of the last class that is known; of none it is -1, which is NO_ANSWER.
        answered.numbers = labels, np.minimum(predicted, known - 1)
        answered.probabilities = probabilities[:, : len(order)]
        answered.classes = order

    def _points(self, piece: Rows | Keyed) -> tuple[Model, Batch]:
        """Return the model and the points that it learns next."""
        model = self._classifier._model or self._classifier._new_model()
        has_names = model.columns is not None and model.columns.names is not None
        if isinstance(piece, Keyed):
            return model, as_batch(model, piece.batch)
        if piece.batch is not None and not has_names:
            return model, as_batch(model, piece.batch)
        model, whole = self._checked(piece)
        return model, _part(whole, piece.start, piece.stop)

    def _checked(self, rows: Rows) -> tuple[Model, Batch]:
        published = self._classifier._model
        if self._batch is None or self._model is None or self._matrix is not rows.whole or published is not self._model:
            model = published or self._classifier._new_model()
            self._batch = self._classifier._checked_batch(model, rows.whole, cast("ArrayLike", rows.labels), None)
            self._matrix, self._model = rows.whole, model
        return self._model, self._batch


def _part(batch: Batch, start: int, stop: int) -> Batch:
    indptr = batch.rows.indptr[start : stop + 1]
    rows = type(batch.rows)(indptr - indptr[0], batch.rows.ids[indptr[0] : indptr[-1]])
    return batch._replace(rows=rows, codes=batch.codes[start:stop])


def _known_before(labels: npt.NDArray[np.int64], n_known: int) -> npt.NDArray[np.int64]:
    """Return how many classes the tree had met before each point. They are numbered as they are met."""
    met = np.concatenate(([n_known - 1], labels[:-1]))
    return np.maximum.accumulate(met) + 1
