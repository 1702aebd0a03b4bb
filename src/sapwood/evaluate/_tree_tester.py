"""Test then train with rows of a matrix inside the core, where a point costs no call of Python."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from sapwood._batch import Batch
from sapwood._tree_classifier import StreamingTreeClassifier
from sapwood._tree_model import Model
from sapwood.evaluate._pieces import Rows
from sapwood.evaluate._scoreboard import Answered

__all__ = ["TreeRows"]

_REFUSED = (TypeError, ValueError, OverflowError)


class TreeRows:
    """Lets a tree answer and then learn the rows of matrices.

    The answers and the tree are those of `predict_proba_one` and `learn_one`, point by point; a class may be new. A
    matrix is checked as a whole before its first row is learned. An error leaves the classifier as it was.
    """

    def __init__(self, classifier: StreamingTreeClassifier) -> None:
        self._classifier = classifier
        self._matrix: Any = None
        self._model: Model | None = None  # that the matrix was checked for
        self._batch: Batch | None = None

    def run(self, rows: Rows, answered: Answered) -> None:
        """Answer, then learn, some rows, and add what was answered to `answered`."""
        classifier = self._classifier
        with classifier._lock:
            try:
                model, whole = self._checked(rows)
                batch = _part(whole, rows.start, rows.stop)
                n_known = len(model.labels.order)
                predicted, probabilities, labels = self._learn(model, batch)
            except _REFUSED as error:
                classifier._raise_named("partial_fit", error)
            order = model.labels.order
        # The core has two classes at least. Before the second was met the first has all probability, before that none.
        known = _known_before(labels, n_known)
        probabilities[known == 0] = 0
        probabilities[known == 1] = np.arange(probabilities.shape[1]) == 0
        answered.true += [order[label] for label in labels.tolist()]
        answered.predicted += [
            order[min(label, n - 1)] if n else None for label, n in zip(predicted.tolist(), known.tolist(), strict=True)
        ]
        answered.probabilities = probabilities[:, : len(order)]
        answered.classes = order

    def _checked(self, rows: Rows) -> tuple[Model, Batch]:
        published = self._classifier._model
        if self._batch is None or self._model is None or self._matrix is not rows.whole or published is not self._model:
            model = published or self._classifier._new_model()
            self._batch = self._classifier._checked_batch(model, rows.whole, cast("ArrayLike", rows.labels), None)
            self._matrix, self._model = rows.whole, model
        return self._model, self._batch

    def _learn(
        self, model: Model, batch: Batch
    ) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64], npt.NDArray[np.uint16]]:
        """Return the answers of the tree, which has learned all points; or none of them, if it fails."""
        classifier = self._classifier
        published, labels, columns = classifier._model, model.labels, model.columns
        n_before = model.tree.n()
        # Labels first, as a reader that meets a class in the tree looks for its label.
        model.labels, model.columns = labels.seen(batch.order()), batch.columns
        classifier._model = model
        # A class that is not known has no point among these.
        numbers = np.array([model.labels.index.get(label, 0) for label in batch.classes.tolist()], dtype=np.uint16)
        codes = numbers[batch.codes]
        try:
            predicted, probabilities = model.tree.prequential(*batch.rows, codes)
        except BaseException:
            learned = model.tree.n() - n_before
            if learned == 0:
                classifier._model, model.labels, model.columns = published, labels, columns
            else:
                model.labels = labels.seen(batch.order(learned))
            raise
        return predicted, probabilities, codes


def _part(batch: Batch, start: int, stop: int) -> Batch:
    indptr = batch.rows.indptr[start : stop + 1]
    rows = type(batch.rows)(indptr - indptr[0], batch.rows.ids[indptr[0] : indptr[-1]])
    return batch._replace(rows=rows, codes=batch.codes[start:stop])


def _known_before(labels: npt.NDArray[np.uint16], n_known: int) -> npt.NDArray[np.int64]:
    """Return how many classes the tree had met before each point. They are numbered as they are met."""
    met = np.concatenate(([n_known - 1], labels[:-1].astype(np.int64)))
    return np.maximum.accumulate(met) + 1
