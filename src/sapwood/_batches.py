"""Trees and the batches of a stream: learned and answered in the core, where a point costs no call of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sapwood import _batch
from sapwood._csr import kept
from sapwood._labels import as_label
from sapwood._rows import Columns, Rows
from sapwood._tree_learner import REFUSED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood._tree_classifier import StreamingTreeClassifier
    from sapwood._tree_model import Model
    from sapwood.stream import Batch

__all__ = ["as_batch", "learn_batch", "predict_batch", "predict_proba_batch"]


def learn_batch(classifier: StreamingTreeClassifier, batch: Batch) -> None:
    """Learn the points of a batch in their order. A class may be new.

    The model is, to the byte, that which ``learn_one`` makes of ``batch.points()``. An error changes nothing; an
    interrupt keeps the points learned so far.
    """
    with classifier._lock:
        model = classifier._model or classifier._new_model()
        try:
            classifier._learn_or_undo(model, model.labels, as_batch(model, batch), model.learn)
        except REFUSED as error:
            classifier._raise_named("learn_one", error)


def as_batch(model: Model, batch: Batch) -> _batch.Batch:
    """Return the points of a stream as a model learns them. Features are given their ids."""
    ids = model.tree.ids_of_keys(batch.keys or [], True) if batch.indices is None else batch.indices
    classes, codes = _distinct(batch)
    # Unlike rows of a matrix, points of a stream say nothing of the columns that there are.
    columns = cast("Columns", model.columns)
    return _batch.Batch(rows=Rows(batch.indptr, ids), classes=classes, codes=codes, weights=None, columns=columns)


def _distinct(batch: Batch) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct labels of a batch, and the number of that of each point among them."""
    if batch.y.dtype.kind == "i":
        found, codes = np.unique(batch.y, return_inverse=True)
        return found, codes.reshape(-1)
    labels = batch.labels()
    number = {as_label(label): code for code, label in enumerate(dict.fromkeys(labels))}
    classes = np.empty(len(number), dtype=object)
    classes[:] = list(number)
    return classes, np.fromiter(map(number.__getitem__, labels), np.intp, len(labels))


def predict_batch(classifier: StreamingTreeClassifier, batch: Batch) -> NDArray[Any]:
    """Return the class of each point of a batch, as ``predict_one`` does. Unknown features say nothing."""
    model, rows = _known_rows(classifier, batch)
    return classifier._answers(model, rows)


def predict_proba_batch(classifier: StreamingTreeClassifier, batch: Batch) -> NDArray[np.float64]:
    """Return the probability of each class, in the order of ``classes_``, for each point of a batch."""
    model, rows = _known_rows(classifier, batch)
    return classifier._probabilities(model, rows)


def _known_rows(classifier: StreamingTreeClassifier, batch: Batch) -> tuple[Model, Rows]:
    model = classifier._fitted_model()
    if batch.indices is not None:
        if model.columns is not None and model.columns.names is not None:
            raise ValueError(
                "predict: the points must have features by name, as the model has, got columns by number; "
                "CSV and JSON lines have names"
            )
        return model, Rows(batch.indptr, batch.indices)
    ids = model.tree.ids_of_keys(batch.keys or [], False)
    return model, Rows(*kept(batch.indptr, ids, ids >= 0))
